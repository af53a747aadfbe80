/** Many tasks at once: a hundred subtasks of one parent beside ten roots in one process, and eight processes on one history. */
import { spawn } from "node:child_process"
import { mkdirSync } from "node:fs"
import * as path from "node:path"
import type { Figure, Limit } from "../figures/figure.ts"
import { single, spread } from "../figures/spread.ts"
import * as Processes from "../programs/processes.ts"
import type { Options } from "../programs/programs.ts"
import type { Ran } from "./manyRun.ts"
import { OWN, ROOTS, scenario, SUBTASKS, TURNS } from "./scripts.ts"

const PROCESSES = 8
const pause: Limit = { within: 50 }

const ran = ({ cwd }: Options, url: string, home: string, kind: "tree" | "roots"): Promise<Ran> => {
  const { promise, reject, resolve } = Promise.withResolvers<Ran>()
  const program = path.join(import.meta.dirname, "manyRun.ts")
  const args = ["--expose-gc", "--conditions=@belay/source", program, url, home, cwd, kind]
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] })
  let said = ""
  let failed = ""
  child.stdout.on("data", (chunk) => (said += chunk))
  child.stderr.on("data", (chunk) => (failed = (failed + chunk).slice(-2000)))
  child.once("error", reject)
  child.once("close", (code) => {
    if (code === 0) resolve(JSON.parse(said))
    else reject(new Error(`many tasks at once ended with ${code}: ${failed}`))
  })
  return promise
}

const each = (one: Ran): number => one.processor / one.answers

const inOne = async (options: Options, url: string): Promise<ReadonlyArray<Figure>> => {
  const home = path.join(options.temporary, "many-one")
  mkdirSync(home)
  const one = await ran(options, url, home, "tree")
  const what = `${SUBTASKS} subtasks of one parent beside ${ROOTS} roots, ${TURNS} turns each`
  return [
    { name: `${what}: processor time of a turn, ms`, belay: single(each(one)), limit: undefined, digits: 2 },
    { name: "turns a second", belay: single((one.answers / one.wall) * 1000), limit: undefined, digits: 0 },
    {
      name: "heap of each when all have ended, kB",
      belay: single((one.heap * 1000) / one.tasks),
      limit: undefined,
      digits: 0
    },
    {
      name: "longest pause of the event loop, ms",
      belay: single(one.pauses.wall),
      processor: { belay: single(one.pauses.processor) },
      limit: pause,
      digits: 1
    },
    {
      name: `turns of the subtask that has fewest, half way (floor: that has most)`,
      belay: single(one.fewest),
      floor: single(one.most),
      limit: undefined,
      digits: 0
    }
  ]
}

const inSeveral = async (options: Options, url: string): Promise<ReadonlyArray<Figure>> => {
  const home = path.join(options.temporary, "many-several")
  mkdirSync(home)
  const all = await Promise.all(Array.from({ length: PROCESSES }, () => ran(options, url, home, "roots")))
  const what = `${PROCESSES} processes on one history, ${OWN} roots of ${TURNS} turns each`
  return [
    { name: `${what}: processor time of a turn, ms`, belay: spread(all.map(each)), limit: undefined, digits: 2 },
    {
      name: "longest pause of the event loop of each, ms",
      belay: spread(all.map(({ pauses }) => pauses.wall)),
      processor: { belay: spread(all.map(({ pauses }) => pauses.processor)) },
      limit: pause,
      digits: 1
    },
    {
      name: "from the first turn to the last of each, s: as long as all of them have",
      belay: spread(all.map(({ wall }) => wall / 1000)),
      limit: undefined,
      digits: 1
    }
  ]
}

export const measureMany = async (options: Options): Promise<ReadonlyArray<Figure>> => {
  const server = await Processes.serve(options.temporary, "many", scenario)
  try {
    return [...(await inOne(options, server.url)), ...(await inSeveral(options, server.url))]
  } finally {
    server.stop()
  }
}
