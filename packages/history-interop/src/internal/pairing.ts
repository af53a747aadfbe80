/**
 * Which subtask belongs to which call of its parent, from what is left of both.
 *
 * The surest sign comes first: the call that a program names, an answer that names the subtask, a parent that says that it
 * waits, the same words in the call and in the subtask, and then the order of both. What stays doubtful is left alone.
 */
import type { Summary } from "../Summary.ts"
import type { Delegation } from "./delegation.ts"

export interface Pair {
  readonly child: Summary
  readonly call: Delegation
}

/** How certain it is that a text is that of another one. */
const words = (text: string): string => text.replaceAll(/\s+/gu, " ").trim()

const same = (a: string, b: string): boolean => words(a) !== "" && words(a) === words(b)

/** The result of a subtask, as far as anything tells it. */
export const resultOf = ({ completion, item }: Summary): string =>
  item.completionResultSummary?.trim() ? item.completionResultSummary : (completion ?? "")

/** ms by which the clock of a log may differ from that of a record. */
const tolerance = 1000

class Pairing {
  readonly pairs: Array<Pair> = []
  calls: ReadonlyArray<Delegation>
  children: ReadonlyArray<Summary>

  constructor(calls: ReadonlyArray<Delegation>, children: ReadonlyArray<Summary>) {
    this.calls = calls
    this.children = children
  }

  pair(call: Delegation, child: Summary): void {
    this.pairs.push({ call, child })
    this.calls = this.calls.filter((one) => one !== call)
    this.children = this.children.filter((one) => one !== child)
  }

  /** Each call with the first subtask for which something holds. */
  where(holds: (call: Delegation, child: Summary) => boolean): void {
    for (const call of this.calls) {
      const child = this.children.find((one) => holds(call, one))
      if (child !== undefined) this.pair(call, child)
    }
  }

  get open(): ReadonlyArray<Delegation> {
    return this.calls.filter(({ state }) => state === "open")
  }

  /** Those that a parent says it waits for have its open calls. */
  awaited(id: string | undefined): void {
    const child = this.children.find((one) => one.id === id)
    if (child === undefined) return
    const call =
      this.open.find(({ message }) => same(message, child.prompt)) ??
      (this.open.length === 1 ? this.open[0] : undefined)
    if (call !== undefined) this.pair(call, child)
  }

  /** By order, where only one order is possible. */
  ordered(): void {
    if (this.calls.length === this.children.length) {
      for (const [at, call] of this.calls.entries()) {
        const child = this.children[0]
        if (child !== undefined && at >= 0) this.pair(call, child)
      }
      return
    }
    const [call, another] = this.open
    if (call === undefined) return
    if (another !== undefined) {
      if (this.children.length >= this.open.length) this.newest()
      else this.where((one) => one.state === "open")
      return
    }
    const could = this.children.filter((child) => !this.#isOfAnswered(child, call))
    const later = could.filter(({ createdAt }) => createdAt >= call.at)
    const unfinished = could.filter((child) => child.completion === undefined && child.item.status !== "completed")
    const [child] = [could, unfinished, later].find((some) => some.length === 1) ?? []
    if (child !== undefined) this.pair(call, child)
  }

  /** The newest subtasks belong to the calls that are open, in their order. */
  newest(): void {
    const { open } = this
    const children = this.children.slice(-open.length)
    for (const [at, call] of open.entries()) {
      const child = children[at]
      if (child !== undefined) this.pair(call, child)
    }
  }

  /** It began when a call that has its answer was the newest one. */
  #isOfAnswered(child: Summary, open: Delegation): boolean {
    return (
      child.createdAt < open.at - tolerance && this.calls.some((call) => call !== open && call.at <= child.createdAt)
    )
  }
}

/** Pairs the calls of a parent, in order, with its subtasks, the oldest first. */
export const pairs = (parent: Summary, children: ReadonlyArray<Summary>): ReadonlyArray<Pair> => {
  const pairing = new Pairing(parent.delegations, children)
  pairing.where((call, child) => child.calledBy !== undefined && child.calledBy === call.raw)
  pairing.where((call, child) => call.answer.includes(child.id.replace(/^agent-/u, "")))
  pairing.awaited(parent.item.awaitingChildId)
  pairing.where((call, child) => same(call.message, child.prompt))
  pairing.where((call, child) => resultOf(child).trim() !== "" && call.answer.includes(resultOf(child).trim()))
  pairing.ordered()
  return pairing.pairs
}

/** Calls without an answer that ask for the same as a task was asked for. */
export const asks = (parent: Summary, child: Summary): boolean =>
  parent.delegations.some(({ message, state }) => state === "open" && same(message, child.prompt))
