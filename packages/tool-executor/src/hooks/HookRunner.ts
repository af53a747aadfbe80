/**
 * Runs the command of a hook: told by its standard input, heard by its exit code and its output.
 *
 * Guarantees: it runs in bash as commands of the model do, in the workspace, with the same environment and so without
 * keys; all that it started has ended when its answer is there; its time and its output have limits, and beyond them
 * there is no answer. What a project brings runs in the sandbox without a network, or not at all. Never fails: what could
 * not be run has a reason in words.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Bash from "../workspace/process/Bash.ts"
import * as CommandEnvironment from "../workspace/process/CommandEnvironment.ts"
import type * as PassedVariables from "../workspace/process/PassedVariables.ts"
import * as ProcessGroup from "../workspace/process/ProcessGroup.ts"
import type { Invocation, Sandbox } from "../workspace/sandbox/Sandbox.ts"
import type { Hook } from "./Hook.ts"
import type { Ended } from "./HookOutput.ts"

/** Says which hook to run, and what it is told. */
export interface Request {
  readonly hook: Pick<Hook, "command" | "source" | "timeoutSeconds">
  readonly input: unknown
  /** Absolute and resolved. */
  readonly workspace: string
}

/** Runs hooks. Interrupting it ends the hook. */
export interface HookRunner {
  readonly run: (request: Request) => Effect.Effect<Ended>
}

/** Configures a runner; as a `CommandRunner` is. */
export interface Options {
  readonly environment?: CommandEnvironment.Environment
  readonly rules?: PassedVariables.Rules
  readonly bash?: string | undefined
  /** For what projects bring. */
  readonly sandbox: Sandbox
}

const largest = 1_048_576
const mostSaid = 65_536
/** For what was written just before the end. */
const pipeGrace = Duration.millis(250)

const failed = (why: string): Ended => ({ _tag: "Failed", why })

/** What was written, up to a limit. */
const heard = () => {
  const texts = { stdout: "", stderr: "" }
  return {
    texts,
    isTooMuch: () => texts.stdout.length > largest,
    push: (chunk: string, stream: "stdout" | "stderr") => {
      const most = stream === "stdout" ? largest + 1 : mostSaid
      texts[stream] += chunk.slice(0, Math.max(0, most - texts[stream].length))
    }
  }
}

/** Makes a runner. */
export const make = (options: Options): HookRunner => {
  const environment = () => options.environment ?? process.env

  const plain = ({ hook, workspace }: Request, confined: boolean): Invocation | undefined => {
    const program = Bash.find(environment(), workspace, { named: options.bash })
    if (program === undefined) return undefined
    const rules = options.rules === undefined ? {} : { rules: options.rules }
    const env = CommandEnvironment.scrub(environment(), workspace, { ...rules, confined })
    const args = ["--noprofile", "--norc", "-p", "-c", "--", hook.command]
    return { program, args, env: { ...env, CLAUDE_PROJECT_DIR: workspace } }
  }

  const boxed = Effect.fnUntraced(function* (request: Request) {
    const { workspace } = request
    const state = yield* options.sandbox.state(workspace)
    const invocation = plain(request, true)
    if (state._tag !== "Confined" || invocation === undefined) return undefined
    const cwd = workspace
    return yield* options.sandbox.confine({
      ...invocation,
      workspace,
      cwd,
      files: [],
      writesGit: false,
      allowedDomains: []
    })
  })

  const run = Effect.fnUntraced(function* (request: Request) {
    const { hook, input, workspace } = request
    const box = hook.source === "project" ? yield* boxed(request) : undefined
    if (hook.source === "project" && box === undefined) return failed("there is no sandbox for it here")
    const started = box ?? plain(request, false)
    if (started === undefined) return failed("there is no bash for it here")
    const output = heard()
    const group = yield* ProcessGroup.spawn({
      ...started,
      cwd: workspace,
      told: JSON.stringify(input),
      onOutput: output.push
    })
    box?.started?.(group.pid)
    const exit = yield* Effect.timeoutOption(group.exit, Duration.seconds(hook.timeoutSeconds))
    if (Option.isNone(exit)) return failed(`it took longer than ${hook.timeoutSeconds} s`)
    yield* Effect.raceFirst(group.closed, Effect.andThen(Effect.sleep(pipeGrace), group.caughtUp))
    const end = exit.value
    if (end._tag === "Signalled") return failed(`it was ended by ${end.signal}`)
    if (output.isTooMuch()) return failed("it wrote more than 1 MB")
    return { _tag: "Exited", code: end.code, ...output.texts } satisfies Ended
  }, Effect.scoped)

  return {
    run: (request) =>
      run(request).pipe(
        Effect.catch(({ message }) => Effect.succeed(failed(message))),
        Effect.catchDefect(() => Effect.succeed(failed("it could not be run")))
      )
  }
}
