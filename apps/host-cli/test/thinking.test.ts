/** Whole stories of modes, plans and checklists: requests, files, events and the final record of real processes. */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { assert, describe, it } from "vitest"
import { completes, use } from "./support/asking.ts"
import { textOf, toolsOf, world } from "./support/story.ts"

describe.concurrent("a story", () => {
  it("plan, then act: the switch answers the plan with the user's words, and changes model and tools", async () => {
    const { file, record, requests, start } = await world([
      [
        "Make one",
        [
          use("plan_mode_respond", { response: "I would write one.txt." }, "plan"),
          use("write_to_file", { path: "one.txt", content: "1" }, "write"),
          completes("Made.")
        ]
      ]
    ])
    const task = start("run", "Make one", "--mode", "plan", "--plan-model", "planner", "--model", "actor")
    const { askId, taskId } = await task.event("ask")
    task.say({ type: "mode", mode: "act", text: "Go, but keep the API." })
    const { events, result } = await task.ended()
    assert.deepInclude(result, { status: "completed", result: "Made.", taskId })
    assert.strictEqual(readFileSync(file("one.txt"), "utf8"), "1")
    const [planned, acted] = requests("Make one")
    assert.deepStrictEqual([planned.model, acted.model], ["planner", "actor"])
    assert.deepStrictEqual(toolsOf(acted), toolsOf(planned))
    const answer = acted.messages.at(-1).content.find(({ type }: any) => type === "tool_result")
    assert.deepInclude(answer, { tool_use_id: "plan", content: [{ type: "text", text: "Go, but keep the API." }] })
    assert.include(textOf(acted), "The user has switched the task to ACT MODE")
    const changed = events.find(({ type }) => type === "mode.changed")
    assert.deepInclude(changed, { from: "plan", to: "act", by: "user", answeredAsk: askId })
    assert.deepInclude(await record(taskId), { status: "completed", mode: "act", model: "actor" })
  })

  it("the user edits the checklist while the model works: both keep theirs, and the model is told once", async () => {
    const look = (list: string) => use("list_files", { path: ".", task_progress: list })
    const { record, requests, server, start } = await world([
      [
        "Two steps",
        [
          look("- [-] read\n- [ ] write"),
          { ...look("- [x] read\n- [-] write\n- [ ] check"), hold: "gate" },
          look("- [x] read\n- [x] write, in Go\n- [ ] check"),
          completes("Done.")
        ]
      ]
    ])
    const task = start("run", "Two steps")
    const { taskId } = await task.event("focus-chain.updated")
    await server.waitForRequests(2)
    const { path: list } = (await record(taskId)).focusChain
    writeFileSync(list, `${readFileSync(list, "utf8").replace("write", "write, in Go")}\n## Mine\nA note.\n`)
    const seen = await task.event("focus-chain.updated", ({ by }) => by === "user")
    assert.deepStrictEqual(
      seen.items.map(({ text }: any) => text),
      ["read", "write, in Go"]
    )
    server.release("gate")
    const { result } = await task.ended()
    assert.strictEqual(result.status, "completed")
    const text = readFileSync(list, "utf8")
    for (const line of ["- [x] read", "- [x] write, in Go", "- [ ] check", "## Mine\nA note."])
      assert.include(text, line)
    const told = requests("Two steps").map(
      (request) => textOf(request).split("The user has edited the checklist").length - 1
    )
    assert.deepStrictEqual(told, [0, 0, 1, 1])
    const { focusChain, metrics } = await record(taskId)
    assert.deepStrictEqual(metrics.checklist, { done: 2, total: 3 })
    assert.strictEqual(focusChain.items.length, 3)
  })

  it("the mode is switched during a call: it ends as it began, and what follows is judged by the new mode", async () => {
    const command = "while [ ! -e go ]; do sleep 0.05; done; echo went"
    const { file, record, requests, start } = await world([
      [
        "Wait, then write",
        [
          {
            content: [
              { type: "tool_use", name: "execute_command", input: { command }, id: "wait" },
              { type: "tool_use", name: "write_to_file", input: { path: "one.txt", content: "1" }, id: "write" }
            ]
          },
          use("plan_mode_respond", { response: "Then I would write." }, "plan"),
          use("write_to_file", { path: "one.txt", content: "2" }, "again"),
          completes("Done.")
        ]
      ]
    ])
    const task = start("run", "Wait, then write", "--sandbox", "off")
    const { taskId } = await task.event("tool.started")
    task.say({ type: "mode", mode: "plan" })
    await task.event("mode.changed")
    writeFileSync(file("go"), "")
    await task.event("ask")
    assert.isFalse(existsSync(file("one.txt")))
    task.say({ type: "mode", mode: "act" })
    const { events } = await task.ended()
    assert.strictEqual(readFileSync(file("one.txt"), "utf8"), "2")
    const finished = new Map(
      events.filter(({ type }) => type === "tool.finished").map((event) => [event.callId, event])
    )
    assert.deepInclude(finished.get("wait"), { isError: false, state: "finished" })
    assert.include(JSON.stringify(finished.get("wait")), "went")
    assert.include(JSON.stringify(finished.get("write")), "write_to_file is for act mode")
    const asked = requests("Wait, then write")
    assert.include(textOf(asked[1]), "The user has switched the task to PLAN MODE")
    for (const request of asked) assert.deepStrictEqual(toolsOf(request), toolsOf(asked[0]))
    assert.deepInclude(await record(taskId), { status: "completed", mode: "act" })
  })

  it("deep planning, killed in each of its phases, ends with a task that carries the plan out", async () => {
    const names = [
      "Overview",
      "Types",
      "Files",
      "Functions",
      "Classes",
      "Dependencies",
      "Testing",
      "Implementation Order"
    ]
    const sections = Object.fromEntries(names.map((name) => [name, `About ${name}.`]))
    const { Testing: _, ...some } = sections
    const plan = (given: object) => use("save_plan", { sections: given })
    const { file, record, requests, server, start } = await world([
      [
        "Add a parser",
        [
          {
            ...use("execute_command", { command: "find . -name package.json | xargs cat" }, "find"),
            hold: "first",
            holdAt: 0
          },
          use("ask_followup_question", { question: "For which language?" }, "ask"),
          plan(some),
          { ...plan(sections), hold: "third", holdAt: 0 },
          use("hand_over", { steps: ["Write it", "Test it"] }, "over")
        ]
      ],
      [
        "Refer to @implementation_plan.md",
        [use("write_to_file", { path: "parser.ts", content: "x" }), completes("Built.")]
      ]
    ])
    writeFileSync(file("package.json"), "{}")
    const killedIn = async (task: ReturnType<typeof start>, id: string, phase: string) => {
      await task.run.kill()
      const { mode, planning } = await record(id)
      assert.deepStrictEqual([mode, planning], ["plan", phase])
    }

    const first = start("run", "/deep-planning Add a parser")
    const { taskId } = await first.event("planning.changed")
    await server.waitForRequests(1)
    await killedIn(first, taskId, "investigation")
    server.release("first")

    const second = start("task", "resume", taskId)
    await second.event("ask", ({ kind }) => kind === "question")
    await killedIn(second, taskId, "discussion")

    const third = start("task", "resume", taskId, "Go")
    await third.event("planning.changed", ({ to }) => to === "document")
    await server.waitForRequests(
      (all) => all.filter(({ body }) => textOf(body).includes("missing: Testing")).length > 0
    )
    await killedIn(third, taskId, "document")
    server.release("third")

    const fourth = start("task", "resume", taskId)
    const { question } = await fourth.event("ask", ({ kind }) => kind === "plan")
    assert.include(question, "- [ ] Step 1: Write it\n- [ ] Step 2: Test it")
    assert.match(readFileSync(file("implementation_plan.md"), "utf8"), /^# Add a parser\n\n## Overview\n/u)
    await killedIn(fourth, taskId, "handOver")

    // A switch to act mode is a yes to what was open.
    const last = start("task", "resume", taskId, "--mode", "act")
    const { events, result } = await last.ended()
    assert.deepInclude(result, { status: "completed", result: "Built." })
    const created = events.find(({ type }) => type === "task.created")
    assert.deepInclude(created, { taskId: result.taskId, continuesTaskId: taskId, mode: "act" })
    assert.include(created.prompt, "Request: Switch to act mode")
    assert.strictEqual(readFileSync(file("parser.ts"), "utf8"), "x")

    const planned = requests("Add a parser")
    const told = planned.map((request) =>
      [...textOf(request).matchAll(/Deep planning, phase (\d)/gu)].map(([, n]) => n).join("")
    )
    assert.deepStrictEqual(told, ["1", "11", "11", "112", "112", "1123", "11234"])
    for (const request of planned) assert.deepStrictEqual(toolsOf(request), toolsOf(planned[0]))
    assert.include(textOf(planned[2]), "{}")
    assert.deepInclude(await record(taskId), { status: "completed", mode: "plan", planning: "handOver" })
    const built = await record(result.taskId)
    assert.deepInclude(built, { status: "completed", mode: "act", continuesTaskId: taskId })
    assert.deepStrictEqual(
      built.focusChain.items.map(({ text }: any) => text),
      ["Step 1: Write it", "Step 2: Test it"]
    )
  })
})
