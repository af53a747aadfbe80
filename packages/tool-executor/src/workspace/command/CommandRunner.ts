/**
 * Runs one command line of bash, or one program with its arguments.
 *
 * Guarantees: exactly `bash --noprofile --norc -p -c -- <command>` with an absolute bash outside the workspace, its error
 * output in the same pipe as its output and so in the order it was written, or exactly the program without any shell; the
 * scrubbed environment and an empty stdin; it ends at the timeout (TERM, then KILL); nothing of its process group outlives
 * the call, whether it returns, times out or is interrupted; a process in the background that keeps the pipes open delays
 * the result by 250 ms at most. Of a line that is written over with carriage returns the last state counts. The result
 * holds at most 16,000 characters of output, and with `outputs` the whole can be read on in a file; memory stays constant,
 * the event loop free, and only the disk holds a command back. What a command that is given up has put out stays in its file.
 * Confined, all of this holds for what leaves its process group, too; on Linux nearly all of it without a box (`Strays`).
 */
import { ProgramSearch, SearchPath } from "@belay/approval-policy/facts"
import type { NetworkRule, PathFact } from "@belay/approval-policy"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import type * as Cause from "effect/Cause"
import type { TaskId } from "@belay/task-state"
import type { By, Setting } from "../../tool/Confinement.ts"
import type { Added } from "../sandbox/AddedFolders.ts"
import * as BackgroundProcesses from "./BackgroundProcesses.ts"
import type { Pieces } from "../text/Pieces.ts"
import * as CommandEnvironment from "../process/CommandEnvironment.ts"
import * as Bash from "../process/Bash.ts"
import * as CommandOutput from "../output/CommandOutput.ts"
import * as LiveText from "../text/LiveText.ts"
import * as OutputBuffer from "../output/OutputBuffer.ts"
import type { Kept, OutputStore } from "../output/OutputStore.ts"
import type * as PassedVariables from "../process/PassedVariables.ts"
import * as ProcessGroup from "../process/ProcessGroup.ts"
import * as Sandbox from "../sandbox/Sandbox.ts"

/** A program, found as a shell would find it, and its arguments, which nothing expands. */
export interface Program {
  readonly program: string
  readonly args: ReadonlyArray<string>
}

export type { Pieces } from "../text/Pieces.ts"

/** Says which command runs where and how. */
export interface CommandRequest {
  readonly taskId: TaskId.TaskId
  /** The call it is run for: its output is found by it. */
  readonly callId: string
  readonly command: string | Program
  /** Absolute and resolved, both. */
  readonly cwd: string
  readonly workspace: string
  /** It was judged to change nothing: git runs nothing that a repository's configuration names. */
  readonly readOnly: boolean
  /** No program of the workspace is found by its name, whatever PATH says. */
  readonly outsideOnly?: boolean
  /** `required` fails where there is no sandbox, `preferred` then runs without one. */
  readonly sandbox: Setting
  /** Files outside the workspace that the rules allowed by name, and whether they allowed git to write. */
  readonly files: ReadonlyArray<PathFact.PathFact>
  readonly writesGit: boolean
  /** Folders beside the workspace that the user opened for confined commands; none by default. */
  readonly added?: ReadonlyArray<Added>
  /** Hosts that a confined command reaches; none by default. */
  readonly allowedDomains?: NetworkRule.AllowedDomains
  readonly timeout: Duration.Input
  /** Gets what came at most every 50 ms, of very much the end alone. */
  readonly progress: (chunk: string) => Effect.Effect<void>
}

/** Reports the end of a command and its output, in at most two parts. */
export interface CommandResult {
  /** Standard output and error, of a command line in the order they were written; raw. */
  readonly head: string
  readonly tail: string
  /** Characters left out between the two. */
  readonly omitted: number
  /** Where the whole can be read; nothing when it is short, or there is no store. */
  readonly kept: Kept | undefined
  readonly end: ProcessGroup.Exit | { readonly _tag: "TimedOut" }
  /** Processes were still alive when the shell had ended, and were ended. */
  readonly leftovers: boolean
  /** Some of them, or of what was to end with it, could not be ended. */
  readonly outlived: boolean
  /** All that it has started could be told and ended; false: processes may live on unseen. */
  readonly isWhole: boolean
  /** By what; undefined where it ran without a sandbox. */
  readonly confined: By | undefined
  /** Protected names that a confined command made, as they are called now; relative to the workspace. */
  readonly setAside: ReadonlyArray<string>
  /** What a confined command wanted of the network and did not get, a phrase each. */
  readonly refused: ReadonlyArray<string>
}

/** There is no bash outside of the workspace, or the one that the settings name cannot be used. */
export class NoShellError extends Schema.TaggedError<NoShellError>()("NoShellError", {
  named: Schema.optionalKey(Schema.String),
  why: Schema.optionalKey(Schema.String)
}) {
  override get message() {
    const { named, why = "cannot be used" } = this
    return named === undefined
      ? "No bash was found outside the workspace, so commands cannot run. Install bash (Windows: Git for Windows), or name one: shell.bash."
      : `Commands cannot run: the setting shell.bash names ${named}, which ${why}. Correct it.`
  }
}

/** A program of a command without a shell was not found. */
export class NoProgramError extends Schema.TaggedError<NoProgramError>()("NoProgramError", {
  program: Schema.String
}) {
  override get message() {
    const { program } = this
    return ProgramSearch.isScript(program)
      ? `${program} needs a shell. Name a program, or use "command".`
      : `There is no program ${program} on PATH. Install it, or name it by its path.`
  }
}

/** Says why a command did not start. */
export type CommandError = NoShellError | NoProgramError | Sandbox.SandboxError | ProcessGroup.SpawnError

/** A command that has been started, in a scope that ends it. */
export interface Begun {
  readonly group: ProcessGroup.ProcessGroup
  readonly output: CommandOutput.CommandOutput
  /** Ends what is left of it. */
  readonly settle: Effect.Effect<Pick<CommandResult, "confined" | "isWhole" | "outlived" | "refused" | "setAside">>
}

/** Runs commands of the model. Interrupting `run` ends the command and everything that it started. */
export interface CommandRunner {
  readonly sandbox: Sandbox.Sandbox
  /** PATH, as commands have it. */
  readonly searchPath: () => string | undefined
  readonly outputs?: OutputStore
  /** Where outputs are kept. */
  readonly background?: BackgroundProcesses.BackgroundProcesses
  readonly run: (request: CommandRequest) => Effect.Effect<CommandResult, CommandError>
}

/** Configures a runner. Without options it uses the environment and the sandbox of the machine. */
export interface CommandRunnerOptions {
  /** `process.env` by default; what of it is passed on is said by `PassedVariables`. */
  readonly environment?: CommandEnvironment.Environment
  /** What the user's settings pass and block. */
  readonly rules?: PassedVariables.Rules
  /** The bash that the user's settings name; found by itself without. */
  readonly bash?: string | undefined
  /** The one of the platform by default. */
  readonly sandbox?: Sandbox.Sandbox
  /** Keeps what does not fit into a result. */
  readonly outputs?: OutputStore
  /** Takes out of the output what must not be kept or shown, in whatever pieces it comes. */
  readonly pieces?: () => Pieces
}

/** Becomes the program that is named to it. Node has no pipe that it could give twice. */
const onePipe = 'exec "$0" "$@" 2>&1'

const pipeGrace = Duration.millis(250)
const showEvery = Duration.millis(50)

/** Reads what is left of its output; says whether others of its processes are alive although it has exited. */
const read = Effect.fnUntraced(function* ({ group, output }: Pick<Begun, "group" | "output">, exited: boolean) {
  output.ended()
  const all = Effect.as(group.caughtUp, false)
  const closed = yield* exited
    ? Effect.raceFirst(Effect.as(group.closed, true), Effect.andThen(Effect.sleep(pipeGrace), all))
    : all
  const leftovers = exited && (!closed || (yield* group.isAlive))
  output.close()
  return leftovers
})

/** Makes a runner. */
export const make = (options: CommandRunnerOptions = {}): CommandRunner => {
  const named = options.bash
  const shells = new Map<string, string | undefined>()
  const shellFor = (environment: CommandEnvironment.Environment, workspace: string) => {
    if (!shells.has(workspace)) shells.set(workspace, Bash.find(environment, workspace, { named }))
    return shells.get(workspace)
  }
  const noShell = (workspace: string) => {
    const why = named === undefined ? undefined : Bash.unusable(named, workspace)
    return new NoShellError({ ...(named === undefined ? {} : { named }), ...(why === undefined ? {} : { why }) })
  }

  const programOf = (
    request: CommandRequest,
    searchPath: string | undefined
  ): Effect.Effect<Program, NoShellError | NoProgramError> => {
    const { command, cwd, workspace } = request
    if (typeof command === "string") {
      const program = shellFor(environment(), workspace)
      const bare = ["--noprofile", "--norc", "-p", "-c"]
      const args = [...bare, onePipe, program ?? "", ...bare, "--", command]
      return program === undefined ? Effect.fail(noShell(workspace)) : Effect.succeed({ program, args })
    }
    const program = ProgramSearch.resolveProgram(command.program, cwd, searchPath)
    return program === undefined
      ? Effect.fail(new NoProgramError({ program: command.program }))
      : Effect.succeed({ program, args: command.args })
  }

  const environment = () => options.environment ?? process.env

  const plain = (request: CommandRequest, confined: boolean) => {
    const { outsideOnly: outside = false, readOnly, workspace, writesGit } = request
    const rules = options.rules === undefined ? {} : { rules: options.rules }
    const scrubbed = CommandEnvironment.scrub(environment(), workspace, { ...rules, confined, outside })
    const git = readOnly ? CommandEnvironment.quietGit() : writesGit ? CommandEnvironment.carefulGit : {}
    const env = { ...scrubbed, ...git }
    return Effect.map(programOf(request, env["PATH"]), (found): Sandbox.Invocation => ({ ...found, env }))
  }

  const sandbox = options.sandbox ?? Sandbox.make({ environment: options.environment ?? process.env, bash: named })

  /** The command as it is confined; nothing where it runs without. */
  const confined = Effect.fnUntraced(function* (request: CommandRequest) {
    if (request.sandbox === "off") return undefined
    const state = yield* sandbox.state(request.workspace)
    if (state._tag === "Confined") {
      const invocation = yield* plain(request, true)
      const box = yield* sandbox.confine({ allowedDomains: [], ...request, ...invocation })
      return { ...box, by: state.by }
    }
    return request.sandbox === "required" ? yield* new Sandbox.SandboxError({ reason: state.reason }) : undefined
  })

  const begin = Effect.fnUntraced(function* (
    request: CommandRequest,
    told: Pick<CommandOutput.Options, "onKept" | "onText">
  ): Effect.fn.Return<Begun, CommandError, Scope.Scope> {
    const box = yield* confined(request)
    const { outputs } = options
    const output = yield* CommandOutput.make({ ...request, ...told, outputs, pieces: options.pieces?.() })
    const own = yield* Effect.acquireRelease(Scope.make(), Scope.close)
    const started: Sandbox.Invocation & Pick<Sandbox.Confined, "given" | "reports" | "started"> =
      box ?? (yield* plain(request, false))
    const group = yield* ProcessGroup.spawn({
      ...started,
      cwd: request.cwd,
      mark: request.taskId,
      onOutput: output.push
    }).pipe(Effect.provideService(Scope.Scope, own))
    output.startedBy(group)
    started.started?.(group.pid)
    const settle = Effect.gen(function* () {
      yield* Scope.close(own, Exit.void)
      const setAside = box === undefined ? [] : yield* box.setAside
      const refused = box?.refused?.() ?? []
      return { confined: box?.by, outlived: yield* group.isAlive, isWhole: group.isWhole, refused, setAside }
    })
    return { group, output, settle }
  })

  const run = Effect.fnUntraced(function* (request: CommandRequest) {
    const buffer = OutputBuffer.make()
    const live = LiveText.make()
    const came = yield* Queue.sliding<void, Cause.Done>(1)
    const onText = (text: string) => {
      live.push(text)
      Queue.offerUnsafe(came, undefined)
    }
    const { group, output, settle } = yield* begin(request, { onKept: buffer.push, onText })
    const showNow = Effect.suspend(() => {
      const text = live.take()
      // What somebody has seen is there after a kill, too.
      return text === "" ? Effect.void : Effect.andThen(output.recording.flushed, request.progress(text))
    })
    const show = Effect.gen(function* () {
      for (;;) {
        yield* Queue.take(came)
        yield* Effect.uninterruptible(showNow)
        yield* Effect.sleep(showEvery)
      }
    })

    const shown = yield* Effect.forkScoped(show)
    const exit = yield* Effect.timeoutOption(group.exit, request.timeout)
    const leftovers = yield* read({ group, output }, Option.isSome(exit))
    const kept = yield* output.recording.finish
    yield* Fiber.interrupt(shown)
    yield* showNow
    const end = Option.getOrElse(exit, () => ({ _tag: "TimedOut" as const }))
    return { ...buffer.finish(), kept, end, leftovers, ...(yield* settle) } satisfies CommandResult
  }, Effect.scoped)

  const { outputs } = options
  const kept = outputs === undefined ? {} : { outputs, background: BackgroundProcesses.make({ begin, outputs, read }) }
  const searchPath = () => SearchPath.pathOf(environment())
  return { sandbox, searchPath, run, ...kept }
}
