/** Access to the store of a workspace: the git that may be run for it, the place that it is, and the time that it may take. */
import { Git, GitProgram } from "@belay/git-runner"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as path from "node:path"
import { CheckpointError } from "../CheckpointError.ts"
import type * as Api from "../Checkpoints.ts"
import * as Collection from "./collection.ts"
import * as GitVersion from "./gitVersion.ts"
import * as Place from "./place.ts"
import * as Snapshot from "./snapshot.ts"
import * as Store from "./store.ts"

export interface Settings {
  readonly directory: string
  readonly maxFileBytes: number
  readonly timeLimit: Duration.Duration
  readonly maxAge: Duration.Duration
  readonly maxBytes: number
  readonly git: string | undefined
  readonly environment: NodeJS.ProcessEnv
}

/** A workspace and its store, for as long as a scope is open. */
export interface Entered {
  readonly place: Place.Place
  readonly store: Store.Store
}

/** What every request of the service goes through. */
export const accessTo = (settings: Settings) => {
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
  const enter = Effect.fnUntraced(function* (folder: string): Effect.fn.Return<Entered, CheckpointError, Scope.Scope> {
    const workspace = yield* Place.accept(folder, home, dataFolder)
    const around = yield* limited(surroundings([workspace]))
    const place = yield* limited(Place.find(around, workspace))
    const store = yield* Store.use(around, place)
    return { place, store }
  })

  const inWorkspace = <Request extends Api.TaskPlace, A, E>(
    body: (request: Request, entered: Entered) => Effect.Effect<A, E>
  ) =>
    Effect.fnUntraced(function* (request: Request) {
      const entered = yield* enter(request.workspace)
      return yield* Effect.mapError(body(request, entered), Store.toError)
    }, Effect.scoped)

  const now = ({ place, store }: Entered) => limited(Snapshot.record(store, place, { ...settings, dataFolder }))

  return { dataFolder, everywhere, inWorkspace, limited, now }
}
