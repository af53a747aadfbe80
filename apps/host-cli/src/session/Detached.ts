/**
 * `run --detach`: the run goes on in a process of its own, with a session of its own and without a terminal.
 *
 * The command starts itself again and hears over a channel what is said until the task has begun: a refusal, notes, the
 * id. Then the channel closes, and what happens is in the history alone. Nobody is at a terminal there, so whatever asks
 * waits for an answer from elsewhere, for a day; then the task stops with its ask open.
 */
import { UserPort } from "@belay/task-engine"
import { Words } from "@belay/interaction"
import { TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { spawn } from "node:child_process"
import { isatty } from "node:tty"
import { type Parsed, isSet, text } from "../cli/Arguments.ts"
import * as DetachedChannel from "../output/DetachedChannel.ts"
import { type ExitCode, Failure, usage } from "../cli/Failure.ts"
import * as Home from "../settings/Home.ts"
import * as ResultObject from "../result/ResultObject.ts"
import type { Sink } from "../output/Sink.ts"
import { reading } from "../tasks/Reading.ts"
import * as Project from "../settings/Project.ts"
import * as Terminal from "../terminal/Terminal.ts"

/** How long an answer is waited for, in hours. */
const patience = 24

const isTold = Schema.is(
  Schema.Union([
    Schema.Struct({ err: Schema.String }),
    Schema.Struct({ out: Schema.String }),
    Schema.Struct({ begun: TaskId.TaskId })
  ])
)

/** Answers come from elsewhere alone. After a day the task stops: `leave`. */
export const person = (leave: () => void): Layer.Layer<UserPort> | undefined => {
  if (!DetachedChannel.isHere) return undefined
  const waits = Effect.sleep(`${patience} hours`).pipe(Effect.andThen(Effect.sync(leave)), Effect.andThen(Effect.never))
  return Layer.succeed(UserPort, { attended: true, endsWithWords: true, approve: () => waits, answer: () => waits })
}

/** The same command line, which runs there. */
const again = (): ReadonlyArray<string> => {
  const typed = process.argv.slice(1)
  const end = typed.indexOf("--")
  return typed.filter((word, index) => word !== "--detach" || (end >= 0 && index > end))
}

const howToGoOn = (id: string): string => {
  const reference = Words.shortId(id)
  return [
    `Runs on by itself as ${reference}.`,
    `  Follow it:  belay task watch ${reference}`,
    `  Answer it:  belay task answer ${reference} --allow (what asks waits for ${patience} hours)`,
    `  Stop it:    belay task interrupt ${reference}`,
    ""
  ].join("\n")
}

interface Begun {
  readonly code: ExitCode
  readonly id?: TaskId.TaskId
}

const spawned = () =>
  spawn(process.execPath, [...process.execArgv, ...again()], {
    detached: true,
    windowsHide: true,
    env: { ...process.env, [DetachedChannel.variable]: "1" },
    // What is piped in is read there.
    stdio: [isatty(0) ? "ignore" : "inherit", "ignore", "ignore", "ipc"]
  })

/** It is not waited for any more. */
const left = (child: ReturnType<typeof spawned>): void => {
  child.removeAllListeners()
  child.on("error", () => undefined)
  if (child.connected) child.disconnect()
  child.unref()
}

const heard = (child: ReturnType<typeof spawned>, sink: Sink): Effect.Effect<Begun, Failure> =>
  Effect.callback<Begun, Failure>((resume) => {
    child.once("error", (cause) => {
      const what = `no process can be started (${cause.message})`
      resume(Effect.fail(new Failure({ code: 1, tag: "NotStarted", what, hint: "Leave --detach out.", cause })))
    })
    // What it said before is heard by then.
    child.once("close", (code) => resume(Effect.succeed({ code: (code ?? 1) as ExitCode })))
    child.on("message", (told: unknown) => {
      if (!isTold(told)) return
      if ("err" in told) sink.err(told.err)
      else if ("out" in told) sink.data(told.out)
      else resume(Effect.succeed({ code: 0, id: told.begun }))
    })
  })

const start = (sink: Sink): Effect.Effect<Begun, Failure> =>
  Effect.acquireUseRelease(
    Effect.sync(spawned),
    (child) => heard(child, sink),
    (child) => Effect.sync(() => left(child))
  )

/** Starts the run and leaves it; nothing where it is not asked for. */
export const run = (parsed: Parsed, sink: Sink): Effect.Effect<ExitCode | undefined, Failure> =>
  Effect.gen(function* () {
    if (!isSet(parsed, "detach")) return undefined
    const output = text(parsed, "output") ?? "text"
    if (text(parsed, "input") !== undefined) {
      return yield* usage("--input answers a run that --detach leaves", "Use belay task answer ID instead.")
    }
    if (output === "stream-json") {
      return yield* usage(
        "--output stream-json follows a run that --detach leaves",
        "Follow it with: belay task watch ID --output stream-json"
      )
    }
    if (Terminal.isAttended()) {
      // Nobody can be asked there whether the folder is trusted.
      const workspace = yield* Effect.fromResult(Home.workspace(text(parsed, "cwd")))
      yield* Project.load(workspace, (question) => Terminal.readLine(sink, question))
    }
    const { code, id } = yield* start(sink)
    if (id === undefined) return code
    if (output === "json") sink.data(`${JSON.stringify(yield* reading(ResultObject.read(id)))}\n`)
    else sink.out(howToGoOn(id))
    return 0
  })
