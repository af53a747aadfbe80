import { LegalDecision, type Protocol, type TaskRecord } from "@belay/task-state"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { active, background, completed, created, delegated, interrupted } from "./support/records.ts"
import { decide } from "./support/decide.ts"
import { delegated as waiting, finish, id, viewOf } from "./support/World.ts"

type Change = Protocol.Change

const change = (
  before: TaskRecord.TaskRecord | undefined,
  command: Change["command"],
  after: TaskRecord.TaskRecord | undefined,
  lease: Change["lease"] = "keep"
): Protocol.Decision => ({ changes: [{ command, before, after, lease }], settlements: [] })

const lease = { taskId: id("t"), ownerId: "p1", attempt: 2, takenAt: 0 }

/** Why a decision on a task is no legal step; nothing when it is one. */
const objection = (decision: Protocol.Decision, stored = decision.changes[0]?.before): string | undefined => {
  const working = stored?.status === "active" || stored?.status === "delegated"
  const checked = LegalDecision.check(
    {
      task: (task) => (task === stored?.id ? stored : undefined),
      lease: (task) => (task === stored?.id && working ? lease : undefined)
    },
    decision
  )
  return Result.isFailure(checked) ? checked.failure.detail : undefined
}

const next = <R extends TaskRecord.TaskRecord>(record: R): R => ({ ...record, rev: record.rev + 1 })

describe("the check of a store before it writes", () => {
  it("lets pass what the protocol decides", () => {
    const world = waiting("a", "c")
    finish(world, "a", "c")
    const view = viewOf(world, "a")
    const decision = decide(view, { _tag: "Collect", taskId: id("p"), attempt: 1, children: [id("c")] })
    assert.strictEqual(decision.settlements.length, 1)
    assert.isTrue(Result.isSuccess(LegalDecision.check(view, decision)))
  })

  const refused: ReadonlyArray<readonly [statement: string, Protocol.Decision, detail: string]> = [
    [
      "a status that the command does not lead to",
      change(active, "Complete", next(interrupted), "release"),
      "a task that is active cannot become interrupted by it"
    ],
    [
      "a command that the table forbids in the status",
      change(completed, "Resume", next({ ...active, attempt: 3 }), "take"),
      "a task that is completed cannot become active by it"
    ],
    ["a revision that is not the next one", change(active, "Interrupt", interrupted, "release"), "revision"],
    [
      "an attempt that grows without a lease being taken",
      change(active, "DelegateBackground", next({ ...active, attempt: 3 })),
      "its attempt would go from 2 to 3"
    ],
    [
      "a resume that leaves the older runner's attempt valid",
      change(interrupted, "Resume", next(active), "take"),
      "2 to 2"
    ],
    [
      "a resume that no process is responsible for",
      change(interrupted, "Resume", next({ ...active, attempt: 3 })),
      "its lease is taken with Start, Resume or TakeOver, and only so"
    ],
    [
      "a stopped task that a process still has",
      change(active, "Interrupt", next(interrupted)),
      "it would be interrupted, and a process would still have it"
    ],
    [
      "another lineage",
      change(interrupted, "CollectUnowned", next({ ...interrupted, lineage: { rootId: id("x"), depth: 0 } })),
      "its lineage has changed"
    ],
    [
      "another creator",
      change(interrupted, "CollectUnowned", next({ ...interrupted, createdBy: "p2" })),
      "its createdBy would change"
    ],
    [
      "a subtask that is forgotten",
      change(delegated, "Collect", next({ ...delegated, status: "active", awaiting: {} })),
      "it would forget the subtask c"
    ],
    [
      "a report of a subtask that it did not wait for",
      change(
        active,
        "Collect",
        next({
          ...active,
          collected: {
            [id("x")]: { callId: "call-x", outcome: "succeeded", summary: "", at: 1, deliveredBy: "call" }
          }
        })
      ),
      "it would collect x, which it did not wait for"
    ],
    [
      "a wait for a task that does not exist",
      change(active, "DelegateBackground", next({ ...active, awaiting: background })),
      "it would wait for b, which does not exist"
    ],
    [
      "delegated, but nothing to wait for",
      change(active, "Delegate", next({ ...delegated, awaiting: {} })),
      "delegated, but no foreground child is awaited"
    ],
    ["a new task that is not new", change(undefined, "Create", { ...active, rev: 1 }), "a new task cannot be active"],
    ["a command on a task that does not exist", change(undefined, "Start", active, "take"), "there is no such task"],
    ["a second task of the same id", change(active, "Create", next(active)), "there is such a task already"],
    [
      "a task that vanishes without a tombstone",
      change(interrupted, "Remove", undefined, "release"),
      "a task that is interrupted cannot be removed without a trace"
    ],
    [
      "an answer for a subtask that was not collected",
      {
        changes: [],
        settlements: [{ taskId: id("t"), callId: "call-c", childId: id("c"), outcome: "succeeded", summary: "42" }]
      },
      "there is no such task"
    ]
  ]

  for (const [statement, decision, detail] of refused) {
    it(`refuses ${statement}`, () => assert.include(objection(decision) ?? "it passes", detail))
  }

  it("refuses what was decided on another record than the stored one", () => {
    const decision = change(active, "Interrupt", next(interrupted), "release")
    const other = { ...active, attempt: 7 }
    assert.strictEqual(objection(decision, other), "it was decided on another record than the stored one")
    assert.isUndefined(objection(decision))
  })

  it("refuses the answer of a call that is another subtask's", () => {
    const world = waiting("a", "c", "d")
    finish(world, "a", "c")
    const view = viewOf(world, "a")
    const decision = decide(view, { _tag: "Collect", taskId: id("p"), attempt: 1, children: [id("c")] })
    const mixed = { ...decision, settlements: decision.settlements.map((one) => ({ ...one, callId: "call-d" })) }
    const checked = LegalDecision.check(view, mixed)
    assert.include(Result.isFailure(checked) ? checked.failure.detail : "", "the call call-d for c")
  })

  it("allows that a task which never ran is removed, and that a new one is made", () => {
    assert.isUndefined(objection(change(created, "Remove", undefined, "release")))
    assert.isUndefined(objection(change(undefined, "Create", { ...created, rev: 1 })))
  })
})
