/**
 * What passes between the host and a view of one task.
 *
 * The host numbers what it sends to a view, from 1 and without gaps; the view says which number it has shown last, and
 * asks for everything anew when one is missing. Every message names its task: one that names another is dropped. What a
 * view sends is decoded by `FromView` before anything is done; what the host sends is printable text and plain data.
 */
import * as Schema from "effect/Schema"
import type { Deed } from "./FromView.ts"
import type { Row } from "./Row.ts"
import type { Sign, State } from "../text/Words.ts"

export { Deed, FromView, Moment, Verdict } from "./FromView.ts"

/** A task in one line: a sign, never by colour alone. */
export interface Line {
  readonly id: string
  readonly title: string
  readonly state: State
  readonly glyph: string
  readonly label: string
  readonly tone: Sign["tone"]
  /** May be empty. */
  readonly detail: string
  readonly cost: string
  readonly checklist?: string
  /** Of a subtask: the call that asked for it, which one that was restarted has in common with the new one. */
  readonly call?: string
  /** Why the result of a subtask is not waited for. */
  readonly released?: string
  readonly deeds: ReadonlyArray<Deed>
}

/** A button: what it is called, and what it does to which task. */
export interface Button {
  readonly title: string
  readonly deed: Deed
  readonly on?: string
  readonly primary?: boolean
}

/** One sentence above the composer with the ways on. */
export interface Bar {
  /** `done`: its turn is over. */
  readonly tone: "warning" | "info" | "done"
  readonly text: string
  /** The last error says more than the text. */
  readonly isError?: true
  readonly buttons: ReadonlyArray<Button>
}

/** One item of a checklist. */
export interface ListItem {
  readonly state: "open" | "doing" | "done"
  readonly text: string
}

/** Describes the task at the head of a view. */
export interface Header extends Line {
  /** The tasks above it, the root first. */
  readonly above: ReadonlyArray<{ readonly id: string; readonly title: string }>
  readonly mode: "plan" | "act"
  /** The phase of deep planning, from 1, among the names of all. */
  readonly planning?: { readonly phase: number; readonly names: ReadonlyArray<string> }
  readonly model: string
  /** Of a million tokens, in words. */
  readonly price?: string
  /** Tokens; the limit where it is known. */
  readonly context: { readonly tokens: number; readonly limit?: number }
  /** What runs without asking, in one word. */
  readonly approvals?: string
  /** The items of its checklist. */
  readonly list?: ReadonlyArray<ListItem>
  /** How many other tasks need a person. */
  readonly others?: number
  /** A message waits for the end of the turn. */
  readonly queues: boolean
  /** Why nothing can be said to it. */
  readonly mute?: string
  readonly done: boolean
  readonly bars: ReadonlyArray<Bar>
  /** Its subtasks, by their ids. */
  readonly children: Readonly<Record<string, Line>>
}

/** A way to allow: why not, where it is not. */
export interface Grant {
  readonly scope: "task" | "always"
  readonly refused?: string
  readonly rules: ReadonlyArray<string>
}

/** Describes an open ask, as a person answers it. */
export interface Ask {
  readonly askId: string
  readonly kind: "approval" | "repeat" | "question" | "plan" | "limit"
  readonly heading: string
  /** The command itself, as it will run. */
  readonly command?: string
  readonly facts: ReadonlyArray<{ readonly label: string; readonly text: string }>
  readonly isEdit: boolean
  readonly grants: ReadonlyArray<Grant>
  readonly options: ReadonlyArray<string>
  /** Why it cannot be answered here. */
  readonly blocked?: string
}

/** A message that waits to be read. */
export interface Queued {
  readonly id: string
  readonly text: string
  /** How many come with it. */
  readonly pictures: number
}

/** An image of the draft; the image itself is asked for. */
export interface Attached {
  readonly id: string
  readonly name: string
}

/** A thing to choose for what is being typed. */
export interface Completion {
  /** What stands in the text then. */
  readonly insert: string
  readonly label: string
  readonly detail: string
}

/** Describes what a view without a task shows. */
export interface Welcome {
  readonly text: string
  readonly buttons: ReadonlyArray<Button>
  readonly recent: ReadonlyArray<Line>
  readonly canStart: boolean
  readonly mode: "plan" | "act"
  /** What the next task begins with. */
  readonly model?: string
  readonly price?: string
  readonly approvals?: string
}

/** Describes what a screen reader is told beside what waits for the person: all that ends, what tasks end with, or nothing. */
export const Verbosity = Schema.Literals(["full", "asksAndResults", "asksOnly"])
export type Verbosity = typeof Verbosity.Type

/** Describes what is there now. */
export interface Whole {
  readonly header: Header | null
  readonly welcome: Welcome | null
  readonly asks: ReadonlyArray<Ask>
  readonly queued: ReadonlyArray<Queued>
  /** Of the draft. */
  readonly pictures: ReadonlyArray<Attached>
  /** Absent: `full`. */
  readonly verbosity?: Verbosity
}

/** Of the request to the model that is under way: its first words are waited for, or it is being answered. */
export type Answering = "waiting" | "streaming"

/** A message of the host to its view. Messages are numbered, so that a view notices when one is missing. */
export type ToView = { readonly task: string | null } & (
  | ({
      readonly type: "snapshot"
      readonly n: number
      readonly rows: ReadonlyArray<Row>
      /** Rows before this `seq` can be asked for; absent: there are none. */
      readonly earlier?: number
      /** The text that is arriving. */
      readonly live: string
      readonly answer?: Answering
      /** What is waited for. */
      readonly progress?: string
      /** When that is tried again; ms since 1970. */
      readonly until?: number
      /** What calls that run have printed, by their rows: the end of it. */
      readonly output?: ReadonlyArray<{ readonly id: string; readonly text: string }>
      readonly draft: string
      readonly notice?: string
    } & Whole)
  | ({
      readonly type: "change"
      readonly n: number
      /** Added, or in the place of the row with the id. */
      readonly rows?: ReadonlyArray<Row>
      /** `whole`: in the place of what was there, else behind it. */
      readonly live?: { readonly text: string; readonly whole: boolean }
      /** Behind the output of the call with this row. */
      readonly output?: ReadonlyArray<{ readonly id: string; readonly text: string }>
      readonly progress?: string
      /** With `progress`: when that is tried again; `null`: nothing is. */
      readonly until?: number | null
      /** `null`: none is under way any more. */
      readonly answer?: Answering | null
      /** Goes to where a message stands. */
      readonly reveal?: number
    } & Partial<Whole>)
  | {
      readonly type: "page"
      readonly n: number
      readonly before: number
      readonly rows: ReadonlyArray<Row>
      readonly earlier?: number
    }
  | { readonly type: "ping" }
  | { readonly type: "focus"; readonly what: "composer" | "dock" }
  /** For the composer, behind what is written: of a message that came back, or what the person pointed at elsewhere. */
  | { readonly type: "returned"; readonly text: string }
  /** What fits to the question of this name: in the place of what stands between `from` and the caret. */
  | {
      readonly type: "completions"
      readonly n: number
      readonly from: number
      readonly items: ReadonlyArray<Completion>
    }
  | { readonly type: "picture"; readonly of: string; readonly mediaType: string; readonly data: string }
  /** One plain sentence about what was just tried. */
  | { readonly type: "told"; readonly line: string }
  /** The commands that can be said to this task. */
  | { readonly type: "help"; readonly commands: ReadonlyArray<Completion> }
)
