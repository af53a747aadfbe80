import { Failpoint } from "@belay/task-state/unstable"
import { assert, describe, it } from "vitest"
import type { World } from "./belay.ts"
import * as Choices from "./choices.ts"
import { bothAsked, each, eachAfter, prove, within } from "./cases.ts"
import { full, later, missed, of, running, sides } from "./steps.ts"

const reached = new Set<string>()

/** Calls that were running when their process was killed. */
let unknown = 0

const died = async (exit: Promise<{ readonly signal: string | null; readonly code: number | null }>, at: string) => {
  const { code, signal } = await exit
  assert.strictEqual(signal, "SIGKILL", `${at} was not reached (exit ${code})`)
  reached.add(at.replace(/:\d+$/, ""))
}

describe("a task that is killed", { timeout: 0 }, () => {
  const steps = full ? [...running, ...later] : sides([...of("checkpoint"), ...of("delegate"), ...later])

  /** In a sample new processes go on after a call, which is never to be carried out again. */
  const goesOn = (failpoint: string) => (full || failpoint.startsWith("tool.") ? "new process" : "kept process")

  it("at any step of a call, a delegation or a completion is finished by a resume", () =>
    each(steps, (failpoint) =>
      within(
        false,
        async (world) => {
          await died(world.start(failpoint).exit, failpoint)
          await world.finish(goesOn(failpoint))
          unknown += await world.check()
        },
        { checkpoints: failpoint.startsWith("checkpoint") }
      )
    ))

  it("at any step of an interruption is finished by a resume", () =>
    each(sides(of("interrupt")), (failpoint) =>
      within(true, async (world) => {
        const started = world.start(failpoint)
        await bothAsked(world)
        await died(started.kill("SIGINT"), failpoint)
        world.server.release("gate")
        await world.finish("kept process")
        await world.check()
      })
    ))

  const interrupted = async (world: World) => {
    const started = world.start()
    await bothAsked(world)
    assert.strictEqual((await started.kill("SIGINT")).code, 130)
  }

  it("at any step of a resume is finished by another one", () =>
    eachAfter(interrupted, sides(of("resume")), async (world, failpoint) => {
      await died(world.resume(failpoint).exit, failpoint)
      await world.finish("kept process")
      await world.check()
    }))

  it("at any step of background subtasks and their reports is finished by a resume", () => {
    const once = of("delegate").filter((name) => name.includes(".commit.") || name.includes(".publish."))
    const reports = of("complete").filter((name) => !name.includes("transcript"))
    const second = of("complete")
      .filter((name) => name.includes("commit"))
      .map((name) => `${name}:2`)
    return each(sides(full ? [...once, ...reports, ...second] : reports), (failpoint) =>
      within(
        false,
        async (world) => {
          await died(world.start(failpoint).exit, failpoint)
          await world.finish("kept process")
          await world.check()
        },
        { background: true }
      )
    )
  })

  const killed = async (world: World) => {
    const started = world.start()
    await bothAsked(world)
    await started.kill("SIGKILL")
    return Choices.idsOf(world)
  }

  it("with a subtask that is abandoned or restarted, in that very moment, is finished afterwards", () =>
    eachAfter(killed, sides([...of("abandon"), ...of("restart")]), async (world, failpoint, ids) => {
      const abandons = failpoint.startsWith("abandon")
      const args = abandons ? ["task", "abandon", ids.b, "--yes"] : ["task", "restart", ids.b]
      await died(world.command(args, failpoint).exit, failpoint)
      const { code, stderr } = await world.tell(args)
      assert.include(abandons ? [0] : [0, 2], code ?? -1, stderr)
      await world.finish("kept process")
      await Choices.checkReleased(world, ids, abandons ? "abandoned" : "restarted")
    }))

  /** What a task does that runs: in a sample it is killed at the commit alone. */
  const runs = (operation: string) => of(operation).filter((name) => full || name.includes(".commit."))

  it("in the moment when it is released from a subtask for another process is finished afterwards", () =>
    each(runs("abandon"), (failpoint) =>
      within(true, async (world) => {
        const started = world.start(failpoint)
        await bothAsked(world)
        const ids = await Choices.idsOf(world)
        const asked = world.tell(["task", "abandon", ids.b, "--yes"])
        await died(started.exit, failpoint)
        assert.include([0, 3], (await asked).code ?? -1)
        world.server.release("gate")
        assert.strictEqual((await world.tell(["task", "abandon", ids.b, "--yes"])).code, 0)
        await world.finish("kept process")
        await Choices.checkReleased(world, ids, "abandoned")
      })
    ))

  it("in the moment when it restarts a subtask for another process is finished afterwards", () =>
    each(runs("restart"), (failpoint) =>
      within("both", async (world) => {
        const started = world.start(failpoint)
        await bothAsked(world)
        const ids = await Choices.idsOf(world)
        assert.strictEqual((await world.tell(["task", "interrupt", ids.b])).code, 0)
        const asked = world.tell(["task", "restart", ids.b])
        await died(started.exit, failpoint)
        assert.include([0, 2, 3], (await asked).code ?? -1)
        world.server.release("gate")
        assert.include([0, 2], (await world.tell(["task", "restart", ids.b])).code ?? -1)
        await world.finish("kept process")
        await Choices.checkReleased(world, ids, "restarted")
      })
    ))

  it("in the moment when it is deleted is deleted afterwards, with its subtasks and files", () =>
    eachAfter(
      async (world) => {
        const ids = await killed(world)
        Choices.writeFiles(world, ids)
        return ids
      },
      sides(of("delete")),
      async (world, failpoint, ids) => {
        const args = ["task", "delete", ids.root, "--children", "delete", "--forever", "--yes"]
        await died(world.command(args, failpoint).exit, failpoint)
        const { code, stderr } = await world.tell(args)
        assert.strictEqual(code, failpoint === "delete.commit.before" ? 0 : 2, stderr)
        await Choices.checkDeleted(world, ids)
      },
      { checkpoints: true }
    ))

  it("has been killed at every failpoint that there is, or in a sample at that place: right before the next step", () => {
    assert.isAbove(unknown, 0)
    // A task is killed while it condenses in condensingAsked.test.ts, and a server that queues one in serve.test.ts.
    const here = Failpoint.names.filter((name) => !/^(?:condense|queue)\./.test(name))
    prove("killed at a failpoint", `${reached.size} of ${here.length} failpoints`, "nothing lost or run twice")
    assert.deepStrictEqual(missed(here, reached), [])
    assert.includeMembers([...here], [...reached])
  })
})
