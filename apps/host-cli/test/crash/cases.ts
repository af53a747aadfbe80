/** How cases are tried: some at a time, each in a world of its own, every failure named. */
import * as Effect from "effect/Effect"
import { assert } from "vitest"
import * as Belay from "./belay.ts"
import { moved, whileMoving } from "./progress.ts"

const sideBySide = 3

/** Tries every case, some at a time, for as long as anything moves; names the ones that fail. */
export const each = async <A>(
  cases: ReadonlyArray<A>,
  attempt: (one: A) => Promise<void>,
  concurrency = sideBySide
): Promise<void> => {
  const failures: Array<string> = []
  const underWay = new Set<string>()
  const guarded = (one: A) =>
    Effect.promise(async () => {
      const name = JSON.stringify(one)
      underWay.add(name)
      try {
        await attempt(one)
      } catch (error) {
        failures.push(`${name}: ${error instanceof Error ? error.message : String(error)}`)
      }
      underWay.delete(name)
      moved()
    })
  const all = Effect.runPromise(Effect.forEach(cases, guarded, { concurrency, discard: true }))
  await whileMoving(all, () => [...failures, ...underWay].join("; "))
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

/** Tries every case after one beginning, which is put back for each. */
export const eachAfter = <A, B>(
  begin: (world: Belay.World) => Promise<B>,
  cases: ReadonlyArray<A>,
  attempt: (world: Belay.World, one: A, begun: B) => Promise<void>,
  options: { readonly checkpoints?: boolean } = {}
): Promise<void> =>
  within(
    true,
    async (world) => {
      const begun = await begin(world)
      const restore = world.keep()
      const again = (one: A) => restore().then(() => attempt(world, one, begun))
      await each(cases, again, 1)
    },
    options
  )

/** Both subtasks have asked, and one waits for its answer. */
export const bothAsked = (world: Belay.World) =>
  world.server.waitForRequests((all) => {
    const asked = all.map(({ body }) => JSON.stringify(body.messages?.[0] ?? ""))
    return asked.some((text) => text.includes("part a")) && asked.some((text) => text.includes("part b"))
  })

/** One row of the table that `pnpm proof` prints. */
export const prove = (proof: string, figure: string, result: string): void =>
  void process.stdout.write(`proof: ${proof} | ${figure} | ${result}\n`)
