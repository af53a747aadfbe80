/** Breadth-first search to the fixpoint, and progress backwards from the states in which the root has completed. */
import { performance } from "node:perf_hooks"
import { Violation } from "./Commit.ts"
import { hashOf, idOf, initial, keyOf, type State, viewOf } from "./State.ts"
import { expand, type Scope } from "./Step.ts"
import type { Subject } from "./Subject.ts"
import * as Result from "effect/Result"
import { commit } from "./Commit.ts"

export interface Found {
  readonly invariant: string
  readonly detail: string
  /** The steps that lead there, from the first. */
  readonly trace: ReadonlyArray<string>
}

export interface Outcome {
  readonly scope: string
  readonly states: number
  readonly transitions: number
  readonly depth: number
  readonly atRest: number
  readonly seconds: number
  /** False when the bound was reached first. */
  readonly complete: boolean
  readonly violation: Found | undefined
}

/** A growing list of 32-bit numbers. */
class Numbers {
  length = 0
  private data: Int32Array
  constructor(capacity = 1 << 16) {
    this.data = new Int32Array(Math.max(1, capacity))
  }
  push(value: number): void {
    if (this.length === this.data.length) {
      const larger = new Int32Array(this.data.length * 2)
      larger.set(this.data)
      this.data = larger
    }
    this.data[this.length++] = value
  }
  at(index: number): number {
    return this.data[index] ?? 0
  }
  set(index: number, value: number): void {
    this.data[index] = value
  }
  add(index: number, value: number): void {
    this.data[index] = this.at(index) + value
  }
}

const begin = (subject: Subject, scope: Scope): State => {
  const empty = initial(scope.tasks)
  const request = { _tag: "Create", taskId: idOf(0) } as const
  const decided = subject.Protocol.decide(viewOf(empty, 0), request)
  if (Result.isFailure(decided)) throw decided.failure
  return commit(subject, empty, 0, request, decided.success)
}

/** States from which no steps of progress lead to a completed root; the first of them, or -1. */
const stuck = (count: number, goals: Uint8Array, from: Numbers, to: Numbers): number => {
  const starts = new Numbers(count + 2)
  for (let edge = 0; edge < to.length; edge++) starts.add(to.at(edge) + 1, 1)
  for (let index = 0; index < count; index++) starts.add(index + 1, starts.at(index))
  const sources = new Numbers(from.length)
  const filled = new Numbers(count)
  for (let edge = 0; edge < from.length; edge++) {
    const target = to.at(edge)
    sources.set(starts.at(target) + filled.at(target), from.at(edge))
    filled.add(target, 1)
  }
  const queue = [...goals.keys()].filter((index) => goals[index] === 1)
  for (let state = queue.pop(); state !== undefined; state = queue.pop()) {
    for (let at = starts.at(state); at < starts.at(state + 1); at++) {
      const source = sources.at(at)
      if (goals[source] === 1) continue
      goals[source] = 1
      queue.push(source)
    }
  }
  return goals.indexOf(0)
}

export const search = (subject: Subject, scope: Scope, limit = Infinity): Outcome => {
  const started = performance.now()
  const known = new Map<number, number>()
  const frontier: Array<State | undefined> = []
  const parents = new Numbers()
  const via = new Numbers()
  const labels = new Map<string, number>()
  const from = new Numbers()
  const to = new Numbers()
  const goal: Array<number> = []
  let depth = 0
  let transitions = 0
  let atRest = 0
  const labelId = (label: string) => {
    const id = labels.get(label) ?? labels.size
    labels.set(label, id)
    return id
  }
  const visit = (state: State, parent: number, label: string): number => {
    const hash = hashOf(keyOf(state))
    const seen = known.get(hash)
    if (seen !== undefined) return seen
    const index = frontier.length
    known.set(hash, index)
    frontier.push(state)
    parents.push(parent)
    via.push(labelId(label))
    goal.push(state.tasks[0]?.status === "completed" ? 1 : 0)
    return index
  }
  const traceOf = (index: number): ReadonlyArray<string> => {
    const names = [...labels.keys()]
    const steps: Array<string> = []
    for (let at = index; at > 0; at = parents.at(at)) steps.unshift(names[via.at(at)] ?? "")
    return steps
  }
  const finish = (violation: Found | undefined, complete: boolean): Outcome => ({
    scope: scope.name,
    states: frontier.length,
    transitions,
    depth,
    atRest,
    seconds: (performance.now() - started) / 1000,
    complete,
    violation
  })
  visit(begin(subject, scope), 0, "")
  let levelEnd = 1
  for (let index = 0; index < frontier.length; index++) {
    if (index === levelEnd) {
      depth++
      levelEnd = frontier.length
    }
    if (frontier.length > limit) return finish(undefined, false)
    const state = frontier[index]
    frontier[index] = undefined
    if (state === undefined) continue
    try {
      const expanded = expand(subject, scope, state)
      if (expanded.atRest) atRest++
      for (const { label, progress, state: after } of expanded.next) {
        transitions++
        const target = visit(after, index, label)
        if (!progress) continue
        from.push(index)
        to.push(target)
      }
    } catch (error) {
      const invariant = error instanceof Violation ? error.invariant : "defect"
      return finish(
        { invariant, detail: String(error instanceof Error ? error.message : error), trace: traceOf(index) },
        false
      )
    }
  }
  const dead = stuck(frontier.length, Uint8Array.from(goal), from, to)
  if (dead === -1) return finish(undefined, true)
  return finish({ invariant: "progress", detail: "the root can no longer complete", trace: traceOf(dead) }, true)
}
