/** From the commands of the grammar to what they do: actions, and the files they name. */
import type { Action, Below, CommandReading, Floor, Hazard, Target } from "../../CommandReading.ts"
import { startsBelay } from "./belay.ts"
import { type Grammar, read as readGrammar, type Simple } from "./grammar.ts"
import { names as namesIn, type Producer } from "./producers.ts"
import { baseName, isOwn, isStandard, specOf } from "./programs.ts"
import { unknown } from "./rows.ts"
import { settled } from "./settings.ts"
import { apply, type Findings, unnamed, type Word } from "./spec.ts"
import { hintsOf, type Known, type Value } from "./words.ts"
import { inertNames } from "./wrappers.ts"

const deepest = 6
/** A name that leads to a file is none of these. */
const inert = /^(?![:/])(?!.*\.\.)[A-Za-z0-9_./:@-]*$/

interface Draft {
  argv: Array<string | null>
  parent: number
  from: number
  hazards: Array<Hazard>
  targets: Array<number>
  floors: Array<Floor>
  readOnly: boolean
  moves: Action["moves"]
  step: number
  unknown: boolean
}

/** A folder that is found and then taken as a whole: the links that led to it count, too. */
const whole = (below: Below, found: Below | undefined): Below =>
  found === undefined || found === below
    ? below
    : {
        ...below,
        follows: below.follows === "nothing" ? found.follows : below.follows,
        splits: found.splits,
        skips: []
      }

class Reader {
  readonly actions: Array<Draft> = []
  readonly targets: Array<Target> = []
  /** What relative words are relative to, beside the folder of the command; null when it is not known. */
  base: string | null = ""
  form: CommandReading["form"] = "plain"
  why = ""
  /** Parts of one pipe run at the same time, and so does everything whose order is not known. */
  step = 0
  worsen(grammar: Grammar): void {
    if (grammar.form === "plain" || this.form === "unreadable") return
    if (this.form === "plain" || grammar.form === "unreadable") {
      this.form = grammar.form
      this.why = grammar.why
    }
  }

  path(text: string | null): string | null {
    if (text === null || text === "") return null
    if (text.startsWith("/")) return text
    return this.base === null ? null : this.base === "" ? text : `${this.base}/${text}`
  }

  target(
    draft: Draft,
    value: Value & Pick<Word, "below" | "based">,
    role: Target["role"],
    redirected: boolean,
    below: Below | undefined = value.below
  ): void {
    // What is found in a folder has a name of its own: whoever changes it changes a file that the text does not name.
    const isNamed = value.varies !== true && (value.below === undefined || role === "read" || role === "mention")
    this.targets.push({
      path: !isNamed ? null : value.based === true ? value.text : this.path(value.text),
      role: value.below !== undefined && role === "mention" ? "read" : role,
      redirected,
      glob: value.glob,
      ...(below === undefined ? {} : { below: whole(below, value.below) })
    })
    draft.targets.push(this.targets.length - 1)
    // Its name may say what it is, although the whole of it is not known.
    if (value.text === null) for (const text of hintsOf(value.written)) this.mention(draft, text)
  }

  mention(draft: Draft, path: string): void {
    this.targets.push({ path, role: "mention", redirected: false, glob: false })
    draft.targets.push(this.targets.length - 1)
  }

  open(argv: ReadonlyArray<Value>, parent: number, from: number): Draft {
    const draft: Draft = {
      argv: argv.map((word) => (word.glob || "below" in word ? word.written : word.text)),
      parent,
      from,
      hazards: [],
      targets: [],
      floors: [],
      readOnly: true,
      moves: "nothing",
      step: this.step,
      unknown: false
    }
    this.actions.push(draft)
    return draft
  }

  run(words: ReadonlyArray<Word>, parent: number, from: number, depth: number): Draft {
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
    // Of a program by its own path, or in other letters, only the name is that of the table.
    if (isOwn(program.text)) this.target(draft, program, "program", false)
    if (!isStandard(program.text)) draft.readOnly = false
    return draft
  }

  findings(draft: Draft, own: number, depth: number): Findings {
    return {
      hazard: (at, why) => {
        draft.hazards.push({ at, why })
        draft.readOnly = false
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
          word.below === undefined || word.based === true ? word : { ...word, text: this.path(word.text), based: true }
        )
        if (elsewhere) this.base = null
        this.run(found, own, first.at, depth + 1)
        this.base = base
      },
      fed: (words, split) => this.fed(own, words, split),
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
    for (const inner of grammar.words) this.target(draft, inner, "mention", false)
    if (depth < deepest) for (const command of grammar.commands) this.command(command, own, -1, depth + 1)
  }

  /** Texts that the command is given to read, as far as they are known. */
  inputs: ReadonlyArray<string> = []

  /** What is given to what stands before it in the pipe, and may be passed on. */
  passed: ReadonlyArray<string> = []

  /** What echo and printf say, and what cat is given: words that are known. */
  said(index: number): ReadonlyArray<string> {
    const { argv = [] } = this.actions[index] ?? {}
    const words = argv.slice(1).filter((word) => word !== null)
    return /^(?:echo|printf)$/.test(baseName(argv[0] ?? "")) ? [words.join(" "), ...words] : []
  }

  /** What xargs reads from its pipe: names in the folders of the producer, or anything. */
  producers: ReadonlyArray<number> = []
  fed(own: number, words: ReadonlyArray<Word>, split: boolean): ReadonlyArray<Word> {
    const anything: Word = { text: null, glob: false, written: "what it reads", at: 1000 }
    const program = words[0]?.text
    if (program === undefined || program === null) return [anything]
    const spec = specOf(program, words.slice(1))
    if (spec.readOnly !== true) return [anything]
    // A reader may be given any name: what lies here is the least that it may read.
    const all: Below = { names: [], skips: [], follows: "files", splits: false }
    const unknown: ReadonlyArray<Word> = [{ ...anything, written: "{}", text: ".", below: all }]
    const doubt = (): ReadonlyArray<Word> => {
      this.actions[own]?.hazards.push({ at: unnamed, why: "which names it reads is not known" })
      return unknown
    }
    if (spec.anyName !== true || this.actions[own]?.parent !== -1) return doubt()
    const producers = this.producers.map((index) => this.actions[index])
    const found = namesIn(producers.map((draft) => this.producer(draft)))
    const producer = producers[found?.at ?? -1]
    if (found === undefined || producer === undefined) return doubt()
    const below = { ...found.below, splits: split }
    const folders = producer.targets.flatMap((at): ReadonlyArray<Word> => {
      const target = this.targets[at]
      return target?.role === "read"
        ? [{ ...anything, written: "{}", text: target.path, glob: target.glob, below, based: true }]
        : []
    })
    const here: Word = { ...anything, written: "{}", text: ".", below }
    return folders.length === 0 || found.here ? [here, ...folders] : folders
  }

  producer(draft: Draft | undefined): Producer {
    const reads = draft?.targets.some((at) => this.targets[at]?.role === "read") ?? true
    return { argv: draft?.argv ?? [null], isKnown: draft?.readOnly === true && draft.parent === -1, reads }
  }

  command(command: Simple, parent: number, from: number, depth: number): void {
    const words = command.words.map((value, at): Word => ({ ...value, at }))
    const before = this.producers.flatMap((index) => this.said(index))
    this.inputs = parent < 0 ? [...command.inputs, ...before, ...this.passed] : command.inputs
    this.passed = [...this.passed, ...command.inputs]
    const draft = words.length === 0 ? this.open([], parent, from) : this.run(words, parent, from, depth)
    if (words.length === 0 && command.assignments.length > 0) {
      draft.hazards.push({ at: unnamed, why: "it sets a variable of the shell" })
      draft.readOnly = false
    }
    for (const { name, value } of command.assignments) {
      const isInert = inertNames.has(name) && typeof value?.text === "string" && !value.glob && inert.test(value.text)
      if (!isInert) draft.hazards.push({ at: unnamed, why: `${name} may change what runs` })
      if (!isInert) draft.readOnly = false
      if (value !== undefined) this.target(draft, value, "mention", false)
    }
    for (const { operator, target } of command.redirections) {
      const isConnection = /^\/dev\/(?:tcp|udp)\//.test(target.text ?? "")
      const isRead = operator === "<" && !isConnection
      if (!isRead && !/^\/dev\/(?:null|stdout|stderr|tty)$/.test(target.text ?? "")) draft.readOnly = false
      this.target(draft, target, isRead ? "read" : "write", true)
    }
  }

  /** After `cd folder &&` relative words lie in that folder; after any other `cd` it is not known where. */
  move(command: Simple, isFirst: boolean, sequential: boolean): void {
    const [program, folder] = command.words
    if (program?.text !== "cd" && program?.text !== "pushd" && program?.text !== "popd") return
    const isKnown = program.text === "cd" && isFirst && sequential && command.words.length === 2
    const text = folder?.text
    this.base =
      isKnown && folder?.glob === false && typeof text === "string" && !/^[-+]|[^/.]\/+\.\./.test(text)
        ? this.path(text)
        : null
  }
}

export const read = (text: string, known: Known): CommandReading => {
  const grammar = readGrammar(text, known)
  const reader = new Reader()
  reader.worsen(grammar)
  const moves = grammar.commands.some(({ words }) => /^(?:cd|pushd|popd)$/.test(words[0]?.text ?? ""))
  if (moves && grammar.form !== "plain") reader.base = null
  const starts: Array<number> = []
  for (const [index, command] of grammar.commands.entries()) {
    const pipe = grammar.pipes.find((members) => members.includes(index)) ?? []
    const before = pipe.slice(0, pipe.indexOf(index))
    reader.producers = before.map((member) => starts[member] ?? -1)
    reader.step = grammar.form === "plain" ? (before.length > 0 ? reader.step : reader.step + 1) : 0
    if (before.length === 0) reader.passed = []
    starts[index] = reader.actions.length
    reader.command(command, -1, 0, 0)
    reader.move(command, index === 0 && pipe.length === 0, grammar.sequential)
  }
  if (grammar.words.length > 0) {
    const all = reader.open([], -1, 0)
    for (const word of grammar.words) reader.target(all, word, "mention", false)
  }
  const { actions, form, targets, why } = reader
  return { form, why, actions, targets }
}

/** One program with literal arguments, as it is started without a shell. */
export const readWords = (words: ReadonlyArray<string>): CommandReading => {
  const reader = new Reader()
  reader.run(
    words.map((text, at): Word => ({ text, glob: false, written: text, at })),
    -1,
    0,
    0
  )
  const { actions, form, targets, why } = reader
  return { form, why, actions, targets }
}
