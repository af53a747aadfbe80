/**
 * execute_command: one bash command line, or one program with its arguments and no shell, in a folder.
 *
 * Guarantees: those of `CommandRunner`; the result is at most 16,000 characters of output without control characters, says
 * where the rest can be read, and its last line how the command ended. Anything but exit code 0 is an error result, and so are protected names that
 * it made while it was confined. In the background it runs on after the call, whose result is its first output and an id;
 * it is judged, asked about and confined as the same command is without.
 */
import { type CommandReading, CommandRule, CommandText, type NetworkRule, type PathFact } from "@belay/approval-policy"
import { GitSettings } from "@belay/git-runner"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as path from "node:path"
import * as Confinement from "../../tool/Confinement.ts"
import { figure } from "../../internal/figure.ts"
import * as Looked from "../../tool/Looked.ts"
import type * as Tool from "../../tool/Tool.ts"
import { failure } from "../../tool/Tool.ts"
import * as BackgroundText from "../command/BackgroundText.ts"
import * as CommandEnd from "../command/CommandEnd.ts"
import * as CommandFiles from "../command/CommandFiles.ts"
import type * as CommandRunner from "../command/CommandRunner.ts"
import * as GitChanges from "../command/GitChanges.ts"
import * as Identity from "../paths/Identity.ts"
import * as ApprovalBinding from "../paths/ApprovalBinding.ts"
import * as Manifests from "../command/Manifests.ts"
import * as OwnPrograms from "../command/OwnPrograms.ts"
import * as PathResolver from "../paths/PathResolver.ts"
import * as PlainText from "../text/PlainText.ts"
import * as ProgramFiles from "../command/ProgramFiles.ts"

const defaultSeconds = 120
const longestSeconds = 1800
/** Of a larger file its size and time of change count, not its content. In bytes. */
const longestScript = 1_000_000

/** Under which an approval of the whole command is bound. */
const whole = ""

const noNul = (text: string): boolean | string => (text.includes("\0") ? "it holds a NUL character" : true)

const Word = Schema.String.check(Schema.makeFilter(noNul))
const Line = Word.check(Schema.makeFilter((text: string) => (text.trim() === "" ? "the command is empty" : true)))

const Fields = Schema.Struct({
  command: Schema.optionalKey(Line.annotate({ description: "One bash command line" })),
  program: Schema.optionalKey(Line.annotate({ description: "Instead of command: a program, run without a shell" })),
  args: Schema.optionalKey(Schema.Array(Word).annotate({ description: "Arguments of program, taken literally" })),
  timeout: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: longestSeconds })).annotate({
      description: `Seconds; ${defaultSeconds} by default`
    })
  ),
  cwd: Schema.optionalKey(Schema.String.annotate({ description: "Folder; the workspace by default" })),
  background: Schema.optionalKey(Schema.Boolean.annotate({ description: "It runs on: for servers and watchers" }))
})
export type Parameters = typeof Fields.Type

const oneForm = ({ args, command, program }: Parameters): boolean | string => {
  if (command === undefined) return program === undefined ? "give either command or program" : true
  return program === undefined && args === undefined ? true : "give either command or program with args, not both"
}

export const Parameters = Fields.check(Schema.makeFilter(oneForm))

/** The words of the form without a shell. */
const wordsOf = ({ args = [], program }: Parameters): ReadonlyArray<string> | undefined =>
  program === undefined ? undefined : [program, ...args]

const foldersIn = (files: ReadonlyArray<ReadonlyArray<PathFact.PathFact>>): ReadonlyArray<string> =>
  files.flat().flatMap(({ kind, resolved }) => (kind === "directory" ? [resolved] : []))

/** Of the folder, and of every folder that the command names, such as the one it changes to: what its git may run. */
const gitProgramsOf = (
  { actions }: CommandReading.CommandReading,
  folder: string,
  files: ReadonlyArray<ReadonlyArray<PathFact.PathFact>>,
  looked: Looked.Looked
) => {
  const calls = actions.filter(({ argv }) => /(?:^|[\\/])git(?:\.exe)?$/i.test(argv[0] ?? ""))
  if (calls.length === 0) return {}
  const purpose = calls.every(({ readOnly }) => readOnly) ? "read" : "command"
  const gitPrograms = [...new Set([folder, ...foldersIn(files)])].flatMap((at) =>
    looked.once(["gitPrograms", at, purpose], () => GitSettings.programs(at, purpose))
  )
  return gitPrograms.length === 0 ? {} : { gitPrograms }
}

const isError = ({ end, setAside }: Pick<CommandRunner.CommandResult, "end" | "setAside">): boolean =>
  CommandEnd.hasFailed(end) || setAside.length > 0

const leftOut = ({ head, kept, omitted }: CommandRunner.CommandResult): string => {
  const missing = `${figure(omitted)} characters left out`
  if (kept === undefined) return `[... ${missing} ...]`
  const until = kept.complete ? "" : `; it has the first ${kept.bytes} bytes only`
  const offset = Buffer.byteLength(head)
  return `[... ${missing}: read_command_output with id ${kept.id} and a regex finds lines, with offset ${offset} reads on${until} ...]`
}

const render = (
  result: CommandRunner.CommandResult,
  seconds: number,
  allowedDomains: NetworkRule.AllowedDomains
): string => {
  const head = PlainText.output(result.head)
  const tail = PlainText.output(result.tail)
  const text = result.omitted === 0 ? head + tail : `${head.replace(/\n$/, "")}\n${leftOut(result)}\n${tail}`
  const lines = [text === "" ? "(no output)" : text.replace(/\n$/, "")]
  lines.push(...CommandEnd.notes(result, { allowedDomains, failed: CommandEnd.hasFailed(result.end) }))
  return [...lines, CommandEnd.ending(result.end, seconds)].join("\n")
}

/** The task as its manifests are watched for it. */
const watched = ({ manifests, taskId, workspace }: Tool.ToolContext): Manifests.Task => ({
  taskId,
  workspace,
  manifests
})

/** The checks of the project; nothing where the approvals do not ask for them. */
const checksOf = (
  context: Tool.ToolContext,
  command: Omit<Manifests.Command, "confined">,
  sandbox: Confinement.State
) => {
  if (context.approvals.commands.checks !== "allow") return {}
  const confined = sandbox._tag === "Confined" && (context.sandbox ?? Confinement.defaultSetting) !== "off"
  return { checks: Manifests.checks(watched(context), { ...command, confined }) }
}

/** Their work is to say which program a name means. */
const lookups = /^(?:which|type|command|whereis|hash)$/

/** Kept: to import it again for each command costs more than to read the command. */
let grammar: typeof import("@belay/approval-policy/shell") | undefined

/** A folder as bash writes it; on Windows, where its spelling differs, it is not known. */
const posix = (folder: string): string | undefined => (folder.startsWith("/") ? folder : undefined)

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
}): Tool.Tool<Parameters> => {
  const seenBy = ({ home: data, looked, workspace }: Tool.ToolContext) => ({
    workspace,
    home: options.home,
    ...(data === undefined ? {} : { data }),
    ...(looked === undefined ? {} : { looked })
  })

  const resolve = (args: Parameters, context: Tool.ToolContext) =>
    PathResolver.resolve(args.cwd ?? ".", { ...seenBy(context), access: "read" })

  /** The grammar is large: it is loaded with the first command. `~` is what the environment of the command says. */
  const read = Effect.fnUntraced(function* (args: Parameters, context: Tool.ToolContext) {
    const shell = (grammar ??= yield* Effect.promise(() => import("@belay/approval-policy/shell")))
    const cwd = resolve(args, context)
    const folder = cwd.resolved
    const home = process.env["HOME"] === options.home ? posix(options.home) : undefined
    const words = wordsOf(args)
    const { workspace } = context
    const { own, searchedFirst } = OwnPrograms.make({
      ...seenBy(context),
      folder,
      searchPath: options.runner.searchPath()
    })
    const reading =
      words === undefined
        ? shell.read(args.command ?? "", { home, folder: posix(folder), own })
        : shell.readWords(words, { own })
    const files = CommandFiles.resolve(reading.targets, { ...seenBy(context), folder })
    const gitPrograms = gitProgramsOf(reading, folder, files, context.looked ?? Looked.never)
    const gitChanges = yield* GitChanges.of(reading, { ...seenBy(context), folder, environment: process.env })
    const text = CommandText.ofArguments(args) ?? ""
    const sandbox = yield* options.runner.sandbox.state(workspace)
    const first = searchedFirst()
    const command = {
      text,
      cwd,
      reading,
      files,
      ...gitPrograms,
      ...(gitChanges === undefined ? {} : { gitChanges }),
      ...(first.length === 0 ? {} : { searchedFirst: first }),
      ...checksOf(context, { folder, named: foldersIn(files), text }, sandbox)
    }
    return { paths: [], command, sandbox }
  })

  /** The folder, and the files it names: of what a program that does more than read may run, and of what says so, the content. */
  const identity = Effect.fnUntraced(function* (args: Parameters, context: Tool.ToolContext) {
    const { command } = yield* read(args, context)
    const parts = [yield* Identity.place(command.cwd)]
    for (const action of command.reading.actions) {
      for (const fact of action.targets.flatMap((index) => command.files[index] ?? [])) {
        const runs = !action.readOnly && fact.access === "read" && fact.kind === "file"
        parts.push(yield* runs ? Identity.content(fact, longestScript) : Identity.place(fact))
      }
    }
    for (const file of ProgramFiles.of(command, context.workspace)) {
      const fact = PathResolver.resolve(file, { workspace: context.workspace, home: options.home, access: "read" })
      parts.push(JSON.stringify(file), yield* Identity.content(fact, longestScript))
    }
    return parts.join(" ")
  })

  const run = Effect.fnUntraced(function* (args: Parameters, context: Tool.ToolContext) {
    const approved = ApprovalBinding.boundTo(args, whole)
    if (approved !== undefined && (yield* identity(args, context)) !== approved) {
      return failure("Not run: what it runs has changed since it was asked about. Look at it and call it again.")
    }
    const cwd = yield* ApprovalBinding.confirm(args, resolve(args, context))
    if (cwd.kind !== "directory") return failure(`${cwd.given} is not a folder. Leave cwd out for the workspace.`)
    const seconds = args.timeout ?? defaultSeconds
    const { command } = yield* read(args, context)
    const readOnly = CommandRule.isReadOnly(command)
    const { allowedDomains = [], approvals } = context
    const writable = !readOnly && approvals.edit === "allow"
    const isChecked = approvals.commands.checks === "allow"
    if (approved !== undefined && isChecked && CommandRule.isCheck(command, approvals)) {
      Manifests.allowed(watched(context), cwd.resolved, command.text, CommandRule.programs(command))
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
      content: [{ type: "text" as const, text: render(result, seconds, allowedDomains) }],
      isError: isError(result),
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
    parameters: Parameters,
    facts: (args, context) =>
      Effect.tap(read(args, context), ({ command }) => Effect.sync(() => ApprovalBinding.remember(args, command.cwd))),
    confinement: options.runner.sandbox.state,
    identity: (args, context) => Effect.map(identity(args, context), (text) => ApprovalBinding.bind(args, whole, text)),
    execute: (args, context) => Effect.catch(run(args, context), (error) => Effect.succeed(failure(error.message))),
    ...kept(options.runner)
  }
}
