import { assert, describe, it } from "vitest"
import * as Belay from "./belay.ts"
import { each, prove, within } from "./cases.ts"
import { full } from "./steps.ts"

const wanted = Number(process.env["BELAY_PROOF_KILLS"] ?? (full ? 100 : 5))

// A linear congruential generator, so that every run kills at the same moments; its low bits repeat.
let seed = 4711
const next = (most: number): number => {
  seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
  return Math.floor(seed / 4096) % most
}

type Process = ReturnType<Belay.World["start"]>

/** So many requests or lines of output later, and some turns of the event loop after that. */
interface Moment {
  readonly of: "request" | "line"
  readonly after: number
  readonly turns: number
}

const moment = (most: number): Moment => ({
  of: next(2) === 0 ? "request" : "line",
  after: 1 + next(most),
  turns: next(50)
})

const killAt = async (world: Belay.World, running: Process, { after, of, turns }: Moment): Promise<boolean> => {
  let left = after
  const line = () => running.waitForLine(() => --left <= 0).catch(() => undefined)
  const request = () => world.server.waitForRequests(world.server.requests.length + after)
  await Promise.race([of === "line" ? line() : request(), running.exit])
  for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate)
  return (await running.kill("SIGKILL")).signal === "SIGKILL"
}

describe("a task that is killed at any moment", () => {
  it("and again while it goes on, is finished by a resume", { timeout: 0 }, async () => {
    let kills = 0
    let tasks = 0
    // Checkpoints take most of the time, so one task of three makes them.
    const oneTask = () =>
      within(
        false,
        async (world) => {
          if (await killAt(world, world.start(), moment(8))) kills++
          if (await killAt(world, world.resume(), moment(3))) kills++
          await world.finish("kept process")
          await world.check()
        },
        { checkpoints: tasks++ % 3 === 0 }
      )
    // Three at a time, until enough were killed: a process that ends before its moment does not count.
    const more = async (): Promise<void> => {
      if (kills >= wanted) return
      await oneTask()
      await more()
    }
    await each([1, 2, 3], more)
    prove("killed at random moments", `${kills} SIGKILL`, "nothing lost or run twice")
    assert.isAtLeast(kills, wanted)
  })
})
