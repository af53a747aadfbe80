/**
 * The kind of machine that code runs on, as a value: its platform, how it spells paths, and the calls of its file system.
 *
 * Guarantee: nothing here is read when the module is loaded, so a test can run the same code as on Windows or macOS.
 */
import * as Context from "effect/Context"
import * as nodeFs from "node:fs"
import * as os from "node:os"
import * as nodePath from "node:path"

/** Describes the platform that code runs on, so that a test can run it on another one. */
export interface Machine {
  readonly platform: NodeJS.Platform
  /** Paths as this platform spells them. */
  readonly path: nodePath.PlatformPath
  /** Node's own calls; a test gives some that fail, or that fold names. */
  readonly fs: typeof nodeFs
}

/** The machine of this process. */
export const host: Machine = {
  get platform() {
    return process.platform
  },
  get path() {
    return nodePath
  },
  get fs() {
    return nodeFs
  }
}

/** The machine that a program runs on: that of this process unless it provides another. */
export const Current = Context.Reference<Machine>("@belay/machine/Current", { defaultValue: () => host })

/** Returns whether the platform is Windows. */
export const isWindows = ({ platform }: Machine): boolean => platform === "win32"

/** The person's home folder; where the system knows none, as in a container, a place where nothing is. */
export const home = (machine: Machine = host): string => {
  try {
    return os.homedir()
  } catch {
    return machine.path.resolve("/nonexistent")
  }
}

/** Says whether names that differ in case, or in their Unicode form, are one file on an ordinary disk of this platform. */
export const foldsNames = ({ platform }: Machine): boolean => platform === "win32" || platform === "darwin"
