/** What a run leaves on disk, and how much the model is sent with every request. */
import * as path from "node:path"
import type { Figure } from "./figures/figure.ts"
import { single } from "./figures/spread.ts"
import * as Processes from "./programs/processes.ts"
import { type Options, pairOf } from "./programs/programs.ts"
import { scenarioOf } from "./programs/workload.ts"
import { sizeOf, written } from "./storage.ts"

const SHORT = 50
const LONG = 200

export const measureDisk = async (options: Options): Promise<ReadonlyArray<Figure>> => {
  const lengths = [1, SHORT, LONG]
  const server = await Processes.serve(options.temporary, "stored", scenarioOf(lengths, true))
  const stored = async (turns: number) => {
    const { belay } = pairOf(options, server.url, `stored-${turns}`)
    const database = path.join(options.temporary, `stored-${turns}`, "belay.db")
    await Processes.run(belay.args(1), belay)
    const log = await written(database, () => Processes.run(belay.args(turns), belay))
    return { ...log, ...sizeOf(database, path.join(options.temporary, "copy.db")) }
  }
  try {
    const one = await stored(1)
    const short = await stored(SHORT)
    const long = await stored(LONG)
    const { first } = await server.take()
    const characters = JSON.stringify(first?.system).length + JSON.stringify(first?.tools).length
    const growth = (from: typeof one, to: typeof one, turns: number) =>
      (to.bytes - from.bytes - (to.content - from.content)) / turns
    const turn = (from: number, to: number) => single((to - from) / (LONG - SHORT))
    return [
      { name: "commits a turn", belay: turn(short.commits, long.commits), limit: { most: 2.2 }, digits: 2 },
      {
        name: "commits beside turns",
        belay: single(short.commits - (SHORT * (long.commits - short.commits)) / (LONG - SHORT)),
        limit: undefined,
        digits: 0
      },
      {
        name: "log bytes a turn, kB",
        belay: single((long.walBytes - short.walBytes) / (LONG - SHORT) / 1000),
        limit: undefined,
        digits: 1
      },
      {
        name: `rows beyond content a turn, turns 2-${SHORT}, bytes`,
        belay: single(growth(one, short, SHORT - 1)),
        limit: { most: 2048 },
        digits: 0
      },
      {
        name: `rows beyond content a turn, turns ${SHORT + 1}-${LONG}, bytes`,
        belay: single(growth(short, long, LONG - SHORT)),
        limit: { most: 2048 },
        digits: 0
      },
      { name: "system and tools, characters of JSON", belay: single(characters), limit: { most: 13_200 }, digits: 0 }
    ]
  } finally {
    server.stop()
  }
}
