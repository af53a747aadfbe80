/** Durable tasks over the Model Context Protocol: they outlive their client, are asked for once, and only people allow. */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "vitest"
import { completes, use } from "../support/asking.ts"
import { belay, folder, json } from "../support/cli.ts"
import { world } from "../support/Serve.ts"

const script = (prompt: string, ...answers: ReadonlyArray<any>) => ({
  match: { prompt },
  shared: true as const,
  answers
})
const runs = (name: string, id = name) => use("execute_command", { command: `echo ran >> ${name}.txt` }, id)

describe("belay mcp serve", () => {
  it("offers the same tools, in the same bytes, in both eras, and opens nothing for it", async () => {
    const { home, open } = await world([])
    const [old, now] = [await open(), await open({ era: "2026-07-28" })]
    const lists = [await old.client.listTools(), await now.client.listTools()].map(({ tools }) => JSON.stringify(tools))
    assert.strictEqual(lists[0], lists[1])
    const names = [...(lists[0] ?? "").matchAll(/"name":"(\w+)"/g)].map(([, name]) => name)
    assert.deepStrictEqual(names, [
      "start_task",
      "wait_for_tasks",
      "list_tasks",
      "task_result",
      "send_message",
      "stop_task",
      "answer_task",
      "set_checklist"
    ])
    assert.isFalse(existsSync(path.join(home, "belay.db")))
  })

  it("runs a task that its client has left at once, and tells every later client how it ended", async () => {
    const { cwd, home, open } = await world([
      script("Count", use("list_files", { path: "." }), completes("Nothing there."))
    ])
    const first = await open()
    const { created, taskId } = await first.call("start_task", { prompt: "Count" })
    first.vanish()
    assert.isTrue(created)
    for (const era of ["legacy", "2026-07-28"] as const) {
      const later = await open({ era })
      const { tasks, timedOut } = await later.call("wait_for_tasks", { timeoutSeconds: 240 })
      assert.isFalse(timedOut)
      assert.deepStrictEqual(
        tasks.map(({ id, outcome, resultHead, status }: any) => ({ id, outcome, resultHead, status })),
        [{ id: taskId, outcome: "succeeded", resultHead: "Nothing there.", status: "completed" }]
      )
      const { nextOffset, text } = await later.call("task_result", { id: taskId })
      assert.deepStrictEqual([text, nextOffset], ["Nothing there.", undefined])
    }
    assert.deepStrictEqual((await (await open({ name: "other" })).call("list_tasks")).tasks, [])
    const { meta } = json((await belay(["task", "show", taskId, "--output", "json"], { BELAY_HOME: home }, cwd)).stdout)
    assert.strictEqual(meta?.host ?? "cli", "cli")
  })

  it("makes one task of one key, whoever asks how often at once, and refuses a key for something else", async () => {
    const { open } = await world([script("Job", completes("Done."))])
    const clients = await Promise.all(Array.from({ length: 3 }, () => open()))
    const keys = Array.from({ length: 5 }, (_, n) => `key ${n}`)
    const started = await Promise.all(
      clients.flatMap(({ call }) => keys.map((key) => call("start_task", { prompt: `Job ${key}`, key })))
    )
    assert.strictEqual(new Set(started.map(({ taskId }) => taskId)).size, keys.length)
    assert.strictEqual(started.filter(({ created }) => created).length, keys.length)
    const one = clients[0] ?? assert.fail("no client")
    const meta = { "claudecode/toolUseId": "toolu_1" }
    const asked = await one.call("start_task", { prompt: "Job again" }, meta)
    const [, two = one] = clients
    assert.isFalse((await two.call("start_task", { prompt: "Job again" }, meta)).created)
    assert.include(
      await one.call("start_task", { prompt: "Job other", key: "key 1" }),
      "error: this key is of another task"
    )
    const { tasks } = await one.call("wait_for_tasks", {
      timeoutSeconds: 240,
      ids: started.map(({ taskId }) => taskId)
    })
    assert.isTrue(
      tasks.every(({ outcome }: any) => outcome === "succeeded"),
      JSON.stringify(tasks)
    )
    assert.strictEqual((await one.call("list_tasks")).tasks.length, keys.length + 1)
    assert.isString(asked.taskId)
  })

  for (const side of ["before", "after"] as const) {
    it(`that dies ${side} it has stored a task has one task when the same call comes again`, async () => {
      const { open } = await world([script("Once", completes("Done."))])
      const meta = { threadId: "t", callId: "c" }
      const dying = await open({ env: { BELAY_FAILPOINT: `queue.commit.${side}` } })
      await dying.call("start_task", { prompt: "Once" }, meta).then(
        () => assert.fail("it has answered"),
        () => undefined
      )
      const { call } = await open()
      assert.strictEqual((await call("start_task", { prompt: "Once" }, meta)).created, side === "before")
      const { tasks } = await call("wait_for_tasks", { timeoutSeconds: 240 })
      assert.deepStrictEqual(
        tasks.map(({ resultHead }: any) => resultHead),
        ["Done."]
      )
    })
  }

  it("works in no folder outside of its roots, and knows no task of others", async () => {
    const { open } = await world([])
    const { call } = await open()
    for (const cwd of ["..", folder(), "/"]) {
      assert.include(await call("start_task", { prompt: "Job", cwd }), "error: the folder is outside of where")
    }
    for (const [tool, args] of [
      ["task_result", {}],
      ["send_message", { text: "x" }],
      ["stop_task", {}],
      ["answer_task", { askId: "x", text: "yes" }],
      ["set_checklist", { items: "- [ ] x" }]
    ] as const) {
      assert.include(await call(tool, { id: "0000", ...args }), 'error: there is no task "0000" of yours')
    }
    assert.deepStrictEqual((await call("wait_for_tasks")).tasks, [])
  })
})

describe("what needs approval", () => {
  const tasks = [script("Build", runs("built"), completes("Built."))]
  const ran = (cwd: string) => existsSync(path.join(cwd, "built.txt"))

  for (const era of ["legacy", "2026-07-28"] as const) {
    it(`is put to the person of a client (${era}), whose yes counts, and to no model`, async () => {
      const { cwd, open } = await world(tasks)
      const person = () => ({ action: "accept", decision: "allow" }) as const
      const { asked, call } = await open({ era, person })
      const { taskId } = await call("start_task", { prompt: "Build" })
      const { tasks: rows } = await call("wait_for_tasks", { timeoutSeconds: 240 })
      assert.deepStrictEqual([rows[0].id, rows[0].resultHead], [taskId, "Built."])
      assert.strictEqual(asked.length, 1)
      assert.include(asked[0], "echo ran >> built.txt")
      assert.isTrue(ran(cwd))
    })

    it(`is denied where the client (${era}) declines, which is no word of a person`, async () => {
      const { cwd, open } = await world(tasks)
      const { asked, call } = await open({ era, person: () => ({ action: "decline" }) })
      await call("start_task", { prompt: "Build" })
      const { tasks: rows } = await call("wait_for_tasks", { timeoutSeconds: 240 })
      assert.deepStrictEqual([rows[0].status, asked.length, ran(cwd)], ["completed", 1, false])
    })
  }

  it("stays open for other hosts where the server waits, and no tool of the model settles it", async () => {
    const { cwd, env, open } = await world(tasks)
    const { call } = await open({ args: ["--unattended", "wait"], person: () => ({ action: "cancel" }) })
    const { taskId } = await call("start_task", { prompt: "Build" })
    const waits = async (): Promise<any> => {
      const { tasks: rows } = await call("wait_for_tasks", { timeoutSeconds: 1 })
      return rows[0].asks.length > 0 ? rows[0] : await waits()
    }
    const { asks } = await waits()
    const [{ askId, forWhom, kind }] = asks
    assert.deepStrictEqual([kind, forWhom], ["approval", "person"])
    for (const text of ["yes", "allow"]) {
      assert.include(await call("answer_task", { id: taskId, askId, text }), "error: only a person decides this")
    }
    await call("send_message", { id: taskId, text: "I allow it." })
    assert.strictEqual((await waits()).asks[0].askId, askId)
    assert.isFalse(ran(cwd))
    assert.strictEqual((await belay(["task", "answer", taskId, askId, "--allow"], env, cwd)).code, 0)
    const { tasks: rows } = await call("wait_for_tasks", { timeoutSeconds: 240 })
    assert.deepStrictEqual([rows[0].resultHead, ran(cwd)], ["Built.", true])
  })
})

describe("a task of a client", () => {
  it("asks its model, is answered, stopped, told something and goes on", async () => {
    const { open } = await world([
      script("Paint", use("ask_followup_question", { question: "Which colour?", options: ["red", "blue"] }), {
        ...completes("Painted."),
        hold: "painting"
      })
    ])
    const { call } = await open()
    const { taskId: id } = await call("start_task", { prompt: "Paint", title: "The house" })
    const { tasks: rows } = await call("wait_for_tasks", { timeoutSeconds: 240 })
    const [{ askId, forWhom, options, question }] = rows[0].asks
    assert.deepStrictEqual(
      [rows[0].title, forWhom, question, options],
      ["The house", "you", "Which colour?", ["red", "blue"]]
    )
    assert.strictEqual((await call("stop_task", { id })).status, "interrupted")
    await call("answer_task", { id, askId, text: "blue" })
    const stopped = await call("wait_for_tasks", { timeoutSeconds: 0 })
    assert.isTrue(stopped.timedOut)
    // A process that has just begun with it may confirm later than is waited for: a client asks again.
    let discarded = await call("stop_task", { id, discard: true })
    while (discarded.status !== "completed") discarded = await call("stop_task", { id, discard: true })
  })

  it("that has ended goes on as a new task with what is said to it, once", async () => {
    const { cwd, home, open } = await world([
      script("Paint", completes("Painted."), completes("Painted again.")),
      script("Once more", completes("Painted again."))
    ])
    const { taskId: id } = await (await open()).call("start_task", { prompt: "Paint", budget: { maxRequests: 7 } })
    const { call } = await open({ args: ["--max-cost-usd", "0.5"] })
    await call("wait_for_tasks", { timeoutSeconds: 240 })
    const hooks = { PreToolUse: [{ hooks: [{ type: "command", command: "true" }] }] }
    writeFileSync(path.join(home, "settings.json"), JSON.stringify({ hooks }))
    const went = await call("send_message", { id, text: "Once more" })
    assert.deepStrictEqual([went.continues, went.delivered], [id, "stored"])
    assert.notStrictEqual(went.taskId, id)
    assert.include(await call("send_message", { id, text: "Once more" }), `error: the task goes on as ${went.taskId}`)
    const { tasks } = await call("wait_for_tasks", { ids: [went.taskId], timeoutSeconds: 240 })
    assert.deepStrictEqual([tasks[0].status, tasks[0].resultHead], ["completed", "Painted again."])
    assert.isTrue(existsSync(cwd))
    const history = new DatabaseSync(path.join(home, "belay.db"), { readOnly: true })
    const stored = history.prepare("SELECT settings FROM task WHERE id = ?").get(went.taskId)
    history.close()
    const { hooks: its, maxCostUsd, maxRequests } = JSON.parse(String(stored?.["settings"]))
    assert.deepStrictEqual([its.length, maxCostUsd, maxRequests], [1, 0.5, 7])
  })

  it("has the checklist that it was begun with, and the only open one needs no id", async () => {
    const { open } = await world([script("Paint", { ...completes("Painted."), hold: "painting" }), script("Wait")])
    const { call } = await open()
    assert.include(await call("start_task", { prompt: "Paint", checklist: "nothing" }), "error: there are no items")
    assert.include(await call("set_checklist", { items: "- [ ] walls" }), "error: 0 of your tasks are open")
    const { taskId: id } = await call("start_task", { prompt: "Paint", checklist: "- [x] wash\n- [ ] walls" })
    const [row] = (await call("list_tasks")).tasks
    assert.deepStrictEqual(row.checklist, { done: 1, total: 2 })
    const { items, taskId } = await call("set_checklist", { items: "- [ ] walls\n- [ ] doors\n- [x] wash" })
    assert.strictEqual(taskId, id)
    assert.deepStrictEqual(
      items.map(({ text }: { text: string }) => text),
      ["walls", "doors", "wash"]
    )
    await call("stop_task", { id, discard: true })
  })

  it("is begun again when its runner is killed, runs each command once, and is told of once", async () => {
    const held = use("execute_command", { command: "echo ran >> a.txt; until [ -e go ]; do sleep 0.1; done" }, "a")
    const { cwd, open } = await world([script("Many", held, runs("b"), completes("All of it."))])
    const { call, killRunner } = await open({ args: ["--approvals", "all"] })
    await call("start_task", { prompt: "Many" })
    const begun = async (): Promise<void> => {
      await call("wait_for_tasks", { timeoutSeconds: 0 })
      if (!existsSync(path.join(cwd, "a.txt"))) await begun()
    }
    await begun()
    assert.isTrue(killRunner())
    writeFileSync(path.join(cwd, "go"), "")
    const { tasks } = await call("wait_for_tasks", { timeoutSeconds: 240 })
    assert.deepStrictEqual([tasks.length, tasks[0].resultHead], [1, "All of it."])
    for (const name of ["a", "b"]) {
      assert.strictEqual(readFileSync(path.join(cwd, `${name}.txt`), "utf8"), "ran\n", name)
    }
  })
})
