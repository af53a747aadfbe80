import { Command, TaskId, TaskRecord, Transition } from "@belay/task-state"
import { assert, describe, it } from "@effect/vitest"
import * as Equal from "effect/Equal"
import * as Result from "effect/Result"
import * as records from "./support/records.ts"

const id = (text: string) => TaskId.TaskId.make(text)
const report = (name: string): Command.Report => ({ id: id(name), outcome: "succeeded", summary: "ok" })
const collectC = { children: [report("c")], at: 9 }

/** Continue and Fork change no record; they are in the protocol's tests. */
type OnRecord = Exclude<Transition.CommandName, "Continue" | "Fork">

const commands: Record<OnRecord, Command.Command> = {
  Start: { _tag: "Start" },
  Delegate: { _tag: "Delegate", children: [{ id: id("d"), callId: "call-d", wait: "foreground" }], at: 9 },
  Collect: { _tag: "Collect", ...collectC },
  CollectUnowned: { _tag: "CollectUnowned", ...collectC },
  Interrupt: { _tag: "Interrupt", reason: "user" },
  Resume: { _tag: "Resume" },
  Complete: { _tag: "Complete", outcome: "succeeded", result: "done" },
  DelegateBackground: {
    _tag: "DelegateBackground",
    children: [{ id: id("d"), callId: "call-d", wait: "background" }],
    at: 9
  },
  Restart: {
    _tag: "Restart",
    children: [{ id: id("c"), outcome: "restarted", summary: "" }],
    to: { id: id("d"), callId: "call-c", wait: "foreground" },
    at: 9
  },
  TakeOver: { _tag: "TakeOver" },
  Close: { _tag: "Close", outcome: "cancelled", note: "enough" },
  Abandon: { _tag: "Abandon", children: [{ id: id("c"), outcome: "abandoned", summary: "" }], held: false, at: 9 },
  Delete: { _tag: "Delete", at: 9, by: "p2" },
  Undelete: { _tag: "Undelete" }
}

/** Deleted so that it can be taken back. */
const deleted = (record: TaskRecord.TaskRecord): TaskRecord.TaskRecord =>
  Result.getOrThrow(Command.transitionAny(record, { _tag: "Delete", at: 3, by: "p1", with: record.id }))

/** As it was, two revisions on: one for its deletion, one for its being taken back. */
const isAgain = (before: TaskRecord.TaskRecord) => (after: TaskRecord.TaskRecord) =>
  Equal.equals(after, { ...before, rev: before.rev + 2 })

interface Cell {
  readonly in: TaskRecord.TaskRecord
  /** A status it goes to, `=` for no write, or the rule that forbids it. */
  readonly gives: TaskRecord.Status | "=" | Transition.Rule
  readonly attempt?: number
  readonly also?: (after: TaskRecord.TaskRecord) => boolean
}

const { active, background, completed, created, delegated, interrupted, interruptedWaiting, open } = records
const two: TaskRecord.Delegated = {
  ...delegated,
  awaiting: { ...open, [id("e")]: { callId: "call-e", since: 6, wait: "foreground" } }
}
const backgroundOnly: TaskRecord.Active = { ...active, awaiting: { ...background } }
const isInterrupted = (reason: string, from: string) => (after: TaskRecord.TaskRecord) =>
  after.status === "interrupted" && after.interruption.reason === reason && after.interruption.from === from
const awaits =
  (...names: ReadonlyArray<string>) =>
  (after: TaskRecord.TaskRecord) =>
    TaskRecord.awaitedIds(after).join() === names.join()
const collectedC = (after: TaskRecord.TaskRecord) =>
  TaskRecord.collectedEntry(after, id("c"))?.callId === "call-c" && !TaskRecord.awaitedIds(after).includes(id("c"))

const collectedAs = (outcome: TaskRecord.CollectedOutcome) => (after: TaskRecord.TaskRecord) =>
  collectedC(after) && TaskRecord.collectedEntry(after, id("c"))?.outcome === outcome
/** Who it was and when it was deleted, and nothing that it said. */
const isTombstone = (after: TaskRecord.TaskRecord) =>
  after.status === "completed" &&
  after.deletedAt === 9 &&
  after.deletedBy === "p2" &&
  after.result === "" &&
  TaskRecord.awaitedIds(after).length + TaskRecord.collectedIds(after).length === 0

/** Section 2 of the lifecycle specification, cell by cell. */
const table: Record<OnRecord, ReadonlyArray<Cell>> = {
  Start: [
    { in: created, gives: "active", attempt: 1 },
    { in: active, gives: "=" },
    { in: delegated, gives: "StillWaiting" },
    { in: interrupted, gives: "NeedsResume" },
    { in: completed, gives: "UseContinue" }
  ],
  Delegate: [
    { in: created, gives: "NotStarted" },
    { in: active, gives: "delegated", attempt: 2, also: awaits("d") },
    { in: backgroundOnly, gives: "delegated", attempt: 2, also: awaits("b", "d") },
    { in: delegated, gives: "StillWaiting" },
    { in: interrupted, gives: "NeedsResume" },
    { in: completed, gives: "Terminal" }
  ],
  Collect: [
    { in: created, gives: "NotStarted" },
    {
      in: { ...active, awaiting: { [id("c")]: { callId: "call-c", since: 5, wait: "background" } } },
      gives: "active",
      attempt: 2
    },
    { in: active, gives: "=" },
    { in: delegated, gives: "active", attempt: 2, also: collectedC },
    { in: two, gives: "delegated", attempt: 2, also: (after) => collectedC(after) && awaits("e")(after) },
    { in: interruptedWaiting, gives: "NotRunning" },
    { in: completed, gives: "=" }
  ],
  CollectUnowned: [
    { in: created, gives: "NotStarted" },
    { in: active, gives: "InterruptFirst" },
    { in: delegated, gives: "interrupted", attempt: 2, also: isInterrupted("ready", "delegated") },
    { in: two, gives: "delegated", attempt: 2, also: awaits("e") },
    { in: interruptedWaiting, gives: "interrupted", attempt: 2, also: isInterrupted("user", "delegated") },
    { in: interruptedWaiting, gives: "interrupted", also: collectedC },
    { in: interrupted, gives: "=" },
    { in: completed, gives: "=" }
  ],
  Interrupt: [
    { in: created, gives: "interrupted", attempt: 0, also: isInterrupted("user", "created") },
    { in: active, gives: "interrupted", attempt: 2, also: isInterrupted("user", "active") },
    { in: delegated, gives: "interrupted", attempt: 2, also: isInterrupted("user", "delegated") },
    { in: delegated, gives: "interrupted", also: awaits("c") },
    { in: interruptedWaiting, gives: "=" },
    { in: completed, gives: "=" }
  ],
  Resume: [
    { in: created, gives: "UseStart" },
    { in: active, gives: "=" },
    { in: delegated, gives: "delegated", attempt: 3, also: awaits("c") },
    { in: interrupted, gives: "active", attempt: 3 },
    { in: interruptedWaiting, gives: "delegated", attempt: 3, also: awaits("c") },
    { in: completed, gives: "UseContinue" }
  ],
  Complete: [
    { in: created, gives: "NotStarted" },
    {
      in: active,
      gives: "completed",
      attempt: 2,
      also: (after) => after.status === "completed" && after.result === "done"
    },
    { in: backgroundOnly, gives: "ChildrenPending" },
    { in: delegated, gives: "ChildrenPending" },
    { in: interrupted, gives: "NotRunning" },
    { in: completed, gives: "=" }
  ],
  DelegateBackground: [
    { in: created, gives: "NotStarted" },
    { in: active, gives: "active", attempt: 2, also: awaits("d") },
    { in: delegated, gives: "StillWaiting" },
    { in: interrupted, gives: "NeedsResume" },
    { in: completed, gives: "Terminal" }
  ],
  Restart: [
    { in: created, gives: "NotStarted" },
    { in: active, gives: "NotWaiting" },
    { in: delegated, gives: "delegated", attempt: 2, also: (after) => collectedC(after) && awaits("d")(after) },
    {
      in: delegated,
      gives: "delegated",
      also: (after) => TaskRecord.awaitedEntry(after, id("d"))?.answered === true && collectedAs("restarted")(after)
    },
    { in: { ...delegated, awaiting: { ...records.foreground("e") } }, gives: "NotWaiting" },
    { in: interrupted, gives: "NeedsResume" },
    { in: completed, gives: "Terminal" }
  ],
  TakeOver: [
    { in: created, gives: "NotStarted" },
    { in: active, gives: "active", attempt: 3 },
    { in: delegated, gives: "delegated", attempt: 3, also: awaits("c") },
    { in: interrupted, gives: "UseResume" },
    { in: completed, gives: "Terminal" }
  ],
  Close: [
    { in: created, gives: "NotStarted" },
    { in: active, gives: "StopFirst" },
    { in: delegated, gives: "StillWaiting" },
    { in: interruptedWaiting, gives: "ChildrenPending" },
    {
      in: interrupted,
      gives: "completed",
      attempt: 3,
      also: (after) => after.status === "completed" && after.result === "enough" && after.outcome === "cancelled"
    },
    { in: completed, gives: "=" }
  ],
  Abandon: [
    { in: created, gives: "NotStarted" },
    { in: active, gives: "=" },
    {
      in: { ...active, awaiting: { [id("c")]: { callId: "call-c", since: 5, wait: "background" } } },
      gives: "active",
      attempt: 2,
      also: collectedAs("abandoned")
    },
    { in: delegated, gives: "interrupted", attempt: 2, also: isInterrupted("ready", "delegated") },
    { in: two, gives: "delegated", attempt: 2, also: (after) => collectedAs("abandoned")(after) && awaits("e")(after) },
    { in: interruptedWaiting, gives: "interrupted", also: isInterrupted("user", "delegated") },
    { in: interruptedWaiting, gives: "interrupted", also: collectedAs("abandoned") },
    { in: completed, gives: "Terminal" }
  ],
  Delete: [
    { in: created, gives: "completed", also: isTombstone },
    { in: active, gives: "StopFirst" },
    { in: delegated, gives: "completed", also: isTombstone },
    { in: interruptedWaiting, gives: "completed", also: isTombstone },
    { in: completed, gives: "completed", attempt: 2, also: isTombstone },
    { in: { ...completed, deletedAt: 3, deletedBy: "p1" }, gives: "=" },
    { in: deleted(interruptedWaiting), gives: "completed", also: (after) => TaskRecord.keptOf(after) === undefined }
  ],
  Undelete: [
    { in: created, gives: "=" },
    { in: active, gives: "=" },
    { in: delegated, gives: "=" },
    { in: interruptedWaiting, gives: "=" },
    { in: completed, gives: "=" },
    { in: { ...completed, deletedAt: 3, deletedBy: "p1" }, gives: "Deleted" },
    { in: deleted(created), gives: "created", attempt: 0, also: (after) => isAgain(created)(after) },
    { in: deleted(interruptedWaiting), gives: "interrupted", also: (after) => isAgain(interruptedWaiting)(after) },
    { in: deleted(completed), gives: "completed", also: (after) => isAgain(completed)(after) }
  ]
}

describe("the transition table", () => {
  for (const name of Object.keys(table) as Array<OnRecord>) {
    it(`has a cell for ${name} in every status`, () => {
      const statuses = new Set(table[name].map((cell) => cell.in.status))
      assert.deepStrictEqual([...statuses].toSorted(), [...TaskRecord.Status.literals].toSorted())
    })
    for (const [index, cell] of table[name].entries()) {
      it(`${name} on ${cell.in.status} gives ${cell.gives} (${index})`, () => {
        const result = Command.transitionAny(cell.in, commands[name])
        if (Result.isFailure(result)) {
          assert.strictEqual(result.failure.rule, cell.gives)
          assert.include(result.failure.message, Transition.rules[result.failure.rule])
          return
        }
        const after = result.success
        if (cell.gives === "=") return assert.strictEqual(after, cell.in)
        assert.strictEqual(after.status, cell.gives)
        assert.strictEqual(after.rev, cell.in.rev + 1)
        assert.deepStrictEqual(after.lineage, cell.in.lineage)
        if (cell.attempt !== undefined) assert.strictEqual(after.attempt, cell.attempt)
        if (cell.also !== undefined) assert.isTrue(cell.also(after))
      })
    }
  }

  it("covers every command of the source table and no other", () => {
    const onRecord = Object.keys(Transition.table).filter((name) => name !== "Continue" && name !== "Fork")
    assert.deepStrictEqual(Object.keys(table).toSorted(), onRecord.toSorted())
  })
})

describe("transition", () => {
  it("refuses a delegation that leaves nothing to wait for", () => {
    const none = Command.transition(active, { _tag: "Delegate", children: [], at: 1 })
    assert.strictEqual(Result.isFailure(none) ? none.failure.rule : "", "NoChildren")
  })

  it("refuses every command on a tombstone", () => {
    for (const [name, command] of Object.entries(commands)) {
      if (name === "Delete") continue
      assert.isTrue(TaskRecord.isTombstone(deleted(completed)))
      if (name !== "Undelete") assert.isTrue(Result.isFailure(Command.transitionAny(deleted(completed), command)), name)
      const result = Command.transitionAny({ ...completed, deletedAt: 3 }, command)
      assert.strictEqual(Result.isFailure(result) ? result.failure.rule : "", "Deleted", name)
    }
  })

  it("keeps a fork and a continuation on every write", () => {
    const marked: TaskRecord.Active = { ...active, forkedFrom: id("f"), continuesTaskId: id("g") }
    const after = Result.getOrThrow(Command.transition(marked, { _tag: "Interrupt", reason: "user" }))
    assert.strictEqual(after.forkedFrom, id("f"))
    assert.strictEqual(after.continuesTaskId, id("g"))
  })

  it("collects a child once, whatever its id", () => {
    const name = id("constructor")
    const after = Command.transitionAny(delegated, { _tag: "Collect", children: [report("constructor")], at: 1 })
    assert.strictEqual(Result.getOrThrow(after), delegated)
    assert.isUndefined(TaskRecord.awaitedEntry(delegated, name))
  })
})
