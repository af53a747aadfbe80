import { existsSync } from "node:fs"
import * as path from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { completes, running, use, write } from "./support/asking.ts"
import { belay, folder, json } from "./support/cli.ts"
import { answered, begin, created, delegated, ended, id, owner, question, started, stopped } from "./support/states.ts"

describe("to a task that another process runs", () => {
  it("an answer is confirmed and counts once", async () => {
    const { ended, env, event, workspace } = await running([write, completes("Done.")])
    const { askId, taskId } = await event("ask")
    const first = await belay(["task", "answer", taskId, askId, "--allow"], env)
    assert.deepStrictEqual([first.code, first.stdout, first.stderr], [0, ['"Work" has its answer.'], []])
    const { code, events } = await ended()
    assert.strictEqual(code, 0)
    assert.isTrue(existsSync(path.join(workspace, "one.txt")))
    const settled = events.filter((one) => one.type === "ask.settled")
    assert.deepStrictEqual(
      settled.map(({ by, decision }) => [by, decision]),
      [["cli", "allow"]]
    )
    const late = await belay(["task", "answer", taskId, askId, "--deny"], env)
    assert.deepStrictEqual([late.code, late.stderr.length], [2, 1])
    assert.match(late.stderr[0] ?? "", /^belay: "Work" is completed/)
  })

  it("a switch to act mode answers its plan, and a message is read at its next turn", async () => {
    const plan = use("plan_mode_respond", { response: "the plan" }, "p")
    const { ended, env, event, server } = await running([plan, completes("Acted.")], "--mode", "plan")
    const { askId, taskId } = await event("ask")
    const sent = await belay(["task", "send", taskId, "one", "more"], env)
    const accepted = ['"Work" has it, and reads it at its next turn.']
    assert.deepStrictEqual([sent.code, sent.stdout, sent.stderr], [0, accepted, []], "although the plan still waits")
    const wrong = await belay(["task", "answer", taskId, askId, "--allow"], env)
    assert.deepStrictEqual([wrong.code, wrong.stderr.length], [2, 1])
    const { code, stdout } = await belay(["task", "mode", taskId, "act", "--text", "go slowly"], env)
    assert.deepStrictEqual([code, stdout], [0, ['"Work" has switched.']])
    const { events, result } = await ended()
    assert.deepInclude(result, { type: "result", status: "completed", result: "Acted." })
    assert.isTrue(events.some((one) => one.type === "mode.changed" && one.answeredAsk === askId))
    assert.match(JSON.stringify(server.requests.at(-1)?.body.messages), /go slowly.*one more/)
  })
})

describe("two answers to one ask that say the same", () => {
  it("are told apart: the first is confirmed, the other one hears that it came late", async () => {
    const { ended, env, event, server } = await running([write, { ...completes("Done."), hold: "gate", holdAt: 0 }])
    const { askId, taskId } = await event("ask")
    const answer = () => belay(["task", "answer", taskId, askId, "--allow"], env)
    const both = await Promise.all([answer(), answer()])
    assert.sameMembers(
      both.map(({ code }) => code),
      [0, 2]
    )
    for (const late of [both.find(({ code }) => code === 2), await answer()]) {
      assert.deepStrictEqual([late?.code, late?.stdout, late?.stderr.length], [2, [], 1])
      assert.match(late?.stderr[0] ?? "", /^belay: This was already answered\. See "belay task show /)
    }
    server.release("gate")
    assert.strictEqual((await ended()).code, 0)
  })
})

describe("to a task that nobody runs", () => {
  const home = folder()
  const env = { BELAY_HOME: home }
  let live: Awaited<ReturnType<typeof owner>>

  beforeAll(async () => {
    const dead = await owner(home)
    await dead.commit(started(1, "Stopped"), question(1, "Which colour?"), stopped(1))
    await dead.commit(started(2, "Finished"), ended(2, "succeeded"))
    await dead.commit(started(4, "Left waiting"), delegated(4, { 5: "Stopped part" }), begin(5), stopped(5))
    await dead.close()
    live = await owner(home)
    await live.commit(created(6, "Not begun"))
    await live.commit(started(3, "Does not listen"), answered(3), question(3, "Which?"))
  })
  afterAll(() => live.close())

  it("an answer, a switch and a message are stored, and it is as stopped as before", async () => {
    const next = 'Stored for "Stopped", which does not run. Go on with: belay task resume 000001'
    for (const args of [
      ["answer", id(1), "ask-1", "--text", "blue"],
      ["mode", id(1), "plan"],
      ["send", id(1), "and quickly"]
    ]) {
      const { code, stderr, stdout } = await belay(["task", ...args], env)
      assert.deepStrictEqual([code, stdout, stderr], [0, [next], []])
    }
    const again = await belay(["task", "answer", id(1), "ask-1", "--text", "red"], env)
    assert.deepStrictEqual([again.code, again.stderr.length], [2, 1])
    assert.match(again.stderr[0] ?? "", /^belay: This was already answered\. /)
    const shown = json((await belay(["task", "show", id(1), "--messages", "--output", "json"], env)).stdout)
    assert.deepInclude(shown, { status: "interrupted", mode: "plan" })
    assert.deepInclude(shown.interruption, { reason: "user" })
    assert.match(JSON.stringify(shown), /blue.*and quickly/)
    assert.notInclude(JSON.stringify(shown), '"red"')
  })

  it("a switch changes the record of one that waits or has not begun, which stays what it is", async () => {
    const waits = await belay(["task", "mode", id(4), "plan", "--text", "think first"], env)
    const next = 'Stored for "Left waiting", which does not run. Go on with: belay task resume 000004'
    assert.deepStrictEqual([waits.code, waits.stdout, waits.stderr], [0, [next], []])
    const queued = await belay(["task", "mode", id(6), "plan"], env)
    const unbegun = 'Stored for "Not begun", which has not begun.'
    assert.deepStrictEqual([queued.code, queued.stdout, queued.stderr], [0, [unbegun], []])
    const { tasks } = json((await belay(["task", "list", "--output", "json"], env)).stdout)
    const found = (n: number) => tasks.find((task: any) => task.id === id(n))
    assert.deepInclude(found(4), { status: "delegated", mode: "plan" })
    assert.deepInclude(found(6), { status: "created", mode: "plan" })
  })

  it("nothing is said when it is completed: exit 2, one line", async () => {
    const { code, stderr, stdout } = await belay(["task", "send", id(2), "hello"], env)
    assert.deepStrictEqual(
      [code, stdout, stderr],
      [2, [], ['belay: "Finished" is completed, so nothing can be said to it. Its result: belay task show 000002']]
    )
  })

  it("that does not listen is asked and not confirmed: exit 3", async () => {
    const { code, stderr, stdout } = await belay(["task", "answer", id(3), "ask-3", "--text", "blue"], env)
    assert.deepStrictEqual([code, stdout, stderr.length], [3, [], 1])
    assert.match(stderr[0] ?? "", /^belay: the process that runs "Does not listen" was asked and has not confirmed\. /)
    assert.deepStrictEqual(await live.pending(), [[id(3), 1]])
  })
})
