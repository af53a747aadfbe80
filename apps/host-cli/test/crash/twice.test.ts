import { assert, describe, it } from "vitest"
import { alreadyCompleted, isCompleted } from "./belay.ts"
import { bothAsked, each, prove, within } from "./cases.ts"
import { full, later, of, resuming, running } from "./steps.ts"

interface Crash {
  readonly first: string
  readonly again: ReadonlyArray<string>
}

const firsts = [...running, ...later, ...of("interrupt")]

/** A test run tries a call, a delegation, a report and an interruption, each with two of what is left to do after it. */
const sampled: ReadonlyArray<Crash> = [
  { first: "tool.run.after:3", again: ["resume.commit.after", "delegate.commit.after"] },
  { first: "delegate.commit.after", again: ["tool.run.after", "complete.commit.after"] },
  { first: "complete.commit.after", again: ["complete.collect.before", "complete.commit.after:2"] },
  // Completed when it is killed: a resume says it, and reaches nothing that it could be killed at.
  { first: "complete.commit.after:3", again: ["resume.commit.before"] },
  { first: "interrupt.commit.after", again: ["resume.run.before", "complete.collect.after"] }
]

const crashes = full ? firsts.map((first): Crash => ({ first, again: resuming })) : sampled

/** Of all pairs so many were counted: some second crashes lie before what the first one left to do. */
const floor = full ? 1_080 : sampled.flatMap(({ again }) => again).length - 1

describe("a task that is killed at a failpoint, and again while it is resumed", () => {
  it("is finished by another resume", { timeout: 0 }, async () => {
    let reached = 0
    const beyond: Array<string> = []
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
          const completed = await world.read(isCompleted)
          const restore = world.keep()
          for (const second of again) {
            await restore()
            const { signal, stderr } = await world.resume(second).exit
            if (signal !== "SIGKILL") {
              // One that is killed before it looks says nothing; one that ends says what the first crash left.
              const said = stderr.some((line) => line.includes(alreadyCompleted))
              assert.strictEqual(said, completed, `then ${second}: ${stderr.join(" | ")}`)
              beyond.push(`${first}, ${second}`)
            } else {
              reached++
              await world.finish("kept process")
            }
            await world.check().catch((error: unknown) => assert.fail(`then ${second}: ${String(error)}`))
          }
        },
        { checkpoints: full }
      )
    )
    const all = firsts.length * resuming.length
    const tried = reached + beyond.length
    prove("killed at two failpoints", `${reached} pairs reached, ${tried} of ${all} tried`, "nothing lost or run twice")
    assert.isAtLeast(reached, floor, beyond.join("; "))
  })
})
