/**
 * `belay task watch`: follows a task and its subtasks wherever they run, without writing anything.
 *
 * It ends when the task is at rest: completed, interrupted, or nobody alive runs it or what it waits for. That an owner
 * was killed shows at its lock, so a watcher never waits for a process that is gone.
 */
import { type Event, type History, type HistoryError, TaskHistory } from "@belay/history-store"
import { StateText } from "@belay/interaction/tasks"
import { TaskNode } from "@belay/task-engine/remote"
import { Holder, Words } from "@belay/interaction"
import type { TaskId } from "@belay/task-state"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import { number, type Parsed, text } from "../../cli/Arguments.ts"
import type { ExitCode, Failure } from "../../cli/Failure.ts"
import * as Follow from "../../tasks/Follow.ts"
import * as Appearance from "../../output/Appearance.ts"
import { line as eventLine } from "../../progress/EventJson.ts"
import * as Progress from "../../progress/Progress.ts"
import * as ResultObject from "../../result/ResultObject.ts"
import type { Sink } from "../../output/Sink.ts"
import { reading } from "../../tasks/Reading.ts"
import * as Signals from "../../terminal/Signals.ts"
import * as TaskReference from "../../tasks/TaskReference.ts"
import { load } from "../../tasks/TaskTree.ts"

type Reads<A> = Effect.Effect<A, Failure | HistoryError.HistoryError, TaskHistory>

const pollEvery = "200 millis"

/** Events between two looks at whether stdout keeps up. */
const batch = 200

const parentOf = (row: History.TaskRow): Reads<History.TaskRow | undefined> =>
  Effect.gen(function* () {
    const { parentId } = row.record.lineage
    return parentId === undefined ? undefined : Option.getOrUndefined(yield* (yield* TaskHistory).row(parentId))
  })

/** Whether nobody alive has anything to do for it. `owner` ran it when it was last seen running. */
const isAtRest = (node: TaskNode.TaskNode, owner: string | undefined): Reads<boolean> =>
  Effect.gen(function* () {
    const leases = TaskNode.descendants(node).flatMap(({ row: { lease } }) => (lease?.alive === true ? [lease] : []))
    switch (node.row.record.status) {
      case "completed":
        return true
      case "interrupted":
        // Its process stops the subtasks after it.
        return !leases.some((lease) => lease.ownerId === owner)
      case "created":
        return (yield* parentOf(node.row))?.lease?.alive !== true
      default:
        return !TaskNode.isAlive(node) && leases.length === 0
    }
  })

/** Hands over events until the task is at rest; its state then. */
const follow = (id: TaskId.TaskId, from: number, sink: Sink, show: Parameters<typeof Progress.make>[0] | undefined) =>
  Effect.gen(function* () {
    const history = yield* TaskHistory
    const source = yield* Follow.make(id, from)
    const progress = show === undefined ? undefined : Progress.make(show, true)
    let taken = 0
    const take = (event: Event.StoredEvent) =>
      Effect.suspend(() => {
        if (progress === undefined) sink.data(eventLine(event))
        else progress.take(event)
        taken += 1
        return taken % batch === 0 ? Effect.promise(sink.flush) : Effect.void
      })
    let seen = -1
    let owner: string | undefined
    for (;;) {
      const version = yield* history.version
      const node = yield* load(id)
      owner = node.row.lease?.ownerId ?? owner
      const rests = yield* isAtRest(node, owner)
      if (rests || version !== seen) yield* source.drain(take)
      if (rests) return node
      seen = version
      yield* Effect.sleep(pollEvery)
    }
  })

/** Fails to be waited for any longer: a signal, or nobody reads what is printed. */
const stopped = Effect.gen(function* () {
  const gate = yield* Deferred.make<ExitCode>()
  yield* Signals.onFirst(() => Deferred.succeed(gate, 130))
  const context = yield* Effect.context()
  const closed = (): void => void Effect.runForkWith(context)(Deferred.succeed(gate, 0))
  yield* Effect.acquireRelease(
    Effect.sync(() => process.stdout.once("error", closed)),
    () => Effect.sync(() => process.stdout.off("error", closed))
  )
  return yield* Deferred.await(gate)
})

const headline = (node: TaskNode.TaskNode): string => {
  const { lease, meta } = node.row
  if (lease?.alive !== true) return ""
  const { kind, pid } = lease.owner
  if (lease.doubt !== undefined) {
    return `${Holder.holds(`"${Words.printable(meta.title)}"`, { ...lease.owner, doubt: lease.doubt, mayRun: [] })}. Following it, read-only; Ctrl+C ends that.\n`
  }
  return `"${Words.printable(meta.title)}" runs in process ${pid} (${kind}). Following it, read-only; Ctrl+C leaves it running.\n`
}

/** Where it came to rest, and the command to go on. */
const farewell = (node: TaskNode.TaskNode, look: Appearance.Appearance): Reads<string> =>
  Effect.gen(function* () {
    const { detail, label, sign } = StateText.of(node)
    const glyph = look.plain ? "" : `${Appearance.tinted(look, sign.tone, Appearance.glyph(look, sign))} `
    const state = `${glyph}${Appearance.typeset(look, detail === "" ? label : `${label}: ${detail}`)}\n`
    const parent = yield* parentOf(node.row)
    const verb = StateText.nextVerb(node, parent?.lease?.alive === true)
    if (verb !== "resume") return state
    return `${state}Go on with: belay task resume ${yield* TaskReference.short(node.row.record.id)}\n`
  })

export const run = (parsed: Parsed, sink: Sink): Effect.Effect<ExitCode, Failure> =>
  reading(
    Effect.scoped(
      Effect.gen(function* () {
        const output = text(parsed, "output") ?? "text"
        const from = (yield* Effect.fromResult(number(parsed, "from"))) ?? 1
        const id = yield* TaskReference.inFolder(parsed.args[0] ?? "", text(parsed, "cwd"))
        const start = yield* load(id)
        if (output === "text") sink.err(headline(start))
        const silent = () => undefined
        const show = output === "stream-json" ? undefined : output === "json" ? silent : sink.out
        const signal = yield* Effect.forkScoped(stopped)
        const ended = yield* Effect.raceFirst(follow(id, from, sink, show), Fiber.join(signal))
        if (typeof ended === "number") return ended
        if (output === "json") sink.data(`${JSON.stringify(yield* ResultObject.read(id))}\n`)
        const write = output === "text" ? sink.out : sink.err
        write(yield* farewell(ended, Appearance.of(parsed)))
        return 0
      })
    )
  )
