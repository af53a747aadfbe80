/** What the interface of Belay costs with much behind it: long tasks, very many, several at once. */
import * as Effect from "effect/Effect"
import { mkdirSync, mkdtempSync } from "node:fs"
import * as path from "node:path"
import * as Tasks from "../../../apps/host-vscode/test/vscode/Tasks.ts"
import { TaskHistory } from "../../../packages/history-store/src/index.ts"
import type { Figure, Limit } from "../figures/figure.ts"
import { single, type Spread, spread } from "../figures/spread.ts"
import * as Generate from "../history/generate.ts"
import { now } from "../programs/clock.ts"
import * as Processes from "../programs/processes.ts"
import { environment, type Options } from "../programs/programs.ts"
import * as Seat from "./seat.ts"
import * as Seated from "./seated.ts"
import * as Typing from "./typing.ts"
import * as Used from "./used.ts"

const TASKS = 10_000
const OPEN = 1000
const ENTRIES = 10_000
const few = 5
/** Pieces of an hour at 100 words a second, in so many answers. */
const HOUR = 90_000
const ANSWERS = 9
const LINES = 5000
const ready = /Act › /u
const begins = "Begin it."
const titles = { long: "A long conversation", short: "A short one" }
const count = (of: number): string => of.toLocaleString("en-US")

const figure = (name: string, belay: number | ReadonlyArray<number>, limit?: Limit, digits = 1): Figure => {
  const value: Spread = typeof belay === "number" ? single(belay) : spread(belay)
  return { name: `terminal: ${name}`, belay: value, limit, digits }
}

const text = (of: string) => ({ type: "text" as const, text: of })
const call = (name: string, input: unknown) => ({ type: "tool_use" as const, name, input })
const streaming = { content: [text(Seated.words(600))], delayMs: Seated.apart }
const parts = ["first", "second", "third"].map((part) => `Write the ${part} part`)
const writing = "Write the large file"

const scenario = {
  record: false,
  fallback: { content: [text("Fine.")] },
  tasks: [
    { match: { prompt: begins }, shared: true, answers: [{ content: [text("It has begun.")] }] },
    {
      match: { prompt: titles.long },
      shared: true,
      answers: [
        { on: "Stream it.", ...streaming },
        { on: "An hour of it", content: [text(Seated.words(HOUR / ANSWERS)), text("That was it.")] }
      ]
    },
    { match: { prompt: "Never end." }, shared: true, answers: [{ ...streaming, content: [text(Seated.words(6000))] }] },
    {
      match: { prompt: "Do all parts." },
      shared: true,
      answers: [{ content: [...parts, writing].map((prompt) => call("new_task", { prompt })) }]
    },
    ...parts.map((prompt) => ({ match: { prompt }, shared: true, answers: [streaming] })),
    {
      match: { prompt: writing },
      shared: true,
      answers: [
        {
          content: [
            call("write_to_file", {
              path: "large.txt",
              content: Array.from({ length: LINES }, (_, line) => `line ${line} of a large file`).join("\n")
            })
          ],
          delayMs: 1
        }
      ]
    }
  ]
}

interface Place {
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  readonly entry: string
}

const sit = async ({ cwd, entry, env }: Place, ...args: ReadonlyArray<string>): Promise<Seat.Seat> => {
  const seat = Seat.take([process.execPath, entry, ...args], env, cwd)
  await seat.seen(ready)
  return seat
}

/** Ms from a key to this on the screen. */
const shown = async (seat: Seat.Seat, key: string, what: RegExp | string): Promise<number> => {
  const [at, bytes] = [now(), seat.bytes()]
  seat.type(key)
  return (await seat.seen(what, bytes)) - at
}

const starts = async (place: Place, server: Processes.Server): Promise<ReadonlyArray<number>> => {
  const times: Array<number> = []
  for (let run = 0; run <= few; run++) {
    await server.take()
    const seat = await sit(place, begins)
    await seat.seen("It has begun.")
    const { received } = await server.take()
    if (run > 0) times.push((received[0] ?? Number.NaN) - seat.started)
    await seat.kill()
  }
  return times
}

/** What a task has that was begun there. */
const settingsOf = (owner: Tasks.Owner) =>
  owner.read(
    Effect.flatMap(TaskHistory, (history) =>
      Effect.map(
        history.list({ limit: 100 }),
        ({ rows }) => rows.find(({ meta }) => meta.title === begins)?.meta.settings
      )
    )
  )

/** A task of very many entries, and one of few, with the settings of one that was begun there. */
const makeTasks = async (home: string, workspace: string): Promise<void> => {
  const owner = await Tasks.owner(home)
  const settings = await settingsOf(owner)
  const started = (n: number, title: string) =>
    Tasks.started(n, title).map((step) =>
      step._tag === "Describe" ? { ...step, meta: { ...step.meta, workspace, settings } } : step
    )
  await owner.commit(started(1, titles.long))
  for (let at = 1; at < ENTRIES; at += 500) {
    const pairs = Array.from({ length: 250 }, (_, pair) => [
      Tasks.said(1, `And part ${at + pair}?`),
      Tasks.answered(1, `Part ${at + pair} of **${ENTRIES}**: \`src/file.ts\` is read.\n\n- one\n- two`)
    ])
    await owner.commit(pairs.flat())
  }
  await owner.commit(Tasks.said(1, "Is that all?"), Tasks.answered(1, "That is the end of it."), Tasks.stopped(1))
  await owner.commit(started(2, titles.short), Tasks.answered(2, "It was short."), Tasks.stopped(2))
  await owner.close()
}

/** One long task: opened, left and opened again, gone on with for an hour. */
const long = async (place: Place): Promise<ReadonlyArray<Figure>> => {
  const seat = await sit(place)
  try {
    await seat.quiet(700)
    const open = async (n: number, last: string): Promise<number> => {
      await Typing.words(seat, `/open ${Tasks.id(n)}`)
      await Seat.wait(150)
      return shown(seat, "\r", last)
    }
    const bytes = seat.bytes()
    const first = await open(1, "That is the end of it.")
    await seat.quiet(300)
    const written = seat.bytes() - bytes
    const switches: Array<number> = []
    for (let run = 0; run < few; run++) {
      switches.push(await open(2, "It was short."))
      switches.push(await open(1, "That is the end of it."))
    }
    await Seat.wait(500)
    const lists: Array<number> = []
    const filters: Array<number> = []
    for (let run = 0; run < few; run++) {
      lists.push(await shown(seat, "\u0014", "type to filter"))
      filters.push(await shown(seat, "O", /Old task/u))
      seat.type("\u001B")
      await seat.quiet(300)
    }
    await Typing.say(seat, "Stream it.")
    await seat.seen("A piece of twentyfour", seat.bytes())
    await seat.quiet(1500)
    const memory = Used.memory(seat.pid)
    for (let answer = 0; answer < ANSWERS; answer++) {
      const before = seat.bytes()
      await Typing.say(seat, `An hour of it, part ${answer}.`)
      await seat.seen("That was it.", before)
      await seat.quiet(700)
    }
    const grown = Used.memory(seat.pid) - memory
    const [idle, used, at] = [seat.bytes(), Used.processor(seat.pid), now()]
    await Seat.wait(5000)
    const processor = (100 * (Used.processor(seat.pid) - used)) / (now() - at)
    const of = `a task of ${count(ENTRIES)} entries`
    return [
      figure(`${of} is opened, ms`, first, { within: 200 }),
      figure("bytes written for that", written, { most: 16_384 }, 0),
      figure("another task is shown, ms", switches, { within: 100 }),
      figure(`the list of ${count(TASKS)} tasks is opened, ms`, lists, { within: 120 }),
      figure("it is filtered by a key, ms", filters, { within: 120 }),
      figure(`memory with ${of} and an answer that streams, MB`, memory, { most: 130 }, 0),
      figure("growth with an hour of streaming, MB", grown, undefined, 0),
      figure("bytes in five seconds in which nothing happens", seat.bytes() - idle, { most: 0 }, 0),
      figure("processor meanwhile, % of one", processor, undefined, 2)
    ]
  } finally {
    await seat.kill()
  }
}

const several = async (place: Place): Promise<ReadonlyArray<Figure>> => {
  const seat = await sit(place)
  try {
    await seat.quiet(700)
    await Typing.say(seat, "Do all parts.")
    const until = now() + 6000
    const keys = await Typing.keys(seat, () => now() < until)
    await seat.seen("Needs you")
    return [
      figure(
        "key to echo with three subtasks that stream and one that asks for 5,000 lines, p95, ms",
        Typing.p95(keys),
        {
          within: 16
        }
      )
    ]
  } finally {
    await seat.kill()
  }
}

const stop = async (place: Place): Promise<ReadonlyArray<Figure>> => {
  const times: Array<number> = []
  for (let run = 0; run < few; run++) {
    const seat = await sit(place)
    try {
      await seat.quiet(700)
      await Typing.say(seat, "Never end.")
      await seat.seen("A piece of twentyfour", seat.bytes())
      await shown(seat, "\u001B", "Esc again")
      times.push(await shown(seat, "\u001B", "Interrupted"))
    } finally {
      await seat.kill()
    }
  }
  return [figure("second Escape to a task that has stopped, ms", times, { within: 100 })]
}

export const measure = async (options: Options): Promise<ReadonlyArray<Figure>> => {
  const projects = path.join(options.temporary, "terminal-projects")
  const cwd = path.join(projects, "project-1")
  mkdirSync(cwd, { recursive: true })
  const server = await Processes.serve(options.temporary, "terminal-own", scenario)
  try {
    const place = (home: string): Place => ({ cwd, env: environment(options, server.url, home), entry: options.entry })
    const empty = place(path.basename(mkdtempSync(path.join(options.temporary, "terminal-empty-"))))
    const full = place("terminal-full")
    await Generate.generate(full.env["BELAY_HOME"] ?? "", projects, Generate.planOf(TASKS, OPEN))
    const started = await starts(full, server)
    await makeTasks(full.env["BELAY_HOME"] ?? "", cwd)
    return [
      figure("start with a prompt to its request, ms", await starts(empty, server), { within: 350 }),
      figure(`the same with ${count(TASKS)} tasks, ms`, started, { within: 400 }),
      ...(await long(full)),
      ...(await several(empty)),
      ...(await stop(empty))
    ]
  } finally {
    server.stop()
  }
}
