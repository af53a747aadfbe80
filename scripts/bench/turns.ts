/** A task that reads one file a turn, from outside: its start, its turns, its end, its memory. */
import * as path from "node:path"
import type { Figure, Limit, Measured } from "./figures/figure.ts"
import { compared, type Spread } from "./figures/spread.ts"
import * as Processes from "./programs/processes.ts"
import { alternating, inherited, type Options, type Pair, pairOf } from "./programs/programs.ts"
import { otherPromptOf, scenarioOf } from "./programs/workload.ts"
import * as Peers from "./terminal/peers.ts"

const SHORT = 50
const LONG = 200
const THOUSAND = 1000
const few = 3

const mean = (values: ReadonlyArray<number>): number => values.reduce((sum, value) => sum + value, 0) / values.length

/** What a turn may take beyond the floor's, in ms. */
const turn: Limit = { beyond: 2.5 }

interface Both {
  readonly belay: ReadonlyArray<Processes.Timed>
  readonly floor: ReadonlyArray<Processes.Timed>
}

const turnsOf = (runs: Both, name: string, limit: Limit | undefined, from = 0, to?: number): Figure => ({
  name: `${name}, ms`,
  ...compared(runs, (run) => mean(run.turns.slice(from, to))),
  limit,
  digits: 2
})

/** Processor time: of a run of one turn, and of each turn more. */
const usageOf = async (options: Options, server: Processes.Server, pair: Pair) => {
  const used = (turns: number) =>
    alternating(pair, Math.max(few, options.runs), async (program) => {
      const found = await Processes.usage(program.args(turns), program, path.join(options.temporary, "usage"))
      await server.take()
      return found
    })
  const one = await used(1)
  const short = await used(SHORT)
  const start = compared(one, ({ processor }) => processor)
  const whole = compared(short, ({ processor }) => processor)
  const each = (spread: Spread, beginning: Spread): Spread => {
    const of = (value: number): number => (value - beginning.median) / (SHORT - 1)
    const { max, median, min, values } = spread
    return { max: of(max), median: of(median), min: of(min), values: values.map(of) }
  }
  return {
    start,
    whole,
    turn: { belay: each(whole.belay, start.belay), floor: each(whole.floor, start.floor) },
    peak: compared(short, ({ peak }) => peak)
  }
}

/** The same task by pi: a turn of ours is to cost less than one of its. */
const besidePi = async (
  options: Options,
  server: Processes.Server,
  belay: Processes.Program,
  version: string
): Promise<ReadonlyArray<Figure>> => {
  const { bin, once, settle } = Peers.pi
  const home = path.join(options.temporary, `once-${bin}`)
  const args = (turns: number) => [Peers.binOf(Peers.pi), ...once(otherPromptOf(turns))]
  const env = { ...inherited(), HOME: home, USERPROFILE: home, ...settle(home, server.url, options.cwd) }
  const pair: Pair = { belay, floor: { name: bin, args, env, cwd: options.cwd } }
  const timed = (turns: number, runs: number) =>
    alternating(pair, runs, (program) => Processes.time(server, program, turns))
  const short = await timed(SHORT, options.runs)
  const long = await timed(LONG, Math.min(options.runs, few))
  const thousand = await timed(THOUSAND, Math.min(options.runs, few))
  const floor = `ms (floor: pi ${version})`
  const under: Limit = { times: 1 }
  const row = (name: string, runs: Both, from: number) => ({
    ...turnsOf(runs, name, under, from),
    name: `${name}, ${floor}`
  })
  return [
    {
      name: `start to first request, ${floor}`,
      ...compared(short, (run) => run.firstRequest),
      limit: undefined,
      digits: 1
    },
    row(`a turn of ${SHORT}`, short, 0),
    row(`turns 151-200 of ${LONG}`, long, -50),
    row(`turns 951-1,000 of ${THOUSAND.toLocaleString("en-US")}`, thousand, -50)
  ]
}

export const measureTurns = async (options: Options): Promise<Measured> => {
  const scenario = scenarioOf([1, SHORT, LONG, THOUSAND], false, Peers.pi.reads)
  const server = await Processes.serve(options.temporary, "timed", scenario)
  try {
    const pair = pairOf(options, server.url, "timed")
    const timed = (turns: number, runs: number) =>
      alternating(pair, runs, (program) => Processes.time(server, program, turns))
    const short = await timed(SHORT, options.runs)
    const used = await usageOf(options, server, pair)
    const long = await timed(LONG, Math.min(options.runs, few))
    const thousand = await timed(THOUSAND, Math.min(options.runs, few))
    const pi = Peers.versionOf(Peers.pi)
    const beside = pi === undefined ? [] : await besidePi(options, server, pair.belay, pi)
    const figures: ReadonlyArray<Figure> = [
      {
        name: "start to first request, ms",
        ...compared(short, (run) => run.firstRequest),
        processor: used.start,
        limit: { times: 1.5 },
        digits: 1
      },
      { ...turnsOf(short, `a turn of ${SHORT}`, turn), processor: used.turn },
      turnsOf(short, `turns 1-10 of ${SHORT}`, undefined, 0, 10),
      turnsOf(short, `turns 41-50 of ${SHORT}`, undefined, -10),
      turnsOf(long, `turns 151-200 of ${LONG}`, turn, -50),
      turnsOf(thousand, `turns 951-1,000 of ${THOUSAND.toLocaleString("en-US")}`, turn, -50),
      {
        name: `whole run of ${SHORT} turns, ms`,
        ...compared(short, (run) => run.whole),
        processor: used.whole,
        limit: { times: 2.2 },
        digits: 0
      },
      {
        name: "exit after the last answer, ms",
        ...compared(short, (run) => run.exit),
        limit: { within: 30 },
        digits: 1
      },
      { name: `peak memory of ${SHORT} turns, MB`, ...used.peak, limit: { most: 95 }, digits: 1 }
    ]
    return {
      figures: [...figures, ...beside],
      skipped: pi === undefined ? ["No turn of pi: not installed (pnpm bench --peers installs it)."] : []
    }
  } finally {
    server.stop()
  }
}
