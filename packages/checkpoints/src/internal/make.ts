/**
 * The service over git and the file system.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import * as fs from "node:fs"
import * as path from "node:path"
import type { CheckpointId } from "../Checkpoint.ts"
import { CheckpointError } from "../CheckpointError.ts"
import type * as Api from "../Checkpoints.ts"
import * as Timeline from "../Timeline.ts"
import { accessTo, type Entered, type Settings } from "./access.ts"
import * as Apply from "./apply.ts"
import * as Blobs from "./blobs.ts"
import * as BytePath from "./bytePath.ts"
import { collect, removeTask, tasksIn } from "./collect.ts"
import * as Collection from "./collection.ts"
import * as Place from "./place.ts"
import * as Recording from "./recording.ts"
import * as Refs from "./refs.ts"
import * as Restoration from "./restoration.ts"
import * as Shares from "./shares.ts"
import * as Store from "./store.ts"
import * as Trees from "./trees.ts"

type Service = Api.Checkpoints["Service"]

type Access = ReturnType<typeof accessTo>

const find = Effect.fnUntraced(function* ({ store }: Entered, request: Api.TaskPlace, id: CheckpointId) {
  const entries = yield* Refs.list(store, request.taskId)
  const entry = entries.find(({ checkpoint }) => checkpoint.id === id)
  return entry ?? (yield* new CheckpointError({ reason: "notFound", subject: id }))
})

const sides = Effect.fnUntraced(function* ({ now }: Access, entered: Entered, request: Api.CompareRequest) {
  const from = yield* find(entered, request, request.from)
  const to = request.to === "now" ? yield* now(entered) : (yield* find(entered, request, request.to)).checkpoint
  return [from.checkpoint.tree, to.tree] as const
})

const planned = Effect.fnUntraced(function* (entered: Entered, request: Api.RestoreRequest, tree: string) {
  const { place, store } = entered
  const target = yield* find(entered, request, request.to)
  const isWanted = Restoration.isNamed(request.paths, place.foldsCase)
  const all = yield* Trees.differences(store, tree, target.checkpoint.tree)
  const differences = all.filter(({ file }) => isWanted(file))
  const restoration = Restoration.plan({ differences, leftOut: target.leftOut, foldsCase: place.foldsCase })
  const share = yield* Shares.since(store, yield* Refs.list(store), request.to, tree)
  const report = (kept: Restoration.Restoration["kept"]): Api.Restored => ({
    changes: differences.filter(({ file }) => !kept.has(file)).map(share),
    kept: [...kept].map(([file, reason]) => ({ path: BytePath.shown(file), reason }))
  })
  return { restoration, report }
})

export const make = (settings: Settings): Service => {
  const access = accessTo(settings)
  const { dataFolder, everywhere, inWorkspace, limited, now } = access

  const record: Service["record"] = inWorkspace((request: Api.RecordRequest, { place, store }) =>
    limited(Recording.record(store, place, { ...settings, dataFolder }, request))
  )

  const list: Service["list"] = Effect.fnUntraced(function* (request) {
    const workspace = Place.resolved(path.resolve(request.workspace))
    if (!fs.existsSync(Store.folderOf(dataFolder, workspace))) return []
    const entries = yield* inWorkspace((_: Api.TaskPlace, { store }) => Refs.list(store, request.taskId))(request)
    return Timeline.ordered(entries.map(({ checkpoint }) => checkpoint))
  })

  const compare: Service["compare"] = inWorkspace((request: Api.CompareRequest, entered) =>
    sides(access, entered, request).pipe(
      Effect.flatMap(([from, to]) => Trees.differences(entered.store, from, to)),
      Effect.map((found) => found.map(Trees.changeOf))
    )
  )

  const patch: Service["patch"] = inWorkspace((request: Api.CompareRequest, entered) =>
    Effect.flatMap(sides(access, entered, request), ([from, to]) => Trees.patch(entered.store, from, to))
  )

  const content: Service["content"] = (request, blob) =>
    inWorkspace((_: Api.TaskPlace, { store }) =>
      Effect.gen(function* () {
        const isId = /^[0-9a-f]{40}$/.test(blob)
        if (!isId) return yield* new CheckpointError({ reason: "notFound", subject: blob })
        return yield* Blobs.content(store, blob)
      })
    )(request)

  const preview: Service["preview"] = inWorkspace((request: Api.RestoreRequest, entered) =>
    Effect.gen(function* () {
      const { tree } = yield* now(entered)
      const { report, restoration } = yield* planned(entered, request, tree)
      return report(Apply.foreseen(entered.place, restoration))
    })
  )

  const restore: Service["restore"] = inWorkspace((request: Api.RestoreRequest, entered) =>
    Effect.gen(function* () {
      const { place, store } = entered
      const target = yield* find(entered, request, request.to)
      const snapshot = yield* now(entered)
      const at = yield* Clock.currentTimeMillis
      const { messageIndex } = target.checkpoint
      const { restoration, report } = yield* planned(entered, request, snapshot.tree)
      const files = restoration.first.length + restoration.writes.length + restoration.removals.length
      const facts = { taskId: request.taskId, messageIndex, moment: "restore" as const, at, files }
      const undo = yield* Refs.commit(store, facts, snapshot)
      const name = `${at}-${(yield* Random.nextIntBetween(0, 0xffffffff)).toString(36)}`
      yield* Refs.update(store, { create: [[Refs.refOf(facts, name), undo]] })
      const kept = yield* Apply.apply(store, place, restoration)
      return { ...report(kept), undo }
    })
  )

  const branch: Service["branch"] = (request, at, newTaskId) =>
    inWorkspace((_: Api.TaskPlace, entered) =>
      Effect.gen(function* () {
        const target = yield* find(entered, request, at)
        const entries = yield* Refs.list(entered.store, request.taskId)
        const sorted = Timeline.ordered(entries.map(({ checkpoint }) => checkpoint))
        const until = sorted.findIndex(({ id }) => id === target.checkpoint.id)
        const put = sorted
          .slice(0, until + 1)
          .map(
            (checkpoint) => [Refs.refOf({ ...checkpoint, taskId: newTaskId }, checkpoint.id), checkpoint.id] as const
          )
        yield* Refs.update(entered.store, { put })
      })
    )(request)

  return {
    record,
    list,
    compare,
    patch,
    content,
    preview,
    restore,
    branch,
    remove: Effect.fnUntraced(function* (taskId) {
      const around = yield* everywhere()
      yield* removeTask(around, taskId)
    }),
    collect: Effect.fnUntraced(function* () {
      const around = yield* everywhere()
      return yield* collect(around, settings)
    }),
    tidy: Effect.fnUntraced(function* () {
      const now = yield* Clock.currentTimeMillis
      if (!Collection.isDue(dataFolder, now)) return undefined
      const around = yield* everywhere()
      const collected = yield* collect(around, settings)
      yield* Store.attempt(() => Collection.done(dataFolder, now))
      return collected
    }),
    tasks: () => Store.attempt(() => tasksIn(dataFolder))
  }
}
