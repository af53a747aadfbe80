import { assert, describe, it } from "vitest"
import { bothAsked, each, prove, size, within } from "./cases.ts"
import { later, of, resuming, running } from "./steps.ts"

/**
 * A test run tries two second crashes after some first ones, the proof all after all. `floor` is how many pairs were
 * counted: some second ones lie before what a first one left to do.
 */
const all = size !== "sample"
const some = all ? resuming.length : 2
const floor = all ? 1_090 : 18

interface Crash {
  readonly first: string
  readonly again: ReadonlyArray<string>
}

/** Checkpoints cost much and change no record: their crashes are tried twice by the proof alone. */
const inScope = (names: ReadonlyArray<string>): ReadonlyArray<string> =>
  all ? names : names.filter((name) => !name.startsWith("checkpoint."))

const seconds = inScope(resuming)
const firsts = inScope([...running, ...later, ...of("interrupt")])

/** Fewer than all begin elsewhere for each first crash, so that together they are spread over all pairs. */
const crashes: ReadonlyArray<Crash> = firsts
  .map((first, index) => {
    const from = (index * 7) % seconds.length
    return { first, again: [...seconds.slice(from), ...seconds.slice(0, from)].slice(0, some) }
  })
  .filter((_, index) => all || index % 4 === 0)

describe("a task that is killed at a failpoint, and again while it is resumed", () => {
  it("is finished by another resume", { timeout: 3_600_000 }, async () => {
    let reached = 0
    let tried = 0
    await each(crashes, ({ again, first }) =>
      within(
        first.startsWith("interrupt."),
        async (world) => {
          const started = world.start(first)
          if (first.startsWith("interrupt.")) {
            await bothAsked(world)
            await started.kill("SIGINT")
          }
          assert.strictEqual((await started.exit).signal, "SIGKILL", first)
          const restore = world.keep()
          const ended = new Set<boolean>()
          for (const second of again) {
            tried++
            await restore()
            const { signal, stderr } = await world.resume(second).exit
            ended.add(stderr.some((line) => line.includes("it is completed")))
            // What is put back is what the first crash left, every time: finished, or not.
            assert.strictEqual(ended.size, 1, `then ${second}: not put back as it was`)
            if (signal === "SIGKILL") {
              reached++
              await world.finish("kept process")
            }
            await world.check().catch((error: unknown) => assert.fail(`then ${second}: ${String(error)}`))
          }
        },
        { checkpoints: all }
      )
    )
    const of = firsts.length * seconds.length
    prove("killed at two failpoints", `${reached} pairs reached, ${tried} of ${of} tried`, "nothing lost or run twice")
    assert.isAtLeast(reached, floor)
  })
})
