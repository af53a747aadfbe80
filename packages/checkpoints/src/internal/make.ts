/**
 * The service over git and the file system.
 */
import { Git, GitProgram } from "@belay/git-runner"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import * as fs from "node:fs"
import * as path from "node:path"
import type { CheckpointId } from "../Checkpoint.ts"
import { CheckpointError } from "../CheckpointError.ts"
import type * as Api from "../Checkpoints.ts"
import * as Timeline from "../Timeline.ts"
import * as Apply from "./apply.ts"
import * as Blobs from "./blobs.ts"
import * as BytePath from "./bytePath.ts"
import { collect, removeTask, tasksIn } from "./collect.ts"
import * as Collection from "./collection.ts"
import * as GitVersion from "./gitVersion.ts"
import * as Place from "./place.ts"
import * as Recording from "./recording.ts"
import * as Refs from "./refs.ts"
import * as Restoration from "./restoration.ts"
import * as Shares from "./shares.ts"
import * as Snapshot from "./snapshot.ts"
import * as Store from "./store.ts"
import * as Trees from "./trees.ts"

export interface Settings {
  readonly directory: string
  readonly maxFileBytes: number
  readonly timeLimit: Duration.Duration
  readonly maxAge: Duration.Duration
  readonly maxBytes: number
  readonly git: string | undefined
  readonly environment: NodeJS.ProcessEnv
}

type Service = Api.Checkpoints["Service"]

export const make = (settings: Settings): Service => {
  const { environment } = settings
  const home = Place.homeOf(environment)
  const dataFolder = Place.resolved(path.resolve(settings.directory))
  const versions = new Map<string, GitVersion.GitVersion>()

  /** Programs that lie in one of the folders are a project's, and never run. */
  const surroundings = Effect.fnUntraced(function* (folders: ReadonlyArray<string>) {
    const program = settings.git ?? GitProgram.find(environment, folders)
    if (program === undefined) return yield* new CheckpointError({ reason: "noGit", subject: "git" })
    const own = Git.ownEnvironment(environment, folders)
    const users = Git.userEnvironment(environment, folders)
    const version = versions.get(program) ?? (yield* GitVersion.check(program, own))
    versions.set(program, version)
    const around: Place.Surroundings = { program, version, environment, own, users, home, dataFolder }
    return around
  })

  /** For all stores: of every workspace that has one. */
  const everywhere = Effect.fnUntraced(function* () {
    const workspaces = yield* Store.attempt(() => Collection.workspaces(dataFolder))
    return yield* surroundings([dataFolder, ...workspaces])
  })

  const limited = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E | CheckpointError> =>
    Effect.timeoutOrElse(effect, {
      duration: settings.timeLimit,
      orElse: () =>
        Effect.fail(new CheckpointError({ reason: "tooSlow", subject: String(Duration.toSeconds(settings.timeLimit)) }))
    })

  /** The workspace and its store, for as long as the scope is open. */
  const enter = Effect.fnUntraced(function* (folder: string) {
    const workspace = yield* Place.accept(folder, home, dataFolder)
    const around = yield* limited(surroundings([workspace]))
    const place = yield* limited(Place.find(around, workspace))
    const store = yield* Store.use(around, place)
    return { place, store }
  })
  type Entered = Effect.Success<ReturnType<typeof enter>>

  const inWorkspace = <Request extends Api.TaskPlace, A, E>(
    body: (request: Request, entered: Entered) => Effect.Effect<A, E>
  ) =>
    Effect.fnUntraced(function* (request: Request) {
      const entered = yield* enter(request.workspace)
      return yield* Effect.mapError(body(request, entered), Store.toError)
    }, Effect.scoped)

  const now = ({ place, store }: Entered) => limited(Snapshot.record(store, place, { ...settings, dataFolder }))

  const find = Effect.fnUntraced(function* ({ store }: Entered, request: Api.TaskPlace, id: CheckpointId) {
    const entries = yield* Refs.list(store, request.taskId)
    const entry = entries.find(({ checkpoint }) => checkpoint.id === id)
    return entry ?? (yield* new CheckpointError({ reason: "notFound", subject: id }))
  })

  const sides = Effect.fnUntraced(function* (entered: Entered, request: Api.CompareRequest) {
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
    sides(entered, request).pipe(
      Effect.flatMap(([from, to]) => Trees.differences(entered.store, from, to)),
      Effect.map((found) => found.map(Trees.changeOf))
    )
  )

  const patch: Service["patch"] = inWorkspace((request: Api.CompareRequest, entered) =>
    Effect.flatMap(sides(entered, request), ([from, to]) => Trees.patch(entered.store, from, to))
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
