/**
 * Whether a folder's own configuration counts: only after a person has said so, for exactly the content it has now.
 *
 * The content is everything in `.belay`, and the rules, skills and commands beside it, by name and bytes. Any change, also one that came with `git pull`, is a content
 * of its own that is asked about again; a copy of the folder elsewhere is another folder. What cannot be read whole, such
 * as a link, is never trusted.
 */
import { ProjectContext } from "@belay/prompt-context"
import * as DataFolder from "@belay/history-store/data-folder"
import * as Effect from "effect/Effect"
import { createHash } from "node:crypto"
import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, readFileSync } from "node:fs"
import * as path from "node:path"
import type { Failure } from "../Failure.ts"
import * as SettingsFile from "./SettingsFile.ts"

const largest = 1_048_576
const mostFiles = 1000

export type Content =
  /** The folder has no configuration of its own. */
  | { readonly _tag: "None" }
  | {
      readonly _tag: "Whole"
      readonly hash: string
      readonly settings: string | undefined
      /** Rules, skills and commands. */
      readonly files: ReadonlyArray<string>
    }
  /** It is never trusted; why, in words. */
  | { readonly _tag: "Unreadable"; readonly why: string }

class Unreadable extends Error {}

const bytesOf = (file: string): Buffer => {
  const handle = openSync(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
  try {
    const found = fstatSync(handle)
    if (!found.isFile() || found.size > largest) throw new Unreadable("a file in .belay is larger than 1 MB")
    return readFileSync(handle)
  } finally {
    closeSync(handle)
  }
}

/** Names of all files below, sorted by their bytes, so that the order is the same on every machine. */
const filesBelow = (folder: string): ReadonlyArray<string> => {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  if (entries.length > mostFiles) throw new Unreadable(`.belay has more than ${mostFiles} files`)
  const odd = entries.find((entry) => !entry.isFile() && !entry.isDirectory())
  if (odd !== undefined) throw new Unreadable(`.belay has a link (${odd.name})`)
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)).replaceAll(path.sep, "/"))
    .toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
}

const isFolder = (folder: string): boolean => {
  const found = lstatSync(folder, { throwIfNoEntry: false })
  if (found === undefined) return false
  if (!found.isDirectory()) throw new Unreadable(".belay is no folder")
  return true
}

/** What a workspace configures. The settings are the very bytes that were hashed. */
export const content = (workspace: string): Content => {
  const folder = path.join(workspace, ".belay")
  try {
    const hash = createHash("sha256")
    const files = isFolder(folder) ? filesBelow(folder) : []
    let settings: string | undefined
    for (const name of files) {
      const bytes = bytesOf(path.join(folder, name))
      hash.update(`${Buffer.byteLength(name)}:${name}:${bytes.length}:`).update(bytes)
      if (name === "settings.json") settings = bytes.toString("utf8")
    }
    const told = ProjectContext.fingerprint(workspace)
    if (told !== undefined) hash.update(told.hash)
    return files.length === 0 && told === undefined
      ? { _tag: "None" }
      : { _tag: "Whole", hash: hash.digest("hex"), settings, files: told?.files ?? [] }
  } catch (cause) {
    return { _tag: "Unreadable", why: cause instanceof Unreadable ? cause.message : ".belay cannot be read" }
  }
}

interface Answer {
  readonly hash: string
  readonly trusted: boolean
}

const file = (): string => path.join(DataFolder.directory(), "trust.json")

const isAnswer = (value: unknown): value is Answer =>
  typeof value === "object" &&
  value !== null &&
  "hash" in value &&
  typeof value.hash === "string" &&
  "trusted" in value &&
  typeof value.trusted === "boolean"

const answers: Effect.Effect<Readonly<Record<string, unknown>>, Failure> = Effect.suspend(() =>
  Effect.map(SettingsFile.read(file()), (value) =>
    typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {}
  )
)

/** What was said of this content in this folder; `undefined` when it was not asked about. */
export const said = (workspace: string, hash: string): Effect.Effect<boolean | undefined, Failure> =>
  Effect.map(answers, (all) => {
    const found = Object.hasOwn(all, workspace) ? all[workspace] : undefined
    return isAnswer(found) && found.hash === hash ? found.trusted : undefined
  })

/** A person trusts the workspace as it is now. */
export const isTrusted = (workspace: string): Effect.Effect<boolean> =>
  Effect.suspend(() => {
    const found = content(workspace)
    return found._tag === "Whole"
      ? Effect.orElseSucceed(said(workspace, found.hash), () => false)
      : Effect.succeed(false)
  }).pipe(Effect.map((answer) => answer === true))

export const say = (workspace: string, hash: string, trusted: boolean): Effect.Effect<void, Failure> =>
  Effect.flatMap(answers, (all) => SettingsFile.write(file(), { ...all, [workspace]: { hash, trusted } }))
