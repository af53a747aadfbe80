/**
 * Code of a fence, line by line: its words, strings, comments and numbers apart, for the languages that are known.
 *
 * It reads no grammar and is wrong in corners, where code has another colour and the same text. What a line begins with
 * has the same colours however the line goes on: a text that is not closed is one up to its end.
 */
import type { Span } from "./Wrapped.ts"

interface Language {
  /** As fences name it. */
  readonly names: string
  readonly words: string
  /** What begins a comment up to the end of its line, as a pattern. */
  readonly comment?: string
  /** What goes on over lines, with its end. */
  readonly long?: ReadonlyArray<readonly [begin: string, end: string, style: Span["style"]]>
  readonly quotes?: string
}

const block = ["/*", "*/", "comment"] as const
const c = { comment: "//", long: [block] } as const

const languages: ReadonlyArray<Language> = [
  {
    names: "js javascript jsx mjs cjs ts typescript tsx mts jsonc",
    ...c,
    words:
      "abstract any as async await boolean break case catch class const continue default delete do else enum export extends false finally for from function get if implements import in instanceof interface keyof let namespace new null number of package private protected public readonly return satisfies set static string super switch this throw true try type typeof undefined unknown var void while yield",
    long: [block, ["`", "`", "string"]]
  },
  {
    names: "py python python3",
    words:
      "False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda match nonlocal not or pass raise return self try while with yield",
    comment: "#",
    long: [
      ['"""', '"""', "string"],
      ["'''", "'''", "string"]
    ]
  },
  {
    names: "sh bash shell zsh console",
    words: "case do done echo elif else esac exit export fi for function if in local return set then until while",
    comment: "(?<!\\S)#"
  },
  {
    names: "rs rust",
    ...c,
    words:
      "as async await break const continue crate dyn else enum extern false fn for if impl in let loop match mod move mut pub ref return self Self static struct super trait true type unsafe use where while",
    quotes: '"'
  },
  {
    names: "go golang",
    ...c,
    words:
      "break case chan const continue default defer else fallthrough false for func go goto if import interface map nil package range return select struct switch true type var",
    long: [block, ["`", "`", "string"]]
  },
  {
    names: "c h cpp c++ hpp cs csharp java kotlin kt swift php",
    ...c,
    words:
      "abstract auto bool boolean break case catch char class const continue default delete do double else enum extends false final finally float for if implements import include inline int interface internal long namespace new null nullptr override package private protected public return short signed sizeof static string struct super switch template this throw throws true try typedef typename union unsigned using val var virtual void volatile while"
  },
  {
    names: "rb ruby",
    words:
      "and begin break case class def do else elsif end ensure false for if in module next nil not or redo require rescue return self super then true unless until when while yield",
    comment: "#"
  },
  {
    names: "sql",
    words:
      "add all alter and as asc begin between by case commit constraint create default delete desc distinct drop else end exists from full group having if in index inner insert into is join key left like limit not null on or order outer primary references right rollback select set table then union unique update values view when where with",
    comment: "--",
    long: [block]
  },
  { names: "json yaml yml toml ini", words: "true false null yes no on off", comment: "(?<!\\S)#" },
  { names: "css scss", words: "important inherit initial none auto", long: [block] }
]

export interface Coloured {
  /** The parts of a line; `isWhole`: the next one is the next line. */
  readonly line: (text: string, isWhole: boolean) => ReadonlyArray<Span>
}

const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/]/gu, String.raw`\$&`)

interface Rules {
  readonly pattern: RegExp
  readonly words: ReadonlySet<string>
  readonly long: NonNullable<Language["long"]>
}

const rulesOf = (name: string): Rules | undefined => {
  const language = languages.find(({ names }) => names.split(" ").includes(name))
  if (language === undefined) return undefined
  const { comment, long = [], quotes = "\"'" } = language
  const strings = quotes
    .split("")
    .map((sign) => `(?<!\\w)[bfruBFRU]{0,2}${sign}(?:[^${sign}\\\\]|\\\\.)*(?:${sign}|\\\\?$)`)
  const parts = [
    ...long.map(([begin]) => `(?<long>${escaped(begin)})`).slice(0, 1),
    ...long.slice(1).map(([begin]) => escaped(begin)),
    ...(comment === undefined ? [] : [`(?<comment>${comment}.*)`]),
    `(?<string>${strings.join("|")})`,
    "(?<number>(?<![\\w.])\\d[\\w.]*)",
    "(?<word>(?<![\\w$])[A-Za-z_]\\w*)"
  ]
  return { pattern: new RegExp(parts.join("|"), "gu"), words: new Set(language.words.split(" ")), long }
}

/** Of a language by its name in a fence; nothing where it is not known. */
export const of = (named: string): Coloured | undefined => {
  const rules = rulesOf(named.toLowerCase())
  if (rules === undefined) return undefined
  /** What goes on from line to line. */
  let open: Rules["long"][number] | undefined
  return {
    line: (text, isWhole) => {
      const spans: Array<Span> = []
      let at = 0
      let within = open
      const put = (to: number, style?: Span["style"]): void => {
        if (to > at) spans.push({ text: text.slice(at, to), style })
        at = to
      }
      const close = (): void => {
        if (within === undefined) return
        const [, end, style] = within
        const found = text.indexOf(end, at)
        put(found < 0 ? text.length : found + end.length, style)
        if (found >= 0) within = undefined
      }
      close()
      while (within === undefined && at < text.length) {
        rules.pattern.lastIndex = at
        const found = rules.pattern.exec(text)
        if (found === null) break
        const [part] = found
        put(found.index)
        const long = rules.long.find(([begin]) => begin === part)
        const { comment, number, string, word } = found.groups ?? {}
        if (long !== undefined) {
          spans.push({ text: part, style: long[2] })
          at += part.length
          within = long
          close()
        } else if (comment !== undefined) put(text.length, "comment")
        else if (string !== undefined) put(at + part.length, "string")
        else if (number !== undefined) put(at + part.length, "number")
        else put(at + part.length, word !== undefined && rules.words.has(word) ? "keyword" : undefined)
      }
      put(text.length)
      if (isWhole) open = within
      return spans.length === 0 ? [{ text: "" }] : spans
    }
  }
}
