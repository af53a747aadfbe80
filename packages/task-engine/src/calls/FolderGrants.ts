/**
 * What a person allows always: rules that hold in one folder, kept in the data folder, the same for every host.
 *
 * Guarantees: a rule holds where it was given, which is the resolved root of a workspace and the very folder that was
 * there then, and nowhere else; a folder that moved, or another one in its place, has no rules. A file for each rule,
 * written whole or not at all and readable by this user alone, so that two processes lose nothing of each other. What
 * cannot be read, or is of another version, allows nothing, is named in one line, and is never written over.
 */
import { Folder } from "@belay/machine"
import { type Decision, Grant } from "@belay/approval-policy"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { createHash } from "node:crypto"
import { lstatSync, readdirSync, rmSync, statSync } from "node:fs"
import * as path from "node:path"
import { read, SettingsFileError, write } from "@belay/settings/file"

/** A rule as its file has it. `identity` tells the folder from a later one at the same path. */
export const Stored = Schema.Struct({
  version: Schema.Literal(1),
  folder: Schema.String,
  identity: Schema.String,
  rule: Grant.Rule,
  /** Milliseconds since 1970. */
  givenAt: Schema.Natural
})
export type Stored = typeof Stored.Type

/** A command that holds in every folder, because a person said so of an entry of their settings. */
const Everywhere = Schema.Struct({ version: Schema.Literal(1), command: Schema.String })

const decodeStored = Schema.decodeUnknownOption(Stored, { onExcessProperty: "error" })
const decodeEverywhere = Schema.decodeUnknownOption(Everywhere, { onExcessProperty: "error" })

/** `here`: the folder is the one that it was given in; `moved`: another one is at its path now; `gone`: none is. */
export interface Entry {
  readonly folder: string
  readonly rule: Grant.Rule
  /** Milliseconds since 1970. */
  readonly givenAt: number
  readonly state: "here" | "moved" | "gone"
}

/** Lists stored answers, and the files that cannot be read. */
export interface Found {
  /** The oldest first. */
  readonly entries: ReadonlyArray<Entry>
  /** What allows nothing and why, one line for each folder of files. */
  readonly problems: ReadonlyArray<string>
}

const none: Found = { entries: [], problems: [] }

const short = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 32)

const nameOf = (rule: Grant.Rule): string => `${short(JSON.stringify(rule))}.json`

const everywhere = "everywhere"

const identityOf = (folder: string): string | undefined => {
  try {
    const found = statSync(folder, { bigint: true })
    return found.isDirectory() ? `${found.ino}:${found.birthtimeNs}` : undefined
  } catch {
    return undefined
  }
}

const stateOf = ({ folder, identity }: Stored): Entry["state"] => {
  const now = identityOf(folder)
  return now === undefined ? "gone" : now === identity ? "here" : "moved"
}

type Names = ReadonlyArray<string> | "unreadable"

/** Names below a folder of ours that is no link; none where there is none. */
const namesIn = (folder: string): Names => {
  try {
    const found = lstatSync(folder, { throwIfNoEntry: false })
    if (found === undefined) return []
    return found.isDirectory() ? readdirSync(folder).toSorted() : "unreadable"
  } catch (cause) {
    return cause instanceof Error && "code" in cause && cause.code === "ENOTDIR" ? [] : "unreadable"
  }
}

const isFile = (file: string): boolean => {
  try {
    return lstatSync(file, { throwIfNoEntry: false })?.isFile() === true
  } catch {
    return false
  }
}

const refused = (count: number, first: string): string =>
  `${count === 1 ? "A rule" : `${count} rules`} of what you allowed always cannot be read and ${count === 1 ? "allows" : "allow"} nothing (${first}). Remove it, or use the version of Belay that wrote it.`

/** Without a file it is nothing; with one that cannot be used, `unusable`. */
const one = <A>(file: string, decode: (value: unknown) => Option.Option<A>): Effect.Effect<A | "unusable"> =>
  isFile(file)
    ? read(file).pipe(
        Effect.map((value) => Option.getOrElse(decode(value), () => "unusable" as const)),
        Effect.orElseSucceed(() => "unusable" as const)
      )
    : Effect.succeed("unusable")

const isRule = (name: string): boolean => name.endsWith(".json")

/** Stores in the data folder what people allowed always. */
export interface FolderGrants {
  /** What was allowed always in a folder. */
  readonly of: (folder: string) => Effect.Effect<Found>
  /** What was allowed always in any folder, also in those that are gone. */
  readonly all: Effect.Effect<Found>
  /** Each is kept once. Errors: one line when it cannot be stored, also over a file that cannot be read. */
  readonly add: (folder: string, rules: ReadonlyArray<Grant.Rule>) => Effect.Effect<void, SettingsFileError>
  /** Takes one back; it need not be there any more. */
  readonly remove: (folder: string, rule: Grant.Rule) => Effect.Effect<void, SettingsFileError>
  /** Commands that hold in every folder as long as the settings have an exact entry for them. */
  readonly everywhere: Effect.Effect<ReadonlySet<string>>
  readonly confirm: (command: string) => Effect.Effect<void, SettingsFileError>
}

/** `directory`: the data folder. Nothing is kept in memory: each call sees what any process has written. */
export const make = (directory: string): FolderGrants => {
  const root = path.join(directory, "grants")
  const folderOf = (folder: string): string => path.join(root, short(folder))

  /** Nothing was ever allowed always: nothing more is looked at for each call that asks. */
  const isBare = (): boolean => namesIn(root).length === 0

  /** A copy in another place is no rule of that place. */
  const decodeAt = (file: string) => (value: unknown) =>
    Option.filter(decodeStored(value), ({ folder, rule }) => path.join(folderOf(folder), nameOf(rule)) === file)

  const found = (from: string): Effect.Effect<Found> =>
    Effect.gen(function* () {
      const names = namesIn(from)
      if (names === "unreadable") return { entries: [], problems: [refused(1, from)] }
      const entries: Array<Entry> = []
      const bad: Array<string> = []
      for (const name of names.filter(isRule)) {
        const file = path.join(from, name)
        const stored = yield* one(file, decodeAt(file))
        if (stored === "unusable") bad.push(file)
        else entries.push({ ...stored, state: stateOf(stored) })
      }
      const [first] = bad
      return {
        entries: entries.toSorted((left, right) => left.givenAt - right.givenAt),
        problems: first === undefined ? [] : [refused(bad.length, first)]
      }
    })

  const all = Effect.gen(function* () {
    const names = namesIn(root)
    if (names === "unreadable") return { entries: [], problems: [refused(1, root)] }
    const each = yield* Effect.forEach(
      names.filter((name) => name !== everywhere),
      (name) => found(path.join(root, name))
    )
    return { entries: each.flatMap(({ entries }) => entries), problems: each.flatMap(({ problems }) => problems) }
  })

  /** Never over a file that is not what is to be written, and through no link. */
  const store = <A>(file: string, value: unknown, decode: (value: unknown) => Option.Option<A>) =>
    Effect.gen(function* () {
      const isOpen = [root, path.dirname(file)].every((folder) => namesIn(folder) !== "unreadable")
      const isThere = isOpen && lstatSync(file, { throwIfNoEntry: false }) !== undefined
      if (!isOpen || (isThere && (yield* one(file, decode)) === "unusable")) {
        const what = `what you allow always cannot be stored: what is there cannot be read (${isOpen ? file : root})`
        return yield* new SettingsFileError({ what, hint: "Remove it, or use the version of Belay that wrote it." })
      }
      yield* write(file, value)
    }).pipe(
      Effect.catchDefect(() => {
        const what = `what you allow always cannot be stored (${file})`
        return new SettingsFileError({ what, hint: "Check the folder's rights." })
      })
    )

  const remove = (file: string): Effect.Effect<void, SettingsFileError> =>
    Effect.try({
      try: () => rmSync(file, { force: true }),
      catch: () =>
        new SettingsFileError({ what: `the file cannot be removed (${file})`, hint: "Check the folder's rights." })
    })

  return {
    of: (folder) =>
      Effect.suspend(() => (isBare() ? Effect.succeed(none) : found(folderOf(Folder.canonicalOr(folder))))),
    all,
    add: (given, rules) =>
      Effect.gen(function* () {
        const folder = Folder.canonicalOr(given)
        const identity = identityOf(folder)
        if (identity === undefined) {
          return yield* new SettingsFileError({ what: `the folder is gone (${folder})`, hint: "Nothing was stored." })
        }
        const givenAt = yield* Clock.currentTimeMillis
        for (const rule of rules) {
          const stored: Stored = { version: 1, folder, identity, rule, givenAt }
          const file = path.join(folderOf(folder), nameOf(rule))
          yield* store(file, stored, decodeAt(file))
        }
      }),
    remove: (folder, rule) =>
      Effect.suspend(() => remove(path.join(folderOf(Folder.canonicalOr(folder)), nameOf(rule)))),
    everywhere: Effect.gen(function* () {
      const names = namesIn(path.join(root, everywhere))
      const commands = new Set<string>()
      for (const name of names === "unreadable" ? [] : names.filter(isRule)) {
        const stored = yield* one(path.join(root, everywhere, name), decodeEverywhere)
        if (stored !== "unusable" && `${short(stored.command)}.json` === name) commands.add(stored.command)
      }
      return commands
    }),
    confirm: (command) =>
      Effect.suspend(() =>
        store(path.join(root, everywhere, `${short(command)}.json`), { version: 1, command }, decodeEverywhere)
      )
  }
}

/** Describes what of a task's settings says whether grants of its folder count. */
export interface Counting {
  readonly folderGrants: boolean
  /** Commands of entries that a person has not confirmed for one folder. */
  readonly unconfirmed: ReadonlyArray<string>
}

/** The decision with what was allowed always in the folder of the call: only an ask that offers that can become a yes. */
export const decide = (
  grants: FolderGrants,
  { folderGrants, unconfirmed }: Counting,
  decision: Decision.Decision,
  call: Grant.Judged
): Effect.Effect<Decision.Decision> =>
  Effect.gen(function* () {
    if (!folderGrants || decision.decision !== "ask" || !decision.grants.includes("always")) return decision
    const { entries } = yield* grants.of(call.workspace)
    const rules = entries.flatMap(({ rule, state }) => (state === "here" ? [rule] : []))
    const text = call.facts.command?.text
    const isConfirmed = text !== undefined && unconfirmed.includes(text) && (yield* grants.everywhere).has(text)
    return Grant.decide(decision, isConfirmed ? Grant.rulesFor(call) : rules, call, "always")
  })
