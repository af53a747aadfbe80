import { Command, TaskId, type TaskRecord } from "@belay/task-state"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { active, completed, created, delegated, interrupted } from "./support/records.ts"

type Same<A, B> = [A, B] extends [B, A] ? true : false
type Success<R> = R extends Result.Result<infer A, infer _> ? A : never
/** Compiles only for a proof that holds. */
const pinned = (proof: true): void => assert.isTrue(proof)

const child: Command.Child = { id: TaskId.TaskId.make("c"), callId: "call-c", wait: "foreground" }
const start = { _tag: "Start" } as const
const delegate = { _tag: "Delegate", children: [child], at: 1 } as const
const collect = { _tag: "Collect", children: [], at: 1 } as const
const collectUnowned = { _tag: "CollectUnowned", children: [], at: 1 } as const
const interrupt = { _tag: "Interrupt", reason: "user" } as const
const resume = { _tag: "Resume" } as const
const background = { _tag: "DelegateBackground", children: [{ ...child, wait: "background" }], at: 1 } as const
const given: Command.Report = { id: child.id, outcome: "abandoned", summary: "" }
const restart = {
  _tag: "Restart",
  children: [given],
  to: { ...child, id: TaskId.TaskId.make("n") },
  at: 1
} as const
const abandon = { _tag: "Abandon", children: [given], held: true, at: 1 } as const
const takeOver = { _tag: "TakeOver" } as const
const close = { _tag: "Close", outcome: "cancelled", note: "" } as const
const remove = { _tag: "Delete", at: 1, by: "p1" } as const
const complete = { _tag: "Complete", outcome: "failed", result: "" } as const

describe("types of the transition table", () => {
  it("do not permit a forbidden command on a record of known status", () => {
    const refused: ReadonlyArray<Result.Result<unknown, Command.TransitionRejected>> = [
      // @ts-expect-error created: start it first
      Command.transition(created, delegate),
      // @ts-expect-error created
      Command.transition(created, collect),
      // @ts-expect-error created
      Command.transition(created, collectUnowned),
      // @ts-expect-error created
      Command.transition(created, resume),
      // @ts-expect-error created
      Command.transition(created, complete),
      // @ts-expect-error active: interrupt it first
      Command.transition(active, collectUnowned),
      // @ts-expect-error delegated
      Command.transition(delegated, start),
      // @ts-expect-error delegated
      Command.transition(delegated, delegate),
      // @ts-expect-error delegated
      Command.transition(delegated, complete),
      // @ts-expect-error interrupted
      Command.transition(interrupted, start),
      // @ts-expect-error interrupted
      Command.transition(interrupted, delegate),
      // @ts-expect-error interrupted
      Command.transition(interrupted, collect),
      // @ts-expect-error interrupted
      Command.transition(interrupted, complete),
      // @ts-expect-error completed
      Command.transition(completed, start),
      // @ts-expect-error completed
      Command.transition(completed, delegate),
      // @ts-expect-error completed
      Command.transition(completed, resume),
      // @ts-expect-error created
      Command.transition(created, background),
      // @ts-expect-error delegated: it waits already
      Command.transition(delegated, background),
      // @ts-expect-error active: it waits for nobody
      Command.transition(active, restart),
      // @ts-expect-error interrupted: resume it first
      Command.transition(interrupted, restart),
      // @ts-expect-error interrupted: resume it
      Command.transition(interrupted, takeOver),
      // @ts-expect-error completed
      Command.transition(completed, takeOver),
      // @ts-expect-error active: stop it first
      Command.transition(active, close),
      // @ts-expect-error delegated
      Command.transition(delegated, close),
      // @ts-expect-error created
      Command.transition(created, abandon),
      // @ts-expect-error completed
      Command.transition(completed, abandon),
      // @ts-expect-error active: stop it first
      Command.transition(active, remove)
    ]
    assert.isTrue(refused.every((result) => Result.isFailure(result)))
  })

  it("know the status after a permitted command", () => {
    const started = Command.transition(created, start)
    pinned(true satisfies Same<Success<typeof started>, TaskRecord.Active>)
    const waiting = Command.transition(active, delegate)
    pinned(true satisfies Same<Success<typeof waiting>, TaskRecord.Delegated>)
    const collected = Command.transition(delegated, collect)
    pinned(true satisfies Same<Success<typeof collected>["status"], "active" | "delegated">)
    const unowned = Command.transition(delegated, collectUnowned)
    pinned(true satisfies Same<Success<typeof unowned>["status"], "delegated" | "interrupted">)
    const stopped = Command.transition(delegated, interrupt)
    pinned(true satisfies Same<Success<typeof stopped>, TaskRecord.Interrupted>)
    const resumed = Command.transition(interrupted, resume)
    pinned(true satisfies Same<Success<typeof resumed>["status"], "active" | "delegated">)
    const done = Command.transition(active, complete)
    pinned(true satisfies Same<Success<typeof done>, TaskRecord.Completed>)
    const again = Command.transition(completed, complete)
    pinned(true satisfies Same<Success<typeof again>, TaskRecord.Completed>)
    const all: ReadonlyArray<Result.Result<unknown, unknown>> = [started, waiting, collected, unowned, stopped, resumed]
    assert.isTrue([...all, done, again].every((result) => Result.isSuccess(result)))
  })

  it("continue only what is completed, and fork only what has run", () => {
    const name = TaskId.TaskId.make("n")
    assert.strictEqual(Command.continuing(completed, name, "p1").continuesTaskId, completed.id)
    assert.strictEqual(Command.forking(active, name, "p1").forkedFrom, active.id)
    // @ts-expect-error it has not completed
    Command.continuing(interrupted, name, "p1")
    // @ts-expect-error it has not run
    Command.forking(created, name, "p1")
    const closed = Command.transition(interrupted, close)
    pinned(true satisfies Same<Success<typeof closed>, TaskRecord.Completed>)
    const swapped = Command.transition(delegated, { ...restart, children: [given] })
    pinned(true satisfies Same<Success<typeof swapped>, TaskRecord.Delegated>)
    const deleted = Command.transition(delegated, remove)
    pinned(true satisfies Same<Success<typeof deleted>, TaskRecord.Completed>)
    const all: ReadonlyArray<Result.Result<unknown, unknown>> = [closed, swapped, deleted]
    assert.isTrue(all.every((result) => Result.isSuccess(result)))
  })

  it("do not let a record have a field that its status does not have", () => {
    // @ts-expect-error a created task awaits nothing
    const wrong: TaskRecord.Created = { ...created, awaiting: {} }
    assert.isTrue("awaiting" in wrong)
    assert.isFalse("awaiting" in completed)
  })
})
