/** Asks of tasks at any depth reach the client, and survive its agent. */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "vitest"
import { besides, type Peer, says, selected, silent, world } from "../support/Acp.ts"
import { completes, use } from "../support/asking.ts"
import { belay, json } from "../support/cli.ts"

const command = use("execute_command", { command: "echo ran >> deep.txt" }, "deep")
const starts = (message: string, id: string) => use("new_task", { message }, id)

/** A task, its subtask, and one below that, which asks. */
const tree = () =>
  world([
    { match: { prompt: "The whole" }, shared: true, answers: [starts("The middle", "m"), completes("All of it.")] },
    { match: { prompt: "The middle" }, shared: true, answers: [starts("The bottom", "b"), completes("The middle's.")] },
    { match: { prompt: "The bottom" }, shared: true, answers: [command, completes("The bottom's.")] }
  ])

/** Beginning a subtask asks as well; `deep` answers for the command. */
const permits =
  (deep: Peer["permits"]): Peer["permits"] =>
  (request, signal) =>
    request.toolCall.kind === "execute" ? deep(request, signal) : selected("allow")

const deepOf = (peer: Peer) => peer.asked.filter(({ toolCall }) => toolCall.kind === "execute")

describe("an ask two subtasks deep", () => {
  it("is put in the session of the root, and its answer runs the command or does not (2)", async () => {
    for (const [answer, ran] of [
      ["allow", true],
      ["reject", false]
    ] as const) {
      const { cwd, open } = await tree()
      const peer = await open({ permits: permits(() => selected(answer)) })
      const sessionId = await peer.create(cwd)
      const stopReason = await peer.prompt(sessionId, "The whole")
      assert.strictEqual(stopReason, "end_turn")
      assert.strictEqual(existsSync(path.join(cwd, "deep.txt")), ran)
      const [asked] = deepOf(peer)
      assert.strictEqual(asked?.sessionId, sessionId)
      assert.strictEqual(asked?.toolCall.title, "[The bottom] Run echo ran >> deep.txt")
      // The client has its row before it is asked.
      const row = peer.of("tool_call").find(({ toolCallId }) => toolCallId === asked?.toolCall.toolCallId)
      assert.strictEqual(row?.status, "pending")
      if (ran) assert.include(peer.said(), "All of it.")
    }
  })

  it("survives kill -9 of the agent, and is asked again once; the command runs once (3c)", async () => {
    const { cwd, env, open } = await tree()
    const first = await open({ permits: permits(silent) })
    const sessionId = await first.create(cwd)
    void first.prompt(sessionId, "The whole").catch(() => undefined)
    await first.until(() => deepOf(first).length === 1)
    await first.process.kill()
    const second = await open({ permits: permits(() => selected("allow")) })
    const loaded = await second.load(sessionId, cwd)
    assert.deepInclude(Object(besides(loaded)), { openAsks: 1 })
    assert.isFalse(existsSync(path.join(cwd, "deep.txt")))
    assert.lengthOf(second.asked, 0, "nothing is asked before the task goes on")
    assert.strictEqual(await second.prompt(sessionId, "Go on"), "end_turn")
    assert.lengthOf(deepOf(second), 1)
    assert.strictEqual(readFileSync(path.join(cwd, "deep.txt"), "utf8"), "ran\n")
    assert.include(second.said(), "All of it.")
    const shown = json((await belay(["task", "show", sessionId, "--output", "json"], env, cwd)).stdout)
    assert.deepInclude(shown, { status: "completed", outcome: "succeeded" })
  })

  it("is put to two clients of one session; the first answer counts, and the other one is withdrawn (11)", async () => {
    const { cwd, open } = await tree()
    const peer = await open({ permits: permits(silent) })
    const sessionId = await peer.create(cwd)
    const done = peer.prompt(sessionId, "The whole")
    await peer.until(() => deepOf(peer).length === 1)
    const other = await open({ permits: permits(() => selected("allow")) })
    await other.load(sessionId, cwd)
    await other.until(() => deepOf(other).length === 1)
    assert.strictEqual(await done, "end_turn")
    assert.deepStrictEqual(peer.withdrawn, [deepOf(peer)[0]?.toolCall.toolCallId])
    assert.strictEqual(readFileSync(path.join(cwd, "deep.txt"), "utf8"), "ran\n")
    // The one that only follows is told how it went on.
    await other.until(() => other.said().includes("All of it."))
  })
})

describe("an ask of a change of files", () => {
  it("shows both sides of the file", async () => {
    const change = use("write_to_file", { path: "a.txt", content: "new\n" }, "w")
    const { cwd, open } = await world([
      { match: { prompt: "Work" }, answers: [use("read_file", { path: "a.txt" }), change, completes("Done.")] }
    ])
    writeFileSync(path.join(cwd, "a.txt"), "old\n")
    const peer = await open({ permits: () => selected("allow") })
    const sessionId = await peer.create(cwd)
    await peer.prompt(sessionId, "Work")
    const file = path.join(cwd, "a.txt")
    assert.deepInclude([...(peer.asked[0]?.toolCall.content ?? [])], {
      type: "diff",
      path: file,
      oldText: "old\n",
      newText: "new\n"
    })
    assert.deepStrictEqual(peer.asked[0]?.toolCall.locations, [{ path: file }])
    assert.strictEqual(readFileSync(file, "utf8"), "new\n")
  })
})

describe("a question", () => {
  it("ends the turn, and the next prompt is its answer", async () => {
    const question = use("ask_followup_question", { question: "Which of them?", options: ["red", "blue"] }, "q")
    const { cwd, open, server } = await world([{ match: { prompt: "Work" }, answers: [question, says("Blue it is.")] }])
    const peer = await open()
    const sessionId = await peer.create(cwd)
    assert.strictEqual(await peer.prompt(sessionId, "Work"), "end_turn")
    assert.match(peer.said(), /Which of them\?\s+1\. red\s+2\. blue/u)
    assert.strictEqual(await peer.prompt(sessionId, "the blue one"), "end_turn")
    assert.include(peer.said(), "Blue it is.")
    assert.include(JSON.stringify(server.requests.at(-1)?.body.messages.at(-1)), "the blue one")
  })
})
