/**
 * What is sent to one view: what happened within a moment as one message, numbered, and never more than it keeps up with.
 *
 * A view that has not shown three of them is told nothing more; once it has, it is told what happened meanwhile, or
 * everything anew where that is less. One that has not begun, or is hidden, is told nothing.
 */
import type * as Row from "../conversation/Row.ts"
import type * as View from "../conversation/View.ts"

/** Describes what happened, without its number and the task. */
export type Change = Omit<Extract<View.ToView, { readonly type: "change" }>, "type" | "n" | "task">

const allowance = 3

/** Rows and characters that wait: with more it costs less to begin anew. */
const mostRows = 100
const mostText = 120_000

const joined = <A>(left: ReadonlyArray<A> | undefined, right: ReadonlyArray<A> | undefined): ReadonlyArray<A> => [
  ...(left ?? []),
  ...(right ?? [])
]

const byId = (rows: ReadonlyArray<Row.Row>): ReadonlyArray<Row.Row> => [
  ...new Map(rows.map((row) => [row.id, row])).values()
]

const texts = (output: NonNullable<Change["output"]>): NonNullable<Change["output"]> => {
  const all = new Map<string, string>()
  for (const { id, text } of output) all.set(id, (all.get(id) ?? "") + text)
  return [...all].map(([id, text]) => ({ id, text }))
}

/** Two changes as one. */
const merge = (first: Change, then: Change): Change => {
  const rows = byId(joined(first.rows, then.rows))
  const output = texts(joined(first.output, then.output))
  const live =
    first.live === undefined || then.live?.whole === true
      ? then.live
      : then.live === undefined
        ? first.live
        : { whole: first.live.whole, text: first.live.text + then.live.text }
  // What was waited for is over when something has happened.
  const over = then.rows !== undefined && first.progress !== undefined ? { progress: "" } : {}
  return {
    ...first,
    ...over,
    ...then,
    ...(rows.length === 0 ? {} : { rows }),
    ...(output.length === 0 ? {} : { output }),
    ...(live === undefined ? {} : { live })
  }
}

const isTooMuch = ({ live, output = [], rows = [] }: Change): boolean =>
  rows.length > mostRows || output.reduce((sum, { text }) => sum + text.length, live?.text.length ?? 0) > mostText

/** Gathers what goes to one view; `post` sends a message. */
export class Outbox {
  readonly #post: (message: View.ToView) => void
  #task: string | null = null
  #sent = 0
  #shown = 0
  #waiting: Change | undefined
  #stale = true
  #open = false

  constructor(post: (message: View.ToView) => void) {
    this.#post = post
  }

  /** It has begun, and is there. */
  get isOpen(): boolean {
    return this.#open
  }

  /** It shows nothing that can be built on: it needs a snapshot. */
  get isStale(): boolean {
    return this.#stale
  }

  /** It has shown all but a few of what it was sent. */
  get keepsUp(): boolean {
    return this.#sent - this.#shown < allowance
  }

  /** There is something that it was not told yet. */
  get isWaiting(): boolean {
    return this.#waiting !== undefined
  }

  /** It has shown anything since it began, so it can be gone to. */
  get isSeen(): boolean {
    return this.#shown > 0
  }

  readonly invalidate = (): void => {
    this.#stale = true
    this.#waiting = undefined
  }

  /** It is hidden, or loads a document: what was on its way to it is dropped. */
  readonly close = (): void => {
    this.invalidate()
    this.#open = false
  }

  /** A view that begins anew counts from 1. */
  readonly restart = (): void => {
    this.invalidate()
    this.#open = true
    this.#sent = 0
    this.#shown = 0
  }

  readonly snapshot = (snapshot: Omit<Extract<View.ToView, { readonly type: "snapshot" }>, "type" | "n">): void => {
    if (!this.#open) return
    this.#task = snapshot.task
    this.#waiting = undefined
    this.#stale = false
    this.#sent += 1
    this.#post({ ...snapshot, type: "snapshot", n: this.#sent })
  }

  readonly page = (page: Omit<Extract<View.ToView, { readonly type: "page" }>, "type" | "n" | "task">): void => {
    if (this.#stale) return
    // It follows what happened before it, and was asked for by a view that is there.
    this.#send()
    this.#sent += 1
    this.#post({ ...page, type: "page", task: this.#task, n: this.#sent })
  }

  readonly change = (change: Change): void => {
    if (this.#stale) return
    this.#waiting = this.#waiting === undefined ? change : merge(this.#waiting, change)
  }

  /** Sends what waits, at most every 33 ms. */
  readonly flush = (): void => {
    if (this.keepsUp) this.#send()
    else if (this.#waiting !== undefined && isTooMuch(this.#waiting)) this.invalidate()
  }

  #send(): void {
    if (this.#waiting === undefined) return
    this.#sent += 1
    this.#post({ ...this.#waiting, type: "change", task: this.#task, n: this.#sent })
    this.#waiting = undefined
  }

  readonly shown = (n: number): void => {
    if (n <= this.#sent) this.#shown = Math.max(this.#shown, n)
  }
}
