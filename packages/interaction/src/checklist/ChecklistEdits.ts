/**
 * When the person changed items of checklists, as far as it was seen from here; what was changed before has no time.
 *
 * Pure of reading and of the clock: whoever reads a list notes it.
 */
import type { List } from "./ListState.ts"

interface Moment {
  readonly look: string
  /** Ms since 1970. */
  readonly at: number | undefined
}

/** Remembers when items were changed, as far as it was seen. */
export class ChecklistEdits {
  /** By task, then by item. */
  readonly #lists = new Map<string, ReadonlyMap<string, Moment>>()

  /** A list as it was read now. */
  note(task: string, { items, mine }: Pick<List, "items" | "mine">, now: number): void {
    const before = this.#lists.get(task)
    const moments = items
      .filter(({ id }) => mine.has(id))
      .map((item): readonly [string, Moment] => {
        const look = JSON.stringify(item)
        const known = before?.get(item.id)
        return [item.id, known?.look === look ? known : { look, at: before === undefined ? undefined : now }]
      })
    this.#lists.set(task, new Map(moments))
  }

  /** Nothing for an item that the person has not changed. */
  of(task: string, item: string): { readonly at: number | undefined } | undefined {
    return this.#lists.get(task)?.get(item)
  }
}
