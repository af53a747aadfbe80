/** What everyday tasks cost: the requests that they take, and the size of all their bodies together. */
import { mkdirSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import { EverydayTasks, ScriptedServer } from "../../packages/testkit/src/index.ts"
import type { Figure } from "./figures/figure.ts"
import { single } from "./figures/spread.ts"
import * as Processes from "./programs/processes.ts"
import { environment, type Options } from "./programs/programs.ts"

const cost = async (
  options: Options,
  task: EverydayTasks.EverydayTask,
  place: string
): Promise<ReadonlyArray<Figure>> => {
  const { entry, temporary } = options
  const server = await ScriptedServer.startServer({ tasks: task.scripts })
  try {
    const cwd = path.join(temporary, place)
    for (const [name, text] of Object.entries(task.files)) {
      mkdirSync(path.dirname(path.join(cwd, name)), { recursive: true })
      writeFileSync(path.join(cwd, name), text)
    }
    const env = environment(options, server.url, `${place}-home`)
    for (const { args, code } of task.runs) await Processes.run([entry, ...args], { cwd, env, code })
    const asked = server.requests.filter((request) => request.path === "/v1/messages")
    const bytes = asked.reduce((sum, { raw }) => sum + Buffer.byteLength(raw), 0)
    return [
      { name: `${task.name}, requests`, belay: single(asked.length), limit: { most: task.requests }, digits: 0 },
      {
        name: `${task.name}, kB of all requests`,
        belay: single(bytes / 1000),
        limit: { most: task.mostBytes / 1000 },
        digits: 1
      }
    ]
  } finally {
    await server.close()
  }
}

export const measureTasks = async (options: Options): Promise<ReadonlyArray<Figure>> => {
  const figures: Array<Figure> = []
  for (const [at, task] of EverydayTasks.all.entries()) {
    figures.push(...(await cost(options, task, `everyday-${at}`)))
  }
  return figures
}
