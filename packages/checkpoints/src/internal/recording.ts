/**
 * Makes one checkpoint of a turn.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { RecordRequest, Recorded, Skipped } from "../Checkpoints.ts"
import type { LeftOut } from "../Checkpoint.ts"
import * as BytePath from "./bytePath.ts"
import * as Timeline from "../Timeline.ts"
import type { Place } from "./place.ts"
import * as Refs from "./refs.ts"
import type { Limits } from "./scan.ts"
import * as Snapshot from "./snapshot.ts"
import type { Store } from "./store.ts"
import * as Trees from "./trees.ts"

const shown = ({ leftOut }: Snapshot.Snapshot): ReadonlyArray<LeftOut> =>
  [...leftOut].map(([file, reason]) => ({ path: BytePath.shown(file), reason }))

const skipped = (reason: Skipped["reason"], entry: Refs.Entry, leftOut: ReadonlyArray<LeftOut> = []): Skipped => ({
  _tag: "Skipped",
  reason,
  id: entry.checkpoint.id,
  leftOut
})

const newest = (entries: ReadonlyArray<Refs.Entry>): Refs.Entry | undefined => {
  const last = Timeline.ordered(entries.map(({ checkpoint }) => checkpoint)).at(-1)
  return entries.find(({ checkpoint }) => checkpoint === last)
}

export const record = Effect.fnUntraced(function* (store: Store, place: Place, limits: Limits, request: RecordRequest) {
  const { messageIndex, moment, taskId } = request
  const ref = Refs.refOf(request, "")
  const existing = Effect.map(Refs.list(store, taskId), (entries) => ({
    entries,
    same: moment === "before" ? entries.find((entry) => entry.ref === ref) : undefined
  }))
  if (moment === "before" && Refs.exists(store, ref)) {
    const { same } = yield* existing
    if (same !== undefined) return skipped("recorded", same)
  }
  const { entries } = yield* existing
  const trees = new Set(entries.map(({ checkpoint }) => checkpoint.tree))
  const snapshot = yield* Snapshot.record(store, place, limits, trees)
  const previous = newest(entries)
  if (moment === "after" && previous?.checkpoint.tree === snapshot.tree) {
    return skipped("unchanged", previous, shown(snapshot))
  }
  const tree = previous?.checkpoint.tree ?? snapshot.tree
  const files = (yield* Trees.differences(store, tree, snapshot.tree)).length
  const at = yield* Clock.currentTimeMillis
  const facts = { taskId, messageIndex, moment, at, files }
  const id = yield* Refs.commit(store, facts, snapshot)
  const written = Refs.update(store, moment === "before" ? { create: [[ref, id]] } : { put: [[ref, id]] })
  // Another process may have been first.
  const first = yield* written.pipe(
    Effect.as(undefined),
    Effect.catch((failure) =>
      Effect.flatMap(existing, (found) =>
        found.same === undefined ? Effect.fail(failure) : Effect.succeed(found.same)
      )
    )
  )
  if (first !== undefined) return skipped("recorded", first)
  Refs.keep(store, ref, id, facts, snapshot)
  const recorded: Recorded = { _tag: "Recorded", id, files, leftOut: shown(snapshot) }
  return recorded
})
