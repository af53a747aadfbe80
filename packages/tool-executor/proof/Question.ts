/**
 * A generated line as the pipeline puts it to the policy: the facts of `execute_command` on the real tree, nobody there to
 * ask; and how the runner starts it.
 */
import { Approvals, CommandRule, type CommandFact, type PolicyInput } from "@belay/approval-policy"
import { TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import * as path from "node:path"
import { judgedFacts } from "../src/Pipeline.ts"
import type { ToolContext } from "../src/tool/Tool.ts"
import * as CommandEnvironment from "../src/workspace/process/CommandEnvironment.ts"
import * as CommandRunner from "../src/workspace/command/CommandRunner.ts"
import * as ExecuteCommand from "../src/workspace/tools/ExecuteCommand.ts"
import * as Sandbox from "../src/workspace/sandbox/Sandbox.ts"
import type * as Box from "./Box.ts"
import type { Line } from "./Generator.ts"
import type { Setting } from "./Settings.ts"
import * as Tree from "./Tree.ts"

type Facts = PolicyInput.PolicyInput["facts"] & { readonly command: CommandFact.CommandFact }

export interface Question {
  readonly line: Line
  readonly facts: Facts
  readonly inputUnder: (setting: Setting) => PolicyInput.PolicyInput
  readonly command: Box.Command
}

export interface Asker {
  readonly workspace: string
  readonly ask: (line: Line) => Promise<Question>
}

/** Where a line speaks of the whole tree. */
const rooted = (text: string, root: string): string => text.replaceAll("@@", root)

const noBox: CommandRunner.CommandRunnerOptions = {
  sandbox: Sandbox.unavailable("The proof runs what the rules alone allow.")
}

let before: Promise<unknown> = Promise.resolve()

/**
 * The tool asks the process for the home folder: for the time of the question it is that of the tree, so that one
 * question follows the other.
 */
const at = <A>(home: string, body: () => Promise<A>): Promise<A> => {
  const asked = before.then(async () => {
    const own = process.env["HOME"]
    process.env["HOME"] = home
    try {
      return await body()
    } finally {
      if (own === undefined) delete process.env["HOME"]
      else process.env["HOME"] = own
    }
  })
  before = asked.catch(() => undefined)
  return asked
}

export const make = (root: string): Asker => {
  const workspace = Tree.workspaceOf(root)
  const home = Tree.homeOf(root)
  const tool = ExecuteCommand.make({ home, runner: CommandRunner.make(noBox) })
  const environment = { PATH: "/usr/bin:/bin", HOME: home, LANG: "C.UTF-8", LC_ALL: "C.UTF-8", TERM: "dumb" }
  const scrubbed = CommandEnvironment.scrub(environment, workspace)
  const contextUnder = ({ approvals, mode }: Pick<Setting, "approvals" | "mode">, callId: string): ToolContext => ({
    taskId: TaskId.TaskId.make("proof"),
    callId,
    mode,
    workspace,
    home: path.join(home, "belay"),
    approvals,
    sandbox: "off",
    progress: () => Effect.void
  })

  const factsOf = (text: string, cwd: string | undefined, setting: Pick<Setting, "approvals" | "mode">) =>
    tool.facts({ command: text, ...(cwd === undefined ? {} : { cwd }) }, contextUnder(setting, "call"))

  const first = { approvals: Approvals.ask, mode: "act" } as const

  const ask = async (line: Line): Promise<Question> => {
    const text = rooted(line.text, root)
    const found = judgedFacts(await at(home, () => Effect.runPromise(factsOf(text, line.cwd, first))))
    const { command } = found
    if (command === undefined) throw new Error(`there are no facts of ${JSON.stringify(text)}`)
    const args = { command: text, ...(line.cwd === undefined ? {} : { cwd: line.cwd }) }
    const readOnly = CommandRule.isReadOnly(command)
    const writesGit =
      !readOnly && CommandRule.programs(command).some((program) => path.posix.basename(program) === "git")
    return {
      line,
      facts: { ...found, command },
      inputUnder: ({ approvals, mode }) => ({
        tool: tool.name,
        category: tool.category,
        args,
        mode,
        readOnly: tool.readOnly,
        approvals,
        facts: found,
        workspace,
        known: true,
        strictPlanMode: true,
        home: path.join(home, "belay")
      }),
      command: {
        text,
        cwd: command.cwd.resolved,
        env: {
          ...scrubbed,
          ...(readOnly ? CommandEnvironment.quietGit() : writesGit ? CommandEnvironment.carefulGit : {})
        }
      }
    }
  }
  return { workspace, ask }
}
