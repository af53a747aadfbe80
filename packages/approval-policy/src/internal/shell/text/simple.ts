/** One simple command of a text, with the values of its words. */
import type { Command, Redirection, Script, SyntaxNode, Word } from "unbash"
import { type Known, type Value, valueOf } from "./words.ts"

/** It only shows what it is given, or a part of it. */
export const shows = (command: Command): boolean =>
  /^(?:echo|printf|dirname|basename)$/.test(command.name?.text ?? "") || measures(command)

/** It reads the files that it is given, and does nothing else with what is in them: one may be a pipe. */
export const takesPipes = ({ name }: Command): boolean =>
  /^(?:diff|comm|join|paste|cmp|cat|wc|head|tail|nl|cut|sort|uniq|grep|egrep|fgrep|md5sum|sha256sum)$/.test(
    name?.text ?? ""
  )

/** The commands of `<( )`, where that is the whole word. */
export const pipeOf = (word: Word): Script | undefined => {
  const [part, ...others] = word.parts ?? []
  const isWhole = others.length === 0 && /^<\(.*\)$/s.test(word.text)
  return isWhole && part?.type === "ProcessSubstitution" && part.operator === "<" ? part.script : undefined
}

/** Whether one text is empty, and nothing else: in a longer test what is said may be an operator. */
const measures = ({ args, name }: Command): boolean => {
  const program = name?.text
  const words = args.map((word) => (word.type === "Word" ? word : undefined))
  const [operator, text, end, ...others] = words
  const isClosed = program === "[" ? end?.text === "]" && others.length === 0 : program === "test" && words.length === 2
  return isClosed && /^-[nz]$/.test(operator?.text ?? "") && text?.parts?.length === 1 && /^".*"$/s.test(text.text)
}

export interface Redirected {
  readonly operator: string
  readonly target: Value
}

export interface Simple {
  readonly words: ReadonlyArray<Value>
  readonly assignments: ReadonlyArray<{ readonly name: string; readonly value: Value | undefined }>
  readonly redirections: ReadonlyArray<Redirected>
  /** Texts that it is given to read, as far as they are known. */
  readonly inputs: ReadonlyArray<string>
  /** The shells that it runs in, from the outside: a folder changes for the rest of its own only. */
  readonly shells: ReadonlyArray<number>
  /** The chains of `&&` that it is part of: it runs only when all that stands before it in one has succeeded. */
  readonly chains: ReadonlyArray<number>
  /** Commands with the same number may run in any order, such as those of one pipe; a higher one runs later. */
  readonly step: number
  /** What stands before it in its pipes, by index; -1 for what is no simple command, or reads something else. */
  readonly producers: ReadonlyArray<number>
  /** All commands whose output it may read, by index. */
  readonly heard: ReadonlyArray<number>
  /** Its errors may be part of its output: they hold words of its own text. */
  readonly mixed: boolean
}

const redirectionsOf = (nodes: ReadonlyArray<Redirection>, known: Known): ReadonlyArray<Redirected> =>
  nodes.flatMap((node) => {
    if (node.type !== "Redirect" || node.target === undefined) return []
    const isCopy = node.operator === ">&" || node.operator === "<&"
    return isCopy ? [] : [{ operator: node.operator, target: valueOf(node.target, known) }]
  })

/** What is written goes elsewhere than to nowhere. */
const isMixed = (nodes: ReadonlyArray<Redirection>): boolean =>
  nodes.some((node) => node.type === "Redirect" && node.operator !== "<" && node.target?.text !== "/dev/null")

/** The bodies of here-documents and here-strings; of one that is expanded, what is written. */
const inputsOf = (nodes: ReadonlyArray<Redirection>, known: Known): ReadonlyArray<string> =>
  nodes.flatMap((node) => {
    if (node.type === "HereDoc") return [node.body.text]
    const text = node.type === "HereString" && node.target !== undefined ? valueOf(node.target, known).text : null
    return text === null ? [] : [text]
  })

/** Read by itself, without what it stands in. */
const alone = { shells: [0], chains: [], step: 0, producers: [], heard: [], mixed: false } as const

export const redirected = (redirects: ReadonlyArray<Redirection>, known: Known): Simple => ({
  words: [],
  assignments: [],
  redirections: redirectionsOf(redirects, known),
  inputs: inputsOf(redirects, known),
  ...alone
})

export const simple = (command: Command, known: Known): Simple => {
  const words = command.name === undefined ? [] : [valueOf(command.name, known)]
  // A substitution is read by itself where the whole text is.
  const given: Known = known.plain === true && shows(command) ? { ...known, shown: true } : known
  for (const argument of command.args) {
    words.push(argument.type === "Word" ? valueOf(argument, given) : argumentOf(argument, known))
  }
  const assignments = command.prefix.flatMap((node) =>
    node.type === "Assignment"
      ? [{ name: node.name, value: node.value.type === "Word" ? valueOf(node.value, known) : undefined }]
      : []
  )
  return { ...redirected(command.redirects, known), words, assignments, mixed: isMixed(command.redirects) }
}

/** Behind a program, `name=value` is a word like any other, unless the shell itself assigns. */
const argumentOf = (node: Extract<SyntaxNode, { type: "Assignment" }>, known: Known): Value => {
  const value = node.value.type === "Word" ? valueOf(node.value, known) : undefined
  const isPlain = value?.text !== undefined && value.text !== null && !value.glob && node.index === undefined
  const text = isPlain ? `${node.name}${node.append === true ? "+" : ""}=${value.text}` : null
  return { text, glob: false, written: node.text }
}
