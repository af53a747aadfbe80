/**
 * Mentions: what a person points at in a message with `@`.
 *
 * `@/src/a.ts`, `@/src/`, `@"/with blanks/a.ts"`, `@/src/a.ts:10-20`, `@api:/src/a.ts` in a workspace with several roots,
 * `@problems`, `@terminal`, `@git-changes`, `@1a2b3c4` (a commit), `@https://example.com`. A mention begins at the start of
 * a word; everything else with an `@`, such as an address of mail, is text.
 */
import type * as GitContext from "./GitContext.ts"

/** One mention of a prompt. `text` is the mention as the person wrote it. */
export type Mention = { readonly text: string } & (
  | {
      readonly kind: "path"
      /** Relative to the workspace or to the named root, without the slash at its beginning; empty for the root itself. */
      readonly path: string
      readonly root?: string
      /** First and last line, from 1. */
      readonly lines?: readonly [number, number]
    }
  | { readonly kind: "problems" | "terminal" | "git-changes" }
  | { readonly kind: "commit"; readonly hash: string }
  | { readonly kind: "url"; readonly url: string }
)

const places = [
  String.raw`(?<url>https?://[^\s<>"]+)`,
  String.raw`(?<root>[\w.-]+:)?(?:"(?<quoted>/(?:[^"\\\n]|\\.)*)"|(?<bare>/[^\s"]*))(?<lines>:\d+(?:-\d+)?)?`,
  String.raw`"(?<whole>(?:[\w.-]+:)?/(?:[^"\\\n]|\\.)*)"(?<wholeLines>:\d+(?:-\d+)?)?`,
  String.raw`(?<word>problems|terminal|git-changes)(?![\w/-])`,
  String.raw`(?<hash>[0-9a-f]{7,40})(?![\w/-])`
]

const pattern = new RegExp(`(?<=^|[\\s(\\[])@(?:${places.join("|")})`, "gu")

/** Signs at the end of a sentence are none of its path. */
const closing = /[.,;:!?)\]]+$/u

const linesOf = (text: string | undefined): { readonly lines?: readonly [number, number] } => {
  if (text === undefined) return {}
  const [first = 1, last = first] = text.slice(1).split("-").map(Number)
  return { lines: [Math.max(1, Math.min(first, last)), Math.max(first, last)] }
}

const unquoted = (text: string): string => text.replaceAll(/\\(.)/gu, "$1")

const pathOf = (text: string, whole: string, root: string | undefined, lines: string | undefined): Mention => ({
  text,
  kind: "path",
  path: whole.replace(/^\//u, ""),
  ...(root === undefined ? {} : { root: root.slice(0, -1) }),
  ...linesOf(lines)
})

const bareOf = (text: string, bare: string, root: string | undefined): Mention => {
  const trimmed = bare.replace(closing, "")
  const found = /^(?<path>.*?)(?<lines>:\d+(?:-\d+)?)?$/u.exec(trimmed)?.groups
  const rest = text.slice(0, text.length - (bare.length - trimmed.length))
  return pathOf(rest, found?.["path"] ?? trimmed, root, found?.["lines"])
}

const of = (match: RegExpMatchArray): Mention => {
  const [text] = match
  const { bare, hash, lines, quoted, root, url, whole, wholeLines, word } = match.groups ?? {}
  if (quoted !== undefined) return pathOf(text, unquoted(quoted), root, lines)
  if (whole !== undefined) {
    const [, name, rest = whole] = /^([\w.-]+:)?(\/[\s\S]*)$/u.exec(unquoted(whole)) ?? []
    return pathOf(text, rest, name, wholeLines)
  }
  if (bare !== undefined) return bareOf(text, bare, root)
  if (url !== undefined) {
    const trimmed = url.replace(closing, "")
    return { text: `@${trimmed}`, kind: "url", url: trimmed }
  }
  return word === undefined
    ? { text, kind: "commit", hash: hash ?? "" }
    : { text, kind: word as "problems" | "terminal" | "git-changes" }
}

/** The mentions of a text in order, each once. */
export const parse = (text: string): ReadonlyArray<Mention> => {
  const found = new Map<string, Mention>()
  for (const match of text.matchAll(pattern)) {
    const mention = of(match)
    if (!found.has(mention.text)) found.set(mention.text, mention)
  }
  return [...found.values()]
}

/** Says how a path is mentioned, with quotes where it needs them. */
export const ofPath = (path: string, root?: string): string => {
  const whole = `${root === undefined ? "" : `${root}:`}/${path}`
  return /[\s"]|[.,;:!?)\]]$/u.test(whole) ? `@"${whole.replaceAll(/["\\]/gu, "\\$&")}"` : `@${whole}`
}

/** Describes what is being typed at the end of a text: a mention, or a command at its beginning; nothing else. */
export interface Typing {
  readonly kind: "mention" | "command"
  /** Without the `@` or `/`. */
  readonly query: string
  /** Where it begins in the text, with its sign. */
  readonly from: number
}

/** Returns the mention or command at the end of an unfinished prompt, or undefined where there is none. */
export const typing = (text: string): Typing | undefined => {
  const command = /^\/([\w-]*)$/u.exec(text)
  if (command !== null) return { kind: "command", query: command[1] ?? "", from: 0 }
  const mention = /(?<=^|[\s([])@("[^"\n]*|[^\s"]*)$/u.exec(text)
  return mention === null
    ? undefined
    : { kind: "mention", query: (mention[1] ?? "").replace(/^"/u, ""), from: mention.index }
}

/** A thing to choose while a mention is typed. */
export interface Completion {
  readonly insert: string
  readonly label: string
  readonly detail: string
}

const fixed: ReadonlyArray<Completion> = [
  { insert: "@problems", label: "problems", detail: "What the editor marks as wrong" },
  { insert: "@terminal", label: "terminal", detail: "The newest output of the terminal" },
  { insert: "@git-changes", label: "git-changes", detail: "What is not committed yet" }
]

/** How well a path fits what was typed: its name first, then its folders; absent when it does not. */
const rank = (path: string, query: string): number | undefined => {
  const [where, what] = [path.toLowerCase(), query.replace(/^\//u, "").toLowerCase()]
  const name = where.slice(where.lastIndexOf("/", where.length - 2) + 1)
  if (name.startsWith(what)) return 0
  if (where.startsWith(what)) return 1
  return where.includes(what) ? 2 : undefined
}

/** Holds everything that mentions can be completed with. */
export interface Sources {
  /** Relative to the workspace; folders end in `/`. */
  readonly paths: ReadonlyArray<string>
  /** The newest first. */
  readonly commits?: ReadonlyArray<Pick<GitContext.Commit, "hash" | "subject">>
}

const files = (query: string, paths: ReadonlyArray<string>): ReadonlyArray<Completion> =>
  paths
    .flatMap((path) => {
      const found = rank(path, query)
      return found === undefined ? [] : [{ path, found }]
    })
    .toSorted((a, b) => a.found - b.found || a.path.length - b.path.length || (a.path < b.path ? -1 : 1))
    .map(({ path }) => ({ insert: ofPath(path), label: path, detail: path.endsWith("/") ? "Folder" : "File" }))

/** Gives what fits to a query, best first, at most `limit`: words and commits by their beginning, then files, then commits. */
export const completions = (query: string, { commits = [], paths }: Sources, limit = 20): ReadonlyArray<Completion> => {
  const words = fixed.filter(({ label }) => label.startsWith(query))
  const commit = ({ hash, subject }: Pick<GitContext.Commit, "hash" | "subject">) => ({
    insert: `@${hash}`,
    label: hash,
    detail: subject
  })
  const asked = query.toLowerCase()
  const byHash = commits.filter(({ hash }) => query !== "" && hash.startsWith(asked))
  const bySubject = commits.filter((one) => !byHash.includes(one) && one.subject.toLowerCase().includes(asked))
  return [...words, ...byHash.map(commit), ...files(query, paths), ...bySubject.map(commit)].slice(0, limit)
}
