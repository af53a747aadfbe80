import { assert, describe, it } from "vitest"
import { completes, running, use } from "./support/asking.ts"
import { belay } from "./support/cli.ts"

describe("--completion ask", () => {
  it("offers the result: words go on with the task, and a yes from anywhere completes it", async () => {
    const { ended, env, event, say, server } = await running(
      [completes("First."), use("ask_followup_question", { question: "Which?" }), completes("Second.")],
      "--completion",
      "ask"
    )
    const { askId, kind, question, taskId } = await event("ask")
    assert.deepStrictEqual([kind, question], ["completion", "First."])
    const silent = await belay(["task", "answer", taskId, askId, "--text", " "], env)
    assert.strictEqual(silent.code, 2)
    const denied = await belay(["task", "answer", taskId, askId, "--deny"], env)
    assert.deepStrictEqual([denied.code, denied.stderr.length], [2, 1], "without what is missing")
    say({ type: "answer", askId, text: "test it" })
    await server.waitForRequests((requests) => requests.length > 1)
    const shown = async () =>
      JSON.parse((await belay(["task", "show", taskId, "--output", "json"], env)).stdout.join(""))
    const openOf = async (wanted: string): Promise<string> => {
      const found = (await shown()).asks.find((ask: any) => ask.kind === wanted && ask.open)
      return found === undefined ? await openOf(wanted) : found.askId
    }
    const asked = await openOf("question")
    say({ type: "answer", askId: asked, text: "   " })
    const blank = await belay(["task", "send", taskId, "  "], env)
    assert.strictEqual(blank.code, 2)
    say({ type: "answer", askId: asked, text: "this one" })
    const yes = await belay(["task", "answer", taskId, await openOf("completion"), "--allow"], env)
    assert.strictEqual(yes.code, 0)
    const { code, result, stderr } = await ended()
    assert.deepStrictEqual([code, result.result], [0, "Second."])
    assert.isTrue(stderr.some((line) => line.includes("answered in words")))
    const said = JSON.stringify(server.requests.at(-1)?.body.messages)
    assert.match(said, /test it.*this one/)
    assert.notMatch(said, /"text":" *"/)
  })
})
