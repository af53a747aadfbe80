/** Ours and others in the same terminal: the first frame, keys, an answer that streams, and five thousand entries. */
import type { Figure, Limit } from "../figures/figure.ts"
import { single, type Spread, spread } from "../figures/spread.ts"
import { now } from "../programs/clock.ts"
import type { Options } from "../programs/programs.ts"
import * as Seat from "./seat.ts"
import * as Seated from "./seated.ts"
import * as Typing from "./typing.ts"
import * as Used from "./used.ts"

const few = 3
const idleKeys = 40
interface Streamed {
  readonly idle: number
  readonly keys: number
  readonly bytes: number
  readonly processor: number
  readonly frames: number
  readonly largest: number
}

const settled = async (seat: Seat.Seat): Promise<void> => {
  await seat.quiet(700)
}

const sit = async ({ command, cwd, env, ready }: Seated.Seated) => {
  const seat = Seat.take(command, env, cwd)
  const at = await seat.seen(ready)
  return { seat, first: at - seat.started, processor: Used.processor(seat.pid) }
}

/** Resolves once so many answers were sent. */
const answered = async ({ server }: Seated.Seated, count: number): Promise<void> => {
  let sent = 0
  while (sent < count) {
    sent += (await server.take()).sent.length
    await Seat.wait(50)
  }
}

const streamed = async (one: Seated.Seated): Promise<Streamed> => {
  const { seat } = await sit(one)
  try {
    await settled(seat)
    const idle = await Typing.keys(seat, (keys) => keys < idleKeys)
    await Typing.erase(seat, idleKeys)
    await Typing.say(seat, Seated.streams)
    await seat.seen("A piece of twentyfour", seat.bytes())
    const [bytes, used, at] = [seat.bytes(), Used.processor(seat.pid), now()]
    let isOver = false
    const over = answered(one, 1).then(() => (isOver = true))
    const keys = await Typing.keys(seat, () => !isOver)
    await over
    const written = seat.since(bytes)
    const frames = written.split("\u001B[?2026h").slice(1)
    return {
      idle: Typing.p95(idle),
      keys: Typing.p95(keys),
      bytes: (seat.bytes() - bytes) / Seated.WORDS,
      processor: (100 * (Used.processor(seat.pid) - used)) / (now() - at),
      // Of a program that begins its frames as ours does.
      frames: Math.max(0, frames.length - keys.length) / ((now() - at) / 1000),
      largest: Math.max(0, ...frames.map((frame) => Buffer.byteLength(frame)))
    }
  } finally {
    await seat.kill()
  }
}

interface Long {
  readonly memory: number
  readonly resized: number
}

const long = async (one: Seated.Seated): Promise<Long> => {
  const { seat } = await sit(one)
  try {
    await settled(seat)
    await Typing.say(seat, Seated.many)
    await answered(one, Seated.REQUESTS)
    await settled(seat)
    const memory = Used.memory(seat.pid)
    const bytes = seat.bytes()
    seat.resize({ ...Seat.size, columns: Seat.size.columns - 30 })
    await Seat.wait(300)
    await settled(seat)
    return { memory, resized: (seat.bytes() - bytes) / 1024 }
  } finally {
    await seat.kill()
  }
}

/** In turns, so that what a loaded machine does meets all alike; what fails is told. */
const rounds = async <A>(
  all: ReadonlyArray<Seated.Seated>,
  runs: number,
  once: (one: Seated.Seated) => Promise<A>
): Promise<{ readonly of: ReadonlyMap<string, ReadonlyArray<A>>; readonly failed: ReadonlyArray<string> }> => {
  const of = new Map<string, Array<A>>(all.map(({ name }) => [name, []]))
  const failed = new Map<string, string>()
  for (let run = 0; run < runs; run++) {
    for (const one of run % 2 === 0 ? all : all.toReversed()) {
      if (failed.has(one.name)) continue
      try {
        of.get(one.name)?.push(await once(one))
      } catch (error) {
        failed.set(one.name, `Nothing of ${one.name}: ${String(error)}`)
      }
      await one.server.take()
    }
  }
  return { of, failed: [...failed.values()] }
}

export const measure = async (
  options: Options
): Promise<{ readonly figures: ReadonlyArray<Figure>; readonly skipped: ReadonlyArray<string> }> => {
  const { others, ours, skipped } = await Seated.all(options)
  const all = [ours, ...others]
  try {
    const started = await rounds(all, options.runs + 1, async (one) => {
      const { first, processor, seat } = await sit(one)
      await seat.kill()
      return { first, processor }
    })
    const streams = await rounds(all, Math.min(options.runs, few), streamed)
    const longs = await rounds(all, 1, long)
    const figure = <A>(
      name: string,
      { of }: { readonly of: ReadonlyMap<string, ReadonlyArray<A>> },
      value: (run: A) => number,
      limit?: Limit,
      digits = 1
    ): Figure => {
      const spreadOf = (one: Seated.Seated): Spread => {
        const values = (of.get(one.name) ?? []).map(value)
        return values.length === 1 ? single(values[0]!) : spread(values)
      }
      const beside = others.filter((one) => (of.get(one.name) ?? []).length > 0)
      return {
        name: `terminal: ${name}`,
        belay: spreadOf(ours),
        others: beside.map((one) => [one.name, spreadOf(one)] as const),
        limit,
        digits
      }
    }
    const streaming = "while 100 pieces a second arrive"
    const entries = `${Seated.ENTRIES.toLocaleString("en-US")} entries`
    return {
      figures: [
        figure("start to a composer that takes keys, ms", started, ({ first }) => first, { within: 120 }),
        figure("processor time until then, ms", started, ({ processor }) => processor),
        figure("key to echo, p95, ms", streams, ({ idle }) => idle, { within: 5 }),
        figure(`key to echo ${streaming}, p95, ms`, streams, ({ keys }) => keys, { within: 8 }),
        figure(`processor ${streaming}, % of one`, streams, ({ processor }) => processor),
        figure("bytes for a word, with its share of frames and keys", streams, ({ bytes }) => bytes, { most: 80 }),
        figure(`frames a second ${streaming}, beside those of keys`, streams, ({ frames }) => frames, { most: 20 }),
        figure("largest of these frames, bytes", streams, ({ largest }) => largest, { most: 4096 }, 0),
        figure(`memory with ${entries}, MB`, longs, ({ memory }) => memory, undefined, 0),
        figure(`kB of one change of width with ${entries}`, longs, ({ resized }) => resized, { most: 6 })
      ],
      skipped: [...skipped, ...started.failed, ...streams.failed, ...longs.failed]
    }
  } finally {
    for (const { server } of all) server.stop()
  }
}
