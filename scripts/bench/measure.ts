/** The measurements, one after another. */
import { mkdirSync } from "node:fs"
import * as path from "node:path"
import * as Checkpoints from "./checkpoints.ts"
import * as Conversation from "./conversation.ts"
import * as Commands from "./commands.ts"
import * as Editor from "./editor.ts"
import * as Processes from "./processes.ts"
import * as Sandbox from "./sandbox.ts"
import { measureSearch } from "./search.ts"
import { single, type Spread, spread } from "./spread.ts"
import { sizeOf, written } from "./storage.ts"
import { measureTasks } from "./tasks.ts"
import * as View from "./view.ts"
import { promptOf, scenarioOf, writeFiles } from "./workload.ts"

export interface Options {
  readonly temporary: string
  /** The built `belay.js`. */
  readonly entry: string
  readonly runs: number
}

/** One figure; times in ms, memory in MB. */
export interface Figure {
  readonly name: string
  readonly belay: Spread
  readonly floor?: Spread
  /** The most that the figure may be: so many times the floor, or so much. */
  readonly limit: { readonly times: number } | { readonly most: number } | undefined
  readonly digits: number
}

const SHORT = 50
const LONG = 200

const mean = (values: ReadonlyArray<number>): number => values.reduce((sum, value) => sum + value, 0) / values.length

/** Nothing of the caller's settings: only what Node needs to run. */
const inherited = (): NodeJS.ProcessEnv => {
  const keep = ["PATH", "SystemRoot", "TEMP", "TMP", "TMPDIR"]
  return Object.fromEntries(
    keep.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]]))
  )
}

const programs = (options: Options, cwd: string, url: string, home: string) => {
  const env = {
    ...inherited(),
    HOME: path.join(options.temporary, "home"),
    USERPROFILE: path.join(options.temporary, "home"),
    BELAY_HOME: path.join(options.temporary, home),
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: "bench-key"
  }
  const belay: Processes.Program = {
    name: "belay",
    args: (turns) => [options.entry, "run", promptOf(turns), "--output", "json"],
    env,
    cwd
  }
  const floor: Processes.Program = {
    name: "floor",
    args: (turns) => [path.join(import.meta.dirname, "floor.mjs"), promptOf(turns)],
    env,
    cwd
  }
  return { belay, floor }
}

type Pair = ReturnType<typeof programs>

/** A B A B …, after one run of each that does not count. */
const alternating = async <A>(pair: Pair, runs: number, once: (program: Processes.Program) => Promise<A>) => {
  const belay: Array<A> = []
  const floor: Array<A> = []
  for (let run = 0; run <= runs; run++) {
    const a = await once(pair.belay)
    const b = await once(pair.floor)
    if (run === 0) continue
    belay.push(a)
    floor.push(b)
  }
  return { belay, floor }
}

const compared = <A>(
  runs: { readonly belay: ReadonlyArray<A>; readonly floor: ReadonlyArray<A> },
  of: (run: A) => number
) => ({ belay: spread(runs.belay.map(of)), floor: spread(runs.floor.map(of)) })

const times = async (options: Options, cwd: string): Promise<ReadonlyArray<Figure>> => {
  const server = await Processes.serve(options.temporary, "timed", scenarioOf([SHORT, LONG], false))
  try {
    const pair = programs(options, cwd, server.url, "timed")
    const short = await alternating(pair, options.runs, (program) => Processes.time(server, program, SHORT))
    const long = await alternating(pair, Math.min(options.runs, 3), (program) => Processes.time(server, program, LONG))
    const peak = await alternating(pair, Math.min(options.runs, 3), async (program) => {
      const file = path.join(options.temporary, "peak")
      const peaked = await Processes.memory(program, SHORT, file)
      await server.take()
      return peaked
    })
    const version = await alternating(pair, options.runs, async ({ cwd, env, name }) => {
      const args = name === "belay" ? [options.entry, "--version"] : ["--eval", "0"]
      const { ended, started } = await Processes.run(args, { cwd, env })
      return ended - started
    })
    const flatness = compared(long, ({ turns }) => mean(turns.slice(-50)) / mean(turns.slice(0, 50)))
    return [
      {
        name: "start to first request, ms",
        ...compared(short, (run) => run.firstRequest),
        limit: { times: 2.6 },
        digits: 1
      },
      {
        name: `a turn of ${SHORT}, ms`,
        ...compared(short, (run) => mean(run.turns)),
        limit: { times: 3.5 },
        digits: 2
      },
      { name: `a turn of ${LONG}, ms`, ...compared(long, (run) => mean(run.turns)), limit: { times: 3.5 }, digits: 2 },
      {
        name: "turns 1-50 of 200, ms",
        ...compared(long, (run) => mean(run.turns.slice(0, 50))),
        limit: undefined,
        digits: 2
      },
      {
        name: "turns 151-200 of 200, ms",
        ...compared(long, (run) => mean(run.turns.slice(-50))),
        limit: { times: 3.5 },
        digits: 2
      },
      { name: "turns 151-200 over 1-50", ...flatness, limit: undefined, digits: 2 },
      { name: "whole run, ms", ...compared(short, (run) => run.whole), limit: { times: 3 }, digits: 0 },
      { name: "exit after the last answer, ms", ...compared(short, (run) => run.exit), limit: { most: 50 }, digits: 1 },
      {
        name: "--version, ms (floor: empty Node)",
        ...compared({ belay: version.belay, floor: version.floor }, (ms) => ms),
        limit: { most: 60 },
        digits: 1
      },
      { name: "peak memory, MB", ...compared(peak, (megabytes) => megabytes), limit: { most: 140 }, digits: 1 }
    ]
  } finally {
    server.stop()
  }
}

const calls = 1000

/** A batch of everyday and hostile commands, no two alike. */
const policy = async (options: Options, cwd: string): Promise<Figure> => {
  const { belay } = programs(options, cwd, "http://127.0.0.1:9", "policy")
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
    const { ended, started } = await Processes.run([options.entry, "policy", "explain", "--batch"], { ...belay, input })
    return ended - started
  }
  await once()
  const runs = [await once(), await once(), await once()]
  return { name: `policy explain, ${calls} lines, ms`, belay: spread(runs), limit: { most: 1000 }, digits: 0 }
}

const storage = async (options: Options, cwd: string): Promise<ReadonlyArray<Figure>> => {
  const lengths = [1, SHORT, LONG]
  const server = await Processes.serve(options.temporary, "stored", scenarioOf(lengths, true))
  const stored = async (turns: number) => {
    const { belay } = programs(options, cwd, server.url, `stored-${turns}`)
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
      { name: "commits a turn", belay: turn(short.commits, long.commits), limit: { most: 3 }, digits: 2 },
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

const conversation = (options: Options): ReadonlyArray<Figure> => {
  const { early, earlyHeap, late, lateHeap, megabytes, messages } = Conversation.time(options.temporary)
  const size = `${messages} messages and ${megabytes.toFixed(1)} MB`
  return [
    {
      name: `a turn after ${size}, ms (floor: a turn at the beginning)`,
      belay: spread(late),
      floor: spread(early),
      limit: { times: 2 },
      digits: 1
    },
    {
      name: `heap after ${size} beyond that after a fifth, MB`,
      belay: single(lateHeap - earlyHeap),
      limit: { most: 20 },
      digits: 1
    }
  ]
}

const checkpoints = async (options: Options): Promise<ReadonlyArray<Figure>> => {
  const { changed, first, floor, unchanged } = await Checkpoints.time(options.temporary, options.runs)
  const files = `of ${Checkpoints.FILES} files, ms`
  return [
    { name: `first checkpoint ${files}`, belay: single(first), limit: { most: 15_000 }, digits: 0 },
    {
      name: `checkpoint ${files} (floor: git add, write-tree, commit-tree)`,
      belay: spread(unchanged),
      floor: spread(floor),
      limit: { most: 300 },
      digits: 0
    },
    { name: `checkpoint with 1 changed ${files}`, belay: spread(changed), limit: { most: 300 }, digits: 0 }
  ]
}

const sandbox = async (options: Options): Promise<ReadonlyArray<Figure>> => {
  const times = await Sandbox.time(options.temporary, options.runs)
  if (times === undefined) return []
  return [
    {
      name: "a confined trivial command, ms (floor: not confined)",
      belay: spread(times.confined),
      floor: spread(times.floor),
      limit: { most: 100 },
      digits: 1
    }
  ]
}

const commands = async (options: Options): Promise<ReadonlyArray<Figure>> => {
  const { floor, growth, stall, took } = await Commands.time(options.temporary)
  const what = `a command with ${Commands.BYTES / 1e6} MB of output in ${Commands.LINES / 1e6} million lines`
  return [
    { name: `${what}, ms (floor: to a file)`, belay: single(took), floor: single(floor), limit: undefined, digits: 0 },
    { name: "longest halt of the event loop meanwhile, ms", belay: single(stall), limit: { most: 50 }, digits: 1 },
    { name: "growth of memory meanwhile, MB", belay: single(growth), limit: { most: 60 }, digits: 1 }
  ]
}

export interface Data {
  readonly node: string
  readonly platform: string
  readonly runs: number
  readonly figures: ReadonlyArray<Figure>
  /** Figures that there are none of, and why. */
  readonly skipped: ReadonlyArray<string>
}

export const measure = async (options: Options): Promise<Data> => {
  const cwd = path.join(options.temporary, "workspace")
  mkdirSync(cwd)
  writeFiles(cwd)
  const missing = Editor.missing()
  const view = missing === undefined ? await View.measure() : { figures: [], skipped: [] }
  const figures = [
    ...(await times(options, cwd)),
    await policy(options, cwd),
    ...(await storage(options, cwd)),
    ...(await measureTasks(options, programs(options, cwd, "http://127.0.0.1:9", "tasks").belay.env)),
    ...conversation(options),
    ...(await checkpoints(options)),
    ...(await sandbox(options)),
    ...(await commands(options)),
    ...(await measureSearch(path.join(options.temporary, "long-history"))),
    ...(missing === undefined ? [...(await Editor.measureEditor()), ...view.figures] : [])
  ]
  const skipped = missing === undefined ? view.skipped : [`Nothing of the editor: ${missing}`]
  return {
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
    runs: options.runs,
    figures,
    skipped
  }
}
