/** What has been found out about the commands of a text so far: what runs, and which files it names. */
import type { Action, Below, CommandReading, Floor, Hazard, Target } from "../../CommandReading.ts"
import type { Word } from "./table/spec.ts"
import type { Grammar } from "./text/grammar.ts"
import { hintsOf, type Value } from "./text/words.ts"

/** One program that runs, while it is read. */
export interface Draft {
  argv: Array<string | null>
  parent: number
  from: number
  hazards: Array<Hazard>
  targets: Array<number>
  floors: Array<Floor>
  readOnly: boolean
  redirects: boolean
  moves: Action["moves"]
  step: number
  unknown: boolean
  neutral: Array<number>
  hidden: boolean
  takes: boolean
}

export const all: Below = { names: [], skips: [], follows: "files", splits: false }

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

export class Drafts {
  readonly actions: Array<Draft> = []
  readonly targets: Array<Target> = []
  /** What relative words are relative to, beside the folder of the command; null when it is not known. */
  base: string | null = ""
  form: CommandReading["form"] = "plain"
  why = ""
  /** Of the command of the text that is read: what it runs itself may run in any order. */
  step = 0

  reading(): CommandReading {
    const { form, targets, why } = this
    const actions = this.actions.map(({ hidden, neutral, redirects, takes, ...draft }) => ({
      ...draft,
      ...(neutral.length === 0 ? {} : { neutral }),
      ...(hidden ? { hidden } : {}),
      ...(redirects ? { redirects } : {}),
      ...(takes ? { takes } : {})
    }))
    return { form, why, actions, targets }
  }

  worsen(grammar: Grammar): void {
    if (grammar.form === "plain" || this.form === "unreadable") return
    if (this.form === "plain" || grammar.form === "unreadable") {
      this.form = grammar.form
      this.why = grammar.why
    }
  }

  path(text: string | null, glob = false): string | null {
    if (text === null || text === "") return null
    if (text.startsWith("/")) return text
    const base = glob ? (this.base?.replace(/[*?[\]\\]/g, "\\$&") ?? null) : this.base
    return base === null ? null : base === "" ? text : `${base}/${text}`
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
    const isPipe = role === "read" && value.text === null && /^<\(.*\)$/s.test(value.written)
    this.targets.push({
      path: !isNamed ? null : value.based === true ? value.text : this.path(value.text, value.glob),
      role: isPipe ? "mention" : value.below !== undefined && role === "mention" ? "read" : role,
      redirected,
      glob: value.glob,
      ...(value.split === true ? { split: true } : {}),
      ...(below === undefined ? {} : { below: whole(below, value.below) })
    })
    const isKnown = this.targets.at(-1)?.path !== null
    draft.targets.push(this.targets.length - 1)
    // Its name may say what it is, although the whole of it is not known.
    if (value.text === null) for (const text of hintsOf(value.written)) this.mention(draft, text)
    else if (!isKnown && value.varies !== true && !value.glob) this.mention(draft, value.text)
    if (!isKnown && role === "read" && !isPipe) this.here(draft)
  }

  /** What may be any file is at least one of those that lie here. */
  here(draft: Draft): void {
    if (draft.targets.some((index) => this.targets[index]?.path === "." && this.targets[index]?.role === "mention"))
      return
    this.targets.push({ path: ".", role: "mention", redirected: false, glob: false, below: all })
    draft.targets.push(this.targets.length - 1)
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
      redirects: false,
      moves: "nothing",
      step: this.step,
      unknown: false,
      neutral: [],
      hidden: false,
      takes: false
    }
    this.actions.push(draft)
    return draft
  }
}
