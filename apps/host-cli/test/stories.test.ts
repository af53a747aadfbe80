/** Whole stories of files, subtasks and other processes: requests, files, events and the final record. */
import type { Scenario } from "@belay/testkit"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "vitest"
import { completes, use } from "./support/asking.ts"
import { textOf, world } from "./support/story.ts"

const writes = (content: string, id: string) => use("write_to_file", { path: "a.txt", content }, id)
const part = (id: string, input: object = {}) => use("new_task", { message: "The part", ...input }, id)

const resultOf = (request: any, id: string): any =>
  request.messages
    .flatMap(({ content }: any) => content)
    .find(({ tool_use_id, type }: any) => type === "tool_result" && tool_use_id === id)

const times = (text: string, part: string): number => text.split(part).length - 1

describe.concurrent("a story", () => {
  it("a conversation is condensed while a subtask works: its result comes once, by its own way", async () => {
    const talks = (at: number, ...more: ReadonlyArray<Scenario.BlockSpec>): Scenario.Answer => ({
      content: [
        { type: "text", text: `thought ${at} `.repeat(1100) },
        { type: "tool_use", name: "list_tasks", input: { ids: [`${at}`] } },
        ...more
      ]
    })
    const { file, home, record, requests, server, start } = await world([
      [
        "A long one",
        [
          { content: [{ type: "text", text: "THE SUMMARY" }], on: "replaced by what you write now" },
          { ...use("wait_for_tasks", {}), on: "THE MARK" },
          { ...completes("Done."), on: "of the part" },
          talks(0, { type: "tool_use", name: "new_task", input: { message: "The part", background: true } }),
          talks(1),
          talks(2),
          talks(3, { type: "tool_use", name: "read_file", input: { path: "mark.txt" } })
        ]
      ],
      ["The part", [{ ...completes("The result of the part."), hold: "part", holdAt: 0 }]]
    ])
    writeFileSync(file("mark.txt"), "THE MARK")
    const models = { tiny: { inputLimit: 12_000, outputReserve: 2000 } }
    writeFileSync(path.join(home, "settings.json"), JSON.stringify({ models }))
    const task = start("run", "A long one", "--model", "tiny")
    const { after, before, taskId } = await task.event("context.condensed")
    assert.isBelow(after, before)
    server.release("part")
    const { events, result } = await task.ended()
    assert.deepInclude(result, { status: "completed", result: "Done.", taskId })
    assert.strictEqual(events.filter(({ type }) => type === "context.condensed").length, 1)
    const short = requests("A long one").filter((request) => textOf(request).includes("THE SUMMARY"))
    assert.isAbove(short.length, 0)
    for (const request of short) {
      assert.notInclude(textOf(request), "thought 0")
      assert.match(textOf(request), /Open subtasks/)
    }
    assert.strictEqual(times(textOf(short.at(-1)), "The result of the part."), 1)
    const { collected } = await record(taskId)
    assert.deepEqual(
      Object.values<any>(collected).map(({ outcome }) => outcome),
      ["succeeded"]
    )
  })

  it("files and conversation are taken back, the task goes on from there, and a branch keeps what it had", async () => {
    const { command, file, record, requests, start } = await world([
      [
        "Change it",
        [
          writes("one", "1"),
          writes("two", "2"),
          use("ask_followup_question", { question: "Right?" }, "ask"),
          completes("Changed."),
          { ...writes("three", "3"), on: "Make it three" },
          { ...completes("Branched."), on: "Another way" }
        ]
      ]
    ])
    const read = () => readFileSync(file("a.txt"), "utf8")
    const first = start("run", "Change it")
    const { taskId } = await first.event("ask")
    await first.left()
    const [said] = await command("task", "restore", taskId, "--to", "2")
    assert.match(said ?? "", /^Restored "Change it" to message 2\. 1 file: a\.txt\./)
    assert.strictEqual(read(), "one")
    const second = start("task", "resume", taskId, "Make it three")
    const { askId } = await second.event("ask")
    second.say({ type: "answer", askId, text: "yes" })
    const { events, result } = await second.ended()
    assert.deepInclude(result, { status: "completed", result: "Changed." })
    assert.strictEqual(read(), "three")
    const [, , , resumed] = requests("Change it")
    assert.isDefined(resultOf(resumed, "1"))
    assert.isUndefined(resultOf(resumed, "2"))
    assert.isTrue(events.some(({ files, type }) => type === "checkpoint" && files === 1))
    const shown = await record(taskId)
    assert.includeMembers(
      shown.checkpoints.map(({ moment }: any) => moment),
      ["before", "after", "restore"]
    )

    const branch = start("task", "fork", taskId, "--to", "2", "Another way")
    const forked = (await branch.ended()).result
    assert.deepInclude(forked, { status: "completed", result: "Branched." })
    const made = await record(forked.taskId)
    assert.deepInclude(made, { status: "completed", result: "Branched." })
    assert.include(JSON.stringify(made.forkedFrom), taskId)
  })

  it("a subtask changes what its parent has read: the parent's edit is refused with the new content", async () => {
    const edit = (search: string, id: string) => {
      const diff = `------- SEARCH\n${search}\n=======\nfinal\n+++++++ REPLACE`
      return use("replace_in_file", { path: "a.txt", diff }, id)
    }
    const { file, record, requests, start } = await world([
      [
        "Read, then edit",
        [
          use("read_file", { path: "a.txt" }, "read"),
          part("part"),
          edit("old", "stale"),
          edit("new", "again"),
          completes("Done.")
        ]
      ],
      ["The part", [use("read_file", { path: "a.txt" }, "look"), writes("new", "write"), completes("Written.")]]
    ])
    writeFileSync(file("a.txt"), "old")
    const { events, result } = await start("run", "Read, then edit").ended()
    assert.strictEqual(readFileSync(file("a.txt"), "utf8"), "final")
    const last = requests("Read, then edit").at(-1)
    assert.deepInclude(resultOf(last, "stale"), { is_error: true })
    assert.include(JSON.stringify(resultOf(last, "stale")), "new")
    assert.isUndefined(resultOf(last, "again").is_error)
    assert.strictEqual(events.filter(({ type }) => type === "delegation.collected").length, 1)
    assert.deepInclude(await record(result.taskId), { status: "completed", result: "Done." })
  })

  it("a call is denied with words: nothing runs, the model reads why, and another one is allowed", async () => {
    const { file, record, requests, start } = await world([
      ["Write it", [writes("wrong", "first"), writes("right", "second"), completes("Written.")]]
    ])
    const task = start("run", "Write it", "--approvals", "ask")
    const first = await task.event("ask")
    task.say({ type: "answer", askId: first.askId, decision: "deny", text: "Write it the right way." })
    const second = await task.event("ask", ({ callId }) => callId === "second")
    assert.isFalse(existsSync(file("a.txt")))
    task.say({ type: "answer", askId: second.askId, decision: "allow" })
    const { events, result } = await task.ended()
    assert.strictEqual(readFileSync(file("a.txt"), "utf8"), "right")
    assert.include(JSON.stringify(resultOf(requests("Write it")[1], "first")), "Write it the right way.")
    const started = events.filter(({ type }) => type === "tool.started").map(({ callId }) => callId)
    assert.notInclude(started, "first")
    assert.include(started, "second")
    const { asks, status } = await record(result.taskId)
    assert.deepStrictEqual([status, asks.map(({ decision }: any) => decision)], ["completed", ["deny", "allow"]])
  })

  it("the process is killed in a command: it is not run again, and the model is told that nobody knows", async () => {
    const command = "echo run >> log; echo on; sleep 60"
    const { file, record, requests, start } = await world([
      ["Run it", [use("execute_command", { command }, "run"), completes("Looked.")]]
    ])
    const first = start("run", "Run it", "--sandbox", "off")
    const { taskId } = await first.event("tool.output")
    await first.run.kill()
    assert.strictEqual((await record(taskId)).derived, "orphaned")
    const { events, result } = await start("task", "resume", taskId).ended()
    assert.deepInclude(result, { status: "completed", result: "Looked." })
    assert.strictEqual(readFileSync(file("log"), "utf8"), "run\n")
    assert.include(JSON.stringify(resultOf(requests("Run it")[1], "run")), "It is not known how far it got")
    assert.isTrue(events.some(({ callId, state }) => callId === "run" && state === "unknown"))
    const { toolCalls } = await record(taskId)
    assert.deepInclude(toolCalls, { callId: "run", name: "execute_command", state: "unknown" })
  })

  it("another process answers the question: the run goes on with it, and it is asked no more", async () => {
    const { command, record, requests, start } = await world([
      ["Ask first", [use("ask_followup_question", { question: "Which colour?" }, "ask"), completes("Blue it is.")]]
    ])
    const task = start("run", "Ask first")
    const { askId, taskId } = await task.event("ask")
    await command("task", "answer", taskId, askId, "--text", "blue")
    const { events, result } = await task.ended()
    assert.deepInclude(result, { status: "completed", result: "Blue it is." })
    assert.include(JSON.stringify(resultOf(requests("Ask first")[1], "ask")), "blue")
    assert.strictEqual(events.filter(({ type }) => type === "ask.settled").length, 1)
    assert.deepInclude((await record(taskId)).asks[0], { open: false, text: "blue" })
  })

  it("something is said while a subtask works: it comes with the result, once", async () => {
    const { command, record, requests, server, start } = await world([
      ["The whole", [part("part"), completes("With the documentation.")]],
      ["The part", [{ ...completes("The result."), hold: "part", holdAt: 0 }]]
    ])
    const task = start("run", "The whole")
    const { children, taskId } = await task.event("delegation.started")
    await server.waitForRequests(2)
    await command("task", "send", taskId, "And the documentation.")
    server.release("part")
    const { result } = await task.ended()
    assert.deepInclude(result, { status: "completed", result: "With the documentation." })
    const last = requests("The whole").at(-1)
    assert.include(JSON.stringify(resultOf(last, "part")), "The result.")
    assert.strictEqual(times(textOf(last), "And the documentation."), 1)
    assert.notInclude(textOf(requests("The part")[0]), "And the documentation.")
    const { collected } = await record(taskId)
    assert.strictEqual(collected[children[0].taskId].outcome, "succeeded")
  })

  it("two subtasks in parallel, one of them stopped and abandoned: both calls have one result, in call order", async () => {
    const { command, record, requests, server, start } = await world([
      [
        "Both parts",
        [
          {
            content: ["One part", "Other part"].map((message, at) => ({
              type: "tool_use" as const,
              name: "new_task",
              input: { message },
              id: `part-${at}`
            }))
          },
          completes("One of them.")
        ]
      ],
      ["One part", [{ ...completes("never"), hold: "never", holdAt: 0 }]],
      ["Other part", [completes("The other.")]]
    ])
    const task = start("run", "Both parts")
    const { children, taskId } = await task.event("delegation.started")
    await server.waitForRequests(3)
    const [one, other] = children.map((child: any) => child.taskId)
    await command("task", "abandon", one, "--yes")
    const { result } = await task.ended()
    assert.deepInclude(result, { status: "completed", result: "One of them." })
    const [, last] = requests("Both parts")
    const blocks = last.messages.at(-1).content.filter(({ type }: any) => type === "tool_result")
    assert.deepStrictEqual(
      blocks.map(({ tool_use_id }: any) => tool_use_id),
      ["part-0", "part-1"]
    )
    assert.include(JSON.stringify(blocks[0]), "abandoned")
    assert.include(JSON.stringify(blocks[1]), "The other.")
    const { collected } = await record(taskId)
    assert.deepStrictEqual([collected[one].outcome, collected[other].outcome], ["abandoned", "succeeded"])
    assert.deepInclude(await record(one), { status: "interrupted" })
  })
})
