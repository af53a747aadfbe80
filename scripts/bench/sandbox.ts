/** When a confined command begins, beside the same command without a sandbox: told by the command itself. */
import * as Effect from "effect/Effect"
import { mkdirSync, realpathSync } from "node:fs"
import * as path from "node:path"
import { TaskId } from "../../packages/task-state/src/index.ts"
import { CommandRunner } from "../../packages/tool-executor/src/workspace.ts"
import type { Figure } from "./figures/figure.ts"
import { spread } from "./figures/spread.ts"
import type { Options } from "./programs/programs.ts"
import { writeFiles } from "./programs/workload.ts"

/** By how it runs: ms until the command runs. */
interface Begun {
  readonly free: Array<number>
  readonly closed: Array<number>
  readonly open: Array<number>
}

const requests = {
  free: { sandbox: "off" },
  closed: { sandbox: "required" },
  open: { sandbox: "required", allowedDomains: ["packages.example.com"] }
} as const

/** Nothing where there is no sandbox. */
const time = async (temporary: string, runs: number): Promise<Begun | undefined> => {
  const folder = path.join(temporary, "confined")
  mkdirSync(folder)
  writeFiles(folder)
  const workspace = realpathSync(folder)
  const runner = CommandRunner.make()
  if ((await Effect.runPromise(runner.sandbox.state(workspace)))._tag === "Unavailable") return undefined
  const once = async (how: keyof Begun): Promise<number> => {
    const started = performance.timeOrigin + performance.now()
    const { head } = await Effect.runPromise(
      runner.run({
        taskId: TaskId.TaskId.make("bench"),
        callId: "call",
        command: "echo $EPOCHREALTIME",
        cwd: workspace,
        workspace,
        readOnly: false,
        ...requests[how],
        files: [],
        writesGit: false,
        timeout: "1 minute",
        progress: () => Effect.void
      })
    )
    return Number(head) * 1000 - started
  }
  const begun: Begun = { free: [], closed: [], open: [] }
  for (let run = 0; run <= runs; run++) {
    for (const how of ["free", "closed", "open"] as const) {
      const ms = await once(how)
      if (run > 0) begun[how].push(ms)
    }
  }
  return begun
}

export const measureSandbox = async ({ runs, temporary }: Options): Promise<ReadonlyArray<Figure>> => {
  const begun = await time(temporary, runs)
  if (begun === undefined) return []
  const figure = (name: string, of: ReadonlyArray<number>): Figure => ({
    name: `a confined command begins after${name}, ms (floor: not confined)`,
    belay: spread(of),
    floor: spread(begun.free),
    limit: { beyond: 40 },
    digits: 1
  })
  return [figure("", begun.closed), figure(", with a host open", begun.open)]
}
