import { type Scenario, ScriptedServer } from "@belay/testkit"
import { TaskHistory } from "@belay/history-store"
import { TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { writeFileSync } from "node:fs"
import * as path from "node:path"
import { afterAll, assert, describe, it } from "vitest"
import { belay, converse, folder, json } from "./support/cli.ts"
import { layerSqlite } from "./support/history.ts"

const use = (name: string, input: unknown) => ({ content: [{ type: "tool_use" as const, name, input }] })
const done = use("attempt_completion", { result: "Done." })

const world = async (tasks: Scenario.Scenario["tasks"]) => {
  const server = await ScriptedServer.startServer({ tasks })
  afterAll(() => server.close())
  return { server, env: { BELAY_HOME: folder(), ANTHROPIC_BASE_URL: server.url }, workspace: folder() }
}

describe("--timeout", () => {
  it("stops the task in the middle of a call, holds for a resume without flags, and a longer one lets it go on", async () => {
    const { env, server, workspace } = await world([
      { match: { prompt: "Wait" }, answers: [{ ...done, hold: "gate", holdAt: 0 }] }
    ])
    const first = await belay(["run", "Wait", "--timeout", "1ms", "--output", "json"], env, workspace)
    const stopped = json(first.stdout)
    assert.deepStrictEqual([first.code, stopped.status, stopped.interruption], [3, "interrupted", { reason: "budget" }])
    assert.match(
      first.stderr.at(-1) ?? "",
      /^belay: Stopped: .* of 0s used \(--timeout\)\. Go on: belay task resume \S+ --timeout 1s$/
    )
    // Of a server of its own: what the first run sent may still be on its way.
    const other = await world([])
    const resume = ["task", "resume", "last", "--output", "json"]
    const again = await belay(resume, { ...env, ANTHROPIC_BASE_URL: other.server.url }, workspace)
    assert.deepStrictEqual([again.code, json(again.stdout).status], [3, "interrupted"])
    server.release("gate")
    const longer = await belay([...resume, "--timeout", "10m"], env, workspace)
    assert.deepStrictEqual([longer.code, json(longer.stdout).result], [0, "Done."])
    assert.deepStrictEqual(other.server.requests, [])
  })
})

describe("a limit of a subtask", () => {
  it("is told with the subtask that it stopped, and the command that goes on with that one", async () => {
    const { env, workspace } = await world([
      {
        match: { prompt: "Release" },
        answers: [use("new_task", { message: "Write the parser", budget: { maxRequests: 1 } }), done]
      },
      { match: { prompt: "Write the parser" }, answers: [use("list_files", { path: "." }), done] }
    ])
    const { code, stderr, stdout } = await belay(["run", "Release", "--output", "json"], env, workspace)
    const [child] = json(stdout).children
    assert.deepStrictEqual([code, json(stdout).status, child.interruption], [3, "delegated", { reason: "budget" }])
    assert.strictEqual(
      stderr.at(-1),
      'belay: subtask "Write the parser": Stopped after 1 request (--max-requests). ' +
        `Go on: belay task resume ${child.taskId.slice(-6)} --max-requests 2`
    )
    const next = await belay(["task", "resume", child.taskId, "--max-requests", "9"], env, workspace)
    assert.strictEqual(next.code, 0)
    assert.strictEqual(
      json((await belay(["task", "show", "last", "--output", "json"], env, workspace)).stdout).outcome,
      "succeeded"
    )
  })
})

describe("a limit that is given to a resume", () => {
  const part = { match: { prompt: "Write the parser" }, answers: [use("list_files", { path: "." }), done] }
  const release = (budget?: object) => ({
    match: { prompt: "Release" },
    answers: [use("new_task", { message: "Write the parser", ...(budget === undefined ? {} : { budget }) }), done]
  })

  it("of the tree lets the subtask go on that it stopped", async () => {
    const { env, workspace } = await world([release(), part])
    const first = await belay(["run", "Release", "--max-requests", "2", "--output", "json"], env, workspace)
    const stopped = json(first.stdout)
    assert.deepStrictEqual([first.code, stopped.status, stopped.children[0].status], [3, "interrupted", "interrupted"])
    const next = await belay(["task", "resume", "last", "--max-requests", "9", "--output", "json"], env, workspace)
    const { children, result } = json(next.stdout)
    assert.deepStrictEqual([next.code, result, children[0].result], [0, "Done.", "Done."])
  })

  it("holds for open subtasks, too, so that one goes on which its own limit had stopped", async () => {
    const { env, workspace } = await world([release({ maxRequests: 1 }), part])
    const first = await belay(["run", "Release", "--output", "json"], env, workspace)
    assert.strictEqual(first.code, 3)
    const same = await belay(["task", "resume", "last"], env, workspace)
    assert.strictEqual(same.code, 3, "without a flag the subtask keeps its own")
    const next = await belay(["task", "resume", "last", "--max-requests", "9", "--output", "json"], env, workspace)
    assert.deepStrictEqual([next.code, json(next.stdout).children[0].result], [0, "Done."])
  })
})

describe("a run with nobody there", () => {
  it("makes 250 requests at most, and the line that it ends with lets it go on", async () => {
    const distinct = Array.from({ length: 252 }, (_, at) => use("read_file", { path: `${at}` }))
    const { env, server, workspace } = await world([{ match: { prompt: "Count" }, answers: [...distinct, done] }])
    for (const at of distinct.keys()) writeFileSync(path.join(workspace, `${at}`), `${at}\n`)
    const first = await belay(["run", "Count", "--approvals", "all", "--sandbox", "off"], env, workspace)
    assert.strictEqual(first.code, 3)
    assert.strictEqual(server.requests.length, 250)
    assert.strictEqual(first.stderr[0], "At most 250 requests, since nobody is there (--max-requests).")
    assert.match(
      first.stderr.at(-1) ?? "",
      /^belay: Stopped after 250 requests \(--max-requests\)\. Go on: belay task resume \S+ --max-requests 500$/
    )
    const again = await belay(["task", "resume", "last"], env, workspace)
    assert.deepStrictEqual([again.code, server.requests.length], [3, 250])
    const next = await belay(["task", "resume", "last", "--max-requests", "500"], env, workspace)
    assert.deepStrictEqual([next.code, server.requests.length], [0, 253])
  })
})

describe("a task without a limit that is resumed with nobody there", () => {
  const limitOf = (directory: string, id: string) =>
    TaskHistory.use((history) => history.row(TaskId.TaskId.make(id))).pipe(
      Effect.provide(layerSqlite({ directory, kind: "test" })),
      Effect.map(Option.getOrThrow),
      Effect.map(({ meta }) => (meta.settings as { maxRequests: unknown }).maxRequests),
      Effect.runPromise
    )
  const question = use("ask_followup_question", { question: "Which?" })

  /** Somebody was at the other end of its stdin, and then was not. */
  const left = async (prompt: string, env: { readonly BELAY_HOME: string }, workspace: string) => {
    const run = converse(["run", prompt, "--input", "stream-json", "--output", "json"], env, workspace)
    run.endInput()
    const { code, stderr, stdout } = await run.exit
    assert.strictEqual(code, 3, stderr.join("\n"))
    return json(stdout)
  }

  it("gets one of 250 requests more than it has used, says so, and keeps it", async () => {
    const { env, workspace } = await world([
      { match: { prompt: "Work" }, answers: [question, question, question, done] }
    ])
    const { taskId } = await left("Work", env, workspace)
    assert.strictEqual(await limitOf(env.BELAY_HOME, taskId), null)
    const first = await belay(["task", "resume", "last", "this"], env, workspace)
    assert.include(first.stderr, "At most 250 more requests, since nobody is there (--max-requests).")
    assert.strictEqual(await limitOf(env.BELAY_HOME, taskId), 251)
    const second = await belay(["task", "resume", "last", "that"], env, workspace)
    assert.notInclude(second.stderr.join("\n"), "At most")
    assert.strictEqual(await limitOf(env.BELAY_HOME, taskId), 251)
    await belay(["task", "resume", "last", "so", "--max-requests", "9"], env, workspace)
    assert.strictEqual(await limitOf(env.BELAY_HOME, taskId), 9)
  })

  it("has it as the limit of all above it when a subtask is resumed", async () => {
    const { env, workspace } = await world([
      { match: { prompt: "Release" }, answers: [use("new_task", { message: "Write the parser" }), question, done] },
      { match: { prompt: "Write the parser" }, answers: [question, done] }
    ])
    const { children, taskId } = await left("Release", env, workspace)
    const [{ taskId: child }] = children
    const resumed = await belay(["task", "resume", child, "the first"], env, workspace)
    assert.strictEqual(resumed.code, 0, resumed.stderr.join("\n"))
    assert.deepStrictEqual([await limitOf(env.BELAY_HOME, child), await limitOf(env.BELAY_HOME, taskId)], [null, 252])
  })
})
