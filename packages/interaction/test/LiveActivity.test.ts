import { LiveActivity } from "@belay/interaction/tasks"
import { Reading } from "@belay/interaction/unstable/feed"
import { ViewState } from "@belay/interaction/unstable/view"
import type { Event } from "@belay/history-store"
import { type LiveEvent, TaskEvents } from "@belay/task-engine"
import { Row } from "@belay/interaction"
import { TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { assert, describe, it } from "vitest"

const taskId = TaskId.TaskId.make("t")
const live = (body: LiveEvent.LiveBody, of = taskId): LiveEvent.LiveEvent => ({
  ...body,
  taskId: of,
  ts: 0,
  after: 0,
  n: 1
})
const text = (text: string, of = taskId) => live({ type: "text.delta", text }, of)
const prints = (chunk: string) => live({ type: "tool.output", callId: "c", chunk })
const waits = (text: string) => live({ type: "progress", text })
const answer = (state: "waiting" | "streaming" | "complete" | "aborted") => live({ type: "answer", state })
const stored = (body: Event.EventBody): Event.StoredEvent => ({ ...body, taskId, seq: 1, ts: 0 })
const says = (role: "assistant" | "user") => stored({ type: "message", index: 0, role, content: [] })
const asks = stored({ type: "tool.requested", callId: "c", name: "execute_command", args: { command: "make" } })
const ends = stored({
  type: "tool.finished",
  callId: "c",
  name: "execute_command",
  isError: false,
  result: [{ type: "text", text: "done" }],
  state: "finished"
})
const status = (to: "active" | "interrupted") =>
  stored({ type: "task.status", from: "active", to, command: "Stop", attempt: 1, owner: "me", rev: 1 })

/** What a view is told that comes when this has happened. */
const after = (...events: ReadonlyArray<LiveEvent.TaskEvent>): LiveActivity.LiveActivity =>
  Effect.gen(function* () {
    const { publish } = yield* TaskEvents
    const { of } = yield* LiveActivity.AllLiveActivity
    for (const event of events) publish(event)
    return of(taskId)
  }).pipe(Effect.provide(LiveActivity.AllLiveActivity.layer.pipe(Layer.provideMerge(TaskEvents.layer))), Effect.runSync)

/** A view that begins with it, and with the row of the call. */
const shown = (underway: LiveActivity.LiveActivity): ViewState.State => {
  const projection = Row.make()
  const rows = projection.add(asks)
  return ViewState.reduce(ViewState.initial, {
    type: "snapshot",
    task: "t",
    n: 1,
    header: null,
    welcome: null,
    asks: [],
    queued: [],
    pictures: [],
    draft: "",
    rows,
    ...Reading.underway(projection, underway)
  })
}

describe("a view that comes while a task goes on", () => {
  it("shows all that has arrived of the answer, and nothing of another task's", () => {
    const underway = after(text("Two "), text("apples", TaskId.TaskId.make("u")), text("pears"))
    assert.equal(shown(underway).live, "Two pears")
    assert.equal(after(text("One"), says("assistant"), text("Two")).text, "Two")
    assert.equal(after(text("One"), says("user"), status("active")).text, "One")
  })

  it("shows what is waited for, and what was void then is not there", () => {
    const underway = after(text("One"), waits("Trying again in 2 s."))
    assert.deepInclude(shown(underway), { live: "", progress: "Trying again in 2 s." })
    assert.deepInclude(after(waits("Trying again in 2 s."), text("Two")), { text: "Two", progress: "" })
    assert.equal(after(waits("Waiting for another task."), asks).progress, "")
  })

  it("shows what the request to the model is at, until it is answered or will not be", () => {
    assert.equal(shown(after(answer("waiting"))).answer, "waiting")
    assert.equal(shown(after(answer("waiting"), answer("streaming"))).answer, "streaming")
    for (const end of [answer("complete"), answer("aborted"), status("interrupted")]) {
      assert.deepEqual(after(answer("waiting"), end), LiveActivity.nothing)
    }
    const waiting = shown(after(answer("waiting")))
    const change = { type: "change", task: "t", n: 2 } as const
    assert.equal(ViewState.reduce(waiting, { ...change, answer: null }).answer, null)
    assert.equal(ViewState.reduce(waiting, { ...change, progress: "" }).answer, "waiting")
  })

  it("shows the end of what a call has printed beside the call", () => {
    const lines = Array.from({ length: 2000 }, (_, at) => `line ${at}\n`)
    const { output } = shown(after(asks, ...lines.map(prints)))
    const [[id, printed] = ["", ""]] = Object.entries(output)
    assert.equal(id, Row.make().add(asks)[0]?.id)
    assert.isTrue(lines.join("").endsWith(printed))
    assert.equal(printed.length, 4000)
  })

  it("shows nothing of what has ended", () => {
    for (const end of [says("assistant"), status("interrupted"), stored({ type: "task.deleted", by: "user" })]) {
      assert.deepEqual(after(text("One"), end), LiveActivity.nothing)
    }
    assert.deepEqual(after(asks, prints("x"), ends), LiveActivity.nothing)
    assert.deepEqual(after(asks, prints("x"), status("interrupted")), LiveActivity.nothing)
  })
})
