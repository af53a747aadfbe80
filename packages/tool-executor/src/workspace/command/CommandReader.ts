/**
 * What a command is judged by, before it runs: what the grammar reads in it, the files it names, what its git may run and
 * change; and of what it runs the content, so that an approval holds for that alone.
 */
import { CommandFacts, PathResolver } from "@belay/approval-policy/facts"
import * as Effect from "effect/Effect"
import * as Confinement from "../../tool/Confinement.ts"
import type * as Tool from "../../tool/Tool.ts"
import * as Identity from "../paths/Identity.ts"
import { type Parameters, wordsOf } from "./CommandParameters.ts"
import type * as CommandRunner from "./CommandRunner.ts"
import * as Manifests from "./Manifests.ts"
import * as ProgramFiles from "./ProgramFiles.ts"

/** Of a larger file its size and time of change count, not its content. In bytes. */
const longestScript = 1_000_000

/** The task as its manifests are watched for it. */
export const watched = ({ manifests, taskId, workspace }: Tool.ToolContext): Manifests.Task => ({
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

/** Reads commands for one runner. `home`: the user's folder. */
export const make = (options: { readonly home: string; readonly runner: CommandRunner.CommandRunner }) => {
  const seenBy = ({ home: data, looked, workspace }: Tool.ToolContext) => ({
    workspace,
    home: options.home,
    ...(data === undefined ? {} : { data }),
    ...(looked === undefined ? {} : { looked })
  })

  const resolve = (args: Parameters, context: Tool.ToolContext) =>
    PathResolver.resolve(args.cwd ?? ".", { ...seenBy(context), access: "read" })

  const read = Effect.fnUntraced(function* (args: Parameters, context: Tool.ToolContext) {
    const cwd = resolve(args, context)
    const words = wordsOf(args)
    const { workspace } = context
    const fact = yield* CommandFacts.of(words === undefined ? { text: args.command ?? "" } : { words }, {
      ...seenBy(context),
      cwd,
      searchPath: options.runner.searchPath(),
      environment: process.env
    })
    const sandbox = yield* options.runner.sandbox.state(workspace)
    const named = CommandFacts.foldersIn(fact.files)
    const command = { ...fact, ...checksOf(context, { folder: cwd.resolved, named, text: fact.text }, sandbox) }
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

  return { resolve, read, identity }
}
