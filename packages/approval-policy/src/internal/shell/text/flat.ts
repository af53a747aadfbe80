/**
 * The commands of a plain text, one after the other as they may run, with what each stands in.
 *
 * Every branch of a condition counts. The body of a loop counts once for each word of the loop, with that word as the
 * value of its variable, so that each file that a round touches is named; where a word stands for several, twice.
 */
import {
  forEachChild,
  type CommandNode,
  type CompoundList,
  type PipelineNode,
  type Script,
  type Statement,
  type SyntaxNode,
  type Word,
  type WordPart
} from "unbash"
import { keepsVariables } from "./calm.ts"
import { testOf } from "./conditions.ts"
import { lineOf, ownName } from "./line.ts"
import { literalOf } from "./literal.ts"
import { NotPlain } from "./notPlain.ts"
import { pipeOf, redirected, shows, type Simple, simple } from "./simple.ts"
import { isCounted, isSpoken, isSubstituted, type Known, type Value, valueOf } from "./words.ts"

type Of<T extends SyntaxNode["type"]> = Extract<SyntaxNode, { type: T }>

type Place = Pick<Simple, "shells" | "chains" | "producers" | "heard" | "inputs"> & { readonly known: Known }

type Substitution = Of<"CommandExpansion">

/** They print names of files, with the right flags. */
const listers = /^(?:git|find|fd|fdfind|grep|egrep|fgrep|rg)$/

/** Those that are read as commands of their own. */
const substitutionsOf = (word: Word | undefined, { source }: Known): ReadonlyArray<Substitution> =>
  (word?.parts ?? [])
    .flatMap((part): ReadonlyArray<WordPart> => (part.type === "DoubleQuoted" ? part.parts : [part]))
    .filter((part) => isSubstituted(part))
    .filter((part) => !isSpoken(part.text) && literalOf(part, source) === undefined)

/** What the shell puts in the place of a process substitution. */
const pipe = { text: "/dev/fd/63", glob: false } as const

const counting: Value = { text: "seq", glob: false, written: "seq" }

/** More is no text of a person. */
const mostRounds = 300

class Flattener {
  readonly commands: Array<Simple> = []
  loops = false
  private names = 0
  private steps = 0
  /** The step of the pipe that it is in. */
  private piped: number | undefined

  private fresh(): number {
    return ++this.names
  }

  private emit(found: Simple, { chains, heard, inputs, producers, shells }: Place): void {
    const reads = found.redirections.some(({ operator }) => operator.startsWith("<")) || found.inputs.length > 0
    const before = reads ? { producers: [-1], heard: [] } : { producers, heard }
    const step = this.piped ?? ++this.steps
    this.commands.push({ ...found, inputs: [...found.inputs, ...inputs], shells, chains, step, ...before })
    if (this.commands.length > mostRounds) throw new NotPlain("its loops have too many rounds")
  }

  /** What says a text that is written in a word. */
  private sayers(words: ReadonlyArray<Word>, place: Place): void {
    for (const word of words) {
      if (!word.text.includes("$(")) continue
      for (const part of word.parts ?? []) {
        const parts = part.type === "DoubleQuoted" ? part.parts : [part]
        for (const inner of parts) {
          const text = literalOf(inner, place.known.source)
          const cat: Value = { text: "cat", glob: false, written: "cat" }
          if (inner.text === "$(nproc)") {
            const nproc: Value = { text: "nproc", glob: false, written: "nproc" }
            this.emit({ ...redirected([], place.known), words: [nproc] }, place)
          }
          if (text !== undefined) this.emit({ ...redirected([], place.known), words: [cat], inputs: [text] }, place)
        }
      }
    }
  }

  /** The commands of a substitution; the index of the one that prints names, where it is alone. */
  private substituted(part: Substitution, place: Place): number | undefined {
    const start = this.commands.length
    if (part.script !== undefined) this.list(part.script, { ...place, shells: [...place.shells, this.fresh()] })
    const [only] = this.commands.slice(start)
    const isAlone = this.commands.length === start + 1 && listers.test(only?.words[0]?.text ?? "")
    return isAlone ? start : undefined
  }

  /** Where a substitution stands for words of its own: those that print names, by the word that they stand for. */
  private listings(node: Of<"Command">, place: Place): ReadonlyMap<SyntaxNode, number> {
    const found = new Map<SyntaxNode, number>()
    const isShown = shows(node)
    for (const word of [...(node.name === undefined ? [] : [node.name]), ...node.args, ...node.prefix]) {
      const value = word.type === "Assignment" ? word.value : word
      const own = value.type === "Word" ? value : undefined
      for (const part of substitutionsOf(own, place.known)) {
        const listing = this.substituted(part, place)
        if (isShown && word !== node.name && word.type === "Word") continue
        const isWhole = word.type === "Word" && word !== node.name && word.parts?.length === 1 && word.parts[0] === part
        if (listing === undefined || !isWhole) throw new NotPlain("it has a command substitution")
        found.set(word, listing)
      }
    }
    return found
  }

  /** The commands of substitutions of which only the length of what they say counts. */
  private measured(node: SyntaxNode, place: Place): void {
    if (node.type !== "Word") return forEachChild(node, (child) => this.measured(child, place))
    for (const part of substitutionsOf(node, place.known)) this.substituted(part, place)
  }

  /** What writes into the pipes that a command is given instead of files runs beside it. */
  private pipes(node: Of<"Command">, place: Place): ReadonlySet<SyntaxNode> {
    const found = new Set<SyntaxNode>()
    for (const word of node.args) {
      const script = word.type === "Word" ? pipeOf(word) : undefined
      const isHeld = word.type === "Word" && word.parts?.some(({ type }) => type === "ProcessSubstitution") === true
      if (isHeld && script === undefined) throw new NotPlain("it has a process substitution")
      if (script === undefined) continue
      found.add(word)
      const shells = [...place.shells, this.fresh()]
      this.list(script, { ...place, shells, producers: [-1], heard: [], inputs: [] })
    }
    return found
  }

  list({ commands }: CompoundList | Script, place: Place): void {
    for (const statement of commands) this.statement(statement, place)
  }

  private statement({ command }: Statement, place: Place): void {
    const parts = command.type === "AndOr" ? command.commands : [command]
    const operators = command.type === "AndOr" ? command.operators : []
    let chain = this.fresh()
    for (const [index, part] of parts.entries()) {
      // What stands behind `a || b &&` runs after either: not everything before it has run.
      if (index > 0 && (operators[index - 1] !== "&&" || operators[index - 2] === "||")) chain = this.fresh()
      this.pipeline(part, { ...place, chains: [...place.chains, chain] })
    }
  }

  private pipeline(node: PipelineNode, place: Place): void {
    if (node.type !== "Pipeline") return this.command(node, place)
    const [only] = node.commands
    if (node.commands.length === 1 && only !== undefined) {
      // What fails is what lets the next one run.
      const isNegated = node.prefixes.some(({ type }) => type === "Negation")
      return this.command(only, isNegated ? { ...place, chains: [...place.chains, this.fresh()] } : place)
    }
    let producers = place.producers
    let heard = place.heard
    const { piped } = this
    this.piped ??= ++this.steps
    for (const [index, member] of node.commands.entries()) {
      const start = this.commands.length
      this.command(member, { ...place, shells: [...place.shells, this.fresh()], producers, heard })
      const made = Array.from({ length: this.commands.length - start }, (_, index) => start + index)
      const last = made.at(-1) ?? -1
      const own = this.commands[last]
      if (own !== undefined && node.operators[index] === "|&") this.commands[last] = { ...own, mixed: true }
      producers = [...producers, member.type === "Command" ? last : -1]
      heard = [...heard, ...made]
    }
    this.piped = piped
  }

  private command(node: CommandNode, place: Place): void {
    switch (node.type) {
      case "Command": {
        const given = [...(node.name === undefined ? [] : [node.name]), ...node.args, ...node.prefix]
        const words = given.flatMap((word) =>
          word.type === "Word" ? [word] : word.type === "Assignment" && word.value.type === "Word" ? [word.value] : []
        )
        this.sayers(words, place)
        const listings = this.listings(node, place)
        const { piped } = this
        if (node.args.some((word) => word.type === "Word" && pipeOf(word) !== undefined)) this.piped ??= ++this.steps
        const pipes = this.pipes(node, place)
        const found = simple(node, place.known)
        const named = found.words.map((value, at): Value => {
          const word = at === 0 ? undefined : node.args[at - 1]
          const listing = listings.get(word ?? node)
          if (word !== undefined && pipes.has(word)) return { ...pipe, written: value.written }
          return listing === undefined ? value : { text: null, glob: false, written: value.written, listing }
        })
        this.emit({ ...found, words: named }, place)
        this.piped = piped
        return
      }
      case "Redirected": {
        const own = redirected(node.redirects, place.known)
        this.emit(own, place)
        const reads = own.redirections.some(({ operator }) => operator.startsWith("<")) || own.inputs.length > 0
        const before = reads ? { producers: [-1], heard: [], inputs: own.inputs } : {}
        return this.command(node.command, { ...place, ...before })
      }
      case "TestCommand":
        this.measured(node, place)
        return this.emit({ ...redirected([], place.known), words: testOf(node, place.known) }, place)
      case "Subshell":
        return this.list(node.body, { ...place, shells: [...place.shells, this.fresh()] })
      case "BraceGroup":
        return this.list(node.body, place)
      case "If":
        this.list(node.clause, place)
        this.list(node.then, place)
        for (const branch of node.elif) {
          this.list(branch.clause, place)
          this.list(branch.then, place)
        }
        if (node.else !== undefined) this.list(node.else, place)
        return
      case "For":
        return this.loop(node, place)
      case "While":
        return this.lines(node, place)
      default:
        throw new NotPlain("it has a part whose effect is not known")
    }
  }

  /** What the variable of a loop stands for. */
  private rounds(word: Word, place: Place): Value {
    if (isCounted(word.text)) {
      this.emit({ ...redirected([], place.known), words: [counting] }, place)
      return { ...counting, text: "1", varies: true }
    }
    const [part, ...others] = substitutionsOf(word, place.known)
    if (part !== undefined) {
      const listing = others.length === 0 && word.parts?.length === 1 ? this.substituted(part, place) : undefined
      if (listing === undefined || word.parts?.[0] !== part) throw new NotPlain("it has a command substitution")
      return { text: null, glob: false, written: word.text, listing }
    }
    const value = valueOf(word, place.known)
    if (value.text === null || value.varies === true || value.split === true)
      throw new NotPlain("it has a loop over what is not known")
    return value
  }

  /** Of a line that is read nothing is known but which program printed it, where that is known. */
  private lines(node: Of<"While">, place: Place): void {
    const name = node.kind === "while" ? lineOf(node.clause) : undefined
    if (name === undefined) throw new NotPlain("it has a loop")
    this.loops = true
    const producer = place.producers.at(-1) ?? -1
    const isListed = listers.test(this.commands[producer]?.words[0]?.text ?? "")
    const value: Value = { text: null, glob: false, written: `$${name}`, ...(isListed ? { listing: producer } : {}) }
    this.body(node.body, name, value, place)
  }

  /** What one round makes of paths, the next one finds: of a word that stands for several the body counts twice. */
  private body(body: CompoundList, name: string, value: Value, place: Place): void {
    // Behind the inner loop the outer one would go on with what that has left.
    if (place.known.variables?.has(name) === true)
      throw new NotPlain("it has a loop inside another loop with the same variable")
    const variables = new Map([...(place.known.variables ?? []), [name, value]])
    const isOne = value.text !== null && !value.glob && value.varies !== true
    for (let round = isOne ? 2 : 1; round <= 2; round++)
      this.list(body, { ...place, known: { ...place.known, variables } })
  }

  private loop(node: Of<"For">, place: Place): void {
    const name = node.name.text
    if (node.wordlist === undefined || !ownName.test(name)) throw new NotPlain("it has a loop over what is not known")
    this.loops = true
    for (const word of node.wordlist) {
      this.body(node.body, name, this.rounds(word, place), place)
    }
  }
}

/** Throws `NotPlain`. */
export const flatten = (root: Script, known: Known): ReadonlyArray<Simple> => {
  const flattener = new Flattener()
  flattener.list(root, { shells: [0], chains: [], producers: [], heard: [], inputs: [], known })
  // Also before the loop: a trap, or another separator of words.
  if (flattener.loops && !flattener.commands.every(keepsVariables))
    throw new NotPlain("it has a loop and may set variables")
  return flattener.commands
}
