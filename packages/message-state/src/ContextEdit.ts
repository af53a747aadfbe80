/**
 * What is shown instead of a log, as a list of edits that can be taken back; the log itself is never rewritten.
 *
 * The view is a function of the log and the edits alone: the same edits give the same bytes, so what was sent once is sent
 * again unchanged until another edit is made.
 */
import { type ContentBlock, from, type LoggedMessage, text } from "./Message.ts"

/** Messages `from` to `to`, both included. */
export interface Range {
  readonly from: number
  readonly to: number
}

/** Describes what stands for the content of one result block: the block's place in its message, and the words. */
export interface Elision {
  readonly index: number
  readonly block: number
  readonly text: string
}

/** Says what an edit does to the messages of its range. */
export type Change =
  /** A restore: the messages are gone for the model and for people. */
  | { readonly kind: "cut" }
  /** One user message stands for the messages: what a model wrote of them, or a note that they are left out. */
  | { readonly kind: "summary" | "left-out"; readonly text: string }
  /** Results whose content is left out; the calls keep their one result. */
  | { readonly kind: "elide"; readonly results: ReadonlyArray<Elision> }

/** An edit that is not stored yet. */
export type Draft = Range & Change

/** `id` counts from 1 in the order in which edits were made. */
export type ContextEdit = Draft & { readonly id: number }

const covers = (outer: Range, inner: Range): boolean => outer.from <= inner.from && inner.to <= outer.to

const hides = ({ kind }: Change): boolean => kind !== "elide"

/** The edits that count: one whose messages a later edit hides says nothing any more. */
const effective = (edits: ReadonlyArray<Draft>): ReadonlyArray<Draft> =>
  edits.filter((edit, at) => !edits.slice(at + 1).some((later) => hides(later) && covers(later, edit)))

/** The ranges of messages that are not shown, in no order. */
export const hidden = (edits: ReadonlyArray<Draft>): ReadonlyArray<Range> =>
  effective(edits).flatMap((edit) => (hides(edit) ? [{ from: edit.from, to: edit.to }] : []))

const elided = (message: LoggedMessage, texts: ReadonlyMap<number, string>): LoggedMessage => ({
  ...message,
  content: message.content.map((block, at): ContentBlock => {
    const text = texts.get(at)
    return text === undefined || block.type !== "tool_result" ? block : { ...block, content: [{ type: "text", text }] }
  })
})

/** The texts by message and block; of two for one block the later. */
const elisions = (edits: ReadonlyArray<Draft>): ReadonlyMap<number, ReadonlyMap<number, string>> => {
  const found = new Map<number, Map<number, string>>()
  for (const edit of edits) {
    for (const { block, index, text } of edit.kind === "elide" ? edit.results : []) {
      const texts = found.get(index) ?? new Map<number, string>()
      found.set(index, texts.set(block, text))
    }
  }
  return found
}

/**
 * The messages that a log shows with these edits, in order; those that no edit touches are the very ones of the log. A
 * summary has the index of the first message that it stands for. Messages that an edit hides may be missing in the log.
 */
export const view = (log: ReadonlyArray<LoggedMessage>, edits: ReadonlyArray<Draft>): ReadonlyArray<LoggedMessage> => {
  const known = effective(edits)
  const ranges = hidden(known)
  const texts = elisions(known)
  const shown = log
    .filter(({ index }) => !ranges.some(({ from, to }) => from <= index && index <= to))
    .map((message) => {
      const found = texts.get(message.index)
      return found === undefined ? message : elided(message, found)
    })
  const cuts = known.filter(({ kind }) => kind === "cut")
  const standIns = known.flatMap((edit): ReadonlyArray<LoggedMessage> => {
    if (edit.kind !== "summary" && edit.kind !== "left-out") return []
    if (cuts.some((cut) => cut.from <= edit.from && edit.from <= cut.to)) return []
    return [{ index: edit.from, ...from("engine.summary", text(edit.text)) }]
  })
  return standIns.length === 0 ? shown : [...shown, ...standIns].toSorted((a, b) => a.index - b.index)
}

/**
 * The edits that hold for the copy of a log up to and with message `through`. One that stands for later messages, too, is
 * left out: it would say what the copy does not have.
 */
export const within = (edits: ReadonlyArray<ContextEdit>, through: number): ReadonlyArray<ContextEdit> =>
  edits.flatMap((edit): ReadonlyArray<ContextEdit> => {
    if (edit.to <= through) return [edit]
    return edit.kind === "cut" && edit.from <= through ? [{ ...edit, to: through }] : []
  })
