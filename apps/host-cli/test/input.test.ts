import { existsSync } from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "vitest"
import { completes, running, use, write } from "./support/asking.ts"
import { converse } from "./support/cli.ts"

describe("--input stream-json", () => {
  it("answers an ask by its id; lines that are not understood are told one by one and change nothing", async () => {
    const { ended, event, run, say, workspace } = await running([write, completes("Done.")])
    const { askId } = await event("ask")
    say("not json")
    say({ type: "answer" })
    say({ type: "answer", askId: "no such ask", decision: "allow" })
    await run.waitForLine("no such ask", "stderr")
    assert.isFalse(existsSync(path.join(workspace, "one.txt")))
    say({ type: "answer", askId, decision: "allow" })
    const { code, events, result, stderr } = await ended()
    assert.deepStrictEqual([code, result.status], [0, "completed"])
    assert.strictEqual(stderr.length, 3)
    for (const line of stderr) assert.match(line, /^belay: .*\.$/)
    assert.isTrue(existsSync(path.join(workspace, "one.txt")))
    assert.isTrue(events.some((one) => one.type === "ask.settled" && one.decision === "allow"))
  })

  it("takes messages and switches of mode while the model answers", async () => {
    const held = { ...completes("Too early."), hold: "gate", holdAt: 0 }
    const { ended, event, run, say, server } = await running([held, completes("With it.")])
    await event("task.status")
    await server.waitForRequests(1)
    say({ type: "message", text: "/help" })
    await run.waitForLine("/deep-planning", "stderr")
    say({ type: "message", text: "one more thing" })
    say({ type: "mode", mode: "plan" })
    await event("mode.changed")
    say({ type: "mode", mode: "act" })
    await run.waitForLine((line) => line.includes('"mode.changed"') && line.includes('"to":"act"'))
    server.release("gate")
    const { code, result } = await ended()
    assert.deepStrictEqual([code, result.result], [0, "With it."])
    const read = JSON.stringify(server.requests.at(-1)?.body.messages)
    assert.match(read, /one more thing.*PLAN MODE.*ACT MODE/)
    assert.notInclude(read, "/help")
  })

  it("goes with a resume as well, where an ask that was open is answered", async () => {
    const question = use("ask_followup_question", { question: "which?" }, "q")
    const { ended, env, event, run, workspace: cwd } = await running([question, write, completes("Done.")])
    await event("ask")
    run.endInput()
    const { code, result } = await ended()
    assert.strictEqual(code, 3)
    const args = ["task", "resume", result.taskId, "the blue one", "--input", "stream-json", "--output", "stream-json"]
    const resumed = converse(args, env, cwd)
    const line = await resumed.waitForLine((text) => text.includes('"type":"ask"'))
    resumed.write(`${JSON.stringify({ type: "answer", askId: JSON.parse(line).askId, decision: "allow" })}\n`)
    const exit = await resumed.exit
    assert.strictEqual(exit.code, 0, exit.stderr.join("\n"))
    assert.deepInclude(JSON.parse(exit.stdout.at(-1) ?? ""), { type: "result", status: "completed", result: "Done." })
    assert.isTrue(existsSync(path.join(cwd, "one.txt")))
  })

  it("stops the task, which stays resumable", async () => {
    const held = { ...completes("x"), hold: "gate", holdAt: 0 }
    const { ended, say, server } = await running([held])
    await server.waitForRequests(1)
    say({ type: "interrupt" })
    const { code, result } = await ended()
    assert.deepStrictEqual([code, result.status, result.interruption], [3, "interrupted", { reason: "user" }])
  })

  it("that ends does not stop the task: what asks then is asked of nobody", async () => {
    const question = use("ask_followup_question", { question: "which?" }, "q")
    const { ended, event, run, workspace } = await running([write, question])
    await event("ask")
    run.endInput()
    const { code, events, result } = await ended()
    assert.deepStrictEqual([code, result.status, result.interruption], [3, "interrupted", { reason: "unattended" }])
    assert.isTrue(events.some((one) => one.type === "ask.settled" && one.by === "unattended"))
    assert.isFalse(existsSync(path.join(workspace, "one.txt")))
  })
})
