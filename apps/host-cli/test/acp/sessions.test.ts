/** Sessions of the history: what of them is told again, and what is refused with which code. */
import { existsSync, readFileSync, symlinkSync } from "node:fs"
import { homedir } from "node:os"
import * as path from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "vitest"
import { besides, codeOf, says, selected, world } from "../support/Acp.ts"
import { completes, use } from "../support/asking.ts"
import { belay, folder, json } from "../support/cli.ts"

const answers = [
  use("execute_command", { command: "echo one >> log.txt" }, "one"),
  { content: [{ type: "text" as const, text: "Words before. " }, ...completes("The result.").content] }
]

/** A session whose prompt has ended. */
const ended = async () => {
  const here = await world([{ match: { prompt: "Work" }, shared: true, answers }])
  const peer = await here.open({ permits: () => selected("allow") })
  const sessionId = await peer.create(here.cwd)
  await peer.prompt(sessionId, "Work on it")
  await peer.leave()
  return { ...here, sessionId, first: peer }
}

describe("a session of the history", () => {
  it("is told whole before it is there, and nothing of it afterwards; a resume tells nothing (9)", async () => {
    const { cwd, first, open, sessionId } = await ended()
    const peer = await open()
    await peer.load(sessionId, cwd)
    const told = peer.updates.length
    assert.strictEqual(peer.said("user_message_chunk"), "Work on it")
    assert.strictEqual(peer.said(), first.said())
    const rows = (of: typeof peer) => of.of("tool_call").map(({ title, toolCallId }) => [toolCallId, title])
    assert.deepStrictEqual(rows(peer), rows(first))
    assert.strictEqual(peer.of("tool_call_update").at(-1)?.status, "completed")
    await peer.until(() => peer.of("available_commands_update").length === 1)
    assert.isAtMost(peer.updates.length, told + 1)
    const quiet = await open()
    const resumed = await quiet.agent.request("session/resume", { sessionId, cwd, mcpServers: [] })
    assert.deepStrictEqual(quiet.updates, [])
    assert.strictEqual(resumed.modes?.currentModeId, "act")
    assert.deepInclude(Object(besides(resumed)), { status: "completed", outcome: "succeeded", openAsks: 0 })
  })

  it("is refused by a code that tells a client whether it is gone (10)", async () => {
    const { cwd, home, open, sessionId } = await ended()
    const peer = await open()
    const unknown = sessionId.replace(/.$/u, (last) => (last === "0" ? "1" : "0"))
    assert.strictEqual(await codeOf(peer.load(unknown, cwd)), -32002)
    assert.strictEqual(await codeOf(peer.load("../../etc", cwd)), -32002)
    assert.strictEqual(await codeOf(peer.load(sessionId, folder())), -32602)
    const link = path.join(folder(), "link")
    symlinkSync(cwd, link)
    await peer.load(sessionId, link)
    for (const wide of ["/", homedir(), "relative", path.join(cwd, "none")]) {
      assert.strictEqual(await codeOf(peer.create(wide)), -32602)
    }
    assert.strictEqual(await codeOf(peer.agent.request("session/list", { cursor: "nonsense" })), -32602)
    assert.strictEqual(await codeOf(peer.prompt(unknown, "Work")), -32002)
    await peer.leave()
    const db = new DatabaseSync(path.join(home, "belay.db"))
    db.exec("PRAGMA user_version = 99")
    db.close()
    const later = await open()
    assert.strictEqual(await codeOf(later.load(sessionId, cwd)), -32603)
  })

  it("is deleted with its thread, and closed without", async () => {
    const { cwd, env, open, sessionId } = await ended()
    const peer = await open()
    await peer.load(sessionId, cwd)
    await peer.agent.request("session/close", { sessionId })
    assert.strictEqual(await codeOf(peer.prompt(sessionId, "Work")), -32002)
    await peer.agent.request("session/delete", { sessionId })
    await peer.agent.request("session/delete", { sessionId })
    assert.strictEqual(await codeOf(peer.load(sessionId, cwd)), -32002)
    assert.deepStrictEqual((await peer.agent.request("session/list", {})).sessions, [])
    const empty = await peer.create(cwd)
    await peer.agent.request("session/delete", { sessionId: empty })
    assert.strictEqual(await codeOf(peer.load(empty, cwd)), -32002)
    assert.deepStrictEqual(
      json((await belay(["task", "list", "--all", "--output", "json"], env, cwd)).stdout).tasks,
      []
    )
  })

  it("whose agent was killed in a command tells that nobody knows how it went, and runs it once (3b)", async () => {
    const slow = use("execute_command", { command: "echo began >> log.txt; exec sleep 60" }, "slow")
    const { cwd, open } = await world([
      { match: { prompt: "Work" }, shared: true, answers: [slow, completes("Went on.")] }
    ])
    const first = await open({ permits: () => selected("allow") })
    const sessionId = await first.create(cwd)
    void first.prompt(sessionId, "Work").catch(() => undefined)
    await first.until(() => first.of("tool_call_update").some(({ status }) => status === "in_progress"))
    while (!existsSync(path.join(cwd, "log.txt"))) await new Promise(setImmediate)
    await first.process.kill()
    const second = await open({ permits: () => selected("allow") })
    await second.load(sessionId, cwd)
    assert.strictEqual(await second.prompt(sessionId, "Go on"), "end_turn")
    const ended = second.of("tool_call_update").filter(({ status }) => status === "failed")
    assert.include(JSON.stringify(ended), "It is not known whether it took effect.")
    assert.strictEqual(readFileSync(path.join(cwd, "log.txt"), "utf8"), "began\n")
    assert.include(second.said(), "Went on.")
  })

  it("whose agent was killed before an answer came is told the same prompt once (3a)", async () => {
    const held = { ...says("At last."), hold: "gate", holdAt: 0 }
    const { cwd, open, server } = await world([{ match: { prompt: "Work" }, shared: true, answers: [held] }])
    const first = await open()
    const sessionId = await first.create(cwd)
    void first.prompt(sessionId, "Work once").catch(() => undefined)
    await server.waitForRequests(1)
    await first.process.kill()
    server.release("gate")
    const second = await open()
    await second.load(sessionId, cwd)
    assert.strictEqual(await second.prompt(sessionId, "Work once"), "end_turn")
    assert.strictEqual(second.said(), "At last.")
    const sent = JSON.stringify(server.requests.at(-1)?.body.messages)
    assert.lengthOf(sent.split("Work once"), 2)
  })
})
