/**
 * The strict wrapper around the parser: what it calls plain is every program and every file that bash 5 would touch.
 *
 * Plain are simple commands of known words in lists, pipes, groups, subshells and conditions, with redirections and
 * literal here-documents, and loops over known words. The parser forgives; the wrapper does not: each error of each
 * nested script, each node that is not listed, and each character between the nodes that is no operator, keyword, blank
 * or comment makes the text compound or unreadable.
 */
import { type Command, forEachChild, parse, type Redirection, type Script, type SyntaxNode, type Word } from "unbash"
import { isCovered } from "./cover.ts"
import { flatten } from "./flat.ts"
import { literalOf } from "./literal.ts"
import { NotPlain } from "./notPlain.ts"
import { problemOf } from "./plainText.ts"
import { redirected, shows, type Simple, simple, takesPipes } from "./simple.ts"
import { isCalculated, isCounted, isSpoken, isSubstituted, type Known, type Value, valueOf } from "./words.ts"

export interface Grammar {
  readonly form: "plain" | "compound" | "unreadable"
  readonly why: string
  /** As they run, one after the other: those of a loop once for each of its words. */
  readonly commands: ReadonlyArray<Simple>
  /** All words of a compound text, wherever they stand. */
  readonly words: ReadonlyArray<Value>
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
  "HereDocBody",
  "Subshell",
  "BraceGroup",
  "CompoundList",
  "Redirected",
  "If",
  "Elif",
  "For",
  "While",
  "Negation",
  "Time",
  "TestCommand",
  "TestUnary",
  "TestBinary",
  "TestLogical",
  "TestNot",
  "TestGroup"
])

/** What is not plain, in words. */
const names: Readonly<Record<string, string>> = {
  CommandExpansion: "a command substitution",
  ProcessSubstitution: "a process substitution",
  ArithmeticExpansion: "a calculation",
  ArithmeticCommand: "a calculation",
  Case: "a condition",
  ArithmeticFor: "a loop",
  Select: "a loop",
  Function: "a function",
  Coproc: "a process in the background",
  BraceExpansion: "a brace expansion",
  HereString: "a here-string",
  ArrayValue: "an array"
}

const unreadable = (why: string): Grammar => ({
  form: "unreadable",
  why,
  commands: [],
  words: []
})

class Unreadable {
  readonly why: string
  constructor(why: string) {
    this.why = why
  }
}

const valuing = new Set([
  "Word",
  "Assignment",
  "DoubleQuoted",
  "CommandExpansion",
  "ArithmeticExpansion",
  "ProcessSubstitution"
])

/** What a part of a word is given to: a simple command, one that only shows it, one that reads pipes, or a loop. */
type Giver = "command" | "shown" | "pipes" | "loop" | undefined

/** Its value is known, or does not matter, and it runs nothing that is not read by itself. */
const isRead = (node: SyntaxNode, giver: Giver, text: string): boolean => {
  if (giver === undefined) return false
  if (giver === "loop" && node.type === "CommandExpansion" && isCounted(node.text)) return true
  if (giver === "shown" && isCalculated(node)) return true
  return node.type === "CommandExpansion" && (isSpoken(node.text) || literalOf(node, text) !== undefined)
}

/** Outside of quotes each of these begins something of its own: whoever takes it for text has not understood the word. */
const special = /[<>()|&;`]/

/** The pattern of a `[[ ]]` may hold the others. */
const runs = /[<>]\(|`/

/** `cat 2<(x)` is such a word: bash runs `x`. */
const isMisread = ({ parts, text }: Word, isTest: boolean): boolean =>
  (parts ?? [{ type: "Literal", text }]).some(
    (part) => part.type === "Literal" && (isTest ? runs : special).test(part.text.replace(/\\[^]/g, ""))
  )

interface Walked {
  readonly commands: ReadonlyArray<Command>
  readonly words: ReadonlyArray<Word>
  readonly strays: ReadonlyArray<Redirection>
  readonly compound: string | undefined
}

const walk = (root: Script, source: string): Walked => {
  const commands: Array<Command> = []
  const strays: Array<Redirection> = []
  const words: Array<Word> = []
  let compound: string | undefined
  /** Whether it is in a `[[ ]]`. */
  let tests = false
  const also = (why: string) => {
    compound ??= why
  }
  const visit = (node: SyntaxNode, text: string, depth: number, giver: Giver): void => {
    if (depth > 60) throw new Unreadable("it is nested too deeply")
    let inner = text
    const outer = tests
    if (node.type === "TestCommand" || node.type === "Script") tests = node.type === "TestCommand"
    if (isRead(node, giver, text)) return
    // Its commands are read by themselves, where the whole text is.
    const isOwn =
      (giver !== undefined && node.type === "CommandExpansion" && isSubstituted(node)) ||
      (giver === "pipes" && node.type === "ProcessSubstitution")
    if (!plainNodes.has(node.type) && !isOwn) also(`it has ${names[node.type] ?? "a part whose effect is not known"}`)
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
        if (isMisread(node, tests)) throw new Unreadable("a word in it was not understood")
        words.push(node)
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
    const gives: Giver =
      node.type === "Command"
        ? shows(node)
          ? "shown"
          : takesPipes(node)
            ? "pipes"
            : "command"
        : node.type === "TestUnary" && /^-[nz]$/.test(node.operator)
          ? "shown"
          : node.type === "For"
            ? "loop"
            : valuing.has(node.type)
              ? giver
              : undefined
    forEachChild(node, (child) => visit(child, inner, depth + 1, valuing.has(child.type) ? gives : undefined))
    tests = outer
  }
  visit(root, source, 0, undefined)
  return { commands, words, strays, compound }
}

type Redirect = Extract<Redirection, { type: "Redirect" }>

const checkRedirect = (node: Redirect, source: string): void => {
  if (node.target === undefined) throw new Unreadable("a redirection in it has no target")
  const after = source.slice(node.pos, node.end)
  if (/^\d*[<>]&/.test(after) && !/^\d*[<>]&[ \t]*(?:\d+|-)$/.test(after)) {
    throw new Unreadable("it copies a descriptor in an unusual way")
  }
}

/** Never throws. */
export const read = (text: string, known: Known): Grammar => {
  const problem = problemOf(text)
  if (problem !== undefined) return unreadable(problem)
  try {
    const root = parse(text)
    const { commands, compound, strays, words } = walk(root, text)
    const covered = compound === undefined && !isCovered(root, text) ? "part of it was not understood" : undefined
    // `$PWD` and `~` mean something else once the text has changed what they depend on.
    const assigns = commands.some(
      (command) =>
        command.prefix.some((node) => node.type === "Assignment" && /^(?:PWD|OLDPWD|HOME)$/.test(node.name)) ||
        /^(?:cd|pushd|popd)$/.test(command.name?.value ?? "")
    )
    const own: Known = { home: known.home, folder: assigns ? undefined : known.folder, source: text, plain: true }
    let why = compound ?? covered
    if (why === undefined) {
      try {
        return { form: "plain", why: "", commands: flatten(root, own), words: [] }
      } catch (cause) {
        if (!(cause instanceof NotPlain)) throw cause
        why = cause.why
      }
    }
    const trusted: Known = { home: assigns ? undefined : known.home, folder: undefined, source: text }
    // Any of them may read what any other says.
    const read = commands.map((command, index) => ({
      ...simple(command, trusted),
      producers: [-1],
      heard: Array.from({ length: index }, (_, before) => before)
    }))
    return {
      form: "compound",
      why,
      commands: strays.length === 0 ? read : [...read, redirected(strays, trusted)],
      words: words.map((word) => valueOf(word, trusted))
    }
  } catch (cause) {
    return unreadable(cause instanceof Unreadable ? cause.why : "it could not be read")
  }
}
