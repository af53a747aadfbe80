/**
 * The value of a word as bash 5 would make it, or that it is not known.
 *
 * Known are literals, all quotes, `$HOME`, `$PWD`, `$?` and a leading `~`. A glob is kept as a pattern. Everything else,
 * and every spelling on which bash versions or locales differ, is not known.
 */
import type { DoubleQuotedChild, Word, WordPart } from "unbash"
import { literalOf } from "./literal.ts"

export interface Known {
  readonly home: string | undefined
  readonly folder: string | undefined
  /** What the variables of loops stand for. */
  readonly variables?: ReadonlyMap<string, Value>
  /** The text that positions of parts are in: without it no here-document in a substitution is read. */
  readonly source?: string
  /** Every command of the text is read, those of substitutions among them. */
  readonly plain?: true
  /** The words are only shown: what a substitution says in them, or the search path, needs not be known. */
  readonly shown?: true
}

export interface Value {
  /** Null: not known. Of a glob: the pattern, literal characters escaped. */
  readonly text: string | null
  readonly glob: boolean
  /** It holds a number, or a text that is only shown, which is only known when it runs: no name of a file. */
  readonly varies?: boolean
  /** Each name that the pattern stands for is split at blanks, and expanded once more. */
  readonly split?: boolean
  /** It is a substitution: the command of the text, by its index, that prints names of which each is a word. */
  readonly listing?: number
  /** The word as it was written. */
  readonly written: string
}

const tilde = /^~|[=:]~/
/** NUL cuts a word short; bytes above 0x7f and `\c` differ between versions. */
const riskyEscape = /\\(?:0|c|u|U|x(?![2-7][0-9a-fA-F]|0?[9aA](?![0-9a-fA-F]))|[2-3][0-7]{2})/
/** Unquoted, a value is split and expanded again. */
const splits = /[^\p{L}\p{N}_./@%+,:=-]/u

const escape = (text: string): string => text.replace(/[*?[\]\\]/g, "\\$&")

const variable = (text: string, known: Known): string | null => {
  switch (text) {
    case "$?":
    case "$(nproc)":
      return "0"
    case "$HOME":
    case "${HOME}":
      return known.home ?? null
    case "$PWD":
    case "${PWD}":
    case "$(pwd)":
      return known.folder ?? null
    default: {
      const value = looped(text, known)
      if (value === undefined && isSaid(text, known)) return text
      return value === undefined || value.glob ? null : value.text
    }
  }
}

/** Variables of the environment that say nothing which is secret. */
const told =
  /^\$(?:(?:PATH|USER|LOGNAME|SHELL|LANG|TERM|TMPDIR|HOSTNAME|OSTYPE)|\{(?:PATH|USER|LOGNAME|SHELL|LANG|TERM|TMPDIR)\})$/

/** What the shell calculates from numbers alone. */
const calculation = /^\$\(\([ \d+*/%()-]+\)\)$/

const isSaid = (text: string, { shown }: Known): boolean =>
  shown === true && (told.test(text) || calculation.test(text))

/** A substitution that is read as commands of its own: backquotes are not. */
export const isSubstituted = (part: WordPart): part is Extract<WordPart, { type: "CommandExpansion" }> =>
  part.type === "CommandExpansion" && part.text.startsWith("$(") && part.script !== undefined

/** It only says something, and what it says is no part of any other program. */
export const isCalculated = (part: { readonly type: string; readonly text?: string }): boolean =>
  part.type === "ArithmeticExpansion" && calculation.test(part.text ?? "")

/** What a variable of a loop stands for in this round. */
const looped = (text: string, { variables }: Known): Value | undefined =>
  variables?.get(/^\$(?:\w+|\{\w+\})$/.test(text) ? text.replace(/[${}]/g, "") : "")

/** A pattern that a variable stands for is known as a whole word only: what surrounds it is no part of the search. */
const patterned = (word: Word, known: Known): Value | undefined => {
  const isQuoted = word.text.startsWith('"')
  const value = looped(isQuoted ? word.text.slice(1, -1) : word.text, known)
  if (value?.listing !== undefined) return value
  return value?.glob === true ? { ...value, ...(isQuoted ? {} : { split: true }) } : undefined
}

/** What lies in each folder that a pattern means, by a name that is written. */
const behind = (word: Word, known: Known): Value | undefined => {
  const [, quote = "", name = "", rest = ""] = /^("?)(\$(?:\w+|\{\w+\}))((?:\/[\w.@+-]+)+)\1$/.exec(word.text) ?? []
  const value = looped(name, known)
  return value?.glob === true
    ? { ...value, text: `${value.text}${rest}`, written: word.text, ...(quote === "" ? { split: true } : {}) }
    : undefined
}

/** Some number. */
const isNumber = (text: string): boolean => text === "$?" || text === "$(nproc)"

/** The numbers of a loop. */
export const isCounted = (text: string): boolean => /^\$\(seq \d{1,4}(?: \d{1,4})?\)$/.test(text)

/** Substitutions whose output is known: a folder, or some number. */
export const isSpoken = (text: string): boolean => text === "$(pwd)" || text === "$(nproc)"

interface Piece {
  readonly text: string
  readonly varies?: boolean
  readonly pattern?: true
}

const quoted = (children: ReadonlyArray<DoubleQuotedChild>, known: Known): Piece | undefined => {
  const pieces: Array<Piece> = []
  for (const child of children) {
    const piece =
      child.type === "Literal"
        ? { text: child.value }
        : child.type === "CommandExpansion" && !isSpoken(child.text)
          ? substituted(child, known)
          : expanded(child, known)
    if (piece === undefined) return undefined
    pieces.push(piece)
  }
  return joined(pieces)
}

const substituted = (part: DoubleQuotedChild, known: Known): Piece | undefined => {
  const text = literalOf(part, known.source)
  if (text !== undefined) return { text }
  return known.shown === true && isSubstituted(part) ? { text: part.text, varies: true } : undefined
}

/** Of a variable, a number or, where it is only shown, of the names that a pattern means. */
const expanded = (part: WordPart, known: Known): Piece | undefined => {
  const { shown } = known
  if (shown === true && isCalculated(part)) return { text: part.text, varies: true }
  if (!isVariable(part)) return undefined
  const value = looped(part.text, known)
  if (shown === true && value?.glob === true) return { text: value.text ?? "", pattern: true }
  if (shown === true && value?.text === null) return { text: part.text, varies: true }
  const text = variable(part.text, known)
  const varies = isNumber(part.text) || isSaid(part.text, known) || value?.varies === true
  return text === null ? undefined : { text, varies }
}

const shownOf = (part: WordPart, { shown }: Known): Piece | undefined =>
  shown === true && isSubstituted(part) ? { text: part.text, varies: true } : undefined

const joined = (pieces: ReadonlyArray<Piece>): Piece => {
  const pattern = pieces.some((piece) => piece.pattern === true)
  const text = pieces.map((piece) => (pattern && piece.pattern !== true ? escape(piece.text) : piece.text)).join("")
  const varies = pieces.some((piece) => piece.varies === true)
  return { text, varies, ...(pattern ? { pattern: true as const } : {}) }
}

const isVariable = (part: WordPart): boolean =>
  part.type === "SimpleExpansion" ||
  (part.type === "CommandExpansion" && isSpoken(part.text)) ||
  (part.type === "ParameterExpansion" &&
    part.operation === undefined &&
    part.index === undefined &&
    part.prefix === undefined)

const pieceOf = (part: WordPart, first: boolean, whole: string, known: Known): Piece | undefined => {
  switch (part.type) {
    case "Literal": {
      // What a tilde stands for is never split.
      const own = first && /^~(?:\/|$)/.test(whole) && known.home !== undefined
      const rest = own ? part.text.slice(1) : part.text
      // zsh would run `=name`; bash does not, and nobody writes it.
      if (tilde.test(rest) || (first && /^=\w/.test(rest))) return undefined
      return { text: own ? `${known.home}${part.value.slice(1)}` : part.value }
    }
    case "SingleQuoted":
      return { text: part.value }
    case "AnsiCQuoted":
      return riskyEscape.test(part.text.replace(/\\\\/g, "")) || /[^\n\t -~]/.test(part.value)
        ? undefined
        : { text: part.value }
    case "DoubleQuoted":
      return quoted(part.parts, known)
    case "Glob":
      return part.kind === "bracket" ? undefined : { text: part.text, pattern: true }
    default: {
      const found =
        part.type === "CommandExpansion" && !isSpoken(part.text) ? shownOf(part, known) : expanded(part, known)
      return found === undefined || (known.shown !== true && splits.test(found.text)) ? undefined : found
    }
  }
}

export const valueOf = (word: Word, known: Known): Value => {
  const unknown: Value = { text: null, glob: false, written: word.text }
  // Alone it is the name of a program, and a pattern that matches nothing but itself.
  if (word.text === "[") return { text: "[", glob: false, written: "[" }
  const alone = patterned(word, known) ?? behind(word, known)
  if (alone !== undefined) return alone
  const parts: ReadonlyArray<WordPart> = word.parts ?? [
    { type: "Literal", pos: word.pos, end: word.end, value: word.value, text: word.text }
  ]
  const pieces: Array<Piece> = []
  for (const [index, part] of parts.entries()) {
    const piece = pieceOf(part, index === 0, parts.length === 1 ? word.text : part.text, known)
    if (piece === undefined) return unknown
    pieces.push(piece)
  }
  const { pattern = false, text, varies = false } = joined(pieces)
  return { text, glob: pattern, varies, written: word.text }
}

const mostHints = 16

/** Names below the workspace that a word may stand for whose value is not known: only good for finding secrets. */
export const hintsOf = (written: string): ReadonlyArray<string> => {
  const bare = written
    .replace(/["'\\]/g, "")
    .replace(/\[[!^]?(.)[^\]]*\]/g, "$1")
    .replace(/(^|\/)\.\.(?=\/|$)/g, "$1.")
    .replace(/^~?\/+/, "")
  let found: ReadonlyArray<string> = [bare]
  for (let brace = /\{([^{}]*)\}/.exec(bare); brace !== null; brace = /\{([^{}]*)\}/.exec(found[0] ?? "")) {
    found = found.flatMap((text) =>
      (brace?.[1] ?? "").split(",").map((piece) => text.replace(brace?.[0] ?? "", () => piece))
    )
    if (found.length > mostHints) return [bare]
  }
  return found.filter((text) => text !== "")
}
