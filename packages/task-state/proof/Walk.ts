/** Random histories of eight tasks and every command, with crashes and late commits, against the reference. */
import { LegalDecision, type Protocol } from "@belay/task-state"
import * as Result from "effect/Result"
import { apply, check, Violation } from "./Commit.ts"
import { recordKey } from "./Cells.ts"
import * as Reference from "./Reference.ts"
import { type Cause, idOf, indexOf, initial, isAlive, type Slot, slots, type State, viewOf } from "./State.ts"
import { byPerson, byRunner, factsOf, labelOf, type Scope } from "./Step.ts"
import type { Subject } from "./Subject.ts"

const scope: Scope = {
  name: "random histories",
  tasks: 8,
  depth: 3,
  fanOut: 4,
  requests: new Set(),
  late: true,
  runnersDie: true,
  shapes: ["f", "ff", "fb"]
}

/** mulberry32 (public domain): the same history for the same seed. */
const random = (seed: number) => () => {
  seed = (seed + 0x6d2b79f5) | 0
  let t = Math.imul(seed ^ (seed >>> 15), 1 | seed)
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296
}

const withRunner = (state: State, slot: Slot, index: number, attempt: number): State => {
  const runners: [Array<number>, Array<number>] = [[...state.runners[0]], [...state.runners[1]]]
  runners[slot][index] = attempt
  return { ...state, runners }
}

const crash = (state: State, slot: Slot): State => {
  const owners: [string, string] = [...state.owners]
  owners[slot] = `${owners[slot][0]}${Number(owners[slot].slice(1)) + 1}`
  const none = state.tasks.map(() => 0)
  return { ...state, owners, runners: slot === 0 ? [none, state.runners[1]] : [state.runners[0], none] }
}

interface Late {
  readonly slot: Slot
  readonly cause: Cause
  readonly decision: Protocol.Decision
}

export interface Walked {
  readonly steps: number
  readonly commands: ReadonlyMap<string, number>
  readonly violation:
    | { readonly seed: number; readonly detail: string; readonly trace: ReadonlyArray<string> }
    | undefined
}

const seldom: { readonly [Tag in Protocol.Request["_tag"]]?: number } = {
  Delete: 0.05,
  Close: 0.15,
  Interrupt: 0.15,
  Fork: 0.1,
  Continue: 0.1,
  TakeOver: 0.3,
  Abandon: 0.3
}

class Walk {
  state: State = initial(scope.tasks)
  readonly reference: Reference.Reference = new Map()
  readonly trace: Array<string> = []
  late: Late | undefined
  readonly subject: Subject
  readonly next: () => number
  readonly commands: Map<string, number>

  constructor(subject: Subject, next: () => number, commands: Map<string, number>) {
    this.subject = subject
    this.next = next
    this.commands = commands
  }

  /** The same history so far, with choices of its own from here on. */
  copy(next: () => number): Walk {
    const other = new Walk(this.subject, next, new Map())
    other.state = this.state
    for (const [id, task] of structuredClone(this.reference)) other.reference.set(id, task)
    return other
  }

  pick<A>(list: ReadonlyArray<A>): A | undefined {
    return list[Math.floor(this.next() * list.length)]
  }

  write({ cause, decision, slot }: Late): void {
    const me = this.state.owners[slot]
    const mine = new Set(this.state.leases.flatMap((lease) => (lease?.ownerId === me ? [lease.taskId] : [])))
    const changed = new Set(decision.changes.map(({ after, before }) => (after ?? before)!.id))
    this.trace.push(labelOf(slot, cause))
    this.state = apply(this.subject, this.state, slot, cause, decision)
    Reference.apply(this.reference, cause, mine, changed)
    const name = cause._tag === "Repair" ? cause.rule : cause._tag
    this.commands.set(name, (this.commands.get(name) ?? 0) + 1)
    const wrong = Reference.difference(this.reference, this.state.tasks)
    if (wrong !== undefined) throw new Violation("reference", wrong)
  }

  /** A store checks every decision before it writes: it may refuse none of these. */
  legal(slot: Slot, decision: Protocol.Decision): void {
    const checked = LegalDecision.check(viewOf(this.state, slot), decision)
    if (Result.isFailure(checked)) throw new Violation("legal", checked.failure.message)
  }

  ask(slot: Slot, cause: Protocol.Request, delayed = false): void {
    const decided = this.subject.Protocol.decide(viewOf(this.state, slot), cause)
    if (Result.isFailure(decided) || decided.success.changes.length === 0) return
    this.legal(slot, decided.success)
    const write = { slot, cause, decision: decided.success }
    if (delayed && this.late === undefined) this.late = write
    else this.write(write)
  }

  finishLate(): void {
    const { late } = this
    this.late = undefined
    if (late === undefined) return
    const absent = late.decision.changes.every(({ after, before }) => {
      // Ids are never given out twice: another write may have taken this one here.
      return before !== undefined || after === undefined || ((this.state.used >> indexOf(after.id)) & 1) === 0
    })
    if (absent && this.subject.Protocol.isCurrent(late.decision, (id) => this.state.tasks[indexOf(id)]))
      this.write(late)
  }

  repair(slot: Slot): boolean {
    const repair = this.pick(this.subject.Reconcile.repairs(factsOf(this.state, slot)))
    if (repair === undefined) return false
    if (repair.rule !== "recordMissing") this.legal(slot, repair.decision)
    const cause = { _tag: "Repair", rule: repair.rule, taskId: repair.taskId } as const
    this.write({ slot, cause, decision: { ...repair.decision, reads: repair.reads } })
    return true
  }

  crash(slot: Slot): void {
    this.trace.push(`${slot}: crash`)
    this.state = crash(this.state, slot)
    if (this.late?.slot === slot) this.late = undefined
  }

  requests(slot: Slot, index: number): ReadonlyArray<Protocol.Request> {
    const fork = this.state.used < 63 ? [{ _tag: "Fork", taskId: idOf(index), as: idOf(7) } as const] : []
    const runner = byRunner(scope, this.state, slot, index)
    return [...runner, ...runner, ...byPerson(this.state, index), ...fork]
  }

  step(): void {
    const slot = this.next() < 0.5 ? 0 : 1
    const kind = this.next()
    const index = this.pick([...this.state.tasks.keys()].filter((at) => this.state.tasks[at] !== undefined)) ?? 0
    if (kind < 0.02) return this.crash(slot)
    if (kind < 0.04) {
      this.state = withRunner(this.state, slot, index, 0)
      return
    }
    if (kind < 0.12) {
      this.repair(slot)
      return
    }
    if (kind < 0.4 && this.late !== undefined) return this.finishLate()
    const request = this.pick(this.requests(slot, index))
    // What ends a history or stops it is asked less often, so that histories grow.
    if (request === undefined || this.next() > (seldom[request._tag] ?? 1)) return
    this.ask(slot, request, this.next() < 0.15)
  }

  /** Repairs and collects until there is nothing to do. */
  rest(order: ReadonlyArray<Slot>): void {
    this.late = undefined
    for (let fuel = 0; fuel < 200; fuel++) {
      const before = this.trace.length
      for (const slot of order) {
        while (this.repair(slot)) continue
        for (let index = 0; index < scope.tasks; index++) {
          const [collect] = byRunner(scope, this.state, slot, index)
          if (collect !== undefined) this.ask(slot, collect)
        }
      }
      if (this.trace.length === before) return check(this.subject, this.state, true)
    }
    throw new Violation("17 idempotent", "reconciliation does not come to rest")
  }
}

/** What is stored, without what runners remember. */
const storedKey = (state: State): string => {
  const owner = (lease: State["leases"][number]) => (lease === undefined ? "" : isAlive(state, lease.ownerId))
  return state.tasks.map((task, index) => `${task && recordKey(state, task)} ${owner(state.leases[index])}`).join("\n")
}

export const walk = (subject: Subject, runs: number, length: number, firstSeed = 1): Walked => {
  const commands = new Map<string, number>()
  let steps = 0
  for (let seed = firstSeed; seed < firstSeed + runs; seed++) {
    const one = new Walk(subject, random(seed), commands)
    try {
      one.ask(0, { _tag: "Create", taskId: idOf(0) })
      for (let step = 0; step < length; step++) {
        one.step()
        check(subject, one.state, false)
      }
      const other = one.copy(random(seed + 0x5eed))
      one.rest(slots)
      other.rest(slots.toReversed())
      const [first, second] = [storedKey(one.state), storedKey(other.state)]
      if (first !== second) throw new Violation("17 order", `comes to rest as ${first} or as ${second}`)
    } catch (error) {
      return {
        steps,
        commands,
        violation: { seed, detail: error instanceof Error ? error.message : String(error), trace: one.trace }
      }
    }
    steps += one.trace.length
  }
  return { steps, commands, violation: undefined }
}
