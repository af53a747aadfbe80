/**
 * execute_command: one bash command line, or one program with its arguments and no shell, in a folder.
 *
 * Guarantees: those of `CommandRunner`; the result is at most 16,000 characters of output without control characters, says
 * where the rest can be read, and its last line how the command ended. Anything but exit code 0 is an error result, and so are protected names that
 * it made while it was confined. In the background it runs on after the call, whose result is its first output and an id;
 * it is judged, asked about and confined as the same command is without.
 */
import { CommandRule } from "@belay/approval-policy"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as path from "node:path"
import * as Confinement from "../../tool/Confinement.ts"
import type * as Tool from "../../tool/Tool.ts"
import { failure } from "../../tool/Tool.ts"
import * as BackgroundText from "../command/BackgroundText.ts"
import * as CommandParameters from "../command/CommandParameters.ts"
import * as CommandReader from "../command/CommandReader.ts"
import type * as CommandRunner from "../command/CommandRunner.ts"
import * as Manifests from "../command/Manifests.ts"
import * as ResultText from "../command/ResultText.ts"
import * as ApprovalBinding from "../paths/ApprovalBinding.ts"

/** Under which an approval of the whole command is bound. */
const whole = ""

/** Their work is to say which program a name means. */
const lookups = /^(?:which|type|command|whereis|hash)$/

/** Where output is kept: what is told of calls and processes that have ended outside of a call. */
const kept = ({ background, outputs }: CommandRunner.CommandRunner) =>
  outputs === undefined || background === undefined
    ? {}
    : {
        printed: ({ callId, taskId }: Pick<Tool.ToolContext, "callId" | "taskId">) =>
          BackgroundText.left(outputs, taskId, callId),
        ...BackgroundText.hooks(background, outputs)
      }

export const make = (options: {
  readonly home: string
  readonly runner: CommandRunner.CommandRunner
}): Tool.Tool<CommandParameters.Parameters> => {
  const { identity, read, resolve } = CommandReader.make(options)

  const run = Effect.fnUntraced(function* (args: CommandParameters.Parameters, context: Tool.ToolContext) {
    const approved = ApprovalBinding.boundTo(args, whole)
    if (approved !== undefined && (yield* identity(args, context)) !== approved) {
      return failure("Not run: what it runs has changed since it was asked about. Look at it and call it again.")
    }
    const cwd = yield* ApprovalBinding.confirm(args, resolve(args, context))
    if (cwd.kind !== "directory") return failure(`${cwd.given} is not a folder. Leave cwd out for the workspace.`)
    const seconds = args.timeout ?? CommandParameters.defaultSeconds
    const { command } = yield* read(args, context)
    const readOnly = CommandRule.isReadOnly(command)
    const { allowedDomains = [], approvals } = context
    const writable = !readOnly && approvals.edit === "allow"
    const isChecked = approvals.commands.checks === "allow"
    if (approved !== undefined && isChecked && CommandRule.isCheck(command, approvals)) {
      Manifests.allowed(CommandReader.watched(context), cwd.resolved, command.text, CommandRule.programs(command))
    }
    const request = {
      taskId: context.taskId,
      callId: context.callId,
      command: args.program === undefined ? (args.command ?? "") : { program: args.program, args: args.args ?? [] },
      cwd: cwd.resolved,
      workspace: context.workspace,
      readOnly,
      outsideOnly: readOnly && !CommandRule.programs(command).some((program) => lookups.test(program)),
      sandbox: context.sandbox ?? Confinement.defaultSetting,
      files: CommandRule.files(command),
      writesGit: !readOnly && CommandRule.programs(command).some((program) => path.posix.basename(program) === "git"),
      added: (approvals.folders ?? []).map((folder) => ({ path: folder, writable })),
      allowedDomains
    }
    if (args.background === true) {
      const { background, outputs } = options.runner
      if (background === undefined || outputs === undefined)
        return failure("Nothing runs in the background here. Leave background out.")
      if (isChecked) Manifests.inBackground(context.workspace)
      const limit = args.timeout === undefined ? {} : { timeout: Duration.seconds(args.timeout) }
      const process = yield* background.start({ ...request, ...limit }, command.text)
      return yield* BackgroundText.started(process, outputs, allowedDomains)
    }
    const timeout = Duration.seconds(seconds)
    const result = yield* options.runner.run({ ...request, timeout, progress: context.progress })
    return {
      content: [{ type: "text" as const, text: ResultText.render(result, seconds, allowedDomains) }],
      isError: ResultText.isError(result),
      ...(result.end._tag === "TimedOut" ? { timedOut: true as const } : {})
    }
  })

  return {
    name: "execute_command",
    description:
      "Run a bash command, or a program without a shell. There is no stdin and no terminal, no secrets in the environment, and what it starts ends with it. Long output loses its middle.",
    category: "command",
    flow: "run",
    readOnly: false,
    parameters: CommandParameters.Parameters,
    facts: (args, context) =>
      Effect.tap(read(args, context), ({ command }) => Effect.sync(() => ApprovalBinding.remember(args, command.cwd))),
    confinement: options.runner.sandbox.lastState,
    identity: (args, context) => Effect.map(identity(args, context), (text) => ApprovalBinding.bind(args, whole, text)),
    execute: (args, context) => Effect.catch(run(args, context), (error) => Effect.succeed(failure(error.message))),
    ...kept(options.runner)
  }
}
