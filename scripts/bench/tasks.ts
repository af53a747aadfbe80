/** What everyday tasks cost: the requests that they take, and the size of all their bodies together. */
import { mkdirSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import { EverydayTasks, ScriptedServer } from "../../packages/testkit/src/index.ts"
import type { Figure, Options } from "./measure.ts"
import * as Processes from "./processes.ts"
import { single } from "./spread.ts"

const cost = async (
  { entry, temporary }: Options,
  environment: NodeJS.ProcessEnv,
  task: EverydayTasks.EverydayTask,
  place: string
): Promise<ReadonlyArray<Figure>> => {
  const server = await ScriptedServer.startServer({ tasks: task.scripts })
  try {
    const cwd = path.join(temporary, place)
    for (const [name, text] of Object.entries(task.files)) {
      mkdirSync(path.dirname(path.join(cwd, name)), { recursive: true })
      writeFileSync(path.join(cwd, name), text)
    }
    const home = path.join(temporary, `${place}-home`)
    const env = { ...environment, BELAY_HOME: home, ANTHROPIC_BASE_URL: server.url }
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

/** `environment` is that of `belay` but for its data folder and its server. */
export const measureTasks = async (
  options: Options,
  environment: NodeJS.ProcessEnv
): Promise<ReadonlyArray<Figure>> => {
  const figures: Array<Figure> = []
  for (const [at, task] of EverydayTasks.all.entries()) {
    figures.push(...(await cost(options, environment, task, `everyday-${at}`)))
  }
  return figures
}
