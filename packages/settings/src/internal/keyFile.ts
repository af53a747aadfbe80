/**
 * Keys in one file of mode 0600: replaced whole or not at all, refused when it is a link or others can read it.
 *
 * Windows has no such modes: there the file has the rights of its folder, which is the user's own by default.
 */
import { ReplaceFile } from "@belay/machine"
import { Secrets } from "@belay/model-client"
import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync } from "node:fs"
import * as PrivateFile from "./privateFile.ts"

/** By host. */
export type Keys = Readonly<Record<string, string>>

const isKeys = (value: unknown): value is Keys =>
  typeof value === "object" &&
  value !== null &&
  !Array.isArray(value) &&
  Object.values(value).every((key) => typeof key === "string")

const refuse = (file: string, problem: Secrets.Problem): never => {
  throw new Secrets.SecretsError({ problem, path: file })
}

const codeOf = (cause: unknown): unknown =>
  typeof cause === "object" && cause !== null && "code" in cause ? cause.code : undefined

/** What is wrong with an open file, before a byte of it is read. */
const problemOf = (handle: number): Secrets.Problem | undefined => {
  const found = fstatSync(handle)
  if (!found.isFile()) return "notAFile"
  if (process.getuid === undefined) return undefined
  if (found.uid !== process.getuid()) return "foreign"
  return (found.mode & 0o077) === 0 ? undefined : "exposed"
}

/** Without `O_NOFOLLOW`, as on Windows, the name is looked at first. */
const open = (file: string): number | undefined => {
  try {
    if (lstatSync(file).isSymbolicLink()) return refuse(file, "symlink")
    return openSync(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
  } catch (cause) {
    if (cause instanceof Secrets.SecretsError) throw cause
    if (codeOf(cause) === "ENOENT") return undefined
    return refuse(file, codeOf(cause) === "ELOOP" ? "symlink" : "unreadable")
  }
}

const parse = (file: string, text: string): Keys => {
  try {
    const value: unknown = JSON.parse(text)
    return isKeys(value) ? value : refuse(file, "damaged")
  } catch {
    return refuse(file, "damaged")
  }
}

/** The keys; none when there is no file. Throws `SecretsError`. */
export const read = (file: string): Keys => {
  const handle = open(file)
  if (handle === undefined) return {}
  try {
    const problem = problemOf(handle)
    return problem === undefined ? parse(file, readFileSync(handle, "utf8")) : refuse(file, problem)
  } finally {
    closeSync(handle)
  }
}

/** Replaces the keys; without any the file goes. Throws `SecretsError`. */
export const write = (file: string, keys: Keys): void => {
  try {
    if (Object.keys(keys).length === 0) ReplaceFile.remove(file)
    else PrivateFile.replace(file, `${JSON.stringify(keys, undefined, 2)}\n`)
  } catch {
    refuse(file, "unwritable")
  }
}
