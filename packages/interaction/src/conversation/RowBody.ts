/** What a row of a conversation shows: data alone, as a view draws it and a terminal prints it. */
import type { Event } from "@belay/history-store"
import type * as CallEnd from "../text/CallEnd.ts"
import type * as EditLines from "./EditLines.ts"

/** A call: what it is about, how far it is, by which rule or whose answer it ran, and the ends of its output. */
export interface Call {
  readonly kind: "call"
  readonly name: string
  readonly subject: string
  /** What an MCP server gets, as JSON of several lines. */
  readonly args?: string
  readonly state: "requested" | "running" | CallEnd.Ended
  readonly decided?: string
  /** How long it ran. */
  readonly ms?: number
  readonly edits: ReadonlyArray<string>
  /** What an edit changes, file by file. */
  readonly changes?: ReadonlyArray<EditLines.Change>
  /** First and last lines. */
  readonly output: string
  /** Lines left out, to be read whole from the event of this `seq`. */
  readonly left?: number
  readonly seq?: number
}

/** Says what a row shows; `kind` says which. */
export type Body =
  | {
      readonly kind: "said"
      readonly by: "you" | "assistant" | "report" | "notice"
      readonly text: string
      /** Characters that were cut. */
      readonly cut?: number
      /** Its message: one of a person can be gone back to. */
      readonly message?: number
      /** Images that came with it, by their names for `pictureOf`. */
      readonly pictures?: ReadonlyArray<string>
    }
  | { readonly kind: "thinking"; readonly text: string }
  | Call
  /** Subtasks that began together, in the order of their calls. */
  | { readonly kind: "subtasks"; readonly children: ReadonlyArray<{ readonly id: string; readonly title: string }> }
  | {
      readonly kind: "question"
      readonly ask: Event.AskKind
      readonly text: string
      readonly options: ReadonlyArray<string>
      readonly answer?: string
    }
  | { readonly kind: "note"; readonly tone: "quiet" | "warning" | "error"; readonly text: string }
  /** A turn changed files: the message of its calls, and the one with their results, to which a restore goes back. */
  | {
      readonly kind: "checkpoint"
      readonly text: string
      readonly files: number
      readonly message: number
      readonly to: number
    }
  /** Files or the conversation went back. `undo`: that can be undone, until the task goes on. */
  | { readonly kind: "restored"; readonly text: string; readonly undo: boolean }
  | { readonly kind: "result"; readonly outcome: "succeeded" | "failed" | "cancelled"; readonly text: string }

/** `ts`: ms since 1970. */
export type Row = { readonly id: string; readonly ts: number } & Body

/** The image that a row names, in the message of the event with this `seq`, at this place. */
export const pictureOf = (name: string): { readonly seq: number; readonly index: number } | undefined => {
  const [, seq, index] = /^(\d{1,12})\.(\d{1,6})$/u.exec(name) ?? []
  return seq === undefined || index === undefined ? undefined : { seq: Number(seq), index: Number(index) }
}

/** No event replaces it any more, so that what cannot be taken back, as in a terminal, can show it. */
export const isFinal = (row: Row): boolean => {
  switch (row.kind) {
    case "call":
      return row.state !== "requested" && row.state !== "running"
    case "question":
      return row.answer !== undefined
    case "said":
    case "thinking":
    case "subtasks":
    case "note":
    case "checkpoint":
    case "restored":
    case "result":
      return true
  }
}
