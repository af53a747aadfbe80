/** Turns of a session: a prompt, what it brings, and how it ends. Numbers are those of the acceptance list of sessions. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "vitest"
import { codeOf, says, selected, silent, world } from "../support/Acp.ts"
import { completes, use } from "../support/asking.ts"
import { alone, belay, json } from "../support/cli.ts"

const echo = use("execute_command", { command: "echo ran >> ran.txt" }, "echo")

describe("a session", () => {
  it("is begun in one process and prompted in another; its task has its id (1)", async () => {
    const { cwd, env, open } = await world([
      { match: { prompt: "Work" }, answers: [says("First words."), says("Second words.")] }
    ])
    const first = await open()
    const sessionId = await first.create(cwd)
    assert.strictEqual((await first.leave()).code, 0)
    assert.deepStrictEqual(
      json((await belay(["task", "list", "--all", "--output", "json"], env, cwd)).stdout).tasks,
      []
    )
    const second = await open({ args: ["--verbose"] })
    await second.load(sessionId, cwd)
    assert.strictEqual(await second.prompt(sessionId, "Work on it"), "end_turn")
    assert.strictEqual(second.said(), "First words.")
    assert.strictEqual(second.said("user_message_chunk"), "")
    assert.strictEqual(await second.prompt(sessionId, "And more"), "end_turn")
    assert.strictEqual(second.said(), "First words.Second words.")
    assert.deepStrictEqual(
      second.of("session_info_update").map(({ title }) => title),
      ["Work on it"]
    )
    const { sessions } = await second.agent.request("session/list", { cwd })
    assert.deepStrictEqual(
      sessions.map(({ sessionId: id, title }) => [id, title]),
      [[sessionId, "Work on it"]]
    )
    await second.leave()
  })

  it("answers a prompt when what it said has been heard, however soon after another one it comes", async () => {
    const replies = Array.from({ length: 25 }, (_, at) => `Reply ${at + 1}. `)
    const { cwd, open } = await world([{ match: { prompt: "Work" }, answers: replies.map(says) }])
    const peer = await open()
    const sessionId = await peer.create(cwd)
    for (const [at] of replies.entries()) {
      assert.strictEqual(await peer.prompt(sessionId, `Work ${at + 1}`), "end_turn")
      assert.strictEqual(peer.said(), replies.slice(0, at + 1).join(""))
    }
  })

  it("streams words as they come, by the id of their message", async () => {
    const { cwd, open, server } = await world([
      { match: { prompt: "Work" }, answers: [{ ...says("One two three four"), hold: "gate" }] }
    ])
    const peer = await open()
    const sessionId = await peer.create(cwd)
    const done = peer.prompt(sessionId, "Work")
    await peer.until(() => peer.said() !== "")
    server.release("gate")
    assert.strictEqual(await done, "end_turn")
    assert.strictEqual(peer.said(), "One two three four")
    assert.deepStrictEqual(
      new Set(peer.of("agent_message_chunk").map(({ messageId }) => messageId)),
      new Set([`${sessionId}:1`])
    )
  })

  it("asks before a command runs, and runs it once it may", async () => {
    const { cwd, open } = await world([{ match: { prompt: "Work" }, answers: [echo, completes("All done.")] }])
    const peer = await open({ permits: () => selected("allow") })
    const sessionId = await peer.create(cwd)
    assert.strictEqual(await peer.prompt(sessionId, "Work"), "end_turn")
    assert.strictEqual(readFileSync(path.join(cwd, "ran.txt"), "utf8"), "ran\n")
    const [asked] = peer.asked
    assert.deepInclude(asked?.toolCall, {
      toolCallId: `${sessionId.slice(-8)}/echo`,
      kind: "execute",
      title: "Run echo ran >> ran.txt"
    })
    assert.deepInclude([...(asked?.options ?? [])], { optionId: "reject", name: "Reject", kind: "reject_once" })
    const states = peer.updates.flatMap(({ update }) =>
      (update.sessionUpdate === "tool_call" || update.sessionUpdate === "tool_call_update") && update.status
        ? [update.status]
        : []
    )
    assert.deepStrictEqual(states, ["pending", "in_progress", "completed"])
    assert.include(peer.said(), "All done.")
  })

  it("does not run what is rejected, and takes an answer that was not offered for a no", async () => {
    for (const answer of ["reject", "whatever"]) {
      const { cwd, open } = await world([{ match: { prompt: "Work" }, answers: [echo, says("Then not.")] }])
      const peer = await open({ permits: () => selected(answer) })
      const sessionId = await peer.create(cwd)
      assert.strictEqual(await peer.prompt(sessionId, "Work"), "end_turn")
      assert.isFalse(existsSync(path.join(cwd, "ran.txt")))
    }
  })

  it("is stopped with an ask open and with a command at work (4)", async () => {
    const sleeps = use("execute_command", { command: "echo $$ > pid; exec sleep 60" }, "sleep")
    const { cwd, env, open } = await world([
      { match: { prompt: "Ask" }, answers: [echo] },
      { match: { prompt: "Sleep" }, answers: [sleeps] }
    ])
    const peer = await open({ permits: silent })
    const asking = await peer.create(cwd)
    const asked = peer.prompt(asking, "Ask")
    await peer.until(() => peer.asked.length === 1)
    await peer.cancel(asking)
    assert.strictEqual(await asked, "cancelled")
    await peer.until(() => peer.withdrawn.length === 1)
    peer.permits = () => selected("allow")
    const sleeping = await peer.create(cwd)
    const slept = peer.prompt(sleeping, "Sleep")
    await peer.until(() => peer.of("tool_call_update").some(({ status }) => status === "in_progress"))
    await peer.cancel(sleeping)
    assert.strictEqual(await slept, "cancelled")
    const { stdout } = await alone(["task", "show", sleeping, "--output", "json"], env, cwd)
    assert.deepInclude(json(stdout), { status: "interrupted" })
    // Without a prompt there is nothing to stop.
    await peer.cancel(sleeping)
    // And one that has only just come is stopped, too.
    const early = peer.prompt(asking, "Ask again")
    await peer.cancel(asking)
    assert.strictEqual(await early, "cancelled")
    await peer.leave()
  })

  it("goes on in one thread after its task has ended", async () => {
    const { cwd, open } = await world([
      {
        match: { prompt: "Work" },
        shared: true,
        answers: [completes("The first."), completes("The second."), completes("The third.")]
      }
    ])
    const peer = await open()
    const sessionId = await peer.create(cwd)
    await peer.prompt(sessionId, "Work")
    await peer.prompt(sessionId, "Go on")
    await peer.prompt(sessionId, "And on")
    assert.include(peer.said(), "The third.")
    const { sessions } = await peer.agent.request("session/list", {})
    assert.deepStrictEqual(
      sessions.map(({ sessionId: id }) => id),
      [sessionId]
    )
    const again = await open()
    await again.load(sessionId, cwd)
    assert.strictEqual(again.said(), "The first.The second.The third.")
    assert.strictEqual(again.said("user_message_chunk"), "WorkGo onAnd on")
  })

  it("is stopped when its client goes, and can be gone on with by the command (13)", async () => {
    const { cwd, env, open, server } = await world([
      { match: { prompt: "Work" }, answers: [{ ...says("never"), hold: "gate", holdAt: 0 }, says("Resumed.")] }
    ])
    const peer = await open()
    const sessionId = await peer.create(cwd)
    const done = peer.prompt(sessionId, "Work")
    done.catch(() => undefined)
    await server.waitForRequests(1)
    const { code } = await peer.leave()
    assert.strictEqual(code, 0)
    assert.deepInclude(json((await belay(["task", "show", sessionId, "--output", "json"], env, cwd)).stdout), {
      status: "interrupted"
    })
    server.release("gate")
  })

  it("is opened without a database or a file, and refused without a key (16)", async () => {
    const { cwd, home, open } = await world([])
    const peer = await open({ env: { ANTHROPIC_API_KEY: undefined, ANTHROPIC_BASE_URL: undefined } })
    assert.deepStrictEqual(readdirSync(home), [])
    assert.strictEqual(await codeOf(peer.create(cwd)), -32000)
    assert.deepStrictEqual((await peer.agent.request("session/list", {})).sessions, [])
  })
})
