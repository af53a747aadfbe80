/** What must hold of every history at rest, whatever happened before. */
import { type Event, TaskHistory, type History } from "@belay/history-store"
import { Message } from "@belay/message-state"
import { Invariant } from "@belay/task-state"
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { layerReader } from "./history.ts"

const all = (row: History.TaskRow): Effect.Effect<ReadonlyArray<History.TaskRow>, unknown, TaskHistory> =>
  Effect.gen(function* () {
    const history = yield* TaskHistory
    const below = yield* Effect.forEach(yield* history.children(row.record.id), all)
    return [row, ...below.flat()]
  })

/** Each call of a log has at most one result, and exactly one when a message follows it or the task has completed. */
const answeredOnce = (row: History.TaskRow, log: ReadonlyArray<Message.LoggedMessage>): void => {
  const answers = log.flatMap(({ content, index }) =>
    content.flatMap((block) => (block.type === "tool_result" ? [[block.tool_use_id, index] as const] : []))
  )
  for (const { index, ...message } of log) {
    for (const { id } of Message.toolUses(message)) {
      const found = answers.filter(([callId, at]) => callId === id && at > index).map(([, at]) => at)
      const open = index === log.length - 1 && row.record.status !== "completed"
      assert.deepStrictEqual(found, open ? [] : [index + 1], `results of ${id} in ${row.meta.title}`)
    }
  }
}

/** Flows of the conversation itself, which no rule has to allow. */
const spoken = new Set(["attempt_completion", "ask_followup_question", "plan_mode_respond", "hand_over"])

/** Rules that ask or deny, whatever the settings say: none of them ever allows. */
const neverAllows =
  /^(?:floor\..*|path\.(?:secret|protected|unresolved|kind|links|ignored)|command\.(?:opaque|unreadable|length|cwd|remote|git)|mcp\.(?:changed|unknown)|unknown|invalid|sandbox|enabled|mode\.switch)$/

/**
 * For every call that ran the log says who or what allowed it: the ask of a person, answered with a yes before the call
 * started and since it was asked for the last time, or, without one, a rule that can allow. A call that did not start is
 * an error, whose text says why.
 */
const audited = (row: History.TaskRow, events: ReadonlyArray<Event.StoredEvent>): void => {
  const asked = new Map<string, Extract<Event.StoredEvent, { type: "ask" }>>()
  const settled = new Map<string, Extract<Event.StoredEvent, { type: "ask.settled" }>>()
  const started = new Set<string>()
  for (const event of events) {
    const where = `${row.meta.title}: ${"callId" in event ? event.callId : ""}`
    if (event.type === "ask" && event.kind === "approval") asked.set(event.callId ?? "", event)
    if (event.type === "ask.settled") settled.set(event.askId, event)
    if (event.type === "tool.started") {
      started.add(event.callId)
      const last = asked.get(event.callId)
      const answer = settled.get(last?.askId ?? "")
      assert.isDefined(event.rule, `${where} started, and nothing says what decided`)
      if (event.askId === undefined) {
        assert.notMatch(event.rule ?? "", neverAllows, `${where} started by a rule that never allows`)
        const isOther = answer === undefined || answer.decision === undefined || event.rule !== last?.rule
        assert.isTrue(isOther, `${where} was allowed by a person, and the log names the rule`)
      } else {
        assert.deepStrictEqual([event.askId, event.rule], [last?.askId, last?.rule], `${where} names another ask`)
        assert.strictEqual(answer?.decision, "allow", `${where} started without a yes`)
        assert.notStrictEqual(answer?.by, "unattended", where)
      }
    }
    if (event.type === "tool.finished" && !spoken.has(event.name) && !started.has(event.callId))
      assert.isTrue(event.isError, `${where} ${event.name} gave a result without having started`)
  }
}

const checkTask = (row: History.TaskRow) =>
  Effect.gen(function* () {
    const history = yield* TaskHistory
    const { id } = row.record
    const events = yield* history.events(id, 1, 100_000)
    assert.deepStrictEqual(
      events.map(({ seq }) => seq),
      Array.from({ length: row.lastSeq }, (_, index) => index + 1)
    )
    const log = yield* history.messages(id)
    assert.deepStrictEqual(
      log.map(({ index }) => index),
      [...log.keys()]
    )
    answeredOnce(row, log)
    audited(row, events)
    assert.isNull(row.lease, `${row.meta.title} is leased`)
    if (row.record.status === "completed") assert.strictEqual(row.openAsks, 0, `open asks of ${row.meta.title}`)
  })

/** Checks the history of a folder that no process has open, and gives its tasks. */
export const check = (home: string) =>
  Effect.gen(function* () {
    const history = yield* TaskHistory
    const { rows } = yield* history.list({ limit: 100, rootsOnly: true })
    const tasks = (yield* Effect.forEach(rows, all)).flat()
    for (const row of tasks) yield* checkTask(row)
    const records = new Map(tasks.map(({ record }) => [record.id, record]))
    assert.deepStrictEqual(Invariant.violations({ tasks: records, leases: new Map(), alive: () => false }), [])
    return tasks
  }).pipe(Effect.provide(layerReader({ directory: home, kind: "test" })))
