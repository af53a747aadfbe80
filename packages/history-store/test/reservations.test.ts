/** What a model call may take, and what a task has read before it completes: decided in the transaction of the store. */
import { Inbox, type Reservation, TaskHistory } from "@belay/history-store"
import { Message } from "@belay/message-state"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { layerSqlite } from "./history.ts"
import * as Scenario from "./scenario.ts"
import { commit, completed, delegated, id, lifecycle, settled, started, turn } from "./scenario.ts"
import { temporary } from "./temporary.ts"

const open = (directory: string) => layerSqlite({ directory, kind: "test" })

const here = <A, E>(body: (directory: string) => Effect.Effect<A, E, TaskHistory | Inbox>) =>
  Effect.flatMap(temporary, (directory) => body(directory).pipe(Effect.provide(open(directory))))

const elsewhere = <A, E>(directory: string, effect: Effect.Effect<A, E, TaskHistory | Inbox>) =>
  effect.pipe(Effect.provide(open(directory), { local: true }))

const ruleOf = <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), (error) => ("rule" in error ? error.rule : error._tag))

const none = { maxRequests: null, maxTokens: null, maxCostUsd: null }

/** A call of a task that takes at most 100 tokens and 2 dollars. */
const asked = (
  taskId: string,
  scopes: Readonly<Record<string, Partial<Reservation.Limits>>>,
  more: Partial<Reservation.Asked> = {}
): Reservation.Asked => ({
  id: `call of ${taskId}`,
  taskId: id(taskId),
  attempt: 1,
  model: "m-1",
  inputTokens: 60,
  outputTokens: 40,
  costUsd: 2,
  scopes: Object.entries(scopes).map(([scope, limits]) => ({ taskId: id(scope), limits: { ...none, ...limits } })),
  ...more
})

/** "Reserved", or whose limit refuses and which. */
const reserve = (one: Reservation.Asked) =>
  Effect.map(Scenario.reserve(one), (reserved) =>
    reserved._tag === "Reserved" ? reserved._tag : `${reserved.by}: ${reserved.limit}`
  )

const used = (taskId: string) => TaskHistory.use((history) => history.treeUsage(id(taskId)))

/** A task with a subtask that runs. */
const tree = commit(started("p"), delegated("p", 1, ["a"]), lifecycle({ _tag: "Start", taskId: id("a") }))

describe("a model call", () => {
  it.live("is refused by the limit of any task above, which is named", () =>
    here(() =>
      Effect.gen(function* () {
        yield* tree
        // The answer that delegated took 20 tokens and half a dollar.
        assert.strictEqual(yield* reserve(asked("a", { p: { maxTokens: 119 }, a: {} })), "p: tokens")
        assert.strictEqual(yield* reserve(asked("a", { p: {}, a: { maxTokens: 99 } })), "a: tokens")
        assert.strictEqual(yield* reserve(asked("a", { p: { maxCostUsd: 2.4 }, a: {} })), "p: cost")
        assert.strictEqual(yield* reserve(asked("a", { p: { maxRequests: 1 }, a: {} })), "p: requests")
        assert.strictEqual(yield* reserve(asked("a", { p: { maxCostUsd: 9 } }, { costUsd: null })), "p: price")
        assert.strictEqual(yield* reserve(asked("a", { p: { maxTokens: 120, maxCostUsd: 2.5 } })), "Reserved")
      })
    )
  )

  it.live("counts from its reservation on, for calls of every process, and the same one once", () =>
    here((directory) =>
      Effect.gen(function* () {
        yield* tree
        const two = { p: { maxRequests: 3 } }
        assert.strictEqual(yield* reserve(asked("p", two)), "Reserved")
        assert.strictEqual(yield* reserve(asked("p", two)), "Reserved")
        yield* elsewhere(
          directory,
          Effect.gen(function* () {
            yield* commit(lifecycle({ _tag: "TakeOver", taskId: id("a") }))
            assert.strictEqual(yield* reserve(asked("a", two, { attempt: 2 })), "Reserved")
            assert.strictEqual(yield* reserve(asked("a", { p: { maxRequests: 2 } }, { attempt: 2 })), "p: requests")
          })
        )
      })
    )
  )

  it.live("of a runner that has lost its task reserves nothing", () =>
    here((directory) =>
      Effect.gen(function* () {
        yield* commit(started("p"))
        yield* elsewhere(
          directory,
          Effect.gen(function* () {
            assert.strictEqual(yield* ruleOf(reserve(asked("p", {}))), "LeaseLost")
            yield* commit(lifecycle({ _tag: "TakeOver", taskId: id("p") }))
          })
        )
        assert.strictEqual(yield* ruleOf(reserve(asked("p", {}))), "LeaseLost")
      })
    )
  )

  it.live("that is given up counts as what it took, once", () =>
    here(() =>
      Effect.gen(function* () {
        yield* commit(started("p"))
        yield* reserve(asked("p", {}))
        const usage = { inputTokens: 7, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 }
        const over = {
          _tag: "Unanswered",
          taskId: id("p"),
          reservation: "call of p",
          usage,
          model: "m-1",
          costUsd: 0.25
        } as const
        yield* commit(over)
        yield* commit(over)
        assert.deepStrictEqual(yield* used("p"), { ...usage, costUsd: 0.25, requests: 1 })
        assert.strictEqual(yield* reserve(asked("p", { p: { maxTokens: 108 } })), "Reserved")
      })
    )
  )

  it.live("that nobody will tell of any more counts in full", () =>
    here((directory) =>
      Effect.gen(function* () {
        const all = {
          inputTokens: 60,
          outputTokens: 40,
          cacheReadTokens: 0,
          cacheWriteTokens: 0,
          costUsd: 2,
          requests: 1
        }
        yield* elsewhere(directory, Effect.andThen(commit(started("p")), reserve(asked("p", {}))))
        // Its process has left.
        const { reconcile } = yield* TaskHistory
        yield* reconcile(new Set())
        assert.deepStrictEqual(yield* used("p"), all)
        yield* commit(lifecycle({ _tag: "Resume", taskId: id("p") }))
        yield* reserve(asked("p", {}, { id: "first", attempt: 2 }))
        yield* reserve(asked("p", {}, { id: "second", attempt: 2 }))
        assert.strictEqual((yield* used("p")).requests, 2)
      })
    )
  )
})

describe("a task completes when its model has been sent", () => {
  it.live("what waits for it", () =>
    here(() =>
      Effect.gen(function* () {
        yield* commit(started("p"), turn("p", 1, [{ callId: "c1" }]))
        const { post } = yield* Inbox
        yield* post({ id: "m1", taskId: id("p"), attempt: 1, kind: "message", by: "user", text: "stop that" })
        const done = [settled("p", 1, { callId: "c1", text: "done" }), completed("p", 1)]
        // The commit that settles the call delivers the message: it is in the log by then, and not read.
        assert.strictEqual(yield* ruleOf(commit(done)), "MessagesUnread")
        const late = lifecycle({ _tag: "Interrupt", taskId: id("p"), reason: "user", attempt: 1 })
        yield* commit(late)
      })
    )
  )

  it.live("what was delivered after its newest answer", () =>
    here(() =>
      Effect.gen(function* () {
        yield* commit(started("p"), turn("p", 1, []))
        yield* commit({ _tag: "Append", taskId: id("p"), attempt: 1, message: Message.user(Message.text("wait")) })
        assert.strictEqual(yield* ruleOf(commit(completed("p", 1))), "MessagesUnread")
        yield* commit(turn("p", 1, []))
        yield* commit(completed("p", 1))
      })
    )
  )

  it.live("what is queued until its calls are answered", () =>
    here(() =>
      Effect.gen(function* () {
        yield* commit(started("p"), turn("p", 1, []))
        const { post } = yield* Inbox
        yield* post({ id: "m1", taskId: id("p"), attempt: 1, kind: "message", by: "user", text: "stop that" })
        assert.strictEqual(yield* ruleOf(commit(completed("p", 1))), "MessagesUnread")
      })
    )
  )
})
