/** Names that a command is given by others: what a pipe or a substitution prints. */
import type { Below } from "../../CommandReading.ts"
import { all, type Draft, Drafts } from "./drafts.ts"
import { names as namesIn, type Producer } from "./producers.ts"
import { baseName, specOf } from "./programs.ts"
import { unnamed, type Word } from "./table/spec.ts"

export class Given extends Drafts {
  /** What xargs reads from its pipe: names in the folders of the producer, or anything. */
  producers: ReadonlyArray<number> = []
  /** Those whose errors may be part of what they print. */
  readonly mixed = new Set<Draft>()
  /** Where the commands of the text begin, in `actions`. */
  starts: ReadonlyArray<number> = []

  /** The words of a substitution that prints names: none is known, and each lies below a folder that is. */
  listed(word: Word, program: Word | undefined, rest: ReadonlyArray<Word>): Word {
    if (word.listing === undefined) return word
    const { listing: _, ...unknown } = word
    const spec = typeof program?.text === "string" && program !== word ? specOf(program.text, rest) : undefined
    const draft = this.actions[this.starts[word.listing] ?? -1]
    // Only who may be given any name, be it one of a flag.
    if (spec?.readOnly !== true || spec.anyName !== true || draft === undefined) return unknown
    const found = this.names([draft])
    if (found === undefined) return unknown
    const below: Below = { ...found.below, splits: true, expands: true }
    if (found.here) return { ...unknown, text: ".", below }
    const [folder, ...others] = draft.targets.filter((at) => this.targets[at]?.role === "read")
    const target = this.targets[folder ?? -1]
    if (target === undefined) return { ...unknown, text: ".", below }
    return others.length === 0 && !target.glob ? { ...unknown, text: target.path, below, based: true } : unknown
  }

  /** What git tracks is known until another git of the line changes it. */
  names(drafts: ReadonlyArray<Draft | undefined>): ReturnType<typeof namesIn> {
    const found = namesIn(drafts.map((draft) => this.producer(draft)))
    const isSettled = this.actions.every(({ argv, readOnly }) => readOnly || baseName(argv[0] ?? "") !== "git")
    if (found === undefined || isSettled) return found
    const { modified: _, tracked: __, ...below } = found.below
    return { ...found, below }
  }

  fed(own: number, words: ReadonlyArray<Word>, split: boolean, elsewhere: boolean): ReadonlyArray<Word> {
    const anything: Word = { text: null, glob: false, written: "what it reads", at: 1000 }
    const program = words[0]?.text
    if (program === undefined || program === null) return [anything]
    const spec = specOf(program, words.slice(1))
    if (spec.readOnly !== true) return [anything]
    // A reader may be given any name: what lies where the command begins is the least that it may read.
    const doubt = (below: Below): ReadonlyArray<Word> => {
      this.actions[own]?.hazards.push({ at: unnamed, why: "which names it reads is not known" })
      return [{ ...anything, written: "{}", text: ".", below, based: true }]
    }
    const draft = this.actions[own]
    if (spec.anyName !== true && draft !== undefined) this.here(draft)
    const producers = this.producers.map((index) => this.actions[index])
    const found = this.names(producers)
    const producer = producers[found?.at ?? -1]
    if (elsewhere || found === undefined || producer === undefined || (found.quoted && !split))
      return doubt({ ...all, anywhere: true })
    if (spec.anyName !== true || draft?.parent !== -1) return doubt(all)
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
    const isKnown = draft?.readOnly === true && draft.parent === -1 && !this.mixed.has(draft)
    return { argv: draft?.argv ?? [null], isKnown, reads }
  }
}
