/**
 * Runs one command line of bash.
 *
 * Guarantees: exactly `bash --noprofile --norc -p -c -- <command>` with an absolute bash outside the workspace, the
 * scrubbed environment and an empty stdin; it ends at the timeout (TERM, then KILL); nothing of its process group
 * outlives the call, whether it returns, times out or is interrupted; a process in the background that keeps the pipes
 * open delays the result by 250 ms at most. The result holds at most 48,000 characters of output.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Schema from "effect/Schema"
import type * as Cause from "effect/Cause"
import * as CommandEnvironment from "./CommandEnvironment.ts"
import * as OutputBuffer from "./OutputBuffer.ts"
import * as ProcessGroup from "./ProcessGroup.ts"

export interface CommandRequest {
  readonly command: string
  /** Absolute and resolved, both. */
  readonly cwd: string
  readonly workspace: string
  readonly timeout: Duration.Input
  /** Gets every chunk as it came; while it is slow, the command waits. */
  readonly progress: (chunk: string) => Effect.Effect<void>
}

export interface CommandResult {
  /** Standard output and error in the order they came; raw. */
  readonly head: string
  readonly tail: string
  /** Characters left out between the two. */
  readonly omitted: number
  readonly end: ProcessGroup.Exit | { readonly _tag: "TimedOut" }
  /** Processes were still alive when the shell had ended, and were ended. */
  readonly leftovers: boolean
}

export class NoShellError extends Schema.TaggedError<NoShellError>()("NoShellError", {}) {
  override get message() {
    return "No bash was found outside the workspace, so commands cannot run. Install bash (Windows: Git for Windows)."
  }
}

export interface CommandRunner {
  readonly run: (request: CommandRequest) => Effect.Effect<CommandResult, NoShellError | ProcessGroup.SpawnError>
}

export interface CommandRunnerOptions {
  /** `process.env` by default; only the names of `CommandEnvironment` are passed on. */
  readonly environment?: CommandEnvironment.Environment
}

const pipeGrace = Duration.millis(250)
const pendingHigh = 1_000_000
const pendingLow = 500_000

export const make = (options: CommandRunnerOptions = {}): CommandRunner => {
  const shells = new Map<string, string | undefined>()
  const shellFor = (environment: CommandEnvironment.Environment, workspace: string) => {
    if (!shells.has(workspace)) shells.set(workspace, CommandEnvironment.findBash(environment, workspace))
    return shells.get(workspace)
  }

  const run = Effect.fnUntraced(function* (request: CommandRequest) {
    const environment = options.environment ?? process.env
    const shell = shellFor(environment, request.workspace)
    if (shell === undefined) return yield* new NoShellError()
    const buffer = OutputBuffer.make()
    const chunks = yield* Queue.unbounded<string, Cause.Done>()
    let pending = 0
    let group: ProcessGroup.ProcessGroup | undefined
    let ended = false
    const onOutput = (chunk: string) => {
      buffer.push(chunk)
      Queue.offerUnsafe(chunks, chunk)
      pending += chunk.length
      if (pending > pendingHigh && !ended) group?.setFlowing(false)
    }
    const show = Effect.gen(function* () {
      for (;;) {
        const chunk = yield* Queue.take(chunks)
        yield* request.progress(chunk)
        pending -= chunk.length
        if (pending < pendingLow) group?.setFlowing(true)
      }
    }).pipe(Effect.catchTag("Done", () => Effect.void))

    const started = yield* ProcessGroup.spawn({
      program: shell,
      args: ["--noprofile", "--norc", "-p", "-c", "--", request.command],
      cwd: request.cwd,
      env: CommandEnvironment.scrub(environment, request.workspace),
      onOutput
    })
    group = started
    const shown = yield* Effect.forkScoped(show)
    const exit = yield* Effect.timeoutOption(started.exit, request.timeout)
    // What is left in the pipes is little, and must not wait for a slow reader.
    ended = true
    started.setFlowing(true)
    const closed = Option.isNone(exit) ? Option.none() : yield* Effect.timeoutOption(started.closed, pipeGrace)
    const end = Option.getOrElse(exit, () => ({ _tag: "TimedOut" as const }))
    const leftovers = end._tag !== "TimedOut" && (Option.isNone(closed) || started.isAlive())
    const result: CommandResult = { ...buffer.finish(), end, leftovers }
    yield* Queue.end(chunks)
    yield* Fiber.join(shown)
    return result
  }, Effect.scoped)

  return { run }
}
