/** A command that says very much very fast: how long it takes, and what it does to the thread of the engine. */
import * as Effect from "effect/Effect"
import { spawnSync } from "node:child_process"
import { mkdirSync, realpathSync } from "node:fs"
import * as path from "node:path"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { TaskId } from "../../packages/task-state/src/index.ts"
import { CommandRunner, OutputStore } from "../../packages/tool-executor/src/workspace.ts"
import type { Figure } from "./figures/figure.ts"
import { single } from "./figures/spread.ts"
import { now } from "./programs/clock.ts"
import type { Options } from "./programs/programs.ts"

const BYTES = 100_000_000
/** Of ten bytes. */
const LINES = BYTES / 10

const command = `yes 123456789 | head -c ${BYTES}`

const megabytes = (): number => {
  const { external, heapUsed } = process.memoryUsage()
  return (heapUsed + external) / 1e6
}

/** Times in ms, memory in MB. */
const time = async (temporary: string) => {
  mkdirSync(path.join(temporary, "commands"))
  const workspace = realpathSync(path.join(temporary, "commands"))
  const runner = CommandRunner.make({ outputs: OutputStore.make({ directory: workspace }) })
  const run = (text: string, progress: () => Effect.Effect<void>) =>
    Effect.runPromise(
      runner.run({
        taskId: TaskId.TaskId.make("bench"),
        callId: "call",
        command: text,
        cwd: workspace,
        workspace,
        readOnly: false,
        sandbox: "off",
        files: [],
        writesGit: false,
        timeout: "5 minutes",
        progress
      })
    )
  await run("true", () => Effect.void)
  const before = megabytes()
  let most = before
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  const started = now()
  const { kept } = await run(command, () => Effect.sync(() => void (most = Math.max(most, megabytes()))))
  const took = now() - started
  delay.disable()
  if (kept?.bytes !== BYTES) throw new Error(`${kept?.bytes} bytes were kept of ${BYTES}`)
  const alone = now()
  spawnSync("sh", ["-c", `${command} > ${path.join(workspace, "floor.txt")}`])
  return { took, floor: now() - alone, stall: delay.max / 1e6, growth: most - before }
}

export const measureCommands = async ({ temporary }: Options): Promise<ReadonlyArray<Figure>> => {
  const { floor, growth, stall, took } = await time(temporary)
  const what = `a command with ${BYTES / 1e6} MB of output in ${LINES / 1e6} million lines`
  return [
    { name: `${what}, ms (floor: to a file)`, belay: single(took), floor: single(floor), limit: undefined, digits: 0 },
    { name: "longest pause of the event loop meanwhile, ms", belay: single(stall), limit: { within: 50 }, digits: 1 },
    { name: "growth of memory meanwhile, MB", belay: single(growth), limit: { most: 60 }, digits: 1 }
  ]
}
