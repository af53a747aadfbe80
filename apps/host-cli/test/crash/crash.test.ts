import { Failpoint } from "@belay/task-state"
import * as Effect from "effect/Effect"
import { assert, beforeAll, describe, it } from "vitest"
import * as Belay from "./belay.ts"

beforeAll(Belay.buildCommand, 60_000)

const sideBySide = 3

/** Tries every case, some at a time; names the ones that fail. */
const each = async <A>(cases: ReadonlyArray<A>, attempt: (one: A) => Promise<void>): Promise<void> => {
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

const within = async (hold: boolean, use: (world: Belay.World) => Promise<void>, background = false): Promise<void> => {
  const world = await Belay.make(hold, background)
  try {
    await use(world)
  } finally {
    await world.remove()
  }
}

/** Both subtasks have asked, and one waits for its answer. */
const bothAsked = (world: Belay.World) =>
  world.server.waitForRequests((all) => {
    const asked = all.map(({ body }) => JSON.stringify(body.messages?.[0] ?? ""))
    return asked.some((text) => text.includes("part a")) && asked.some((text) => text.includes("part b"))
  })

const of = (operation: string) => Failpoint.names.filter((name) => name.startsWith(`${operation}.`))

const reached = new Set<string>()

/** Calls that were running when their process was killed. */
let unknown = 0

const died = async (exit: Promise<{ readonly signal: string | null; readonly code: number | null }>, at: string) => {
  const { code, signal } = await exit
  assert.strictEqual(signal, "SIGKILL", `${at} was not reached (exit ${code})`)
  reached.add(at.replace(/:\d+$/, ""))
}

describe("a task that is killed", () => {
  const running = [...of("tool"), ...of("delegate"), ...of("complete")]
  // The first call is a read, the third a command; the third completion is the root's.
  const later = [
    ...of("tool"),
    ...of("complete").filter((name) => !name.includes("collect") && !name.includes("publish"))
  ]

  it("at any step of a call, a delegation or a completion is finished by a resume", { timeout: 120_000 }, () =>
    each([...running, ...later.map((name) => `${name}:3`)], (failpoint) =>
      within(false, async (world) => {
        await died(world.start(failpoint).exit, failpoint)
        await world.finish()
        unknown += await world.check()
      })
    )
  )

  it("at any step of an interruption is finished by a resume", { timeout: 60_000 }, () =>
    each(of("interrupt"), (failpoint) =>
      within(true, async (world) => {
        const started = world.start(failpoint)
        await bothAsked(world)
        await died(started.kill("SIGINT"), failpoint)
        world.server.release("gate")
        await world.finish()
        await world.check()
      })
    )
  )

  it("at any step of a resume is finished by another one", { timeout: 60_000 }, () =>
    each(of("resume"), (failpoint) =>
      within(true, async (world) => {
        const started = world.start()
        await bothAsked(world)
        assert.strictEqual((await started.kill("SIGINT")).code, 130)
        world.server.release("gate")
        await died(world.resume(failpoint).exit, failpoint)
        await world.finish()
        await world.check()
      })
    )
  )

  it("at any step of background subtasks and their reports is finished by a resume", { timeout: 90_000 }, () => {
    const once = ["commit", "publish"].flatMap((step) => of("delegate").filter((name) => name.includes(`.${step}.`)))
    const reports = of("complete").filter((name) => !name.includes("transcript"))
    const second = of("complete")
      .filter((name) => name.includes("commit"))
      .map((name) => `${name}:2`)
    return each([...once, ...reports, ...second], (failpoint) =>
      within(
        false,
        async (world) => {
          await died(world.start(failpoint).exit, failpoint)
          await world.finish()
          await world.check()
        },
        true
      )
    )
  })

  it("has been killed at every failpoint that there is", () => {
    assert.isAbove(unknown, 0)
    process.stdout.write(`failpoints tried: ${reached.size} of ${Failpoint.names.length}\n`)
    assert.deepStrictEqual([...reached].toSorted(), [...Failpoint.names].toSorted())
  })

  it("while any request is under way, and again while it goes on, is finished by a resume", { timeout: 90_000 }, () => {
    // A linear congruential generator, so that every run kills at the same requests.
    let seed = 4711
    const next = (most: number) => (seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648) % most
    const cases = Array.from({ length: 10 }, () => ({ first: 1 + next(8), second: 1 + next(3) }))
    return each(cases, ({ first, second }) =>
      within(false, async (world) => {
        const started = world.start()
        await world.server.waitForRequests(first)
        await started.kill("SIGKILL")
        const before = world.server.requests.length
        const resumed = world.resume()
        await Promise.race([world.server.waitForRequests(before + second), resumed.exit])
        await resumed.kill("SIGKILL")
        await world.finish()
        await world.check()
      })
    )
  })
})
