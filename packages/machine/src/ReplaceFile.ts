/**
 * Puts one file in the place of another, in one step.
 *
 * Guarantee: whoever opens the target sees the old content or the new one, whole. On Windows a program that looks at a
 * file (a scanner, an indexer, an editor) keeps it from being replaced for a moment: that is waited for, up to half a
 * second; elsewhere the first answer is the last. Throws the error of the file system.
 */
import * as crypto from "node:crypto"
import * as Machine from "./Machine.ts"

/** Ms between two tries. */
const pauses: ReadonlyArray<number> = [5, 10, 20, 40, 80, 80, 80, 80, 80]

const held: ReadonlySet<string | undefined> = new Set(["EPERM", "EACCES", "EBUSY"])

const wait = (ms: number): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)

/** Says whether another program may hold the file for a moment: on Windows only. */
export const isHeld = (cause: unknown, machine: Machine.Machine = Machine.host): boolean =>
  Machine.isWindows(machine) && held.has((cause as NodeJS.ErrnoException | undefined)?.code)

/** Tries again while another program holds the file. */
export const patiently = <A>(step: () => A, machine: Machine.Machine = Machine.host): A => {
  for (const pause of pauses) {
    try {
      return step()
    } catch (cause) {
      if (!isHeld(cause, machine)) throw cause
      wait(pause)
    }
  }
  return step()
}

/** `from` takes the place of `to`, where there is one. */
export const rename = (from: string, to: string, machine: Machine.Machine = Machine.host): void =>
  patiently(() => machine.fs.renameSync(from, to), machine)

/** Removes a file; nothing there is fine. */
export const remove = (file: string, machine: Machine.Machine = Machine.host): void =>
  patiently(() => machine.fs.rmSync(file, { force: true }), machine)

/** Says how the file is written. */
export interface Content {
  /** Permission bits of the file. */
  readonly mode?: number
  /** Written to the disk before it takes the place, so that no power cut leaves an empty file. */
  readonly durable?: boolean
}

/** Writes a file beside the target and puts it in its place; what was there stays when anything fails. */
export const write = (
  target: string,
  bytes: string | Uint8Array,
  { durable = false, mode = 0o644 }: Content = {},
  machine: Machine.Machine = Machine.host
): void => {
  const { fs } = machine
  const temporary = `${target}.${crypto.randomUUID()}.tmp`
  try {
    fs.writeFileSync(temporary, bytes, { flag: "wx", mode, flush: durable })
    rename(temporary, target, machine)
  } catch (cause) {
    fs.rmSync(temporary, { force: true })
    throw cause
  }
}
