/** The successors of a state, from results that are kept by what they have read. */
import type { Protocol } from "@belay/task-state"
import * as Cells from "./Cells.ts"
import { type Wrong, wrongIn } from "./Commit.ts"
import { changedIn, Memo, readable } from "./Memo.ts"
import { idOf, type Slot, slots, type State, type UnderWay } from "./State.ts"
import { ask, goOn, mend, type Next, requestsOf, type Scope } from "./Step.ts"
import type { Subject } from "./Subject.ts"

/** One task after a step, and by how much its revision and attempt have grown. */
interface Write {
  readonly place: number
  readonly cell: number
  readonly revs: number
  readonly attempts: number
}

interface Step {
  readonly label: string
  readonly progress: boolean
  readonly writes: ReadonlyArray<Write>
  /** What is under way after it; -1 leaves it as it was. */
  readonly under: number
}

/** Either the steps, or the violation that was found on the way. */
interface Steps {
  readonly steps: ReadonlyArray<Step>
  readonly violation?: unknown
}

interface Asking {
  readonly slot: Slot
  readonly request: Protocol.Request
  readonly memo: Memo<Steps>
}

export type Emit = (after: Int32Array, progress: boolean, label: string) => void

/** The ids that a write under way will give out are not free. */
const placeholder = (reserved: number): UnderWay | undefined => {
  if (reserved === -1) return undefined
  const ids = Array.from({ length: 8 }, (_, place) => place).filter((place) => ((reserved >> place) & 1) === 1)
  const changes = ids.map((place) => ({ after: { id: idOf(place) } }))
  return {
    kind: "late",
    slot: 0,
    cause: { _tag: "Start", taskId: idOf(0) },
    decision: { changes, settlements: [] }
  } as never
}

const keep = -1

const memoAt = <A>(memos: ReadonlyArray<Memo<A>>, at: number): Memo<A> => memos[at] ?? new Memo<A>()

export class Expansion {
  readonly subject: Subject
  readonly scope: Scope
  readonly cells: Cells.Cells
  private readonly count: number
  private readonly after: Int32Array
  private readonly memos = new Map<string, Memo<unknown>>()
  private readonly asks = new Map<string, Asking>()
  private readonly moves = new Map<number, number>()
  private readonly current = new Map<number, boolean>()
  private readonly reserved: Array<number> = [-1]
  private readonly byContext: Array<ReturnType<Expansion["context"]> | undefined> = []

  constructor(subject: Subject, scope: Scope) {
    this.subject = subject
    this.scope = scope
    this.count = scope.tasks
    this.cells = new Cells.Cells(scope.tasks)
    this.after = new Int32Array(scope.tasks + 1)
  }

  private memo<A>(key: string): Memo<A> {
    const known = this.memos.get(key) ?? new Memo<unknown>()
    this.memos.set(key, known)
    return known as Memo<A>
  }

  private run<A>(
    memo: Memo<A>,
    values: Int32Array,
    used: number,
    under: UnderWay | undefined,
    of: (state: State) => A
  ): A {
    const known = memo.get(values)
    if (known !== undefined) return known
    const seen: Array<readonly [number, number, number]> = []
    const state = readable(
      this.cells,
      values,
      used,
      under,
      (place, kind, value) => void seen.push([place, kind, value])
    )
    const result = of(state)
    memo.set(seen, result)
    return result
  }

  private steps(state: State, next: () => ReadonlyArray<Next>): Steps {
    try {
      return { steps: next().map((one) => this.step(state, one)) }
    } catch (violation) {
      return { steps: [], violation }
    }
  }

  private step(before: State, { label, progress, state }: Next): Step {
    const writes = [...changedIn(state)].map((place): Write => {
      const [was, is] = [before.tasks[place], state.tasks[place]]
      const both = was !== undefined && is !== undefined
      return {
        place,
        cell: this.cells.encode(state, place),
        revs: both ? is.rev - was.rev : 0,
        // What an attempt is after this write, it is called again.
        attempts: both && is.attempt > 0 ? is.attempt - (was.attempt === 0 ? 2 : was.attempt) : 0
      }
    })
    const under = state.underWay === before.underWay ? keep : this.cells.encodeUnder(state.underWay)
    return { label, progress, writes, under }
  }

  private reservedBy(under: number): number {
    const known = this.reserved[under]
    if (known !== undefined) return known
    const way = this.cells.underWay(under)
    let mask = 0
    if (way?.kind === "late") {
      for (const { after, before } of way.decision.changes) {
        if (after !== undefined && before === undefined) mask |= 1 << (after.id.charCodeAt(1) - 48)
      }
    }
    this.reserved[under] = mask
    return mask
  }

  /** What all functions may look at besides cells; kept results are for one of these. */
  private context(used: number, reserved: number) {
    const key = `${used} ${reserved}`
    const places = Array.from({ length: this.count }, (_, place) => place)
    return {
      used,
      key,
      under: placeholder(reserved),
      lists: slots.flatMap((slot) =>
        places.map((place) => this.memo<ReadonlyArray<Asking>>(`list ${slot} ${place} ${key}`))
      ),
      mends: slots.flatMap((slot) => places.map((place) => this.memo<Steps>(`mend ${slot} ${place} ${key}`))),
      wrongs: places.map((place) => this.memo<Wrong | { readonly violation: unknown }>(`wrong ${place}`))
    }
  }

  private asking(slot: Slot, request: Protocol.Request, context: string): Asking {
    const key = `${slot} ${JSON.stringify(request)} ${context}`
    const known = this.asks.get(key) ?? { slot, request, memo: new Memo<Steps>() }
    this.asks.set(key, known)
    return known
  }

  /** Of the runners that have lost their task only the newest is kept: none of them can write, which that one shows. */
  private oneStale(values: Int32Array): void {
    const { after, count } = this
    let all = 0
    for (let place = 0; place < count; place++) {
      const cell = after[place] ?? 0
      all += Number((cell & 3) === 1) + Number((cell & 12) === 4)
    }
    if (all < 2) return
    for (let place = 0; place < count; place++) {
      const was = values[place] ?? 0
      const cell = after[place] ?? 0
      if ((cell & 3) === 1 && (was & 3) === 1) after[place] = (after[place] ?? 0) & ~3
      if ((cell & 12) === 4 && (was & 12) === 4) after[place] = (after[place] ?? 0) & ~12
    }
  }

  /** A write that was decided on what has changed since is dropped when its time comes, so it can as well be now. */
  private underAfter(under: number, writes: ReadonlyArray<Write>): number {
    if (this.cells.underWay(under)?.kind !== "late") return under
    let id = under
    for (const { attempts, place, revs } of writes) {
      if (revs === 0 && attempts === 0) continue
      const key = ((id * 8 + place) * 8 + revs) * 8 + attempts + 4
      const moved = this.moves.get(key) ?? this.cells.moved(id, idOf(place), revs, attempts)
      this.moves.set(key, moved)
      id = moved
    }
    let existing = 0
    for (let place = 0; place < this.count; place++) existing |= Number(Cells.exists(this.after[place] ?? 0)) << place
    const key = id * 256 + existing
    const known = this.current.get(key)
    if (known !== undefined) return known ? id : 0
    const way = this.cells.underWay(id)
    const state = readable(this.cells, this.after, this.count, undefined)
    const isCurrent =
      way?.kind === "late" &&
      this.subject.Protocol.isCurrent(way.decision, (task) => state.tasks[task.charCodeAt(1) - 48])
    this.current.set(key, isCurrent)
    return isCurrent ? id : 0
  }

  private emit(values: Int32Array, { label, progress, under, writes }: Step, emit: Emit): void {
    const { after, count } = this
    after.set(values)
    for (const { cell, place } of writes) after[place] = cell
    this.oneStale(values)
    const now = values[count] ?? 0
    after[count] = under === keep ? (now === 0 || writes.length === 0 ? now : this.underAfter(now, writes)) : under
    emit(after, progress, label)
  }

  private emitAll(values: Int32Array, { steps, violation }: Steps, emit: Emit): boolean {
    if (violation !== undefined) throw violation
    for (const step of steps) this.emit(values, step, emit)
    return steps.length > 0
  }

  private crash(values: Int32Array, slot: Slot, emit: Emit): void {
    const { after, count } = this
    for (let place = 0; place < count; place++) after[place] = this.cells.crashed(values[place] ?? 0, slot)
    after[count] = this.cells.crashedUnder(values[count] ?? 0, slot)
    emit(after, false, `${slot}: crash`)
  }

  private runners(values: Int32Array, slot: Slot, place: number, mayDie: boolean, emit: Emit): void {
    const cell = values[place] ?? 0
    if (!Cells.hasRunner(cell, slot)) return
    const holds = Cells.isHolder(cell, slot)
    if (holds && !mayDie) return
    this.after.set(values)
    this.after[place] = Cells.withoutRunner(cell, slot)
    emit(this.after, !holds, `${slot}: runner of t${place} ${holds ? "dies" : "gives up"}`)
  }

  /** Gives every successor, and true at rest; throws the first violation. */
  expand(values: Int32Array, emit: Emit): boolean {
    const { count, scope, subject } = this
    const under = values[count] ?? 0
    let used = 0
    let mayDie = scope.runnersDie
    for (let place = 0; place < count; place++) {
      const cell = values[place] ?? 0
      if (Cells.isUsed(cell)) used |= 1 << place
      // One task without its runner at a time is enough to see what it does to the others.
      if (Cells.isDead(cell)) mayDie = false
    }
    const reserved = under === 0 ? -1 : this.reservedBy(under)
    const at = used * 512 + reserved + 1
    const context = (this.byContext[at] ??= this.context(used, reserved))
    let atRest = under === 0
    if (under !== 0) {
      const way = this.cells.underWay(under)
      const memo = this.memo<Steps>(`under ${under} ${used}`)
      const steps = this.run(memo, values, used, way, (state) => this.steps(state, () => goOn(subject, state)))
      this.emitAll(values, steps, emit)
    }
    for (const slot of slots) {
      for (let place = 0; place < count; place++) {
        if (!Cells.exists(values[place] ?? 0)) continue
        const list = this.run(memoAt(context.lists, slot * count + place), values, used, context.under, (state) =>
          requestsOf(scope, state, slot, place).map((request) => this.asking(slot, request, context.key))
        )
        for (const { memo, request } of list) {
          const steps = this.run(memo, values, used, context.under, (state) =>
            this.steps(state, () => ask(subject, scope, state, slot, request))
          )
          if (this.emitAll(values, steps, emit) && request._tag === "Collect") atRest = false
        }
        const repairs = this.run(memoAt(context.mends, slot * count + place), values, used, context.under, (state) =>
          this.steps(state, () => mend(subject, scope, state, slot, place))
        )
        if (this.emitAll(values, repairs, emit)) atRest = false
        this.runners(values, slot, place, mayDie, emit)
      }
      this.crash(values, slot, emit)
    }
    for (let place = 0; place < count; place++) {
      const wrong = this.run(
        memoAt(context.wrongs, place),
        values,
        used,
        undefined,
        (state): Wrong | { violation: unknown } => {
          try {
            return wrongIn(subject, state, place)
          } catch (violation) {
            return { violation }
          }
        }
      )
      if ("violation" in wrong) throw wrong.violation
      const found = wrong.always ?? (atRest ? wrong.atRest : undefined)
      if (found !== undefined) throw found
    }
    return atRest
  }
}
