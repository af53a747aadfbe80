/** How cases are tried: some at a time, each in a world of its own, every failure named. */
import * as Effect from "effect/Effect"
import { assert } from "vitest"
import * as Belay from "./belay.ts"

const sideBySide = 3

/** `pnpm proof` asks for `full`; a test run is a bounded sample. */
export const size = process.env["BELAY_PROOF"] ?? "sample"

/** Tries every case, some at a time; names the ones that fail. */
export const each = async <A>(cases: ReadonlyArray<A>, attempt: (one: A) => Promise<void>): Promise<void> => {
  const failures: Array<string> = []
  const guarded = (one: A) =>
    Effect.promise(() =>
      attempt(one).catch((error: unknown) => {
        failures.push(`${JSON.stringify(one)}: ${error instanceof Error ? error.message : String(error)}`)
      })
    )
  await Effect.runPromise(Effect.forEach(cases, guarded, { concurrency: sideBySide, discard: true }))
  assert.deepStrictEqual(failures, [])
}

export const within = async (
  hold: Belay.Hold,
  use: (world: Belay.World) => Promise<void>,
  { background = false, checkpoints = false } = {}
): Promise<void> => {
  const world = await Belay.make(hold, background, checkpoints)
  try {
    await use(world)
  } finally {
    await world.remove()
  }
}

/** Both subtasks have asked, and one waits for its answer. */
export const bothAsked = (world: Belay.World) =>
  world.server.waitForRequests((all) => {
    const asked = all.map(({ body }) => JSON.stringify(body.messages?.[0] ?? ""))
    return asked.some((text) => text.includes("part a")) && asked.some((text) => text.includes("part b"))
  })

/** One row of the table that `pnpm proof` prints. */
export const prove = (proof: string, figure: string, result: string): void =>
  void process.stdout.write(`proof: ${proof} | ${figure} | ${result}\n`)
