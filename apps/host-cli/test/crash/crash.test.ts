import { Failpoint } from "@belay/task-state"
import { assert, describe, it } from "vitest"
import * as Choices from "./choices.ts"
import { bothAsked, each, prove, within } from "./cases.ts"
import { later, of, running } from "./steps.ts"

const reached = new Set<string>()

/** Calls that were running when their process was killed. */
let unknown = 0

const died = async (exit: Promise<{ readonly signal: string | null; readonly code: number | null }>, at: string) => {
  const { code, signal } = await exit
  assert.strictEqual(signal, "SIGKILL", `${at} was not reached (exit ${code})`)
  reached.add(at.replace(/:\d+$/, ""))
}

describe("a task that is killed", () => {
  it("at any step of a call, a delegation or a completion is finished by a resume", { timeout: 600_000 }, () =>
    each([...running, ...later], (failpoint) =>
      within(
        false,
        async (world) => {
          await died(world.start(failpoint).exit, failpoint)
          await world.finish("new process")
          unknown += await world.check()
        },
        { checkpoints: failpoint.startsWith("checkpoint") }
      )
    )
  )

  it("at any step of an interruption is finished by a resume", () =>
    each(of("interrupt"), (failpoint) =>
      within(true, async (world) => {
        const started = world.start(failpoint)
        await bothAsked(world)
        await died(started.kill("SIGINT"), failpoint)
        world.server.release("gate")
        await world.finish("kept process")
        await world.check()
      })
    ))

  it("at any step of a resume is finished by another one", () =>
    each(of("resume"), (failpoint) =>
      within(true, async (world) => {
        const started = world.start()
        await bothAsked(world)
        assert.strictEqual((await started.kill("SIGINT")).code, 130)
        world.server.release("gate")
        await died(world.resume(failpoint).exit, failpoint)
        await world.finish("kept process")
        await world.check()
      })
    ))

  it("at any step of background subtasks and their reports is finished by a resume", () => {
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
          await world.finish("kept process")
          await world.check()
        },
        { background: true }
      )
    )
  })

  it(
    "with a subtask that is abandoned or started over, in that very moment, is finished afterwards",
    { timeout: 600_000 },
    () =>
      each([...of("abandon"), ...of("redelegate")], (failpoint) =>
        within(true, async (world) => {
          const started = world.start()
          await bothAsked(world)
          await started.kill("SIGKILL")
          world.server.release("gate")
          const ids = await Choices.idsOf(world)
          const abandons = failpoint.startsWith("abandon")
          const args = abandons ? ["task", "abandon", ids.b, "--yes"] : ["task", "redelegate", ids.b]
          await died(world.command(args, failpoint).exit, failpoint)
          const { code, stderr } = await world.tell(args)
          assert.include(abandons ? [0] : [0, 2], code ?? -1, stderr)
          await world.finish("kept process")
          await Choices.checkReleased(world, ids, abandons ? "abandoned" : "superseded")
        })
      )
  )

  it("in the moment when it is released from a subtask for another process is finished afterwards", () =>
    each(of("abandon"), (failpoint) =>
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

  it("in the moment when it starts a subtask over for another process is finished afterwards", () =>
    each(of("redelegate"), (failpoint) =>
      within("both", async (world) => {
        const started = world.start(failpoint)
        await bothAsked(world)
        const ids = await Choices.idsOf(world)
        assert.strictEqual((await world.tell(["task", "interrupt", ids.b])).code, 0)
        const asked = world.tell(["task", "redelegate", ids.b])
        await died(started.exit, failpoint)
        assert.include([0, 2, 3], (await asked).code ?? -1)
        world.server.release("gate")
        assert.include([0, 2], (await world.tell(["task", "redelegate", ids.b])).code ?? -1)
        await world.finish("kept process")
        await Choices.checkReleased(world, ids, "superseded")
      })
    ))

  it("in the moment when it is deleted is deleted afterwards, with its subtasks and files", () =>
    each(of("delete"), (failpoint) =>
      within(
        true,
        async (world) => {
          const started = world.start()
          await bothAsked(world)
          await started.kill("SIGKILL")
          const ids = await Choices.idsOf(world)
          Choices.writeFiles(world, ids)
          const args = ["task", "delete", ids.root, "--children", "delete"]
          await died(world.command(args, failpoint).exit, failpoint)
          const { code, stderr } = await world.tell(args)
          assert.strictEqual(code, failpoint === "delete.commit.before" ? 0 : 2, stderr)
          await Choices.checkDeleted(world, ids)
        },
        { checkpoints: true }
      )
    ))

  it("has been killed at every failpoint that there is", () => {
    assert.isAbove(unknown, 0)
    // A task is killed while it condenses in condensing.test.ts.
    const here = Failpoint.names.filter((name) => !name.startsWith("condense."))
    prove("killed at a failpoint", `${reached.size} of ${here.length} failpoints`, "nothing lost or run twice")
    assert.deepStrictEqual([...reached].toSorted(), here.toSorted())
  })
})
