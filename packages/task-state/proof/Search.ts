/** Breadth-first search to the fixpoint, and progress backwards from the states in which the root has completed. */
import * as Result from "effect/Result"
import { performance } from "node:perf_hooks"
import { apply, Violation } from "./Commit.ts"
import { Expansion } from "./Expansion.ts"
import { idOf, initial, viewOf } from "./State.ts"
import type { Scope } from "./Step.ts"
import type { Subject } from "./Subject.ts"

export interface Wrong {
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
  readonly violation: Wrong | undefined
}

/** A growing list of 32-bit numbers. */
class Numbers {
  length = 0
  data: Int32Array
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
}

/** The root, created by one of the processes. */
const begin = (subject: Subject, scope: Scope, expansion: Expansion): Int32Array => {
  const empty = initial(scope.tasks)
  const request = { _tag: "Create", taskId: idOf(0) } as const
  const decided = subject.Protocol.decide(viewOf(empty, 0), request)
  if (Result.isFailure(decided)) throw decided.failure
  const state = apply(subject, empty, 0, request, decided.success)
  const values = new Int32Array(scope.tasks + 1)
  state.tasks.forEach((_, place) => (values[place] = expansion.cells.encode(state, place)))
  return values
}

/** States from which no steps of progress lead to a completed root; the first of them, or -1. */
const stuck = (count: number, goals: Uint8Array, from: Numbers, to: Numbers): number => {
  const starts = new Int32Array(count + 2)
  /** Gives what was there before. */
  const add = (at: number, value: number): number => {
    const before = starts[at] ?? 0
    starts[at] = before + value
    return before
  }
  for (let edge = 0; edge < to.length; edge++) add(to.at(edge) + 2, 1)
  for (let index = 0; index < count; index++) add(index + 2, starts[index + 1] ?? 0)
  const sources = new Int32Array(from.length)
  // While it is filled, a start is one place further on; then it is where the next one begins.
  for (let edge = 0; edge < from.length; edge++) sources[add(to.at(edge) + 1, 1)] = from.at(edge)
  const queue = new Numbers()
  for (let index = 0; index < count; index++) if (goals[index] === 1) queue.push(index)
  for (let next = 0; next < queue.length; next++) {
    const state = queue.at(next)
    for (let at = starts[state] ?? 0; at < (starts[state + 1] ?? 0); at++) {
      const source = sources[at] ?? 0
      if (goals[source] === 1) continue
      goals[source] = 1
      queue.push(source)
    }
  }
  return goals.subarray(0, count).indexOf(0)
}

/** The states that were found, each once, as numbers. */
class Found {
  readonly all = new Numbers(1 << 20)
  length = 0
  private table = new Int32Array(1 << 20)
  private readonly width: number

  constructor(width: number) {
    this.width = width
  }

  private slotOf(hash: number): number {
    return hash & (this.table.length - 1)
  }

  private hashOf(values: Int32Array, offset: number): number {
    let hash = 0
    for (let at = 0; at < this.width; at++) {
      hash = Math.imul(hash ^ (values[offset + at] ?? 0), 0x9e3779b1)
      hash ^= hash >>> 15
    }
    hash = Math.imul(hash ^ (hash >>> 16), 2246822507)
    return hash ^ (hash >>> 13)
  }

  private grow(): void {
    const old = this.length
    this.table = new Int32Array(this.table.length * 2)
    for (let index = 0; index < old; index++) {
      let slot = this.slotOf(this.hashOf(this.all.data, index * this.width))
      while (this.table[slot] !== 0) slot = this.slotOf(slot + 1)
      this.table[slot] = index + 1
    }
  }

  /** Its number; a new one is the length as it was. */
  visit(values: Int32Array): number {
    let slot = this.slotOf(this.hashOf(values, 0))
    for (let index = this.table[slot] ?? 0; index !== 0; index = this.table[slot] ?? 0) {
      const offset = (index - 1) * this.width
      let at = 0
      while (at < this.width && this.all.data[offset + at] === values[at]) at++
      if (at === this.width) return index - 1
      slot = this.slotOf(slot + 1)
    }
    this.table[slot] = this.length + 1
    for (let at = 0; at < this.width; at++) this.all.push(values[at] ?? 0)
    this.length++
    if (this.length * 2 > this.table.length) this.grow()
    return this.length - 1
  }

  read(index: number, into: Int32Array): void {
    const offset = index * this.width
    into.set(this.all.data.subarray(offset, offset + this.width))
  }
}

/** The steps to a state: those that were found are renamings, so the history is gone through again from its begin. */
const traceOf = (expansion: Expansion, start: Int32Array, found: Found, parents: Numbers, index: number) => {
  const path: Array<number> = []
  for (let at = index; at > 0; at = parents.at(at)) path.unshift(at)
  const wanted = new Int32Array(start.length)
  const renamed = new Int32Array(start.length)
  const labels: Array<string> = []
  let values = start
  for (const next of path) {
    found.read(next, wanted)
    let after: Int32Array | undefined
    expansion.expand(values, (candidate, _, label) => {
      if (after !== undefined) return
      expansion.cells.canonical(candidate, renamed)
      if (!renamed.every((value, at) => value === wanted[at])) return
      after = candidate.slice()
      labels.push(label)
    })
    values = after ?? values
  }
  return labels
}

export const search = (subject: Subject, scope: Scope, limit = Infinity): Outcome => {
  const started = performance.now()
  const expansion = new Expansion(subject, scope)
  const width = scope.tasks + 1
  const found = new Found(width)
  const parents = new Numbers()
  const goals = new Numbers()
  const from = new Numbers()
  const to = new Numbers()
  const values = new Int32Array(width)
  const canonical = new Int32Array(width)
  let [depth, transitions, atRest, levelEnd, index] = [0, 0, 0, 1, 0]
  const finish = (violation: Wrong | undefined, complete: boolean): Outcome => ({
    scope: scope.name,
    states: found.length,
    transitions,
    depth,
    atRest,
    seconds: (performance.now() - started) / 1000,
    complete,
    violation
  })
  const visit = (after: Int32Array): number => {
    expansion.cells.canonical(after, canonical)
    const target = found.visit(canonical)
    if (target !== parents.length) return target
    parents.push(index)
    goals.push(Number(expansion.cells.record((canonical[0] ?? 0) >>> 7)?.status === "completed"))
    return target
  }
  const start = begin(subject, scope, expansion)
  visit(start)
  for (; index < found.length; index++) {
    if (index === levelEnd) {
      depth++
      levelEnd = found.length
    }
    if (found.length > limit) return finish(undefined, false)
    found.read(index, values)
    try {
      const rests = expansion.expand(values, (after, progress) => {
        transitions++
        const target = visit(after)
        if (!progress || target === index) return
        from.push(index)
        to.push(target)
      })
      if (rests) atRest++
    } catch (error) {
      const invariant = error instanceof Violation ? error.invariant : "defect"
      const detail = error instanceof Error ? error.message : String(error)
      return finish({ invariant, detail, trace: traceOf(expansion, start, found, parents, index) }, false)
    }
  }
  const dead = stuck(
    found.length,
    Uint8Array.from({ length: found.length }, (_, at) => goals.at(at)),
    from,
    to
  )
  if (dead === -1) return finish(undefined, true)
  const trace = traceOf(expansion, start, found, parents, dead)
  return finish({ invariant: "progress", detail: "the root can no longer complete", trace }, true)
}
