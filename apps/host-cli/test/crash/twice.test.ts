import { assert, beforeAll, describe, it } from "vitest"
import * as Belay from "./belay.ts"
import { bothAsked, each, prove, size, within } from "./cases.ts"
import { later, of, resuming, running } from "./steps.ts"

beforeAll(Belay.buildCommand, 60_000)

/** How many second crashes each first one has, and how many pairs must be reached: what was once proven stays proven. */
const sizes: Record<string, { readonly each: number; readonly floor: number }> = {
  sample: { each: 1, floor: 15 },
  full: { each: 3, floor: 90 },
  all: { each: resuming.length, floor: 600 }
}
const { each: some, floor } = sizes[size] ?? { each: 1, floor: 15 }

interface Crash {
  readonly first: string
  readonly again: ReadonlyArray<string>
}

const firsts = [...running, ...later, ...of("interrupt")]

/** Fewer than all begin elsewhere for each first crash, so that together they are spread over all pairs. */
const crashes: ReadonlyArray<Crash> = firsts
  .map((first, index) => {
    const from = (index * 7) % resuming.length
    return { first, again: [...resuming.slice(from), ...resuming.slice(0, from)].slice(0, some) }
  })
  .filter((_, index) => size !== "sample" || index % 2 === 0)

describe("a task that is killed at a failpoint, and again while it is resumed", () => {
  it("is finished by another resume", { timeout: 3_600_000 }, async () => {
    let reached = 0
    let tried = 0
    await each(crashes, ({ again, first }) =>
      within(first.startsWith("interrupt."), async (world) => {
        const started = world.start(first)
        if (first.startsWith("interrupt.")) {
          await bothAsked(world)
          await started.kill("SIGINT")
        }
        assert.strictEqual((await started.exit).signal, "SIGKILL", first)
        const restore = world.keep()
        for (const second of again) {
          tried++
          await restore()
          const { signal } = await world.resume(second).exit
          if (signal === "SIGKILL") {
            reached++
            await world.finish()
          }
          await world.check().catch((error: unknown) => assert.fail(`then ${second}: ${String(error)}`))
        }
      })
    )
    const of = firsts.length * resuming.length
    prove("killed at two failpoints", `${reached} pairs reached, ${tried} of ${of} tried`, "nothing lost or run twice")
    assert.isAtLeast(reached, floor)
  })
})
