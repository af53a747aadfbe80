/** Up to where a view shows the events of a task, and up to where there are any: what is told follows without a gap. */
import { Reading } from "@belay/interaction/unstable/feed"
import type { Row } from "@belay/interaction"

type Events = Parameters<typeof Reading.project>[1]

export class ShownRows {
  #part: { readonly projection: Row.Rows; readonly next: number } | undefined
  /** The `seq` of the last event that is known to be there. */
  #latest = 0

  /** Nothing of a task is shown. */
  readonly reset = (): void => {
    this.#part = undefined
    this.#latest = 0
  }

  /** A page is shown; nothing of a task that is not there. */
  readonly begin = (part: Reading.Part | undefined): void => {
    this.#part = part
  }

  /** There is an event with this `seq`. */
  readonly heard = (seq: number): void => {
    this.#latest = Math.max(this.#latest, seq)
  }

  /** The `seq` of the event that comes next; nothing when no task is shown. */
  get next(): number | undefined {
    return this.#part?.next
  }

  /** There are events that are not shown. */
  get isBehind(): boolean {
    return this.#part !== undefined && this.#part.next <= this.#latest
  }

  /** The rows that events give or change; they begin with the next one. */
  readonly add = (events: Events): ReadonlyArray<Row.Row> => {
    if (this.#part === undefined) return []
    const { next, projection } = this.#part
    const rows = Reading.project(projection, events)
    this.#part = { projection, next: (events.at(-1)?.seq ?? next - 1) + 1 }
    return rows
  }

  /** The row of a call. */
  readonly rowOf = (callId: string): string | undefined => this.#part?.projection.rowOf(callId)
}
