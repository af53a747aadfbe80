/** What it costs to confine a command, beside the same command without. */
import * as Effect from "effect/Effect"
import { mkdirSync, realpathSync } from "node:fs"
import * as path from "node:path"
import { TaskId } from "../../packages/task-state/src/index.ts"
import { CommandRunner } from "../../packages/tool-executor/src/workspace.ts"
import type { Figure } from "./figures/figure.ts"
import { spread } from "./figures/spread.ts"
import { now } from "./programs/clock.ts"
import type { Options } from "./programs/programs.ts"
import { writeFiles } from "./programs/workload.ts"

interface Times {
  readonly confined: ReadonlyArray<number>
  readonly floor: ReadonlyArray<number>
}

/** Nothing where there is no sandbox. */
const time = async (temporary: string, runs: number): Promise<Times | undefined> => {
  const folder = path.join(temporary, "confined")
  mkdirSync(folder)
  writeFiles(folder)
  const workspace = realpathSync(folder)
  const runner = CommandRunner.make()
  if ((await Effect.runPromise(runner.sandbox.state(workspace)))._tag === "Unavailable") return undefined
  const once = async (sandbox: "required" | "off"): Promise<number> => {
    const started = now()
    await Effect.runPromise(
      runner.run({
        taskId: TaskId.TaskId.make("bench"),
        callId: "call",
        command: "true",
        cwd: workspace,
        workspace,
        readOnly: false,
        sandbox,
        files: [],
        writesGit: false,
        timeout: "1 minute",
        progress: () => Effect.void
      })
    )
    return now() - started
  }
  const confined: Array<number> = []
  const floor: Array<number> = []
  for (let run = 0; run <= runs; run++) {
    const boxed = await once("required")
    const free = await once("off")
    if (run === 0) continue
    confined.push(boxed)
    floor.push(free)
  }
  return { confined, floor }
}

export const measureSandbox = async ({ runs, temporary }: Options): Promise<ReadonlyArray<Figure>> => {
  const times = await time(temporary, runs)
  if (times === undefined) return []
  return [
    {
      name: "a confined trivial command, ms (floor: not confined)",
      belay: spread(times.confined),
      floor: spread(times.floor),
      limit: { beyond: 40 },
      digits: 1
    }
  ]
}
