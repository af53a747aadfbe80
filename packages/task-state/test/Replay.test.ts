import { Command, Journal, TaskRecord } from "@belay/task-state"
import { Replay } from "@belay/task-state/unstable"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { lostSummary, restartedSummary } from "../src/protocol/Report.ts"
import { id } from "./support/World.ts"

const [p, a, b, c] = [id("p"), id("a"), id("b"), id("c")]

const child = (taskId: typeof a, wait: "foreground" | "background" = "foreground") => ({
  id: taskId,
  callId: `call-${taskId}`,
  wait
})

const done: TaskRecord.Completed = {
  status: "completed",
  id: a,
  rev: 3,
  attempt: 1,
  lineage: { parentId: p, rootId: p, depth: 1 },
  createdBy: "me",
  collected: {},
  outcome: "failed",
  result: "it broke"
}

/** The records that commands lead to, and the journal that they leave. */
const lived = (commands: ReadonlyArray<Command.Command>) => {
  let record: TaskRecord.TaskRecord = Command.newRoot(p, "me")
  const entries: Array<Replay.Entry> = []
  for (const [index, command] of commands.entries()) {
    const after: TaskRecord.TaskRecord = Result.getOrThrow(Command.transitionAny(record, command))
    const change = { command: command._tag, before: record, after, lease: "keep" } as const
    const ts = "at" in command ? command.at : index
    entries.push(...Journal.eventsOf(change, "me").map((event) => ({ ...event, ts })))
    record = after
  }
  return { record, entries }
}

const tell = (entries: ReadonlyArray<Replay.Entry>) =>
  Replay.replay({ id: p, lineage: { rootId: p, depth: 0 }, createdBy: "me" }, entries, (taskId) =>
    taskId === a ? done : undefined
  )

const commands: ReadonlyArray<Command.Command> = [
  { _tag: "Start" },
  { _tag: "DelegateBackground", children: [child(c, "background")], at: 10 },
  { _tag: "Delegate", children: [child(a), child(b)], at: 20 },
  { _tag: "Collect", children: [{ id: a, outcome: "failed", summary: "it broke" }], at: 30 },
  { _tag: "Interrupt", reason: "user" },
  { _tag: "Resume" },
  {
    _tag: "Restart",
    children: [{ id: b, outcome: "restarted", summary: restartedSummary(id("b2")) }],
    to: { ...child(id("b2")), callId: "call-b" },
    at: 40
  },
  { _tag: "TakeOver" },
  { _tag: "CollectUnowned", children: [{ id: id("b2"), outcome: "lost", summary: lostSummary }], at: 50 },
  { _tag: "Resume" },
  { _tag: "Collect", children: [{ id: c, outcome: "lost", summary: lostSummary }], at: 60 },
  { _tag: "Complete", outcome: "succeeded", result: "all of it" }
]

describe("a journal", () => {
  it("tells the record after every one of its commands", () => {
    for (let length = 0; length <= commands.length; length++) {
      const { entries, record } = lived(commands.slice(0, length))
      assert.deepStrictEqual(tell(entries), record, commands[length - 1]?._tag)
    }
  })

  it("of an older history, where a restart has other words, tells the record as it is told today", () => {
    const { entries, record } = lived(commands)
    const before = JSON.stringify(entries)
      .replaceAll('"restarted"', '"superseded"')
      .replaceAll('"Restart"', '"Redelegate"')
    assert.include(before, "Redelegate")
    assert.include(before, "superseded")
    assert.deepStrictEqual(tell(JSON.parse(before) as ReadonlyArray<Replay.Entry>), record)
  })

  it("tells nothing when any one of its events is missing", () => {
    const { entries } = lived(commands)
    for (const [index, { type }] of entries.entries()) {
      assert.isUndefined(tell(entries.toSpliced(index, 1)), `${index} ${type}`)
    }
  })

  it("of a deleted task tells nothing", () => {
    const { entries } = lived([
      { _tag: "Interrupt", reason: "user" },
      { _tag: "Delete", at: 1, by: "me" }
    ])
    assert.isUndefined(tell(entries))
  })

  it("of a task whose deletion was taken back tells its record", () => {
    const { entries, record } = lived([
      { _tag: "Interrupt", reason: "user" },
      { _tag: "Delete", at: 1, by: "me", with: p },
      { _tag: "Undelete" },
      { _tag: "Resume" }
    ])
    assert.deepStrictEqual(tell(entries), record)
    assert.isUndefined(tell(entries.filter(({ type }) => type !== "task.deleted")))
  })
})
