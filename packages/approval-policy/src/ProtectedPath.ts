/**
 * Finds the protected names (asked on write) and secret files (asked on read and write) of security rule P6 in a path.
 *
 * Works on text alone, so a name is found whether it exists or not, at any depth, and however it is spelled: in any
 * case and Unicode form, with `\`, trailing dots or spaces, NTFS streams, ignorable characters or an 8.3 short name.
 * It folds on every platform; on a file system that would tell the names apart this asks once too often.
 */
import type { PathFact } from "./PathFact.ts"
import * as names from "./internal/protectedNames.ts"
import { quote } from "./internal/quote.ts"

export interface Match {
  readonly rule: "path.protected" | "path.secret"
  /** The part of the path that was recognised, as it was written. */
  readonly name: string
  readonly reason: string
}

/** Folders that are protected as a whole, wherever they lie; absolute and resolved. */
export interface Roots {
  /** Belay's own data, which also holds keys: asked on read, too. */
  readonly home?: string | undefined
  /** Git directories that do not lie in a folder named `.git`. */
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

interface Component {
  readonly written: string
  /** Without the NTFS stream, as Windows reads the component. */
  readonly folded: string
  /** With it: elsewhere a colon is part of the name. */
  readonly whole: string
}

const component = (written: string): Component => ({
  written,
  folded: fold(/^[A-Za-z]:$/.test(written) ? written : written.replace(/:.*$/s, "")),
  whole: fold(written)
})

const components = (path: string): ReadonlyArray<Component> =>
  path
    .split(/[/\\]/)
    .filter((part) => part !== "" && part !== "." && part !== "..")
    .map(component)

const either = (part: Component, test: (name: string) => boolean): boolean => test(part.folded) || test(part.whole)

const sequenceAt = (parts: ReadonlyArray<Component>, sequences: ReadonlyArray<ReadonlyArray<string>>) =>
  sequences.find((sequence) =>
    parts.some((_, start) => sequence.every((name, offset) => parts[start + offset]?.folded === name))
  )

const shortName = /^[^.~]{1,6}~\d{1,6}(?:\.[^.]{0,3})?$/

const isSecretName = (name: string): boolean =>
  names.secretNames.has(name) ||
  (names.secretPatterns.some((pattern) => pattern.test(name)) && !names.secretExceptions.test(name))

const isProtectedName = (name: string): boolean =>
  names.protectedNames.has(name) || names.protectedPatterns.some((pattern) => pattern.test(name))

const environment = /^proc\/[^/]+(?:\/task\/[^/]+)?\/environ$/

const secret = (parts: ReadonlyArray<Component>): string | undefined =>
  parts.find((part) => either(part, isSecretName))?.written ??
  parts.slice(-1).find((part) => either(part, (name) => names.secretLastNames.has(name)))?.written ??
  sequenceAt(parts, names.secretSequences)?.join("/") ??
  (environment.test(parts.map((part) => part.folded).join("/")) ? "environ" : undefined)

const guarded = (parts: ReadonlyArray<Component>): string | undefined =>
  parts.find((part) => either(part, isProtectedName))?.written ?? sequenceAt(parts, names.protectedSequences)?.join("/")

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

/** What is protected about a path as text, relative or absolute. */
export const match = (path: string, access: PathFact["access"], roots: Roots = {}): Match | undefined => {
  const parts = components(path)
  const hidden = secret(parts)
  if (hidden !== undefined) return secretMatch(hidden, "may hold secrets")
  if (roots.home !== undefined && within(parts, roots.home)) {
    return secretMatch(path, "belongs to Belay's own data, which may hold secrets")
  }
  const short = parts.find((part) => either(part, (name) => shortName.test(name)))
  if (short !== undefined) return protectedMatch(short.written, "it may be the short name of a protected file")
  if (access === "read") return undefined
  const name = guarded(parts)
  if (name !== undefined) return protectedMatch(name, "it can change what tools, agents or later commands do")
  const folder = roots.gitFolders?.find((root) => within(parts, root))
  return folder === undefined ? undefined : protectedMatch(folder, "it is a git directory")
}

/** Judges the path the model means and the path it leads to. */
export const matchFact = (fact: PathFact, roots: Roots = {}): Match | undefined =>
  match(fact.displayed, fact.access, roots) ??
  (fact.displayed === fact.resolved ? undefined : match(fact.resolved, fact.access, roots))
