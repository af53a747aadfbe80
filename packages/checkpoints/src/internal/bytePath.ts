/**
 * Paths as git gives them: bytes, held one a character, so that names that are not UTF-8 survive. Relative, with "/".
 */
import { Machine } from "@belay/machine"

export type BytePath = string

const of = (bytes: Uint8Array): BytePath => Buffer.from(bytes).toString("latin1")

const bytesOf = (file: BytePath): Buffer => Buffer.from(file, "latin1")

export const shown = (file: BytePath): string => bytesOf(file).toString("utf8")

export const fromShown = (file: string): BytePath => of(Buffer.from(file, "utf8"))

/** What `node:fs` takes; on Windows, where names are text, a string that may be longer than 260 characters. */
export const inFolder = (folder: string, file: BytePath, machine: Machine.Machine = Machine.host): string | Buffer =>
  Machine.isWindows(machine)
    ? machine.path.toNamespacedPath(machine.path.join(folder, shown(file)))
    : Buffer.concat([Buffer.from(file === "" ? folder : `${folder}/`), bytesOf(file)])

export const parentOf = (file: BytePath): BytePath => file.slice(0, Math.max(file.lastIndexOf("/"), 0))

/** The records of a NUL-terminated list. */
export const split = (bytes: Uint8Array): ReadonlyArray<BytePath> => of(bytes).split("\0").slice(0, -1)

/** The list that `split` reads. */
export const join = (files: ReadonlyArray<BytePath>): Buffer => bytesOf(files.map((file) => `${file}\0`).join(""))
