/** What a command takes that asks no model. */
import * as path from "node:path"
import type { Figure, Limit } from "./figures/figure.ts"
import { compared, spread } from "./figures/spread.ts"
import * as Processes from "./programs/processes.ts"
import { alternating, environment, nowhere, type Options } from "./programs/programs.ts"

type Args = ReadonlyArray<string>

/** An empty command of ours: it prints a text that is there, and looks at no setting, folder or history. */
const empty: Args = ["completions", "bash"]

/** `args` of our program beside those of Node, wall and processor time. */
const beside = async (
  { entry, runs, temporary }: Options,
  {
    args,
    cwd,
    env,
    floor,
    limit,
    name
  }: {
    readonly name: string
    readonly args: Args
    readonly floor: Args
    readonly limit: Limit
    readonly cwd: string
    readonly env: NodeJS.ProcessEnv
  }
): Promise<Figure> => {
  const pair = { belay: [entry, ...args], floor }
  const timed = await alternating(pair, runs, async (words) => {
    const { ended, started } = await Processes.run(words, { cwd, env })
    return ended - started
  })
  const used = await alternating(pair, runs, (words) =>
    Processes.usage(words, { cwd, env }, path.join(temporary, "usage"))
  )
  const processor = compared(used, (one) => one.processor)
  return { name, ...compared(timed, (ms) => ms), processor, limit, digits: 1 }
}

const calls = 1000

/** A batch of everyday and hostile commands, no two alike. */
const policy = async ({ cwd, entry }: Options, env: NodeJS.ProcessEnv): Promise<Figure> => {
  const commands = ["git status", "npm test 2>&1 | tail -5", "find . -name '*.ts' | xargs cat", "rm -rf ~/", "ls $(a)"]
  const approvals = { commands: { allow: ["git status", "npm test", "tail", "find", "xargs", "cat"] } }
  const line = (_: unknown, at: number) =>
    JSON.stringify({
      tool: "execute_command",
      args: { command: `${commands[at % commands.length]} # ${at}` },
      approvals
    })
  const input = Array.from({ length: calls }, line).join("\n")
  const once = async () => {
    const { ended, started } = await Processes.run([entry, "policy", "explain", "--batch"], { cwd, env, input })
    return ended - started
  }
  await once()
  const runs = [await once(), await once(), await once()]
  return { name: `policy explain, ${calls} lines, ms`, belay: spread(runs), limit: { within: 1000 }, digits: 0 }
}

export const measureStarts = async (options: Options): Promise<ReadonlyArray<Figure>> => {
  const { cwd, entry } = options
  const env = environment(options, nowhere, "starts")
  return [
    await beside(options, {
      name: "--version, ms (floor: empty Node)",
      args: ["--version"],
      floor: ["--eval", "0"],
      limit: { beyond: 10 },
      cwd,
      env
    }),
    await beside(options, {
      name: "task list, ms (floor: an empty command of ours)",
      args: ["task", "list"],
      floor: [entry, ...empty],
      limit: { times: 1.4 },
      cwd,
      env
    }),
    await policy(options, env)
  ]
}
