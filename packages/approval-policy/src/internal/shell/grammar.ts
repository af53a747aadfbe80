/**
 * The strict wrapper around the parser: what it calls plain is every program and every file that bash 5 would touch.
 *
 * Plain are simple commands of known words in lists and pipes, with redirections and literal here-documents. The parser
 * forgives; the wrapper does not: each error of each nested script, each node that is not listed, and each character
 * between the nodes that is no operator, blank or comment makes the text compound or unreadable.
 */
import { type Command, forEachChild, parse, type Redirection, type Script, type SyntaxNode, type Word } from "unbash"
import { isCovered } from "./cover.ts"
import { problemOf } from "./plainText.ts"
import { type Known, type Value, valueOf } from "./words.ts"

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
  /** Where it begins, to tell neighbours of a pipe. */
  readonly pos: number
}

export interface Grammar {
  readonly form: "plain" | "compound" | "unreadable"
  readonly why: string
  readonly commands: ReadonlyArray<Simple>
  /** All words of a compound text, wherever they stand. */
  readonly words: ReadonlyArray<Value>
  /** The commands of each pipe, by index; -1 for what is no simple command. */
  readonly pipes: ReadonlyArray<ReadonlyArray<number>>
  /** The operators of a plain text that is one list: a folder change holds for what follows only with `&&`. */
  readonly sequential: boolean
}

const most = 50

const plainNodes = new Set([
  "Script",
  "Statement",
  "AndOr",
  "Pipeline",
  "Command",
  "Word",
  "Literal",
  "SingleQuoted",
  "DoubleQuoted",
  "AnsiCQuoted",
  "SimpleExpansion",
  "ParameterExpansion",
  "Glob",
  "Assignment",
  "Redirect",
  "FileDescriptor",
  "HereDoc",
  "HereDocDelimiter",
  "HereDocBody"
])

/** What is not plain, in words. */
const names: Readonly<Record<string, string>> = {
  CommandExpansion: "a command substitution",
  ProcessSubstitution: "a process substitution",
  ArithmeticExpansion: "a calculation",
  ArithmeticCommand: "a calculation",
  If: "a condition",
  TestCommand: "a condition",
  Case: "a condition",
  For: "a loop",
  ArithmeticFor: "a loop",
  While: "a loop",
  Select: "a loop",
  Subshell: "a group",
  BraceGroup: "a group",
  Function: "a function",
  Coproc: "a process in the background",
  Negation: "a negation",
  Time: "a measurement",
  BraceExpansion: "a brace expansion",
  HereString: "a here-string",
  ArrayValue: "an array"
}

const unreadable = (why: string): Grammar => ({
  form: "unreadable",
  why,
  commands: [],
  words: [],
  pipes: [],
  sequential: false
})

class Unreadable {
  readonly why: string
  constructor(why: string) {
    this.why = why
  }
}

interface Walked {
  readonly commands: ReadonlyArray<Command>
  readonly words: ReadonlyArray<Word>
  readonly strays: ReadonlyArray<Redirection>
  readonly pipes: ReadonlyArray<ReadonlyArray<SyntaxNode>>
  readonly compound: string | undefined
}

const walk = (root: Script, source: string): Walked => {
  const commands: Array<Command> = []
  const strays: Array<Redirection> = []
  const words: Array<Word> = []
  const pipes: Array<ReadonlyArray<SyntaxNode>> = []
  let compound: string | undefined
  const also = (why: string) => {
    compound ??= why
  }
  const visit = (node: SyntaxNode, text: string, depth: number): void => {
    if (depth > 60) throw new Unreadable("it is nested too deeply")
    let inner = text
    if (!plainNodes.has(node.type)) also(`it has ${names[node.type] ?? "a part whose effect is not known"}`)
    switch (node.type) {
      case "Script":
        if (node.errors !== undefined && node.errors.length > 0) throw new Unreadable("it is not valid bash")
        inner = node.source ?? text
        break
      case "CommandExpansion":
      case "ProcessSubstitution":
      case "ArithmeticCommandExpansion":
        if (node.script === undefined) throw new Unreadable("a substitution in it could not be read")
        break
      case "Statement":
        if (node.background === true) also("it runs in the background")
        break
      case "Command":
        commands.push(node)
        if (commands.length > most) throw new Unreadable(`it has more than ${most} commands`)
        break
      case "Word":
        words.push(node)
        break
      case "Pipeline":
        pipes.push(node.commands)
        break
      case "Redirected":
        strays.push(...node.redirects)
        break
      case "Redirect":
        checkRedirect(node, inner)
        if (node.descriptor?.type === "FileDescriptorVariable") also("it names a descriptor by a variable")
        break
      case "HereDoc":
        if (node.closing === undefined || node.delimiter === undefined) {
          throw new Unreadable("a here-document in it has no end")
        }
        break
      case "HereDocBody":
        if (node.parts?.some((part) => part.type !== "Literal") === true) also("a here-document in it is expanded")
        break
      case "Assignment":
        if (node.value.type !== "Word" || node.append === true || node.index !== undefined) also("it sets an array")
        break
    }
    forEachChild(node, (child) => visit(child, inner, depth + 1))
  }
  visit(root, source, 0)
  return { commands, words, strays, pipes, compound }
}

type Redirect = Extract<Redirection, { type: "Redirect" }>

const checkRedirect = (node: Redirect, source: string): void => {
  if (node.target === undefined) throw new Unreadable("a redirection in it has no target")
  const after = source.slice(node.pos, node.end)
  if (/^\d*[<>]&/.test(after) && !/^\d*[<>]&[ \t]*(?:\d+|-)$/.test(after)) {
    throw new Unreadable("it copies a descriptor in an unusual way")
  }
}

const redirectionsOf = (nodes: ReadonlyArray<Redirection>, known: Known): ReadonlyArray<Redirected> =>
  nodes.flatMap((node) => {
    if (node.type !== "Redirect" || node.target === undefined) return []
    const isCopy = node.operator === ">&" || node.operator === "<&"
    return isCopy ? [] : [{ operator: node.operator, target: valueOf(node.target, known) }]
  })

/** The bodies of here-documents and here-strings; of one that is expanded, what is written. */
const inputsOf = (nodes: ReadonlyArray<Redirection>, known: Known): ReadonlyArray<string> =>
  nodes.flatMap((node) => {
    if (node.type === "HereDoc") return [node.body.text]
    const text = node.type === "HereString" && node.target !== undefined ? valueOf(node.target, known).text : null
    return text === null ? [] : [text]
  })

const simple = (command: Command, known: Known): Simple => {
  const words = command.name === undefined ? [] : [valueOf(command.name, known)]
  for (const argument of command.args) {
    words.push(argument.type === "Word" ? valueOf(argument, known) : argumentOf(argument, known))
  }
  const assignments = command.prefix.flatMap((node) =>
    node.type === "Assignment"
      ? [{ name: node.name, value: node.value.type === "Word" ? valueOf(node.value, known) : undefined }]
      : []
  )
  const { pos, redirects } = command
  const redirections = redirectionsOf(redirects, known)
  return { words, assignments, redirections, inputs: inputsOf(redirects, known), pos }
}

/** Behind a program, `name=value` is a word like any other, unless the shell itself assigns. */
const argumentOf = (node: Extract<SyntaxNode, { type: "Assignment" }>, known: Known): Value => {
  const value = node.value.type === "Word" ? valueOf(node.value, known) : undefined
  const isPlain = value?.text !== undefined && value.text !== null && !value.glob && node.index === undefined
  const text = isPlain ? `${node.name}${node.append === true ? "+" : ""}=${value.text}` : null
  return { text, glob: false, written: node.text }
}

const isSequential = (root: Script): boolean => {
  const only = root.commands.length === 1 ? root.commands[0]?.command : undefined
  return only !== undefined && (only.type !== "AndOr" || only.operators.every((operator) => operator === "&&"))
}

/** Never throws. */
export const read = (text: string, known: Known): Grammar => {
  const problem = problemOf(text)
  if (problem !== undefined) return unreadable(problem)
  try {
    const root = parse(text)
    const { commands, compound, pipes, strays, words } = walk(root, text)
    const covered = compound === undefined && !isCovered(root, text) ? "part of it was not understood" : undefined
    const why = compound ?? covered
    // `$PWD` and `~` mean something else once the text has changed what they depend on.
    const assigns = commands.some(
      (command) =>
        command.prefix.some((node) => node.type === "Assignment") ||
        /^(?:cd|pushd|popd)$/.test(command.name?.value ?? "")
    )
    const trusted: Known = {
      home: assigns && why !== undefined ? undefined : known.home,
      folder: assigns || why !== undefined ? undefined : known.folder
    }
    const read = commands.map((command) => simple(command, trusted))
    const outer = redirectionsOf(strays, trusted)
    return {
      form: why === undefined ? "plain" : "compound",
      why: why ?? "",
      commands:
        outer.length === 0
          ? read
          : [...read, { words: [], assignments: [], redirections: outer, inputs: inputsOf(strays, trusted), pos: -1 }],
      words: why === undefined ? [] : words.map((word) => valueOf(word, trusted)),
      pipes: pipes.map((parts) => parts.map((part) => commands.findIndex((found) => found === part))),
      sequential: why === undefined && isSequential(root)
    }
  } catch (cause) {
    return unreadable(cause instanceof Unreadable ? cause.why : "it could not be read")
  }
}
