/** The successors of a state of the wider model, and the search through all of them. */
import type { Protocol } from "@belay/task-state"
import * as Result from "effect/Result"
import { performance } from "node:perf_hooks"
import { apply, Violation, wrongIn } from "./Commit.ts"
import * as Runners from "./Runners.ts"
import type { Outcome } from "./Search.ts"
import { type Cause, type Id, idOf, indexOf, type Slot, slots, type State, unknownOwner, viewOf } from "./State.ts"
import { byPerson, byRunner, factsOf, labelOf, type Scope } from "./Step.ts"
import type { Subject } from "./Subject.ts"

export interface WideScope extends Scope {
  /** How many writes may be decided and not committed. */
  readonly writes: number
  /** A process may die where nobody can know it. */
  readonly unknownDeaths: boolean
  /** A process that takes a task again may still have its older runner. */
  readonly oldRunners: boolean
  /** The fault that lost commands: the older runner goes on as if it were the newer one. */
  readonly joins?: true
}

interface Next {
  readonly label: string
  readonly wide: Runners.Wide
  /** One of start, resume, complete and collect, what a process does by itself, or a person who says that one is dead. */
  readonly progress: boolean
}

const progressing = new Set<Cause["_tag"]>(["Start", "Resume", "Complete", "Collect", "CollectUnowned", "Repair"])

const backgroundOf = (state: State, index: number): ReadonlyArray<Id> => {
  const record = state.tasks[index]
  if (record === undefined || !("awaiting" in record)) return []
  const ids = Object.keys(record.awaiting) as Array<Id>
  return ids.filter((id) => record.awaiting[id]?.wait === "background")
}

/** What the search of all commands does not ask: waiting for some, failing, several in the background, forks. */
const more = (scope: WideScope, state: State, index: number, attempt: number): ReadonlyArray<Protocol.Request> => {
  const taskId = idOf(index)
  const done = backgroundOf(state, index).filter((id) => state.tasks[indexOf(id)]?.status === "completed")
  const free = [...state.tasks.keys()].filter((at) => ((state.used >> at) & 1) === 0).slice(0, 2)
  const children = free.map((at) => ({ id: idOf(at), callId: `call-${idOf(at)}`, wait: "background" }) as const)
  const limits = { depth: scope.depth, fanOut: scope.fanOut }
  return [
    { _tag: "Complete", taskId, attempt, outcome: "failed", result: "failed" },
    ...(done.length === 0 ? [] : [{ _tag: "Collect", taskId, attempt, children: done, byWaitCall: true } as const]),
    ...(children.length < 2 ? [] : [{ _tag: "DelegateBackground", taskId, attempt, limits, children } as const])
  ]
}

interface Asked {
  readonly request: Protocol.Request
  /** The attempt of the runner that asks, if one does. */
  readonly runner: number
}

class Wider {
  readonly subject: Subject
  readonly scope: WideScope

  constructor(subject: Subject, scope: WideScope) {
    this.subject = subject
    this.scope = scope
  }

  /** What one runner asks; it knows the attempt with which it began, unless it has joined the newer one. */
  private ofRunner(state: State, slot: Slot, index: number, runner: number, isOld: boolean): ReadonlyArray<Asked> {
    if (runner === 0) return []
    const believes = isOld && this.scope.joins === true ? (state.tasks[index]?.attempt ?? 0) : runner
    const column = state.tasks.map((_, at) => (at === index ? believes : 0))
    const as: State = { ...state, runners: slot === 0 ? [column, state.runners[1]] : [state.runners[0], column] }
    const all = [...byRunner(this.scope, as, slot, index), ...more(this.scope, as, index, believes)]
    return all.map((request) => ({ request, runner }))
  }

  private asked(wide: Runners.Wide, slot: Slot, index: number): ReadonlyArray<Asked> {
    const state = Runners.reserving(wide)
    const free = [...state.tasks.keys()].find((at) => ((state.used >> at) & 1) === 0)
    const fork: ReadonlyArray<Protocol.Request> =
      free === undefined || wide.late.length > 0 ? [] : [{ _tag: "Fork", taskId: idOf(index), as: idOf(free) }]
    const persons = [...byPerson(state, index), ...fork].map((request) => ({ request, runner: 0 }))
    const all = [
      ...this.ofRunner(state, slot, index, state.runners[slot][index] ?? 0, false),
      ...this.ofRunner(state, slot, index, wide.old[slot][index] ?? 0, true),
      ...persons
    ]
    return all.filter(({ request: { _tag } }) => this.scope.requests.has(_tag))
  }

  /** Writes a decision, and drops what is under way and was decided on what has changed. */
  private write(wide: Runners.Wide, slot: Slot, cause: Cause, decision: Protocol.Decision): Runners.Wide {
    const base = apply(this.subject, wide.base, slot, cause, decision)
    const old = this.scope.oldRunners ? Runners.keepingOld(wide, slot, base) : wide.old
    const late = wide.late.filter((one) => {
      if (Runners.isFresh(base, one.decision)) return true
      if (this.subject.Protocol.isCurrent(one.decision, (id) => base.tasks[indexOf(id)])) {
        throw new Violation("stale write", `${labelOf(one.slot, one.cause)} would be written over what has changed`)
      }
      return false
    })
    return { base, old, late }
  }

  private steps(
    wide: Runners.Wide,
    slot: Slot,
    cause: Cause,
    decision: Protocol.Decision,
    runner: number
  ): Array<Next> {
    if (runner !== 0 && wide.base.tasks[indexOf(cause.taskId)]?.attempt !== runner) {
      throw new Violation("6 fence", `${labelOf(slot, cause)} of an old runner was accepted`)
    }
    const holder = Runners.holderOf(wide.base, cause.taskId)
    const told = cause._tag === "TakeOver" && holder === unknownOwner
    const label = labelOf(slot, cause)
    const next: Array<Next> = [
      { label, wide: this.write(wide, slot, cause, decision), progress: told || progressing.has(cause._tag) }
    ]
    if (wide.late.length < this.scope.writes) {
      const late = [...wide.late, { slot, cause, decision }]
      next.push({ label: `decides ${label}`, wide: { ...wide, late }, progress: false })
    }
    return next
  }

  private repairs(wide: Runners.Wide, slot: Slot): Array<Next> {
    const facts = factsOf(wide.base, slot)
    const runners = { has: (id: Id) => facts.runners.has(id) || (wide.old[slot][indexOf(id)] ?? 0) !== 0 }
    return this.subject.Reconcile.repairs({ ...facts, runners: runners as ReadonlySet<Id> }).flatMap((repair) => {
      const cause = { _tag: "Repair", rule: repair.rule, taskId: repair.taskId } as const
      return this.steps(wide, slot, cause, { ...repair.decision, reads: repair.reads }, 0)
    })
  }

  private ends(wide: Runners.Wide, slot: Slot): Array<Next> {
    const { base, old } = wide
    const next: Array<Next> = [{ label: `${slot}: crash`, wide: Runners.crash(wide, slot, true), progress: false }]
    if (this.scope.unknownDeaths) {
      next.push({ label: `${slot}: crash that is not known`, wide: Runners.crash(wide, slot, false), progress: false })
    }
    for (const index of Runners.existing(base)) {
      const [own, older] = [base.runners[slot], old[slot]]
      const isOlder = Runners.isOlder(base, slot, index)
      if (own[index] !== 0 && (this.scope.runnersDie || isOlder)) {
        const column = Runners.without(own, index)
        const runners: State["runners"] = slot === 0 ? [column, base.runners[1]] : [base.runners[0], column]
        const dead = { ...wide, base: { ...base, runners } }
        const label = isOlder ? `the older runner of ${idOf(index)} ends` : `the runner of ${idOf(index)} dies`
        next.push({ label: `${slot}: ${label}`, wide: dead, progress: isOlder })
      }
      if (older[index] === 0) continue
      const column = Runners.without(older, index)
      const ended = { ...wide, old: slot === 0 ? ([column, old[1]] as const) : ([old[0], column] as const) }
      next.push({ label: `${slot}: the older runner of ${idOf(index)} ends`, wide: ended, progress: true })
    }
    return next
  }

  /** Nothing is under way, no process has still to learn that it lost a task, and nobody's death is unknown. */
  private isQuiet({ base, late, old }: Runners.Wide): boolean {
    const runsOn = slots.some((slot) =>
      old[slot].some((attempt, index) => attempt !== 0 || Runners.isOlder(base, slot, index))
    )
    return late.length === 0 && !runsOn && !base.leases.some((lease) => lease?.ownerId === unknownOwner)
  }

  /** Every successor; `rests` when nothing is left to repair or to collect. */
  expand(wide: Runners.Wide): { readonly next: ReadonlyArray<Next>; readonly rests: boolean } {
    const next: Array<Next> = []
    let rests = this.isQuiet(wide)
    for (const slot of slots) {
      const repairs = this.repairs(wide, slot)
      if (repairs.length > 0) rests = false
      next.push(...repairs)
      for (const index of Runners.existing(wide.base)) {
        for (const { request, runner } of this.asked(wide, slot, index)) {
          const decided = this.subject.Protocol.decide(viewOf(wide.base, slot), request)
          if (Result.isFailure(decided) || decided.success.changes.length === 0) continue
          if (request._tag === "Collect") rests = false
          next.push(...this.steps(wide, slot, request, decided.success, runner))
        }
      }
      next.push(...this.ends(wide, slot))
    }
    for (const [at, { cause, decision, slot }] of wide.late.entries()) {
      const rest = { ...wide, late: wide.late.filter((_, other) => other !== at) }
      const done = this.write(rest, slot, cause, decision)
      next.push({ label: `late ${labelOf(slot, cause)}`, wide: done, progress: true })
    }
    const wrong = wrongIn(this.subject, wide.base)
    const violation = wrong.always ?? (rests ? wrong.atRest : undefined)
    if (violation !== undefined) throw violation
    return { next, rests }
  }
}

/** A task that was given up before it was started: people delete it, or its creator's end does. */
const isGivenUp = (state: State, index: number): boolean => {
  const record = state.tasks[index]
  const parentId = record?.lineage.parentId
  if (record?.status !== "created" || parentId === undefined) return false
  const parent = state.tasks[indexOf(parentId)]
  return parent === undefined || !("awaiting" in parent) || parent.awaiting[record.id] === undefined
}

/** It has ended, or there is nothing to end. */
const isOver = (state: State, index: number): boolean => {
  const record = state.tasks[index]
  return record === undefined || record.status === "completed" || isGivenUp(state, index)
}

/** The first state from which steps of progress do not lead to the end of some task. */
const stuck = (over: ReadonlyArray<number>, back: ReadonlyArray<ReadonlyArray<number>>, tasks: number) => {
  for (let index = 0; index < tasks; index++) {
    const reached = Uint8Array.from(over, (mask) => (mask >> index) & 1)
    const queue = over.flatMap((_, at) => (reached[at] === 1 ? [at] : []))
    for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
      for (const from of back[next] ?? []) {
        if (reached[from] === 1) continue
        reached[from] = 1
        queue.push(from)
      }
    }
    const found = reached.indexOf(0)
    if (found !== -1) return { state: found, task: idOf(index) }
  }
  return undefined
}

/** Breadth first, to the fixpoint or to a limit; every task of every state can still end. `look` sees each state. */
export const searchWide = (
  subject: Subject,
  scope: WideScope,
  limit = Infinity,
  look: (wide: Runners.Wide) => void = () => undefined
): Outcome => {
  const started = performance.now()
  const wider = new Wider(subject, scope)
  const found = new Map<string, number>()
  const states: Array<Runners.Wide | undefined> = []
  const from: Array<readonly [number, string]> = []
  const over: Array<number> = []
  const back: Array<Array<number>> = []
  let [transitions, atRest, depth, levelEnd, index] = [0, 0, 0, 1, 0]
  const traceOf = (at: number): ReadonlyArray<string> => {
    const labels: Array<string> = []
    for (let state = at; state > 0; state = from[state]?.[0] ?? 0) labels.unshift(from[state]?.[1] ?? "")
    return labels
  }
  const visit = ({ label, progress, wide }: Next, parent: number): void => {
    const one = Runners.normal(wide)
    const key = Runners.keyOf(one)
    const known = found.get(key)
    const at = known ?? states.length
    if (known === undefined) {
      found.set(key, at)
      states.push(one)
      from.push([parent, label])
      back.push([])
      over.push(one.base.tasks.reduce((mask, _, task) => mask | (Number(isOver(one.base, task)) << task), 0))
    }
    if (progress && at !== parent) back[at]?.push(parent)
  }
  const finish = (complete: boolean, violation: Outcome["violation"]): Outcome => ({
    scope: scope.name,
    states: states.length,
    transitions,
    depth,
    atRest,
    seconds: (performance.now() - started) / 1000,
    complete,
    violation
  })
  const empty = Runners.begin(scope.tasks)
  const request = { _tag: "Create", taskId: idOf(0) } as const
  const decided = subject.Protocol.decide(viewOf(empty.base, 0), request)
  if (Result.isFailure(decided)) throw decided.failure
  const base = apply(subject, empty.base, 0, request, decided.success)
  visit({ label: "", progress: false, wide: { ...empty, base } }, 0)
  for (; index < states.length; index++) {
    if (index === levelEnd) {
      depth++
      levelEnd = states.length
    }
    if (states.length > limit) return finish(false, undefined)
    const wide = states[index]
    states[index] = undefined
    if (wide === undefined) continue
    try {
      look(wide)
      const { next, rests } = wider.expand(wide)
      if (rests) atRest++
      transitions += next.length
      for (const one of next) visit(one, index)
    } catch (error) {
      const invariant = error instanceof Violation ? error.invariant : "defect"
      const detail = error instanceof Error ? error.message : String(error)
      return finish(false, { invariant, detail, trace: traceOf(index) })
    }
  }
  const dead = stuck(over, back, scope.tasks)
  if (dead === undefined) return finish(true, undefined)
  return finish(true, { invariant: "progress", detail: `${dead.task} can no longer end`, trace: traceOf(dead.state) })
}
