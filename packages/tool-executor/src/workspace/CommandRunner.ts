/**
 * Runs one command line of bash.
 *
 * Guarantees: exactly `bash --noprofile --norc -p -c -- <command>` with an absolute bash outside the workspace, the
 * scrubbed environment and an empty stdin; it ends at the timeout (TERM, then KILL); nothing of its process group
 * outlives the call, whether it returns, times out or is interrupted; a process in the background that keeps the pipes
 * open delays the result by 250 ms at most. The result holds at most 48,000 characters of output. Confined, all of this
 * holds for what leaves its process group, too.
 */
import type { PathFact } from "@belay/approval-policy"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Schema from "effect/Schema"
import type * as Cause from "effect/Cause"
import type { Setting } from "../Confinement.ts"
import * as CommandEnvironment from "./CommandEnvironment.ts"
import * as OutputBuffer from "./OutputBuffer.ts"
import * as ProcessGroup from "./ProcessGroup.ts"
import * as Sandbox from "./Sandbox.ts"

export interface CommandRequest {
  readonly command: string
  /** Absolute and resolved, both. */
  readonly cwd: string
  readonly workspace: string
  /** It was judged to change nothing: git runs nothing that a repository's configuration names. */
  readonly readOnly: boolean
  /** `required` fails where there is no sandbox, `preferred` then runs without one. */
  readonly sandbox: Setting
  /** Files outside the workspace that the rules allowed by name, and whether they allowed git to write. */
  readonly files: ReadonlyArray<PathFact.PathFact>
  readonly writesGit: boolean
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
  readonly confined: boolean
  /** Protected names that a confined command made, as they are called now; relative to the workspace. */
  readonly setAside: ReadonlyArray<string>
}

export class NoShellError extends Schema.TaggedError<NoShellError>()("NoShellError", {}) {
  override get message() {
    return "No bash was found outside the workspace, so commands cannot run. Install bash (Windows: Git for Windows)."
  }
}

export interface CommandRunner {
  readonly sandbox: Sandbox.Sandbox
  readonly run: (
    request: CommandRequest
  ) => Effect.Effect<CommandResult, NoShellError | Sandbox.SandboxError | ProcessGroup.SpawnError>
}

export interface CommandRunnerOptions {
  /** `process.env` by default; only the names of `CommandEnvironment` are passed on. */
  readonly environment?: CommandEnvironment.Environment
  /** The one of the platform by default. */
  readonly sandbox?: Sandbox.Sandbox
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

  const plain = (request: CommandRequest) => {
    const environment = options.environment ?? process.env
    const shell = shellFor(environment, request.workspace)
    if (shell === undefined) return Effect.fail(new NoShellError())
    return Effect.succeed<Sandbox.Invocation>({
      program: shell,
      args: ["--noprofile", "--norc", "-p", "-c", "--", request.command],
      env: {
        ...CommandEnvironment.scrub(environment, request.workspace),
        ...(request.readOnly ? CommandEnvironment.quietGit : {})
      }
    })
  }

  const sandbox = options.sandbox ?? Sandbox.make({ environment: options.environment ?? process.env })

  /** The command as it is confined; nothing where it runs without. */
  const confined = Effect.fnUntraced(function* (request: CommandRequest, invocation: Sandbox.Invocation) {
    if (request.sandbox === "off") return undefined
    const state = yield* sandbox.state(request.workspace)
    if (state._tag === "Confined") return yield* sandbox.confine({ ...request, ...invocation })
    return request.sandbox === "required" ? yield* new Sandbox.SandboxError({ reason: state.reason }) : undefined
  })

  const spawned = Effect.fnUntraced(function* (
    request: CommandRequest,
    invocation: Sandbox.Invocation & Pick<Sandbox.Confined, "reports">
  ) {
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
      ...invocation,
      cwd: request.cwd,
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
    const result = { ...buffer.finish(), end, leftovers }
    yield* Queue.end(chunks)
    yield* Fiber.join(shown)
    return result
  }, Effect.scoped)

  const run = Effect.fnUntraced(function* (request: CommandRequest) {
    const invocation = yield* plain(request)
    const box = yield* confined(request, invocation)
    const result = yield* spawned(request, box ?? invocation)
    const setAside = box === undefined ? [] : yield* box.setAside
    return { ...result, confined: box !== undefined, setAside } satisfies CommandResult
  }, Effect.scoped)

  return { sandbox, run }
}
