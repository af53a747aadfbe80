/** From the commands of the grammar to what they do: actions, and the files they name. */
import type { CommandReading } from "../../CommandReading.ts"
import { startsBelay } from "./programs/belay.ts"
import { type Grammar, read as readGrammar } from "./text/grammar.ts"
import type { Draft } from "./drafts.ts"
import { Given } from "./given.ts"
import { baseName, isOwn, isStandard, specOf } from "./programs.ts"
import { unknown } from "./table/rows.ts"
import { commandOf } from "./table/programSettings.ts"
import { isSigningVariable } from "./table/signingSettings.ts"
import { settled } from "./languages/settings.ts"
import type { Simple } from "./text/simple.ts"
import { apply } from "./table/apply.ts"
import { type Findings, unnamed, type Word } from "./table/spec.ts"
import { isWritten, pathsOf, problemOf } from "./table/variables.ts"
import type { Known } from "./text/words.ts"

const deepest = 6
/** Whatever runs these may be elsewhere afterwards. */
const moves = /^(?:cd|pushd|popd|source|\.|eval)$/

/** Where a shell is after `cd folder`, for the rest of the chain; null when it is not known. */
interface Moved {
  readonly base: string | null
  readonly chain: number | undefined
}

/** What a word for a program means on this machine. */
export interface Programs {
  /** What it leads to in the project; nothing for one of the system. */
  readonly own?: ((program: string) => { readonly name: string; readonly file: string } | undefined) | undefined
  /** The name without the ending of its file. */
  readonly bare?: ((program: string, words: ReadonlyArray<string | null>) => string | undefined) | undefined
}

class Reader extends Given {
  readonly lookUp: Programs["own"]
  readonly bare: Programs["bare"]

  constructor({ bare, own }: Programs) {
    super()
    this.lookUp = own
    this.bare = bare
  }

  /** Where the text begins, and where its shells have gone. */
  root: string | null = ""
  moved: Map<number, Moved> = new Map()
  searches = false

  /** As the table and entries name its program. */
  named(words: ReadonlyArray<Word>): ReadonlyArray<Word> {
    const [program, ...rest] = words
    if (program === undefined || program.text === null || program.glob) return words
    const given = rest.map(({ below, glob, text }) => (glob || below !== undefined ? null : text))
    const name = this.bare?.(program.text, given)
    return name === undefined ? words : [{ ...program, text: name }, ...rest]
  }

  run(written: ReadonlyArray<Word>, parent: number, from: number, depth: number): Draft {
    const words = this.named(written)
    const draft = this.open(words, parent, from)
    const own = this.actions.length - 1
    const [program, ...rest] = words.map((word, at) => ({ ...word, at }))
    if (
      program === undefined ||
      program.text === null ||
      program.glob ||
      program.below !== undefined ||
      depth > deepest
    ) {
      draft.argv[0] = null
      draft.readOnly = false
      draft.hazards.push({ at: unnamed, why: "which program runs is not known" })
      for (const word of rest) this.target(draft, word, "mention", false)
      return draft
    }
    const spec = specOf(program.text, rest)
    draft.unknown = spec === unknown
    apply(rest, spec, this.findings(draft, own, depth))
    settled(baseName(program.text), rest, this.findings(draft, own, depth))
    if (startsBelay(program.text, rest)) draft.floors.push("belay")
    this.called(draft, program, program.text)
    return draft
  }

  /** Of a program by its own path, of the project, or in other letters, only the name is that of the table. */
  called(draft: Draft, program: Word, text: string): void {
    const isNamed = text.includes("/")
    const at = isNamed ? this.path(text) : text
    const found = at === null ? undefined : this.lookUp?.(at)
    if (found !== undefined) draft.argv[0] = found.name
    if (this.lookUp !== undefined && at === null) {
      draft.hazards.push({ at: unnamed, why: "in which folder its program lies is not known" })
    }
    if (found !== undefined && !isNamed)
      this.target(draft, { ...program, text: found.file, based: true }, "program", false)
    else if (isOwn(text)) this.target(draft, program, "program", false)
    if (found !== undefined || isOwn(text)) draft.hidden = true
    if (found !== undefined || !isStandard(text)) draft.readOnly = false
  }

  findings(draft: Draft, own: number, depth: number): Findings {
    return {
      hazard: (at, why, kind) => {
        draft.hazards.push(kind === undefined ? { at, why } : { at, why, kind })
        draft.readOnly = false
      },
      unless: (at, why, word) => {
        this.target(draft, word, "mention", false)
        draft.hazards.push({ at, why, kind: "loses", where: this.targets.length - 1 })
        draft.readOnly = false
      },
      neutral: (at) => void draft.neutral.push(at),
      hides: () => {
        draft.hidden = true
      },
      takes: () => {
        draft.takes = true
      },
      floor: (floor) => void draft.floors.push(floor),
      changes: () => {
        draft.readOnly = false
      },
      target: (word, role, below) => {
        if (word !== undefined) this.target(draft, word, role, false, below ?? word.below)
      },
      moves: (moves) => {
        if (draft.moves !== "anywhere") draft.moves = moves
      },
      inner: (words, elsewhere = false) => {
        const first = words[0]
        if (first === undefined) return
        const { base } = this
        // What is found lies below the folders where the search began, wherever the program runs.
        const found = words.map((word): Word =>
          word.below === undefined || word.based === true
            ? word
            : { ...word, text: this.path(word.text, word.glob), based: true }
        )
        if (elsewhere) this.base = null
        this.run(found, own, first.at, depth + 1)
        this.base = base
      },
      fed: (words, split, elsewhere) => this.fed(own, words, split, elsewhere),
      script: (word) => {
        if (word.text === null || word.glob) this.run([{ ...word, text: null }], own, -1, depth + 1)
        else this.script(word.text, draft, own, depth)
      },
      input: () => {
        for (const text of this.inputs) this.script(text, draft, own, depth)
      }
    }
  }

  /** Text that a command of this text runs in a shell. */
  script(text: string, draft: Draft, own: number, depth: number): void {
    const grammar = readGrammar(text, { home: undefined, folder: undefined })
    this.worsen(grammar)
    draft.hidden = true
    for (const inner of grammar.words) this.target(draft, inner, "mention", false)
    if (depth < deepest) this.all(grammar, own, -1, depth + 1)
  }

  /** Every command of a text, in the folder where it would run. */
  all(grammar: Grammar, parent: number, from: number, depth: number): void {
    const { base, inputs, moved, producers, root, starts: outer } = this
    const isLost = grammar.form !== "plain" && grammar.commands.some(({ words }) => moves.test(words[0]?.text ?? ""))
    this.root = isLost ? null : base
    // With it `cd` looks for folders elsewhere.
    this.searches ||= grammar.commands.some(
      ({ assignments, words }) =>
        assignments.some(({ name }) => name === "CDPATH") || words.some(({ text }) => text?.includes("CDPATH") === true)
    )
    this.moved = new Map()
    const starts: Array<number> = []
    for (const [index, command] of grammar.commands.entries()) {
      const start = this.actions.length
      starts[index] = start
      if (parent < 0) this.step = command.step
      this.base = this.folder(command)
      this.starts = starts
      this.producers = command.producers.map((before) => starts[before] ?? -1)
      const heard = command.heard.flatMap((before) => [
        ...this.said(starts[before] ?? -1),
        ...(grammar.commands[before]?.inputs ?? [])
      ])
      this.inputs = [...command.inputs, ...heard, ...(parent < 0 ? [] : inputs)]
      this.command(command, parent, from, depth)
      this.move(command, start)
    }
    Object.assign(this, { base, inputs, moved, producers, root, starts: outer })
  }

  /** Where the shell of a command is. */
  folder({ chains, shells }: Simple): string | null {
    for (const shell of shells.toReversed()) {
      const found = this.moved.get(shell)
      if (found !== undefined) return found.chain !== undefined && chains.includes(found.chain) ? found.base : null
    }
    return this.root
  }

  /** After `cd folder &&` relative words lie in that folder; after any other change of it it is not known where. */
  move({ assignments, chains, shells, words }: Simple, start: number): void {
    const shell = shells.at(-1) ?? 0
    const [program, folder] = words
    if (program?.text !== "cd") {
      const made = this.actions.slice(start)
      if (made.some(({ argv }) => moves.test(argv[0] ?? ""))) this.moved.set(shell, { base: null, chain: undefined })
      return
    }
    const text = folder?.text
    const isKnown =
      words.length === 2 &&
      assignments.length === 0 &&
      !this.searches &&
      folder?.glob === false &&
      typeof text === "string" &&
      !/^[-+]|[^/.]\/+\.\./.test(text) &&
      // From a folder that is reached by a link, `..` leads to one place or another.
      (this.base === "" || !text.includes(".."))
    this.moved.set(shell, { base: isKnown ? this.path(text) : null, chain: chains.at(-1) })
  }

  /** Texts that the command is given to read, as far as they are known. */
  inputs: ReadonlyArray<string> = []

  /** What echo and printf say, and what cat is given: words that are known. */
  said(index: number): ReadonlyArray<string> {
    const { argv = [] } = this.actions[index] ?? {}
    const words = argv.slice(1).filter((word) => word !== null)
    return /^(?:echo|printf)$/.test(baseName(argv[0] ?? "")) ? [words.join(" "), ...words] : []
  }

  command(command: Simple, parent: number, from: number, depth: number): void {
    const given = command.words.map((value, at): Word => ({ ...value, at }))
    const words = given.map((word) => this.listed(word, given[0], given.slice(1)))
    const draft = words.length === 0 ? this.open([], parent, from) : this.run(words, parent, from, depth)
    const program = words[0]?.text ?? undefined
    if (command.mixed) this.mixed.add(draft)
    for (const { name, value } of command.assignments) {
      const problem = problemOf(name, value, program)
      if (problem !== undefined) draft.hazards.push({ at: unnamed, why: problem })
      if (problem !== undefined) draft.readOnly = false
      const ran = value === undefined ? undefined : commandOf(name, value.glob ? null : value.text)
      if (value !== undefined && ran === null) this.target(draft, { ...value, text: null }, "write", false)
      else if (typeof ran === "string") this.script(ran, draft, this.actions.indexOf(draft), depth)
      if (isSigningVariable(name, value?.text ?? null)) draft.floors.push("keys")
      if (value !== undefined) this.target(draft, value, isWritten(name) ? "output" : "mention", false)
      for (const path of pathsOf(name, value)) {
        draft.readOnly = false
        draft.hidden = true
        this.target(draft, path, "read", false)
      }
    }
    const only = draft.readOnly
    for (const { operator, target } of command.redirections) {
      const isConnection = /^\/dev\/(?:tcp|udp)\//.test(target.text ?? "")
      const isRead = operator === "<" && !isConnection
      if (!isRead && !/^\/dev\/(?:null|stdout|stderr|tty)$/.test(target.text ?? "")) {
        draft.readOnly = false
        draft.redirects = only && /^(?:>|>>|>\||&>|&>>)$/.test(operator) && !isConnection
      }
      this.target(draft, target, isRead ? "read" : "write", true)
    }
  }
}

export const read = (text: string, known: Known, programs: Programs = {}): CommandReading => {
  const grammar = readGrammar(text, known)
  const reader = new Reader(programs)
  reader.worsen(grammar)
  reader.all(grammar, -1, 0, 0)
  if (grammar.words.length > 0) {
    const all = reader.open([], -1, 0)
    for (const word of grammar.words) reader.target(all, word, "mention", false)
  }
  return reader.reading()
}

/** One program with literal arguments, as it is started without a shell. */
export const readWords = (words: ReadonlyArray<string>, programs: Programs = {}): CommandReading => {
  const reader = new Reader(programs)
  reader.run(
    words.map((text, at): Word => ({ text, glob: false, written: text, at })),
    -1,
    0,
    0
  )
  return reader.reading()
}
