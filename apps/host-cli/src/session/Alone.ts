/**
 * The limit of requests where nobody is there to stop a run: of the whole tree, and unless another limit of requests is
 * given. A task of before that has none gets it when it goes on, beyond what it has used already.
 */
import { TaskHistory } from "@belay/history-store"
import { Settings } from "@belay/settings"
import { TaskNode } from "@belay/task-engine/remote"
import type { TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Sink } from "../output/Sink.ts"
import type { RunOptions } from "./RunOptions.ts"
import * as Terminal from "../terminal/Terminal.ts"

export const requests = 250

/** Nobody can stop the run or answer it. */
const isAlone = ({ input }: RunOptions): boolean => input === undefined && !Terminal.isAttended()

export const said = (more: "" | " more"): string =>
  `At most ${requests}${more} requests, since nobody is there (--max-requests).\n`

/** A new task with these settings gets the limit. */
export const isBounded = (settings: Settings.TaskSettings, options: RunOptions): boolean =>
  settings.maxRequests === null && isAlone(options)

/** Those of a task that goes on from another; that they get the limit is said. */
export const bounded = (settings: Settings.TaskSettings, options: RunOptions, sink: Sink): Settings.TaskSettings => {
  if (!isBounded(settings, options)) return settings
  sink.err(said(""))
  return { ...settings, maxRequests: requests }
}

/** The limit that a task which goes on gets; that of a task above it is stored here. */
export const resumed = (id: TaskId.TaskId, options: RunOptions, sink: Sink) =>
  Effect.gen(function* () {
    const history = yield* TaskHistory
    const row = Option.getOrUndefined(yield* history.row(id))
    const root = row === undefined ? undefined : Option.getOrUndefined(yield* history.row(row.record.lineage.rootId))
    if (root === undefined || root.record.status === "completed" || !isAlone(options)) return {}
    const isRoot = root.record.id === id
    const settings = yield* Effect.option(Settings.decode(root.meta.settings))
    if (Option.isNone(settings) || settings.value.maxRequests !== null) return {}
    if (isRoot && options.maxRequests !== undefined) return {}
    const used = TaskNode.usage(yield* TaskNode.whole(root)).requests
    sink.err(said(" more"))
    const limit = { maxRequests: used + requests }
    if (isRoot) return limit
    const wider = { ...settings.value, ...limit }
    yield* history.commit([{ _tag: "ConfigureAtRest", taskId: root.record.id, settings: wider }])
    return {}
  })
