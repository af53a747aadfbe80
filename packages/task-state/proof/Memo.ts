/**
 * Results of pure functions, kept by what they have read of a state.
 *
 * A function is run once on a state that remembers which parts of which cells it looks at, and its result is kept under
 * what it saw there: on another state that answers the same, it would do the same.
 */
import type { Cells } from "./Cells.ts"
import { part, owners } from "./Cells.ts"
import { type Column, idOf, type State, type UnderWay } from "./State.ts"

type Node<A> = Branch<A> | Leaf<A>
interface Leaf<A> {
  readonly result: A
}
interface Branch<A> {
  readonly place: number
  readonly kind: number
  readonly next: Map<number, Node<A>>
}

interface Written<A> {
  readonly fork: () => Array<A>
  readonly written?: ReadonlyMap<number, A>
}

/** A column that is read when it is asked, and forked when it is written. */
const column = <A>(count: number, read: (place: number) => A, written: Map<number, A> = new Map()): Column<A> => {
  const own: Written<A> = {
    fork: () => column(count, read, new Map(written)) as Array<A>,
    written
  }
  const placeOf = (property: string | symbol) =>
    typeof property === "string" && /^-?\d+$/u.test(property) ? Number(property) : undefined
  return new Proxy([] as Array<A>, {
    get: (_, property) => {
      if (property === "length") return count
      if (property === "fork") return own.fork
      if (property === "written") return own.written
      const place = placeOf(property)
      if (place === undefined) throw new Error(`the whole column is read: ${String(property)}`)
      if (place < 0 || place >= count) return undefined
      return written.has(place) ? written.get(place) : read(place)
    },
    set: (_, property, value: A) => {
      const place = placeOf(property)
      if (place !== undefined) written.set(place, value)
      return place !== undefined
    }
  })
}

const writtenIn = (columns: Column<unknown>): Iterable<number> =>
  (columns as unknown as Written<unknown>).written?.keys() ?? []

/** The tasks that differ from the state it was made of. */
export const changedIn = (state: State): ReadonlySet<number> =>
  new Set([state.tasks, state.leases, ...state.runners].flatMap((one) => [...writtenIn(one)]))

/** A state that says what it is asked to `seen`, in that order. */
export const readable = (
  cells: Cells,
  values: Int32Array,
  used: number,
  underWay: UnderWay | undefined,
  seen: (place: number, kind: number, value: number) => void = () => undefined
): State => {
  const known = new Set<number>()
  const look = (place: number, kind: number): number => {
    const value = part(values[place] ?? 0, kind)
    if (!known.has(place * 4 + kind)) seen(place, kind, value)
    known.add(place * 4 + kind)
    return value
  }
  const task = (place: number) => cells.record(look(place, 0))
  const runners = (kind: 2 | 3) =>
    column(cells.count, (place) => {
      const code = look(place, kind)
      return cells.runner(code, code === 2 ? (task(place)?.attempt ?? 0) : 0)
    })
  return {
    tasks: column(cells.count, task),
    leases: column(cells.count, (place) => {
      const code = look(place, 1)
      return cells.lease(code, idOf(place), code === 0 || code > 3 ? 0 : (task(place)?.attempt ?? 0))
    }),
    used,
    owners,
    runners: [runners(2), runners(3)],
    underWay
  }
}

export class Memo<A> {
  private root: Node<A> | undefined

  get(values: Int32Array): A | undefined {
    let node = this.root
    while (node !== undefined && "next" in node) node = node.next.get(part(values[node.place] ?? 0, node.kind))
    return node?.result
  }

  set(seen: ReadonlyArray<readonly [place: number, kind: number, value: number]>, result: A): void {
    let node: Node<A> = { result }
    let at = this.root
    let depth = 0
    let last: { readonly branch: Branch<A>; readonly value: number } | undefined
    for (; at !== undefined && "next" in at; depth++) {
      const [place, kind, value] = seen[depth] ?? [-1, -1, -1]
      if (place !== at.place || kind !== at.kind) throw new Error("a function under proof is not pure")
      last = { branch: at, value }
      at = at.next.get(value)
    }
    for (const [place, kind, value] of seen.slice(depth).toReversed())
      node = { place, kind, next: new Map([[value, node]]) }
    if (last === undefined) this.root = node
    else last.branch.next.set(last.value, node)
  }
}
