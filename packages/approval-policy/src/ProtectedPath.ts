/**
 * Finds the protected names (asked on write) and secret files (asked on read and write) in a path.
 *
 * Works on text alone, so a name is found whether it exists or not, at any depth, and however it is spelled: in any
 * case and Unicode form, with `\`, trailing dots or spaces, NTFS streams, ignorable characters or an 8.3 short name.
 * It folds on every platform; on a file system that would tell the names apart this asks once too often.
 */
import type { PathFact } from "./PathFact.ts"
import * as names from "./internal/protectedNames.ts"
import { quote } from "./internal/quote.ts"

/** Reports the part of a path that is protected or secret, and the reason in one sentence. */
export interface Match {
  readonly rule: "path.protected" | "path.secret"
  /** The part of the path that was recognised, as it was written. */
  readonly name: string
  readonly reason: string
  /** It is protected for nothing but that a later ordinary command executes it. */
  readonly executed?: true
}

/** Folders that are protected as a whole, wherever they lie; absolute and resolved. */
export interface Roots {
  /** Belay's own data, which also holds keys: asked on read, too. */
  readonly home?: string | undefined
  /** Git directories that do not lie in a folder named `.git`, and folders from which git takes its hooks. */
  readonly gitFolders?: ReadonlyArray<string> | undefined
}

/** No Unicode form, nothing that cannot be seen. */
const ascii = /^[\t -~]*$/

/** A name as the most forgiving file system would compare it. Zero-width characters: CVE-2014-9390. */
const fold = (name: string): string => {
  if (ascii.test(name)) return (name.replace(/[. \t]+$/, "") || name).toLowerCase()
  const visible = name.normalize("NFD").replace(/\p{Default_Ignorable_Code_Point}/gu, "")
  const trimmed = visible.replace(/[. \t]+$/, "")
  return (trimmed === "" ? visible : trimmed).toUpperCase().toLowerCase().normalize("NFC")
}

const listed = (
  single: ReadonlySet<string>,
  sequences: ReadonlyArray<ReadonlyArray<string>>
): ReadonlyArray<string> => [...single, ...sequences.map((sequence) => sequence.join("/"))]

/** The protected names without patterns such as `*.code-workspace`, folded; for documentation and sandboxes. */
export const protectedNames: ReadonlyArray<string> = listed(names.protectedNames, names.protectedSequences)

/** The names of secret files and folders without patterns such as `*.pem`, folded. */
export const secretNames: ReadonlyArray<string> = listed(names.secretNames, names.secretSequences)

/** What one component is by itself. */
interface Component {
  readonly written: string
  /** Without the NTFS stream, as Windows reads the component. */
  readonly folded: string
  readonly isSecret: boolean
  readonly isSecretAtTheEnd: boolean
  readonly isProtected: boolean
  readonly isProtectedAtTheEnd: boolean
  /** Protected for more than that commands execute it. */
  readonly isKept: boolean
  readonly isShort: boolean
}

const shortName = /^[^.~]{1,6}~\d{1,6}(?:\.[^.]{0,3})?$/

const isSecretName = (name: string): boolean =>
  names.secretNames.has(name) ||
  (names.secretPatterns.some((pattern) => pattern.test(name)) && !names.secretExceptions.test(name))

const isProtectedName = (name: string): boolean =>
  names.protectedNames.has(name) || names.protectedPatterns.some((pattern) => pattern.test(name))

const isKeptName = (name: string): boolean =>
  names.keptNames.has(name) || names.keptPatterns.some((pattern) => pattern.test(name))

const component = (written: string): Component => {
  const folded = fold(/^[A-Za-z]:$/.test(written) ? written : written.replace(/:.*$/s, ""))
  // With the stream: elsewhere a colon is part of the name.
  const whole = written.includes(":") ? fold(written) : folded
  const either = (test: (name: string) => boolean): boolean => test(folded) || (whole !== folded && test(whole))
  return {
    written,
    folded,
    isSecret: either(isSecretName),
    isSecretAtTheEnd: either((name) => names.secretLastNames.has(name)),
    isProtected: either(isProtectedName),
    isProtectedAtTheEnd: names.protectedAsWritten.has(written.replace(/:.*$/s, "").replace(/[. \t]+$/, "")),
    isKept: either(isKeptName),
    isShort: either((name) => shortName.test(name))
  }
}

/** The same few names come again and again when a workspace is looked through. */
const known = new Map<string, Component>()
const mostKnown = 20_000

const componentOf = (written: string): Component => {
  const found = known.get(written)
  if (found !== undefined) return found
  if (known.size >= mostKnown) known.clear()
  const made = component(written)
  known.set(written, made)
  return made
}

const components = (path: string): ReadonlyArray<Component> =>
  path
    .split(/[/\\]/)
    .filter((part) => part !== "" && part !== "." && part !== "..")
    .map(componentOf)

type Sequences = ReadonlyMap<string, ReadonlyArray<ReadonlyArray<string>>>

const byFirst = (sequences: ReadonlyArray<ReadonlyArray<string>>): Sequences =>
  Map.groupBy(sequences, ([first = ""]) => first)

const protectedSequences = byFirst(names.protectedSequences)
const keptSequences = byFirst(names.keptSequences)
const secretSequences = byFirst(names.secretSequences)

const sequenceAt = (parts: ReadonlyArray<Component>, sequences: Sequences): ReadonlyArray<string> | undefined => {
  for (const [start, { folded }] of parts.entries()) {
    const found = sequences
      .get(folded)
      ?.find((sequence) => sequence.every((name, offset) => parts[start + offset]?.folded === name))
    if (found !== undefined) return found
  }
  return undefined
}

const environment = /^proc\/[^/]+(?:\/task\/[^/]+)?\/environ$/

const secret = (parts: ReadonlyArray<Component>): string | undefined =>
  parts.find(({ isSecret }) => isSecret)?.written ??
  parts.slice(-1).find(({ isSecretAtTheEnd }) => isSecretAtTheEnd)?.written ??
  sequenceAt(parts, secretSequences)?.join("/") ??
  (environment.test(parts.map((part) => part.folded).join("/")) ? "environ" : undefined)

const guarded = (parts: ReadonlyArray<Component>): string | undefined =>
  parts.find(({ isProtected }) => isProtected)?.written ??
  parts.slice(-1).find(({ isProtectedAtTheEnd }) => isProtectedAtTheEnd)?.written ??
  sequenceAt(parts, protectedSequences)?.join("/")

const isExecutedOnly = (parts: ReadonlyArray<Component>): boolean =>
  !parts.some(({ isKept }) => isKept) && sequenceAt(parts, keptSequences) === undefined

const within = (parts: ReadonlyArray<Component>, root: string): boolean => {
  const prefix = components(root)
  return prefix.length > 0 && prefix.every((part, index) => parts[index]?.folded === part.folded)
}

const protectedMatch = (name: string, why: string): Match => ({
  rule: "path.protected",
  name,
  reason: `${quote(name)} is protected: ${why}.`
})

const secretMatch = (name: string, why: string): Match => ({
  rule: "path.secret",
  name,
  reason: `${quote(name)} ${why}.`
})

/** Gives what is protected about a path as text, relative or absolute. */
export const match = (path: string, access: PathFact["access"], roots: Roots = {}): Match | undefined => {
  const parts = components(path)
  const hidden = secret(parts)
  if (hidden !== undefined) return secretMatch(hidden, "may hold secrets")
  if (roots.home !== undefined && within(parts, roots.home)) {
    return secretMatch(path, "belongs to Belay's own data, which may hold secrets")
  }
  const short = parts.find(({ isShort }) => isShort)
  if (short !== undefined) return protectedMatch(short.written, "it may be the short name of a protected file")
  if (access === "read") return undefined
  const name = guarded(parts)
  const folder = roots.gitFolders?.find((root) => within(parts, root))
  if (name !== undefined) {
    const found = protectedMatch(name, "it can change what tools, agents or later commands do")
    return folder === undefined && isExecutedOnly(parts) ? { ...found, executed: true } : found
  }
  return folder === undefined ? undefined : protectedMatch(folder, "git keeps its settings or its hooks there")
}

/** Judges the path the model means and the path it leads to; of two matches the one that holds whatever is set. */
export const matchFact = (fact: PathFact, roots: Roots = {}): Match | undefined => {
  const meant = match(fact.displayed, fact.access, roots)
  if (fact.displayed === fact.resolved || (meant !== undefined && meant.executed !== true)) return meant
  const real = match(fact.resolved, fact.access, roots)
  return real?.executed === true ? (meant ?? real) : (real ?? meant)
}
