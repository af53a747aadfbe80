import { Failpoint } from "@belay/task-state"
import { assert, beforeAll, describe, it } from "vitest"
import * as Belay from "./belay.ts"
import { bothAsked, each, prove, within } from "./cases.ts"
import { later, of, running } from "./steps.ts"

beforeAll(Belay.buildCommand, 60_000)

const reached = new Set<string>()

/** Calls that were running when their process was killed. */
let unknown = 0

const died = async (exit: Promise<{ readonly signal: string | null; readonly code: number | null }>, at: string) => {
  const { code, signal } = await exit
  assert.strictEqual(signal, "SIGKILL", `${at} was not reached (exit ${code})`)
  reached.add(at.replace(/:\d+$/, ""))
}

describe("a task that is killed", () => {
  it("at any step of a call, a delegation or a completion is finished by a resume", { timeout: 120_000 }, () =>
    each([...running, ...later], (failpoint) =>
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
    prove(
      "killed at a failpoint",
      `${reached.size} of ${Failpoint.names.length} failpoints`,
      "nothing lost or run twice"
    )
    assert.deepStrictEqual([...reached].toSorted(), [...Failpoint.names].toSorted())
  })
})
