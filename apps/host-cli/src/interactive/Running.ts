/**
 * The interface with its engine: tasks run in this process, and what becomes of them is shown.
 *
 * It ends when the person leaves, at a signal, or when the terminal is gone; what runs here is stopped then, and nothing of
 * it is lost.
 */
import { TaskHistory } from "@belay/history-store"
import { Completions } from "@belay/interaction/unstable/feed"
import { TaskStore } from "@belay/interaction/tasks"
import { checkpointBounds, variablesOf } from "@belay/settings/file"
import { Settings } from "@belay/settings"
import { TaskEngine, TaskEvents } from "@belay/task-engine"
import type { TaskId } from "@belay/task-state"
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import { type ExitCode, type Failure, fromError, line } from "../cli/Failure.ts"
import * as Failpoints from "../cli/Failpoints.ts"
import { folderContext, running } from "../composition.ts"
import * as Options from "../session/RunOptions.ts"
import * as Key from "../settings/Key.ts"
import * as Project from "../settings/Project.ts"
import * as Snapshot from "../settings/Snapshot.ts"
import * as Trusting from "../settings/Trusting.ts"
import * as User from "../settings/User.ts"
import type { Sink } from "../output/Sink.ts"
import * as Signals from "../terminal/Signals.ts"
import type { Beginning } from "./Beginning.ts"
import { Conversation } from "./Conversation.ts"
import type { Ground, Services } from "./deeds/Around.ts"
import type { Face } from "./Face.ts"
import * as Preferences from "./screen/Preferences.ts"
import * as Person from "./Person.ts"
import { Transcript } from "./transcript/Transcript.ts"
import * as Wanted from "./deeds/Wanted.ts"

const tell = (ui: Face, failure: Failure): void => {
  ui.tell(line(failure).trimEnd().split("\n"))
}

/** What is done goes on by itself, and a failure is a line. */
const performing = (ui: Face) =>
  Effect.gen(function* () {
    const context = yield* Effect.context<Services>()
    return <A, E>(wish: Effect.Effect<A, E, Services>, failed: () => void = () => undefined): void => {
      const told = Effect.catchCause(wish, (cause) =>
        Effect.sync(() => {
          if (Cause.hasInterruptsOnly(cause)) return
          tell(ui, fromError(Option.getOrElse(Cause.findErrorOption(cause), () => Cause.squash(cause))))
          failed()
        })
      )
      Effect.runForkWith(context)(told)
    }
  })

const program = (ui: Face, beginning: Beginning, ground: (run: Ground["run"]) => Ground) =>
  Effect.gen(function* () {
    const engine = yield* TaskEngine
    const history = yield* TaskHistory
    const store = yield* TaskStore.TaskStore
    const events = yield* TaskEvents
    const transcript = new Transcript(history, { form: ui.form, commit: ui.commit, changed: ui.changed })
    ui.follow(transcript.live)
    yield* store.follow
    const perform = yield* performing(ui)
    const scope = yield* Effect.scope
    const run = (id: TaskId.TaskId) =>
      engine.run(id).pipe(
        Effect.flatMap(Wanted.toldOf),
        // What the service said stands in the conversation that is shown.
        Effect.tap((failure) =>
          Effect.sync(() => {
            const isShown = failure?.tag === "ModelError" && transcript.task === id
            if (failure !== undefined && !isShown) tell(ui, failure)
          })
        ),
        Effect.catchCause((cause) => Effect.sync(() => tell(ui, fromError(Cause.squash(cause))))),
        Effect.provideService(TaskEngine, engine),
        Effect.provideService(TaskHistory, history),
        Effect.forkIn(scope),
        Effect.asVoid
      )
    const conversation = new Conversation(ui, transcript, store, ground(run), perform, beginning)
    yield* events.listen(conversation.hear)
    yield* Effect.sync(() => store.listen(conversation.refresh))
    // Times are counted while something is waited for.
    const passing = Effect.sync(() => conversation.isBusy() && ui.changed())
    yield* Effect.forkScoped(Effect.repeat(passing, Schedule.spaced("1 second")))
    yield* conversation.start
    ui.ready(conversation.wishes)
    if (beginning.prompt !== "") conversation.wishes.send(beginning.prompt, [])
    const code = yield* Deferred.await(beginning.left)
    yield* Effect.forEach(engine.running(), (id) => engine.interrupt(id, "host"), { concurrency: "unbounded" })
    return code
  })

/** Loads what runs tasks, and runs the interface to its end. Errors: what is wrong before there is anything to show. */
export const run = (ui: Face, beginning: Beginning, sink: Sink): Effect.Effect<ExitCode, Failure> =>
  Effect.gen(function* () {
    const { directory, left, parsed, workspace } = beginning
    const options = yield* Options.decode(parsed)
    const user = yield* User.load
    ui.prefer(Preferences.of(user))
    const project = yield* Project.load(workspace, undefined)
    const settings = Options.applied(yield* Snapshot.of(user, project), options)
    ui.know({ model: Settings.modelFor(settings, options.mode ?? "act") })
    const ways = yield* Key.both(user.model)
    yield* Trusting.advise(workspace, sink)
    const failpoints = yield* Effect.fromResult(Failpoints.fromEnvironment())
    const person = Person.layer((text) => ui.tell([text]))
    const parts = running({
      directory,
      ways,
      bounds: checkpointBounds(user),
      concurrency: options.concurrency,
      person,
      failpoints,
      servers: options.familiar.mcp?.servers,
      variables: variablesOf(user),
      bash: user.shell?.bash
    })
    const report = (cause: Cause.Cause<unknown>) => tell(ui, fromError(Cause.squash(cause)))
    const completing = Completions.Completions.layer.pipe(Layer.provide(folderContext(directory)))
    const following = Layer.merge(TaskStore.TaskStore.layer(report), completing)
    let chosen = (now: Settings.TaskSettings): Settings.TaskSettings => now
    const ground = (run: Ground["run"]): Ground => ({
      workspace,
      get settings() {
        return chosen(settings)
      },
      choose: (change: typeof chosen) => {
        const before = chosen
        chosen = (now) => change(before(now))
      },
      mode: options.mode ?? ("act" as const),
      narrowed: (snapshot: Settings.TaskSettings) => chosen(Options.applied(snapshot, options)),
      access: (mode: "plan" | "act") => Effect.fromResult(ways[mode].access),
      run
    })
    yield* Signals.onFirst(() => Deferred.succeed(left, 130))
    return yield* program(ui, beginning, ground).pipe(
      Effect.scoped,
      Effect.provide(Layer.provideMerge(following, parts)),
      Effect.mapError(fromError)
    )
  }).pipe(Effect.scoped)
