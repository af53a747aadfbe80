/** What client programs have asked for: in every history the same. */
import { type QueuedTask, type Step, TaskHistory } from "@belay/history-store"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { layerMemory } from "./history.ts"
import { layerThread } from "./layerThread.ts"
import { change, reader, withoutQueue, writer } from "./inFiles.ts"
import { commit, completed, id, lifecycle, meta, started } from "./scenario.ts"
import { temporary } from "./temporary.ts"
import { Message } from "@belay/message-state"

const created = (taskId: string): ReadonlyArray<Step.Step> => [
  lifecycle({ _tag: "Create", taskId: id(taskId) }),
  { _tag: "Describe", taskId: id(taskId), meta: meta(taskId), prompt: Message.user(Message.text("go")) }
]

const queued = (taskId: string, scope = "one"): Step.Step => ({ _tag: "Queue", taskId: id(taskId), scope })
const tried = (taskId: string): Step.Step => ({ _tag: "QueueTried", taskId: id(taskId) })
const unqueued = (taskId: string): Step.Step => ({ _tag: "Unqueue", taskId: id(taskId) })

type Entry = Omit<QueuedTask, "lastSeq">

/** Without the number of its newest event. */
const plain = ({ lastSeq: _, ...entry }: QueuedTask): Entry => entry
const waiting = TaskHistory.use((history) => Effect.map(history.queue, (all) => all.map(plain)))
const known = (taskId: string) =>
  TaskHistory.use((history) =>
    Effect.map(history.queuedTask(id(taskId)), (found) => Option.getOrUndefined(Option.map(found, plain)))
  )
const lastSeq = TaskHistory.use((history) => Effect.map(history.queue, ([first]) => first?.lastSeq ?? -1))
const ofScope = (scope: string) =>
  TaskHistory.use((history) =>
    Effect.map(history.list({ limit: 9, scope }), ({ rows }) => rows.map(({ record }) => record.id).toSorted())
  )

const entry = (taskId: string, more: Partial<Entry> = {}): Entry => ({
  id: id(taskId),
  scope: "one",
  waits: true,
  tries: 0,
  ...more
})

const kinds = {
  memory: Effect.succeed(layerMemory),
  "a file": Effect.map(temporary, (directory) => writer(directory)),
  "a thread": Effect.map(temporary, layerThread)
}

for (const [name, made] of Object.entries(kinds)) {
  describe(`the queue of tasks in ${name}`, () => {
    it.live("tells whether something has happened to a task since", () =>
      Effect.gen(function* () {
        yield* commit(created("a"), queued("a"))
        yield* commit(created("b"), queued("b", "two"))
        const before = yield* lastSeq
        yield* commit(tried("b"))
        assert.strictEqual(yield* lastSeq, before)
        yield* commit([{ _tag: "Rename", taskId: id("a"), title: "Another" }])
        assert.isAbove(yield* lastSeq, before)
      }).pipe((body) => Effect.flatMap(made, (layer) => Effect.provide(body, layer)))
    )

    it.live("keeps those that wait in order, with how often each was begun, until it has stopped", () =>
      Effect.gen(function* () {
        yield* commit(created("a"), queued("a"))
        yield* commit(created("b"), queued("b", "two"))
        assert.deepStrictEqual(yield* waiting, [entry("a"), entry("b", { scope: "two" })])
        yield* commit(tried("a"))
        yield* commit(tried("a"))
        assert.deepStrictEqual(yield* known("a"), entry("a", { tries: 2 }))
        yield* commit(unqueued("a"))
        assert.deepStrictEqual(yield* waiting, [entry("b", { scope: "two" })])
        assert.deepStrictEqual(yield* known("a"), entry("a", { waits: false, tries: 2 }))
        yield* commit(queued("a", "another"))
        assert.deepStrictEqual(yield* known("a"), entry("a"))
      }).pipe((body) => Effect.flatMap(made, (layer) => Effect.provide(body, layer)))
    )

    it.live("is with the task in one commit or not at all, and shows each scope its own", () =>
      Effect.gen(function* () {
        yield* commit(started("mine"))
        yield* commit(created("a"), queued("a"), created("b"), queued("b", "two"))
        assert.deepStrictEqual([yield* ofScope("one"), yield* ofScope("two")], [[id("a")], [id("b")]])
        assert.isUndefined(yield* known("mine"))
        const refused = yield* Effect.flip(commit(created("c"), queued("absent")))
        assert.strictEqual(refused._tag, "TransitionRejected")
        assert.isTrue(Option.isNone(yield* (yield* TaskHistory).row(id("c"))))
      }).pipe((body) => Effect.flatMap(made, (layer) => Effect.provide(body, layer)))
    )
  })
}

describe("the queue of tasks", () => {
  it.live("is empty in a file of an older version, which is read as it is", () =>
    Effect.gen(function* () {
      const directory = yield* temporary
      yield* commit(started("p"), completed("p", 1)).pipe(Effect.provide(writer(directory)))
      change(directory, ...withoutQueue, "PRAGMA user_version = 21")
      yield* Effect.gen(function* () {
        assert.deepStrictEqual(yield* waiting, [])
        assert.isUndefined(yield* known("p"))
      }).pipe(Effect.provide(reader(directory)))
      yield* commit(queued("p")).pipe(Effect.provide(writer(directory)))
      assert.deepStrictEqual(yield* waiting.pipe(Effect.provide(reader(directory))), [entry("p")])
    })
  )
})
