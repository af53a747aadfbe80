import { assert, describe, it } from "vitest"
import { cutAt, decode, type Decoded, eventsOf } from "./decoding.ts"
import { large, recorded } from "./fixtures/streams.ts"

/** A test run tries some pairs of cuts, the proof all of them, and five times the damages. */
const isProof = process.env["BELAY_PROOF"] !== undefined
const pairsOfEach = 500
const mutants = isProof ? 20_000 : 4000

const prove = (proof: string, figure: string, result: string): void =>
  void process.stdout.write(`proof: ${proof} | ${figure} | ${result}\n`)

// A linear congruential generator, so that every run tries the same; its low bits repeat.
const generator = (from: number) => {
  let seed = from
  return (most: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor(seed / 256) % most
  }
}

/** Compares whole answers by their text, which is quick. */
const same = (actual: Decoded, expected: string, message: string): void => {
  const text = textOf(actual)
  if (text !== expected) assert.strictEqual(text, expected, message)
}

const textOf = (decoded: Decoded): string => JSON.stringify(decoded)

const places = (bytes: Uint8Array): ReadonlyArray<number> => Array.from({ length: bytes.length - 1 }, (_, at) => at + 1)

const callsOf = ({ events }: Decoded) =>
  events.flatMap((event) => (event._tag === "BlockFinished" && event.block.type === "tool_use" ? [event.block] : []))

/** What the pieces of each call that was handed out joined to. */
const inputsOf = ({ events }: Decoded): ReadonlyArray<string> => {
  let json = ""
  return events.flatMap((event) => {
    if (event._tag === "BlockStarted") json = ""
    if (event._tag === "ToolInputDelta") json += event.json
    return event._tag === "BlockFinished" && event.block.type === "tool_use" ? [json] : []
  })
}

/** A call was handed out with exactly the input that came for it, which was complete JSON. */
const isSound = (decoded: Decoded): void => {
  const inputs = inputsOf(decoded)
  for (const [at, { input }] of callsOf(decoded).entries()) {
    const json = inputs[at] ?? ""
    if (json !== "") assert.deepStrictEqual(JSON.parse(json), input)
  }
  if (typeof decoded.end === "string") return
  const finished = decoded.events.flatMap((event) => (event._tag === "BlockFinished" ? [event.block] : []))
  const spoiled = new Set(decoded.end.spoiled.map(({ callId }) => callId))
  const whole = decoded.end.message.content.filter((block) => block.type !== "tool_use" || !spoiled.has(block.id))
  assert.deepStrictEqual(whole, finished)
}

type Pair = readonly [first: number, second: number]

function* allPairs(length: number): Generator<Pair> {
  for (let first = 1; first < length - 1; first++)
    for (let second = first + 1; second < length; second++) yield [first, second]
}

const somePairs = (length: number): ReadonlyArray<Pair> => {
  const next = generator(length)
  return Array.from({ length: pairsOfEach }, () => {
    const first = 1 + next(length - 2)
    return [first, first + 1 + next(length - first - 1)]
  })
}

describe("an answer that arrives in pieces", () => {
  it("is what it is in one piece, wherever it is cut once", { timeout: 0 }, async () => {
    let cuts = 0
    for (const { bytes, name, whole } of recorded) {
      const expected = await decode([bytes])
      assert.strictEqual(typeof expected.end !== "string", whole, name)
      for (const at of places(bytes)) {
        cuts++
        same(await decode(cutAt(bytes, at)), textOf(expected), `${name}, cut at ${at}`)
      }
      same(await decode(cutAt(bytes, ...places(bytes))), textOf(expected), `${name}, byte by byte`)
    }
    assert.isAtLeast(recorded.length, 20)
    prove("answers cut once", `${cuts} cuts of ${recorded.length} answers`, "the same answer")
  })

  it("is the same events, wherever it is cut twice", { timeout: 0 }, async () => {
    let cuts = 0
    for (const { bytes, name } of recorded) {
      const expected = await eventsOf([bytes])
      const cutTwice = async (first: number, second: number) => {
        cuts++
        const found = await eventsOf(cutAt(bytes, first, second))
        if (found !== expected) assert.fail(`${name}, cut at ${first} and ${second}`)
      }
      for (const [first, second] of isProof ? allPairs(bytes.length) : somePairs(bytes.length)) {
        await cutTwice(first, second)
      }
    }
    prove("answers cut twice", `${cuts} pairs of cuts of ${recorded.length} answers`, "the same events")
  })

  it("hands out no call before its end has come", { timeout: 0 }, async () => {
    for (const { bytes, name } of recorded) {
      const all = callsOf(await decode([bytes]))
      // Where the event that ends each call is whole: up to there it must not be handed out.
      const body = new TextDecoder().decode(bytes)
      const ends = [
        ...body.matchAll(/content_block_stop","index":(\d+)\}|content_block_stop",\r?\n?(?:data: )?"index":(\d+)\}/gu)
      ]
      const endOf = new Map(ends.map((end) => [Number(end[1] ?? end[2]), end.index + end[0].length]))
      for (const at of places(bytes)) {
        const decoded = await decode([bytes.subarray(0, at)])
        isSound(decoded)
        const arrived = new TextDecoder().decode(bytes.subarray(0, at)).length
        for (const call of callsOf(decoded)) {
          assert.deepInclude(all, call, name)
          assert.isAtLeast(arrived, endOf.get(Number(call.id.slice(1))) ?? Number.NaN, `${name}, ended at ${at}`)
        }
      }
    }
  })

  it("of about a megabyte is as whole", async () => {
    const expected = await decode([large])
    const next = generator(7)
    const cuts = Array.from({ length: 300 }, () => next(large.length)).toSorted((a, b) => a - b)
    assert.deepStrictEqual(await decode(cutAt(large, ...cuts)), expected)
    assert.isAbove(inputsOf(expected)[0]?.length ?? 0, 1_000_000)
  })
})

type Next = (most: number) => number

const joined = (...pieces: ReadonlyArray<Uint8Array>): Uint8Array => new Uint8Array(Buffer.concat(pieces))

const range = (bytes: Uint8Array, next: Next): readonly [number, number] => {
  const from = next(bytes.length)
  return [from, Math.min(bytes.length, from + 1 + next(120))]
}

const other = /\r\n\r\n|\n\n|\r\r/u

/** Ways in which a body can be damaged on its way. */
const damages: ReadonlyArray<(bytes: Uint8Array, next: Next) => Uint8Array> = [
  // A bit is flipped.
  (bytes, next) => {
    const copy = Uint8Array.from(bytes)
    const at = next(copy.length)
    copy[at] = (copy[at] ?? 0) ^ (1 << next(8))
    return copy
  },
  // It ends early.
  (bytes, next) => bytes.subarray(0, next(bytes.length)),
  // A part is missing.
  (bytes, next) => {
    const [from, to] = range(bytes, next)
    return joined(bytes.subarray(0, from), bytes.subarray(to))
  },
  // A part comes twice.
  (bytes, next) => {
    const [from, to] = range(bytes, next)
    return joined(bytes.subarray(0, to), bytes.subarray(from))
  },
  // Two events change places.
  (bytes, next) => {
    const events = new TextDecoder().decode(bytes).split(other)
    const [a, b] = [next(events.length), next(events.length)]
    const swapped = events.map((event, at) => (at === a ? events[b] : at === b ? events[a] : event))
    return new TextEncoder().encode(swapped.join("\n\n"))
  },
  // Bytes come in between.
  (bytes, next) => {
    const at = next(bytes.length)
    const more = Uint8Array.from({ length: 1 + next(40) }, () => next(256))
    return joined(bytes.subarray(0, at), more, bytes.subarray(at))
  }
]

describe("an answer that is damaged on its way", () => {
  it("always ends, the same wherever it is cut, and hands out no call that is not whole", { timeout: 0 }, async () => {
    const next = generator(4711)
    let answers = 0
    for (let mutant = 0; mutant < mutants; mutant++) {
      let bytes = recorded[next(recorded.length)]?.bytes ?? new Uint8Array()
      for (let times = 1 + next(3); times > 0 && bytes.length > 0; times--) {
        bytes = damages[next(damages.length)]?.(bytes, next) ?? bytes
      }
      const decoded = await decode([bytes])
      isSound(decoded)
      const cuts = Array.from({ length: next(6) }, () => next(bytes.length + 1)).toSorted((a, b) => a - b)
      same(await decode(cutAt(bytes, ...cuts)), textOf(decoded), `mutant ${mutant}`)
      if (typeof decoded.end !== "string") answers++
    }
    assert.isAbove(answers, mutants / 20)
    assert.isBelow(answers, mutants)
    prove("damaged answers", `${mutants} mutants, ${answers} of them still answers`, "no call that is not whole")
  })
})
