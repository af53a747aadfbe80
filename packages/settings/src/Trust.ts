/**
 * Whether a folder's own configuration counts: only after a person has said so, for exactly the content it has now.
 *
 * The content is everything in `.belay`, the scripts that its hooks run, `.mcp.json` beside it, and the rules, skills,
 * commands and agents there with what they import, by name and bytes. Any change, also one that came with `git pull`, is a
 * content of its own that is asked about again; a copy
 * of the folder elsewhere is another folder. What cannot be read whole, such as a link, is never trusted. Rules of folders
 * below it are trusted one by one, each with the content that was shown.
 */
import { ProtectedPath } from "@belay/approval-policy"
import * as DataFolder from "@belay/history-store/data-folder"
import { Folder, Machine } from "@belay/machine"
import { NestedRules, ProjectContext } from "@belay/prompt-context"
import type { Servers } from "@belay/tool-executor/mcp"
import * as Effect from "effect/Effect"
import { createHash } from "node:crypto"
import * as path from "node:path"
import * as ConfiguredFiles from "./internal/configuredFiles.ts"
import { scriptsOf } from "./internal/hookScripts.ts"
import { read, type SettingsFileError, write } from "./SettingsFile.ts"

export { count, listing } from "./TrustText.ts"

/** Describes the configuration that a folder has of its own. */
export type Content =
  /** The folder has no configuration of its own. */
  | { readonly _tag: "None" }
  | {
      readonly _tag: "Whole"
      readonly hash: string
      /** The very bytes that were hashed: of `settings.json`, and of `mcp.json` with its servers. */
      readonly settings?: string
      readonly servers?: string
      /** The same of `.mcp.json` beside that folder, which programs share. */
      readonly shared?: string
      /** Rules, skills, commands and agents; the hash of these alone. */
      readonly files: ReadonlyArray<string>
      readonly told?: string
      /** Rules of folders below it, by name, with their hashes; where they were looked for. */
      readonly below?: NestedRules.Trusted
      /** Everything that was hashed, by its name from the folder or its whole path. */
      readonly texts: ReadonlyArray<{ readonly name: string; readonly text: string }>
    }
  /** It is never trusted; why, in words. */
  | { readonly _tag: "Unreadable"; readonly why: string }

/** The configuration of a folder that was read without a fault. */
export type Whole = Extract<Content, { readonly _tag: "Whole" }>

/** Says whether a file is one that no instruction file brings in, whoever is trusted: named as secrets are, or Belay's own data. */
export const isSecret = (file: string): boolean =>
  ProtectedPath.match(file, "read", { home: DataFolder.directory() }) !== undefined

/** Gives what of a folder its tasks are told once it is trusted, and what of it they are not, and why. */
export const survey = (workspace: string): ProjectContext.Survey => ProjectContext.survey(workspace, isSecret)

/** Gives what a workspace configures. */
export const content = (workspace: string): Content => {
  const folder = path.join(workspace, ".belay")
  try {
    const hash = createHash("sha256")
    const files = ConfiguredFiles.isFolder(folder) ? ConfiguredFiles.filesBelow(folder) : []
    const own: { settings?: string; servers?: string; shared?: string } = {}
    const texts: Array<{ readonly name: string; readonly text: string }> = []
    for (const name of files) {
      const bytes = ConfiguredFiles.bytesOf(path.join(folder, name), `.belay/${name}`)
      hash.update(`${Buffer.byteLength(name)}:${name}:${bytes.length}:`).update(bytes)
      const text = bytes.toString("utf8")
      texts.push({ name: `.belay/${name}`, text })
      if (name === "settings.json") own.settings = text
      if (name === "mcp.json") own.servers = text
    }
    const shared = ConfiguredFiles.sharedBytes(workspace)
    if (shared !== undefined) {
      // No file below the folder has this name.
      hash
        .update(`${ConfiguredFiles.sharedServers.length + 3}:../${ConfiguredFiles.sharedServers}:${shared.length}:`)
        .update(shared)
      own.shared = shared.toString("utf8")
      texts.push({ name: ConfiguredFiles.sharedServers, text: own.shared })
    }
    for (const name of scriptsOf(own.settings, workspace)) {
      if (texts.some((known) => known.name === name)) continue
      const bytes = ConfiguredFiles.bytesOf(path.join(workspace, name), name)
      hash.update(`script:${Buffer.byteLength(name)}:${name}:${bytes.length}:`).update(bytes)
      texts.push({ name, text: bytes.toString("utf8") })
    }
    const told = ProjectContext.fingerprint(workspace, isSecret)
    if (told !== undefined) hash.update(told.hash)
    const beside = (told?.texts ?? []).filter(({ name }) => !texts.some((known) => known.name === name))
    return files.length === 0 && told === undefined && shared === undefined
      ? { _tag: "None" }
      : {
          _tag: "Whole",
          hash: hash.digest("hex"),
          ...own,
          files: told?.files ?? [],
          ...(told === undefined ? {} : { told: told.hash }),
          texts: [...beside, ...texts]
        }
  } catch (cause) {
    return {
      _tag: "Unreadable",
      why: cause instanceof ConfiguredFiles.Unreadable ? cause.message : ".belay cannot be read"
    }
  }
}

/** Of a folder without a configuration of its own. */
const noHash = "none"

/** The same with the rules of the folders below it, for a person who is to judge all of it. */
export const everything = (workspace: string): Content => {
  const own = content(workspace)
  if (own._tag === "Unreadable") return own
  const found = NestedRules.find(workspace)
  if (own._tag === "None" && found.length === 0) return own
  const base = own._tag === "Whole" ? own : { _tag: "Whole" as const, hash: noHash, files: [], texts: [] }
  return {
    ...base,
    files: [...base.files, ...found.map(({ name }) => name)],
    texts: [...base.texts, ...found],
    below: NestedRules.hashes(found)
  }
}

/** Gives what tells one content that is to be judged from another, with what lies below the folder. */
export const key = ({ below = {}, hash }: Whole): string => NestedRules.hashOf(JSON.stringify([hash, below]))

interface Answer {
  readonly hash: string
  readonly trusted: boolean
  /** Rules of folders below it that were shown with it. */
  readonly below?: NestedRules.Trusted
}

const file = (directory: string): string => path.join(directory, "trust.json")

const isAnswer = (value: unknown): value is Answer =>
  typeof value === "object" &&
  value !== null &&
  "hash" in value &&
  typeof value.hash === "string" &&
  "trusted" in value &&
  typeof value.trusted === "boolean"

const belowOf = ({ below }: Answer): NestedRules.Trusted => (typeof below === "object" && below !== null ? below : {})

const answers = (directory: string): Effect.Effect<Readonly<Record<string, unknown>>, SettingsFileError> =>
  Effect.map(read(file(directory)), (value) =>
    typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {}
  )

/** Of a folder. On Windows an older version may have stored it by other spellings, of which a no counts. */
const answerOf = (all: Readonly<Record<string, unknown>>, workspace: string, machine: Machine.Machine) => {
  const own = Object.hasOwn(all, workspace) ? all[workspace] : undefined
  if (own !== undefined || !Machine.isWindows(machine)) return isAnswer(own) ? own : undefined
  const others = Object.entries(all)
    .filter(([stored]) => Folder.known(stored, machine) === workspace)
    .flatMap(([, found]) => (isAnswer(found) ? [found] : []))
  return others.find(({ trusted }) => !trusted) ?? others[0]
}

const answer = (
  directory: string,
  workspace: string,
  hash: string
): Effect.Effect<Answer | undefined, SettingsFileError> =>
  Effect.gen(function* () {
    const found = answerOf(yield* answers(directory), workspace, yield* Machine.Current)
    return found?.hash === hash ? found : undefined
  })

/** Gives what was said of this content in this folder; `undefined` when it was not asked about. `directory`: the data folder. */
export const said = (
  directory: string,
  workspace: string,
  hash: string
): Effect.Effect<boolean | undefined, SettingsFileError> =>
  Effect.map(answer(directory, workspace, hash), (found) => found?.trusted)

/** The same of all of it: what is new or other below the folder was not asked about. */
export const saidOfAll = (
  directory: string,
  workspace: string,
  { below = {}, hash }: Whole
): Effect.Effect<boolean | undefined, SettingsFileError> =>
  Effect.map(answer(directory, workspace, hash), (found) => {
    if (found?.trusted !== true) return found?.trusted
    const known = belowOf(found)
    return Object.entries(below).every(([name, text]) => Object.hasOwn(known, name) && known[name] === text)
      ? true
      : undefined
  })

/** Of the rules below a workspace those that a person trusts, as long as its own content is what they trusted. */
export const below = (directory: string, workspace: string): Effect.Effect<NestedRules.Trusted> =>
  Effect.gen(function* () {
    const all = yield* answers(directory)
    const found = answerOf(all, workspace, yield* Machine.Current)
    if (found?.trusted !== true || Object.keys(belowOf(found)).length === 0) return {}
    const own = content(workspace)
    if (own._tag === "Unreadable" || found.hash !== (own._tag === "None" ? noHash : own.hash)) return {}
    return belowOf(found)
  }).pipe(Effect.orElseSucceed(() => ({})))

/** A person trusts the workspace as it is now; of `told`, what was read of it is what they trust. */
export const isTrusted = (directory: string, workspace: string, told?: string): Effect.Effect<boolean> =>
  Effect.suspend(() => {
    const found = content(workspace)
    return found._tag === "Whole" && (told === undefined || told === found.told)
      ? Effect.orElseSucceed(said(directory, workspace, found.hash), () => false)
      : Effect.succeed(false)
  }).pipe(Effect.map((answer) => answer === true))

/** Stores that a person trusts the content of this hash, or no longer does. Errors: `SettingsFileError`. */
export const say = (
  directory: string,
  workspace: string,
  { below = {}, hash }: Pick<Whole, "below" | "hash">,
  trusted: boolean
): Effect.Effect<void, SettingsFileError> =>
  Effect.flatMap(answers(directory), (all) =>
    write(file(directory), {
      ...all,
      [workspace]: { hash, trusted, ...(Object.keys(below).length === 0 ? {} : { below }) }
    })
  )

/** A copy of what a person trusts is trusted as well, unless they were asked: the same bytes, of their own repository. */
export const copied = (directory: string, from: string, to: string): Effect.Effect<void> =>
  Effect.gen(function* () {
    const [own, copy] = [content(from), content(to)]
    if (own._tag !== "Whole" || copy._tag !== "Whole" || own.hash !== copy.hash) return
    const isTrusted = yield* said(directory, from, own.hash)
    const wasAsked = yield* said(directory, to, copy.hash)
    if (isTrusted === true && wasAsked === undefined) yield* say(directory, to, { hash: copy.hash }, true)
  }).pipe(Effect.ignore)

/** The MCP servers of a folder, as they may be used; `what` a person can do is said of those that may not. */
export const servers = (directory: string, workspace: string, what: string): Effect.Effect<Servers.ProjectText> =>
  Effect.suspend((): Effect.Effect<Servers.ProjectText> => {
    if (ConfiguredFiles.isBare(workspace)) return Effect.succeed({ _tag: "None" })
    const found = content(workspace)
    if (found._tag === "Unreadable") {
      const why = `Servers of this project are not started: ${found.why}.`
      return Effect.succeed({ _tag: "Untrusted", text: "", why })
    }
    if (found._tag === "None" || (found.servers ?? found.shared) === undefined) return Effect.succeed({ _tag: "None" })
    const text = found.servers ?? ""
    const shared = found.shared === undefined ? {} : { shared: found.shared }
    return said(directory, workspace, found.hash).pipe(
      Effect.orElseSucceed(() => false),
      Effect.map((trusted): Servers.ProjectText =>
        trusted === true
          ? { _tag: "Trusted", text, ...shared }
          : {
              _tag: "Untrusted",
              text,
              ...shared,
              why: `From this project. Not started: the folder is not trusted. ${what}`
            }
      )
    )
  })
