/** What a client chooses of a session, and what it is told of the work beside words. */
import { existsSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "vitest"
import { codeOf, says, selected, world } from "../support/Acp.ts"
import { completes, use } from "../support/asking.ts"
import { belay, json } from "../support/cli.ts"

const write = use("write_to_file", { path: "a.txt", content: "new\n" }, "w")

const valueOf = (options: ReadonlyArray<{ readonly id: string }> | null | undefined, name: string) =>
  Object(options?.find(({ id }) => id === name)).currentValue

describe("what is chosen", () => {
  it("before the first prompt holds for it, in whichever process that is: in plan mode nothing is written (5)", async () => {
    const { cwd, open } = await world([{ match: { prompt: "Work" }, answers: [write, says("I may not.")] }])
    const first = await open()
    const sessionId = await first.create(cwd)
    await first.agent.request("session/set_mode", { sessionId, modeId: "plan" })
    assert.deepStrictEqual(
      first.of("current_mode_update").map(({ currentModeId }) => currentModeId),
      ["plan"]
    )
    await first.until(() => first.of("config_option_update").length === 1)
    assert.strictEqual(valueOf(first.of("config_option_update")[0]?.configOptions, "mode"), "plan")
    await first.leave()
    const peer = await open({ permits: () => selected("allow") })
    const { configOptions, modes } = await peer.load(sessionId, cwd)
    assert.deepStrictEqual([modes?.currentModeId, valueOf(configOptions, "mode")], ["plan", "plan"])
    assert.strictEqual(await peer.prompt(sessionId, "Work"), "end_turn")
    assert.isFalse(existsSync(path.join(cwd, "a.txt")))
    assert.lengthOf(peer.asked, 0)
    assert.include(JSON.stringify(peer.of("tool_call_update")), "plan")
  })

  it("of the approvals and the model holds for what runs next, also where a task waits", async () => {
    const { cwd, open, server } = await world([
      { match: { prompt: "Work" }, shared: true, answers: [says("What now?"), write, completes("Written.")] }
    ])
    const peer = await open()
    const sessionId = await peer.create(cwd)
    await peer.prompt(sessionId, "Work")
    const set = (configId: string, value: string) =>
      peer.agent.request("session/set_config_option", { sessionId, configId, value })
    const { configOptions } = await set("approvals", "edits")
    assert.deepStrictEqual(
      configOptions.map(({ id, type }) => [id, type]),
      [
        ["mode", "select"],
        ["model", "select"],
        ["approvals", "select"]
      ]
    )
    assert.strictEqual(valueOf(configOptions, "approvals"), "edits")
    await set("model", "claude-opus-5")
    assert.strictEqual(await peer.prompt(sessionId, "Write it"), "end_turn")
    assert.isTrue(existsSync(path.join(cwd, "a.txt")))
    assert.lengthOf(peer.asked, 0)
    assert.strictEqual(server.requests.at(-1)?.body.model, "claude-opus-5")
    for (const [name, value] of [
      ["approvals", "all"],
      ["model", "no such model"],
      ["mode", "yolo"],
      ["whatever", "ask"]
    ] as const) {
      assert.strictEqual(await codeOf(set(name, value)), -32602)
    }
  })

  it("of the mode answers a plan that waits, and is told once", async () => {
    const plan = use("plan_mode_respond", { response: "First this, then that." }, "p")
    const { cwd, open } = await world([
      { match: { prompt: "Work" }, shared: true, answers: [plan, completes("Carried out.")] }
    ])
    const peer = await open()
    const sessionId = await peer.create(cwd)
    await peer.agent.request("session/set_mode", { sessionId, modeId: "plan" })
    assert.strictEqual(await peer.prompt(sessionId, "Work"), "end_turn")
    assert.include(peer.said(), "First this, then that.")
    await peer.agent.request("session/set_mode", { sessionId, modeId: "act" })
    await peer.until(() => peer.said().includes("Carried out."))
    assert.deepStrictEqual(
      peer.of("current_mode_update").map(({ currentModeId }) => currentModeId),
      ["plan", "act"]
    )
  })
})

describe("a turn", () => {
  it("tells the checklist and what all of it has cost as the command does (6, 7)", async () => {
    const child = use("new_task", { message: "The part", task_progress: "- [x] one\n- [ ] two" }, "n")
    const { cwd, env, open } = await world([
      { match: { prompt: "The whole" }, answers: [child, completes("Done.")] },
      { match: { prompt: "The part" }, answers: [completes("Its part.")] }
    ])
    const peer = await open({ permits: () => selected("allow") })
    const sessionId = await peer.create(cwd)
    await peer.prompt(sessionId, "The whole")
    const shown = json((await belay(["task", "tree", sessionId, "--output", "json"], env, cwd)).stdout)
    const usage = peer.of("usage_update").at(-1)
    assert.closeTo(usage?.cost?.amount ?? 0, shown.usage.costUsd + shown.children[0].usage.costUsd, 1e-9)
    assert.lengthOf(shown.items, 2)
    assert.isAbove(usage?.size ?? 0, 100_000)
    assert.deepStrictEqual(
      peer
        .of("plan")
        .at(-1)
        ?.entries.map(({ content, status }) => [content, status]),
      shown.items.map(({ state, text }: any) => [
        text,
        { open: "pending", doing: "in_progress", done: "completed" }[String(state)]
      ])
    )
    const row = peer.of("tool_call").find(({ name }) => name === "new_task")
    const states = peer.of("tool_call_update").filter(({ toolCallId }) => toolCallId === row?.toolCallId)
    assert.strictEqual(states.at(-1)?.status, "completed")
    assert.include(JSON.stringify(states.at(-1)?.content), "Its part.")
  })

  it("takes a second prompt while it goes on: the first is answered, and the second waits for the end (12)", async () => {
    const { cwd, open, server } = await world([
      { match: { prompt: "Work" }, answers: [{ ...says("One."), hold: "gate" }, says("Both.")] }
    ])
    const peer = await open()
    const sessionId = await peer.create(cwd)
    const first = peer.prompt(sessionId, "Work")
    await peer.until(() => peer.said() !== "")
    const second = peer.prompt(sessionId, "And this, too")
    assert.strictEqual(await first, "end_turn")
    server.release("gate")
    assert.strictEqual(await second, "end_turn")
    assert.include(peer.said(), "Both.")
    assert.include(JSON.stringify(server.requests.at(-1)?.body.messages), "And this, too")
  })

  it("reads links to files of the folder, texts and pictures that come with the words", async () => {
    const { cwd, open, server } = await world([{ match: { prompt: "Look" }, answers: [says("Seen.")] }])
    writeFileSync(path.join(cwd, "notes.txt"), "a note to read\n")
    const peer = await open()
    const sessionId = await peer.create(cwd)
    const data = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
    await peer.agent.request("session/prompt", {
      sessionId,
      prompt: [
        { type: "text", text: "Look at " },
        { type: "resource_link", uri: `file://${path.join(cwd, "notes.txt")}`, name: "notes.txt" },
        { type: "resource", resource: { uri: "file:///unsaved.txt", text: "unsaved words" } },
        { type: "image", mimeType: "image/png", data }
      ]
    })
    const sent = JSON.stringify(server.requests[0]?.body.messages)
    for (const part of ["@/notes.txt", "a note to read", "unsaved words", data]) assert.include(sent, part)
    assert.strictEqual(peer.said("user_message_chunk"), "")
    const again = await open()
    await again.load(sessionId, cwd)
    assert.include(again.said("user_message_chunk"), "Look at @/notes.txt")
    const sound = peer.agent.request("session/prompt", {
      sessionId,
      prompt: [{ type: "audio", mimeType: "a/b", data }]
    })
    assert.strictEqual(await codeOf(sound), -32602)
  })
})
