/** What a history of a hundred thousand tasks costs, beside an empty one: a list, a start, a look, a search. */
import * as Effect from "effect/Effect"
import { mkdirSync } from "node:fs"
import * as path from "node:path"
import * as Tasks from "../../../apps/host-vscode/test/vscode/Tasks.ts"
import { TaskHistory } from "../../../packages/history-store/src/index.ts"
import type { Figure, Limit } from "../figures/figure.ts"
import { compared, single, spread } from "../figures/spread.ts"
import * as Processes from "../programs/processes.ts"
import { alternating, environment, nowhere, type Options, pairOf, type Pair } from "../programs/programs.ts"
import { scenarioOf } from "../programs/workload.ts"
import * as Generate from "./generate.ts"

const TASKS = 100_000
const OPEN = 10_000
const LOOKS = 20
const TEXTS = ["old", "task 4242", "old is:done", "cost:<1 9", "unheard"]
/** What is typed is looked for after so many ms, and 50 rows are shown. */
const DEBOUNCE = 60
const ROWS = 50

const count = (of: number): string => of.toLocaleString("en-US")
const many = `${count(TASKS)} tasks`

interface Place {
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
}

/** The same command with the long history and with an empty one. */
const command = async (
  { runs, temporary }: Options,
  args: ReadonlyArray<string>,
  places: { readonly belay: Place; readonly floor: Place }
) => {
  const timed = await alternating(places, runs, async (place) => {
    const { ended, started } = await Processes.run(args, place)
    return ended - started
  })
  const used = await alternating(places, runs, (place) => Processes.usage(args, place, path.join(temporary, "usage")))
  return { ...compared(timed, (ms) => ms), processor: compared(used, ({ processor }) => processor) }
}

const lists = async (options: Options, projects: string): Promise<ReadonlyArray<Figure>> => {
  const args = [options.entry, "task", "list"]
  const env = environment(options, nowhere, "long")
  const floor = { cwd: options.cwd, env: environment(options, nowhere, "short") }
  const inFolder = path.join(projects, "project-1")
  const limit: Limit = { within: 150 }
  const beside = "ms (floor: in an empty history)"
  const here = await command(options, args, { belay: { cwd: inFolder, env }, floor })
  const elsewhere = await command(options, args, { belay: { cwd: options.cwd, env }, floor })
  return [
    {
      name: `task list of ${many}, in a folder with ${count(TASKS / Generate.FOLDERS)} of them, ${beside}`,
      ...here,
      limit,
      digits: 1
    },
    { name: `task list of ${many}, in a folder without one, ${beside}`, ...elsewhere, limit, digits: 1 }
  ]
}

const start = async (options: Options): Promise<Figure> => {
  const server = await Processes.serve(options.temporary, "started", scenarioOf([1], false))
  try {
    const pair: Pair = {
      belay: pairOf(options, server.url, "long").belay,
      floor: pairOf(options, server.url, "short").belay
    }
    const timed = await alternating(pair, options.runs, (program) => Processes.time(server, program, 1))
    const used = await alternating(pair, options.runs, async (program) => {
      const found = await Processes.usage(program.args(1), program, path.join(options.temporary, "usage"))
      await server.take()
      return found
    })
    return {
      name: `start to first request with ${many}, ${count(OPEN)} of them open, ms (floor: with an empty history)`,
      ...compared(timed, ({ firstRequest }) => firstRequest),
      processor: compared(used, ({ processor }) => processor),
      limit: { beyond: 10 },
      digits: 1
    }
  } finally {
    server.stop()
  }
}

interface Look {
  readonly wall: number
  readonly processor: number
}

/** Ms of something in this process. */
const looked = async <A>(work: () => Promise<A>): Promise<Look & { readonly value: A }> => {
  const used = process.cpuUsage()
  const started = performance.now()
  const value = await work()
  const wall = performance.now() - started
  const { system, user } = process.cpuUsage(used)
  return { wall, processor: (system + user) / 1000, value }
}

const repeated = async (work: () => Promise<unknown>): Promise<Pick<Figure, "belay" | "processor">> => {
  const looks: Array<Look> = []
  for (let n = 0; n <= LOOKS; n++) {
    const look = await looked(work)
    if (n > 0) looks.push(look)
  }
  return {
    belay: spread(looks.map(({ wall }) => wall)),
    processor: { belay: spread(looks.map(({ processor }) => processor)) }
  }
}

/** What an engine looks at while it lives: five times a second, or once a minute. */
const looks = async (owner: Tasks.Owner): Promise<ReadonlyArray<Figure>> => {
  const history = <A, E>(use: (history: TaskHistory["Service"]) => Effect.Effect<A, E>) =>
    owner.read(Effect.flatMap(TaskHistory, use))
  const within = `of ${count(OPEN)} open tasks, ms`
  const limit: Limit = { within: 10 }
  return [
    {
      name: `what waits for a person, ${within}`,
      ...(await repeated(() => history(({ attention }) => attention))),
      limit,
      digits: 2
    },
    {
      name: `what has changed, and whose tasks there are, ${within}`,
      ...(await repeated(() => history((one) => Effect.all([one.version, one.leases, one.changedSince(Date.now())])))),
      limit,
      digits: 2
    },
    {
      name: `a comparison of everything that dead processes left, ${within}`,
      ...(await repeated(() => history((one) => one.reconcile(new Set())))),
      limit,
      digits: 2
    }
  ]
}

const searches = async (owner: Tasks.Owner): Promise<ReadonlyArray<Figure>> => {
  const slices: Array<Look> = []
  for (;;) {
    const { value, ...slice } = await looked(() => owner.search("unheard", ROWS))
    slices.push(slice)
    if (value.covered >= value.total) break
  }
  const later: Array<number> = []
  for (const text of TEXTS) later.push(DEBOUNCE + (await looked(() => owner.search(text, ROWS))).wall)
  const sum = (of: (slice: Look) => number): number => slices.reduce((all, slice) => all + of(slice), 0)
  return [
    {
      name: `first search of ${many}, all of its ${slices.length} slices, processor time, ms`,
      belay: single(sum(({ processor }) => processor)),
      limit: { most: 5000 },
      digits: 0
    },
    {
      name: "one of these slices, after which what is taken up is found, ms",
      belay: spread(slices.map(({ wall }) => wall)),
      processor: { belay: spread(slices.map(({ processor }) => processor)) },
      limit: undefined,
      digits: 0
    },
    {
      name: `search: ${TEXTS.length} texts in ${many}, ms from the last key on`,
      belay: spread(later),
      limit: { within: 120 },
      digits: 0
    }
  ]
}

export const measureLongHistory = async (options: Options): Promise<ReadonlyArray<Figure>> => {
  const home = path.join(options.temporary, "long")
  const projects = path.join(options.temporary, "projects")
  mkdirSync(path.join(projects, "project-1"), { recursive: true })
  const plan = Generate.planOf(TASKS, OPEN)
  await Generate.generate(home, projects, plan)
  const wrong = await Generate.differences(home, plan)
  if (wrong.length > 0)
    throw new Error(`the generated history is none that a run leaves: ${wrong.slice(0, 3).join("\n")}`)
  const listed = await lists(options, projects)
  const started = await start(options)
  const owner = await Tasks.owner(home)
  try {
    return [...listed, started, ...(await looks(owner)), ...(await searches(owner))]
  } finally {
    await owner.close()
  }
}
