import { Invariant, Reconcile, TaskId, TaskRecord } from "@belay/task-state"
import * as Legacy from "@belay/task-state/legacy"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

const statuses = ["active", "delegated", "interrupted", "completed"] as const
const permitted = [
  "active>delegated",
  "active>completed",
  "active>interrupted",
  "delegated>active",
  "delegated>interrupted",
  "interrupted>active",
  "interrupted>completed"
]

describe("assertValidTransition", () => {
  it("permits seven changes and throws on every other, equal statuses too", () => {
    for (const from of statuses) {
      for (const to of statuses) {
        const check = () => Legacy.assertValidTransition(from, to)
        if (permitted.includes(`${from}>${to}`)) check()
        else assert.throws(check, Legacy.InvalidTransitionError)
      }
    }
  })

  it("takes an absent status for active", () => {
    Legacy.assertValidTransition(undefined, "delegated")
    Legacy.assertValidTransition("delegated", undefined)
    assert.throws(() => Legacy.assertValidTransition(undefined, "active"), /already/u)
    assert.throws(() => Legacy.assertValidTransition("completed", undefined), /final/u)
  })
})

const parent = { id: "P", status: "delegated", awaitingChildId: "C", delegatedToId: "C", childIds: ["C"], cost: 3 }
const child = { id: "C", status: "completed", parentTaskId: "P", completionResultSummary: "9" }

describe("reconcileDelegationState", () => {
  const repaired = (...items: ReadonlyArray<Legacy.LegacyItem>) => Legacy.reconcileDelegationState(items)

  it("releases a parent of a completed child with its result, and clears both links", () => {
    const lines: Array<string> = []
    const { items, repairs } = Legacy.reconcileDelegationState([parent, child], (line) => lines.push(line))
    assert.deepStrictEqual<unknown>(items, [
      { id: "P", status: "active", childIds: ["C"], cost: 3, completedByChildId: "C", completionResultSummary: "9" },
      child
    ])
    assert.deepStrictEqual(
      lines,
      repairs.map((repair) => repair.message)
    )
    assert.strictEqual(lines.length, 1)
  })

  it("has a text for a child that left none", () => {
    const { completionResultSummary: _, ...silent } = child
    assert.strictEqual(repaired(parent, silent).items[0]?.completionResultSummary, Reconcile.missingSummary)
  })

  it("releases a parent without a child, or whose child does not exist", () => {
    const { repairs, items } = repaired(
      { ...parent, awaitingChildId: "" },
      { ...parent, id: "Q", awaitingChildId: "nope" }
    )
    assert.deepStrictEqual(
      repairs.map(({ reason, taskId }) => [taskId, reason]),
      [
        ["P", "no-child"],
        ["Q", "child-missing"]
      ]
    )
    for (const item of items) {
      assert.strictEqual(item.status, "active")
      assert.notProperty(item, "awaitingChildId")
      assert.notProperty(item, "delegatedToId")
    }
  })

  it("keeps a parent waiting for a child that can still report", () => {
    for (const status of ["active", "delegated", "interrupted", undefined]) {
      const open = { id: "C", awaitingChildId: "P", parentTaskId: "P", ...(status === undefined ? {} : { status }) }
      const items = [parent, open]
      const done = Legacy.reconcileDelegationState<Legacy.LegacyItem>(items)
      assert.strictEqual(done.items[0], items[0])
      assert.deepStrictEqual(done.repairs, [])
    }
  })

  it("leaves a chain above a missing child as it is", () => {
    const chain = [
      { id: "A", status: "delegated", awaitingChildId: "B" },
      { ...parent, id: "B", awaitingChildId: "gone" }
    ]
    assert.deepStrictEqual(
      repaired(...chain).items.map((item) => item.status),
      ["delegated", "active"]
    )
  })
})

const ids = ["t0", "t1", "t2", "t3"] as const
const Item = Schema.Struct({
  status: Schema.Literals([...statuses, "paused", "none"]),
  awaiting: Schema.Literals([...ids, "gone", "", "../x"]),
  delegated: Schema.Literals([...ids, ""]),
  parent: Schema.Literals([...ids, "gone", ""]),
  summary: Schema.Literals(["", "done"]),
  listed: Schema.Array(Schema.Literals([...ids, "gone"])).check(Schema.isMaxLength(3)),
  openCall: Schema.Boolean
})
const Items = Schema.Array(Item).check(Schema.isMinLength(4), Schema.isMaxLength(4))

const itemsOf = (drawn: typeof Items.Type): ReadonlyArray<Legacy.LegacyItem> =>
  drawn.map((one, index) => ({
    id: ids[index] ?? "t0",
    childIds: one.listed,
    ...(one.status === "none" ? {} : { status: one.status }),
    ...(one.awaiting === "" ? {} : { awaitingChildId: one.awaiting }),
    ...(one.delegated === "" ? {} : { delegatedToId: one.delegated }),
    ...(one.parent === "" ? {} : { parentTaskId: one.parent }),
    ...(one.summary === "" ? {} : { completionResultSummary: one.summary })
  }))

const factsOf = (items: ReadonlyArray<Legacy.LegacyItem>, open: (id: string) => boolean): Legacy.Facts => ({
  item: (id) => items.find((item) => item.id === id),
  childrenOf: (id) => items.filter((item) => item.parentTaskId === id).map((item) => item.id),
  openCall: (id) => (open(id) ? `call-${id}` : undefined),
  endsCompleted: () => false,
  me: "importer",
  now: 7
})

const migrateAll = (items: ReadonlyArray<Legacy.LegacyItem>, open: (id: string) => boolean) =>
  new Map(
    items.flatMap((item) => {
      const record = Legacy.migrate(item, factsOf(items, open))?.record
      return record === undefined ? [] : [[record.id, record] as const]
    })
  )

describe("random items of the older shape", () => {
  it.prop("reconcile once and for all, in any order", [Items], ([drawn]) => {
    const items = itemsOf(drawn)
    const once = Legacy.reconcileDelegationState(items)
    const again = Legacy.reconcileDelegationState(once.items)
    assert.deepStrictEqual(again.repairs, [])
    assert.deepStrictEqual(again.items, once.items)
    const backwards = Legacy.reconcileDelegationState(items.toReversed())
    assert.deepStrictEqual(backwards.items.toReversed(), once.items)
    for (const item of once.items) {
      const awaited = items.find((other) => other.id === item.awaitingChildId)
      if (item.status === "delegated") assert.isTrue(awaited !== undefined && awaited.status !== "completed")
    }
    return true
  })

  it.effect.prop("migrate to records that decode, and reconcile to a sound history", [Items], ([drawn]) =>
    Effect.gen(function* () {
      const items = itemsOf(drawn)
      const tasks: Map<TaskId.TaskId, TaskRecord.TaskRecord> = migrateAll(
        items,
        (id) => drawn[Number(id.slice(1))]?.openCall ?? false
      )
      for (const record of tasks.values()) {
        assert.deepStrictEqual(yield* TaskRecord.decode(TaskRecord.encode(record)), record)
      }
      const facts = {
        tasks,
        leases: new Map(),
        alive: () => false,
        me: "importer",
        runners: new Set<TaskId.TaskId>(),
        hasTranscript: () => true,
        now: 9
      }
      for (let fuel = 0; ; fuel++) {
        const found = Reconcile.repairs(facts)
        if (found.length === 0) break
        assert.isBelow(fuel, 50)
        for (const repair of found) {
          if (!Reconcile.isCurrent(repair, (id) => tasks.get(id))) continue
          for (const { after } of repair.decision.changes) if (after !== undefined) tasks.set(after.id, after)
        }
      }
      assert.deepStrictEqual(Invariant.violations({ tasks, leases: new Map(), alive: () => false }), [])
    })
  )
})

/** What of an item the projection of its record shows again, when the item is sound. */
const soundItem = (item: Legacy.LegacyItem) => ({
  status: item.status,
  awaitingChildId: item.awaitingChildId,
  delegatedToId: item.delegatedToId,
  parentTaskId: item.parentTaskId,
  completionResultSummary: item.completionResultSummary
})

describe("sound items of the older shape", () => {
  const Sound = Schema.Array(Schema.Literals(["active", "interrupted", "completed"])).check(
    Schema.isMinLength(1),
    Schema.isMaxLength(5)
  )
  /** A chain in which every task but the last waits for the next, and the last has a status of its own. */
  const chainOf = (statuses: typeof Sound.Type): ReadonlyArray<Legacy.LegacyItem> =>
    statuses.map((status, index) => {
      const waits = index < statuses.length - 1
      const link = waits ? { awaitingChildId: `c${index + 1}`, delegatedToId: `c${index + 1}` } : {}
      return {
        id: `c${index}`,
        status: waits ? "delegated" : status,
        ...link,
        ...(index === 0 ? {} : { parentTaskId: `c${index - 1}` }),
        ...(!waits && status === "completed" ? { completionResultSummary: "done" } : {})
      }
    })

  it.prop("come back from their records as they were, and repair the same way on both sides", [Sound], ([drawn]) => {
    const items = chainOf(drawn)
    const records = migrateAll(items, () => true)
    const back = [...records.values()].map((record) => ({ id: record.id as string, ...Legacy.project(record) }))
    assert.deepStrictEqual(
      back.map((item) => soundItem(item)),
      items.map((item) => soundItem(item))
    )
    assert.deepStrictEqual(
      Legacy.reconcileDelegationState(back).repairs,
      Legacy.reconcileDelegationState(items).repairs
    )
    return true
  })
})

describe("migration", () => {
  const one = (item: Legacy.LegacyItem, others: ReadonlyArray<Legacy.LegacyItem> = [], open = true) => {
    const migrated = Legacy.migrate(
      item,
      factsOf([item, ...others], () => open)
    )
    if (migrated === undefined) throw new Error("not migrated")
    return { ...migrated, rules: migrated.notes.map((note) => note.rule) }
  }
  const open = { id: "C", status: "interrupted", parentTaskId: "P" }

  it("awaits the child under the id of the open call, and comes back as it was", () => {
    const { record } = one(parent, [open])
    assert.deepStrictEqual(TaskRecord.awaitedEntry(record, TaskId.TaskId.make("C")), {
      callId: "call-P",
      since: 7,
      wait: "foreground"
    })
    const { status, awaitingChildId, delegatedToId, childIds } = Legacy.project(record)
    assert.deepStrictEqual<unknown>(
      { status, awaitingChildId, delegatedToId, childIds: [...childIds] },
      {
        status: "delegated",
        awaitingChildId: "C",
        delegatedToId: "C",
        childIds: ["C"]
      }
    )
  })

  it("delivers as a message when the call was answered already", () => {
    const { record } = one(parent, [open], false)
    assert.isTrue(TaskRecord.awaitedEntry(record, TaskId.TaskId.make("C"))?.answered)
  })

  it("projects back what each status was", () => {
    const reported = { id: "P", childIds: ["C"], completedByChildId: "C", completionResultSummary: "9" }
    const back = Legacy.project(one({ ...reported, status: "active" }, [child], false).record)
    assert.deepStrictEqual<unknown>(back, {
      status: "active",
      childIds: ["C"],
      rootTaskId: "P",
      completedByChildId: "C",
      completionResultSummary: "9"
    })
    for (const status of ["active", "interrupted", "completed"]) {
      assert.strictEqual(Legacy.project(one({ id: "P", status }, [], false).record).status, status)
    }
  })

  it("activeWhileAwaiting: an active task that awaits an open child of its own is delegated", () => {
    const migrated = one({ ...parent, status: "active" }, [open])
    assert.strictEqual(migrated.record.status, "delegated")
    assert.deepStrictEqual(migrated.rules, ["activeWhileAwaiting"])
    assert.strictEqual(one({ ...parent, status: "active" }, [{ id: "C" }], false).record.status, "active")
  })

  it("the awaited link counts, completed stays completed, and nothing unknown runs", () => {
    assert.deepStrictEqual(one({ ...parent, delegatedToId: "D" }, [open]).rules, ["linksDiffer"])
    const late = one({ ...parent, status: "completed" }, [open])
    assert.deepStrictEqual([late.record.status, ...late.rules], ["completed", "completedWhileAwaiting"])
    assert.strictEqual(TaskRecord.collectedEntry(late.record, TaskId.TaskId.make("C"))?.outcome, "restarted")
    const stopped = one({ ...parent, status: "interrupted" }, [open]).record
    assert.strictEqual(stopped.status === "interrupted" ? stopped.interruption.from : "", "delegated")
    const unknown = one({ id: "P", status: "paused" })
    assert.deepStrictEqual([unknown.record.status, ...unknown.rules], ["interrupted", "unknownStatus"])
    const ended = Legacy.migrate({ id: "P" }, { ...factsOf([], () => false), endsCompleted: () => true })
    assert.strictEqual(ended?.record.status, "completed")
  })

  it("waits again for a child that was let go while its call is open", () => {
    const freed = { id: "P", status: "active", childIds: ["C"] }
    assert.deepStrictEqual(one(freed, [open]).rules, ["reattached"])
    assert.strictEqual(one(freed, [open], false).record.status, "active")
  })

  it("builds nothing from an id that is not safe", () => {
    assert.isUndefined(
      Legacy.migrate(
        { id: "../x" },
        factsOf([], () => false)
      )
    )
    assert.deepStrictEqual(one({ ...parent, awaitingChildId: "../etc", delegatedToId: "" }).rules[0], "unsafeId")
  })

  it("stepDenied to stepDropped: settles, keeps or drops a step that was begun", () => {
    const waiting = one(parent, [open]).record
    const stopped = one(open, [parent]).record
    const finish = { kind: "finish-subtask", parentTaskId: "P" } as const
    const facts = { mayDelegate: false, awaitedBy: waiting }
    assert.strictEqual(Legacy.pendingAction(stopped, { kind: "create-subtask" }, facts), "deny")
    assert.strictEqual(
      Legacy.pendingAction(stopped, { kind: "create-subtask" }, { ...facts, mayDelegate: true }),
      "keep"
    )
    assert.strictEqual(Legacy.pendingAction(stopped, finish, facts), "keep")
    assert.strictEqual(Legacy.pendingAction(stopped, finish, { ...facts, awaitedBy: undefined }), "standalone")
    assert.strictEqual(Legacy.pendingAction(one(child, [parent]).record, finish, facts), "drop")
  })
})
