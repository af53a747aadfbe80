/**
 * `belay history doctor`: checks every record against the invariants; `--repair` reconciles, after a copy of the file was
 * made.
 *
 * Other processes may write meanwhile, so a violation counts when two looks find it. The processes that have tasks are
 * named, with what is known of them; one that nobody can judge is no violation.
 */
import { Backup, type History, RepairNotice, TaskHistory } from "@belay/history-store"
import * as DataFolder from "@belay/history-store/data-folder"
import { Words } from "@belay/interaction"
import { Invariant, type TaskId, type TaskRecord } from "@belay/task-state"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { existsSync } from "node:fs"
import * as path from "node:path"
import { isSet, type Parsed, text } from "../../cli/Arguments.ts"
import { type ExitCode, type Failure, fromError } from "../../cli/Failure.ts"
import { layer as history } from "../../tasks/History.ts"
import * as OwnersText from "../../tasks/OwnersText.ts"
import type { Sink } from "../../output/Sink.ts"
import { reading } from "../../tasks/Reading.ts"

interface Violation {
  readonly taskId: TaskId.TaskId
  /** 0: the record cannot be read. */
  readonly invariant: number
  readonly detail: string
}

const page = 500

/** What one look finds. */
const look = Effect.gen(function* () {
  const store = yield* TaskHistory
  const tasks = new Map<TaskId.TaskId, TaskRecord.TaskRecord>()
  const leases = new Map<TaskId.TaskId, TaskRecord.Lease>()
  const living = new Set<string>()
  const unreadable: Array<Violation> = []
  const know = ({ lease, record }: History.TaskRow): void => {
    tasks.set(record.id, record)
    if (lease === null) return
    leases.set(record.id, lease)
    if (lease.alive) living.add(lease.ownerId)
  }
  for (let cursor: string | undefined, more = true; more;) {
    const found = yield* store.list({ limit: page, ...(cursor === undefined ? {} : { cursor }) })
    found.rows.forEach(know)
    for (const taskId of found.unreadable) unreadable.push({ taskId, invariant: 0, detail: "it cannot be read" })
    cursor = found.nextCursor
    more = cursor !== undefined
  }
  const isUnreadable = new Set(unreadable.map(({ taskId }) => taskId))
  const broken = Invariant.violations({ tasks, leases, alive: (ownerId) => living.has(ownerId) })
  // Whoever waits for what cannot be read goes on waiting.
  const waits = broken.filter(({ detail }) => ![...isUnreadable].some((id) => detail.includes(id)))
  return [...unreadable, ...waits]
})

const violations = Effect.gen(function* () {
  const first = yield* look
  if (first.length === 0) return first
  const again = new Set((yield* look).map((one) => JSON.stringify(one)))
  return first.filter((one) => again.has(JSON.stringify(one)))
})

/** A copy of the whole file, as it is. */
const copied = Effect.gen(function* () {
  const directory = DataFolder.directory()
  const now = new Date(yield* Clock.currentTimeMillis).toISOString().replaceAll(":", "-")
  const target = path.join(directory, "backups", `belay-${now}.db`)
  yield* Effect.mapError(Backup.exact(directory, target), fromError)
  return target
})

const repaired = Effect.gen(function* () {
  const backup = yield* copied
  const { quarantined, repairs } = yield* Effect.provide(
    // They are listed below.
    TaskHistory.use((store) => store.reconcile(new Set())).pipe(
      Effect.provideService(RepairNotice.RepairNotice, RepairNotice.silent)
    ),
    history()
  )
  return { backup, quarantined, repairs }
})

const of = (owners: ReadonlyArray<History.SeenOwner>) =>
  owners.length === 0 ? {} : { owners: owners.map(OwnersText.json) }

/** What is meant by an invariant that people meet; the others are told as they are. */
const words = ({ detail, invariant }: Violation): string => {
  if (invariant === 0) return `${detail} (belay history doctor --repair keeps a copy)`
  if (detail.endsWith("without a live lease")) return "its process is gone (repaired when you resume)"
  return detail.endsWith("is completed and not collected")
    ? "a subtask has ended and it was not told (repaired when you resume)"
    : `${detail} (${invariant})`
}

const said = (violation: Violation) =>
  Effect.gen(function* () {
    const row = yield* (yield* TaskHistory)
      .row(violation.taskId)
      .pipe(Effect.orElseSucceed(() => Option.none<History.TaskRow>()))
    const name = Option.match(row, { onNone: () => violation.taskId, onSome: ({ meta }) => `"${meta.title}"` })
    return `task ${name}: ${words(violation)}`
  })

const nothing = { backup: undefined, quarantined: [], repairs: [] }

export const run = (parsed: Parsed, sink: Sink): Effect.Effect<ExitCode, Failure> =>
  Effect.gen(function* () {
    const exists = existsSync(path.join(DataFolder.directory(), "belay.db"))
    const before = yield* reading(violations)
    const repairs = isSet(parsed, "repair") && exists && before.length > 0
    const done = repairs ? yield* Effect.mapError(repaired, fromError) : nothing
    const left = repairs ? yield* reading(violations) : before
    const ok = left.length === 0
    const owners = yield* reading(TaskHistory.use((store) => store.owners))
    if (text(parsed, "output") === "json") {
      sink.data(`${JSON.stringify({ ok, violations: left, repairs: done.repairs, ...of(owners) })}\n`)
      return ok ? 0 : 1
    }
    const lines = [
      ok ? "The history is sound." : `${left.length} ${left.length === 1 ? "record is" : "records are"} not sound.`,
      ...(done.backup === undefined ? [] : [`A copy from before the repair: ${done.backup}`]),
      ...done.repairs.map(({ detail, rule, taskId }) => `${rule}  ${taskId}: ${detail}`),
      ...done.quarantined.map(({ reason, taskId }) => `left alone  ${taskId}: ${reason}`),
      ...(yield* reading(Effect.forEach(left, said))),
      ...owners.map(OwnersText.line)
    ]
    sink.out(`${lines.map((line) => Words.printable(line)).join("\n")}\n`)
    if (!ok && !repairs) sink.err("Repair what can be repaired: belay history doctor --repair\n")
    return ok ? 0 : 1
  })
