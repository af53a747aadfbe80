/**
 * Machines for tests: Windows and macOS over a folder of this one.
 *
 * @packageDocumentation
 */
import * as nodePath from "node:path"
import { host, type Machine } from "./Machine.ts"
import * as Volume from "./testing/Volume.ts"

/** Configures a machine for tests. */
export type Options = Omit<Volume.Options, "platform" | "path">

/** Windows with a drive `C:` and the others that are named: names fold, shares are `\\server\share`. */
export const windows = (options: Options, roots: ReadonlyArray<string> = ["C:\\"]): Machine => {
  for (const root of roots) Volume.makeRoot(root, options)
  return Volume.machine({ ...options, platform: "win32", path: nodePath.win32 })
}

/** macOS: names fold, whatever their case and their Unicode form. */
export const darwin = (options: Options): Machine =>
  Volume.machine({ ...options, platform: "darwin", path: nodePath.posix })

/** Gives this machine with calls that end with the errors that are given. */
export const faulty = (
  fault: NonNullable<Volume.Options["fault"]>,
  machine: Machine = host,
  platform: NodeJS.Platform = machine.platform
): Machine => {
  const failing = (call: string, real: unknown) =>
    typeof real !== "function"
      ? real
      : (...args: ReadonlyArray<unknown>): unknown => {
          const code = fault(call, String(args[0]))
          if (code !== undefined) throw Object.assign(new Error(`${code}: ${call} '${String(args[0])}'`), { code })
          return Reflect.apply(real, machine.fs, args)
        }
  const fs = Object.fromEntries(
    Object.entries(machine.fs).map(([call, real]) => [call, call === "realpathSync" ? real : failing(call, real)])
  )
  return { platform, path: machine.path, fs: fs as unknown as Machine["fs"] }
}
