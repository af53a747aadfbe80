/**
 * Judges one resolved path, by the rules whose names begin with `path`.
 *
 * The pattern entries apply to files inside the workspace only. All entries that match count, whatever their order, and
 * the strictest of them replaces the general setting; so adding an entry that denies can never allow more. A file
 * that is reached by another name is judged by both names.
 */
import picomatch from "picomatch"
import type { Approvals } from "./Approvals.ts"
import { ask, deny, type Setting, strictest, type Verdict, verdict } from "./Decision.ts"
import { isBelow } from "./internal/isBelow.ts"
import { quote } from "./internal/quote.ts"
import type { PathFact } from "./PathFact.ts"
import * as ProtectedPath from "./ProtectedPath.ts"
import * as SchemaAddress from "./SchemaAddress.ts"

type Kind = "read" | "edit"

/** Holds the folders that decide whether a path is inside or protected. */
export interface Place extends ProtectedPath.Roots {
  /** The absolute, resolved root of the workspace. */
  readonly workspace: string
}

const kindOf = (fact: PathFact): Kind => (fact.access === "write" ? "edit" : "read")

/** Gives what the entries say about a file of the workspace; undefined when none matches. */
export const entrySetting = (
  approvals: Approvals,
  kind: Kind,
  relative: string,
  insensitive: boolean
): Setting | undefined => {
  let found: Setting | undefined
  for (const entry of approvals.paths) {
    const setting = entry[kind]
    if (setting === undefined) continue
    const options = { dot: true, nonegate: true, nocase: insensitive, windows: false }
    if (!picomatch.isMatch(relative.normalize("NFC"), entry.pattern.normalize("NFC"), options)) continue
    found = found === undefined ? setting : strictest(found, setting)
  }
  return found
}

/** The folder that a pattern begins in, as far as its text says. */
const rootOf = (pattern: string): string => {
  const parts = pattern.split("/")
  const at = parts.findIndex((part) => /[*?[{(!+@\\]/.test(part))
  return parts.slice(0, at < 0 ? -1 : at).join("/")
}

const within = (folder: string, other: string): boolean =>
  other === "" || folder === other || folder.startsWith(`${other}/`)

/** The strictest that entries say of what may lie below a folder of the workspace; undefined when none has a say. */
export const belowSetting = (approvals: Approvals, kind: Kind, relative: string): Setting | undefined =>
  approvals.paths
    .filter(({ pattern }) => {
      const root = rootOf(pattern)
      return within(root, relative) || within(relative, root)
    })
    .flatMap((entry) => entry[kind] ?? [])
    .reduce<Setting | undefined>(
      (found, setting) => (found === undefined ? setting : strictest(found, setting)),
      undefined
    )

/** The path the model means, relative to the workspace; undefined when its text does not lie there. */
const displayedRelative = (fact: PathFact, workspace: string): string | undefined => {
  if (fact.displayed === fact.resolved) return fact.relative
  const displayed = fact.displayed.replaceAll("\\", "/")
  const root = workspace.replaceAll("\\", "/").replace(/\/+$/, "")
  return displayed.startsWith(`${root}/`) ? displayed.slice(root.length + 1) : undefined
}

const unresolved = (fact: PathFact): Verdict | undefined => {
  const shown = quote(fact.given)
  if (/\0/.test(fact.given + fact.displayed + fact.resolved)) {
    return deny("invalid", `${shown} contains a NUL character.`)
  }
  if (fact.failure !== undefined) {
    return deny("path.unresolved", `${shown} could not be resolved: ${quote(fact.failure).slice(1, -1)}.`)
  }
  return fact.displayed === "" || fact.resolved === ""
    ? deny("path.unresolved", `${shown} was not resolved to an absolute path.`)
    : undefined
}

const guarded = (fact: PathFact, approvals: Approvals, place: Place): Verdict | undefined => {
  const found = ProtectedPath.matchFact(fact, place)
  if (found === undefined) return undefined
  if (!fact.inside || found.executed !== true) return ask(found.rule, found.reason)
  return approvals.protected === "allow"
    ? undefined
    : ask(found.rule, `${found.reason} With "protected": "allow" in the approvals, edits of such files follow "edit".`)
}

const unusual = (fact: PathFact): Verdict | undefined => {
  if (fact.access === "read") return undefined
  if (fact.kind !== "file" && fact.kind !== "absent") {
    return ask("path.kind", `${quote(fact.resolved)} is not a regular file.`)
  }
  return fact.kind === "file" && fact.links > 1
    ? ask("path.links", `${quote(fact.resolved)} has ${fact.links} names, so a write also changes another file.`)
    : undefined
}

/** The same for every tool: what searches and lists leave out is asked for by name. */
export const leftOut = (fact: PathFact): Verdict | undefined =>
  fact.ignored === undefined
    ? undefined
    : ask(
        "path.ignored",
        `${quote(fact.relative)} ${fact.ignored === "itself" ? "is" : "holds files that are"} left out by .belayignore.`,
        ["task"]
      )

const byName = (fact: PathFact): Verdict | undefined => (fact.ignored === "itself" ? leftOut(fact) : undefined)

/** Gives what the schemas that a write names would tell others. */
export const fetching = (addresses: ReadonlyArray<string>, shown: string): Verdict | undefined => {
  const address = addresses.find((one) => !SchemaAddress.isKnown(one))
  if (address === undefined) return undefined
  return ask(
    "path.schema",
    `${quote(shown)} would name the schema ${quote(address)}, which editors fetch by themselves.`
  )
}

const outside = (fact: PathFact, approvals: Approvals): Verdict => {
  const isAdded = (approvals.folders ?? []).some((folder) => isBelow(fact.resolved, folder))
  const { edit, editOutside, read, readOutside } = approvals
  if (isAdded) {
    const added = fact.access === "write" ? edit : read
    return verdict(added, "path.folder", `${quote(fact.resolved)} lies in a folder of approvals.folders.`, ["task"])
  }
  const setting = fact.access === "write" ? editOutside : readOutside
  return verdict(setting, "path.outside", `${quote(fact.resolved)} lies outside the workspace.`, ["task"])
}

/** What an edit makes of a file tells what is in it: where entries close a file to reads, they close it to edits. */
const entryFor = (fact: PathFact, approvals: Approvals, name: string): Setting | undefined => {
  const kind = kindOf(fact)
  const own = entrySetting(approvals, kind, name, fact.insensitive)
  const read =
    kind === "read" || fact.kind === "absent" ? undefined : entrySetting(approvals, "read", name, fact.insensitive)
  return read === undefined || read === "allow" ? own : strictest(own ?? approvals[kind], read)
}

const inside = (fact: PathFact, approvals: Approvals, place: Place): Verdict => {
  const kind = kindOf(fact)
  const general = approvals[kind]
  const shown = displayedRelative(fact, place.workspace)
  const target = entryFor(fact, approvals, fact.relative)
  const written = shown === undefined ? undefined : entryFor(fact, approvals, shown)
  const verb = kind === "edit" ? "Edits of" : "Reads of"
  if (target === undefined && written === undefined) {
    return verdict(general, kind, `${verb} files in the workspace: ${general}.`, ["task", "always"])
  }
  const setting = strictest(target ?? general, written ?? general)
  return verdict(setting, "path.pattern", `${verb} ${quote(fact.relative)}: ${setting}, by a pattern in paths.`, [
    "task",
    "always"
  ])
}

/** Every verdict on one path; the strictest holds. */
export const judge = (fact: PathFact, approvals: Approvals, place: Place): ReadonlyArray<Verdict> => {
  const failed = unresolved(fact)
  if (failed !== undefined) return [failed]
  const schema = fetching(fact.schemas ?? [], fact.given)
  const special = [guarded(fact, approvals, place), byName(fact), unusual(fact), schema].filter(
    (found) => found !== undefined
  )
  return [...special, fact.inside ? inside(fact, approvals, place) : outside(fact, approvals)]
}

/**
 * A file that a command writes. `named`: a rule lists the program with what it writes, so that only entries for the file
 * itself have a say. Outside the workspace the hard floor asks.
 */
export const judgeWrite = (
  fact: PathFact,
  approvals: Approvals,
  place: Place,
  { named, regular }: { readonly named: boolean; readonly regular: boolean }
): ReadonlyArray<Verdict> => {
  const failed = unresolved(fact)
  if (failed !== undefined) return [failed]
  const strange = regular || fact.kind === "other" ? unusual(fact) : undefined
  if (!fact.inside) return [verdict(approvals.editOutside, "path.outside", `${quote(fact.resolved)} lies outside.`, [])]
  const general = named && approvals.edit !== "deny" ? "allow" : approvals.edit
  const shown = displayedRelative(fact, place.workspace)
  const setting = [fact.relative, ...(shown === undefined ? [] : [shown])]
    .map((name) => entrySetting(approvals, "edit", name, fact.insensitive) ?? general)
    .reduce(strictest)
  const reason = `The command writes ${quote(fact.relative)}; edits of it: ${setting}.`
  const special = [byName(fact), strange].filter((found) => found !== undefined)
  return [verdict(setting, "command.writes", reason, ["task", "always"]), ...special]
}
