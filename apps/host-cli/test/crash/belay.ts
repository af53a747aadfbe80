/**
 * One task of the built command, in real processes that are killed and gone on with.
 *
 * Each world has its own server, workspace and data folder, so worlds run side by side. The root reads, edits, runs a
 * command and delegates two subtasks that run a command each; every command leaves one line behind.
 */
import { TaskHistory, type History } from "@belay/history-store"
import { Message } from "@belay/message-state"
import { Invariant, type TaskId } from "@belay/task-state"
import { Processes, type Scenario, ScriptedServer } from "@belay/testkit"
import * as Effect from "effect/Effect"
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import { assert } from "vitest"
import { entry } from "../support/Built.ts"
import * as Serving from "../support/Serving.ts"
import { copy, folder } from "./folders.ts"
import { moved } from "./progress.ts"
import { layerReader } from "../support/history.ts"

const call = (name: string, input: unknown, id: string) => ({ type: "tool_use" as const, name, input, id })

/** Commands by the file that they leave a line in. */
const command = (log: string) => call("execute_command", { command: `echo run >> ${log}` }, `command-${log}`)

const diff = "------- SEARCH\none\n=======\ntwo\n+++++++ REPLACE"

const child = (name: string, hold: boolean): Scenario.Script => ({
  match: { prompt: `part ${name}` },
  // One that is started over says the same.
  shared: true,
  answers: [
    { content: [command(name)], ...(hold ? { hold: "gate", holdAt: 0 } : {}) },
    { content: [call("attempt_completion", { result: `result of ${name}` }, `done-${name}`)] }
  ]
})

/** Whose first answers wait at the gate: of no subtask, of the second, or of both. */
export type Hold = boolean | "both"

/** `background`: the root goes on while its subtasks run, and then waits for them. */
const scenario = (hold: Hold, background: boolean): Scenario.Scenario => ({
  tasks: [
    {
      match: { prompt: "the whole" },
      answers: [
        { content: [call("read_file", { path: "a.txt" }, "read")] },
        { content: [call("replace_in_file", { path: "a.txt", diff }, "edit")] },
        { content: [command("root")] },
        {
          content: ["a", "b"].map((name) => call("new_task", { message: `part ${name}`, background }, `new-${name}`))
        },
        ...(background ? [{ content: [call("wait_for_tasks", {}, "wait")] }] : []),
        { content: [call("attempt_completion", { result: "the result" }, "done")] }
      ]
    },
    child("a", hold === "both"),
    child("b", hold !== false)
  ]
})

export interface World {
  readonly server: ScriptedServer.ScriptedServer
  readonly start: (failpoint?: string) => Processes.NodeProcess
  readonly resume: (failpoint?: string) => Processes.NodeProcess
  /** Any other command, killed at a failpoint. */
  readonly command: (args: ReadonlyArray<string>, failpoint: string) => Processes.NodeProcess
  /** Any command to its end, beside a run or after it, in a process that has run commands of other worlds. */
  readonly tell: (args: ReadonlyArray<string>) => Promise<Serving.Ended>
  /** The data folder. */
  readonly home: string
  /**
   * Goes on until the task is finished, at most three times: in new processes, as after a crash, or in one that has run
   * commands of other worlds where new ones have gone on before.
   */
  readonly finish: (where: "new process" | "kept process") => Promise<void>
  /**
   * Keeps what is on disk; the function it gives puts that back, as often as it is called. A server knows the subtasks
   * that have asked it, so another one takes its place.
   */
  readonly keep: () => () => Promise<void>
  /** Reads the history, without a process and without a write. */
  readonly read: <A, E>(program: Effect.Effect<A, E, TaskHistory>) => Promise<A>
  /** Everything that must hold once the task is finished; gives how many calls have an unknown outcome. */
  readonly check: () => Promise<number>
  readonly remove: () => Promise<void>
}

const rowsOf = (id: TaskId.TaskId): Effect.Effect<ReadonlyArray<History.TaskRow>, unknown, TaskHistory> =>
  Effect.gen(function* () {
    const history = yield* TaskHistory
    const children = yield* history.children(id)
    const below = yield* Effect.forEach(children, (row) => rowsOf(row.record.id))
    return [...children, ...below.flat()]
  })

const answersOf = (log: ReadonlyArray<Message.Message>) =>
  log.flatMap(({ content }) =>
    content.flatMap((block) =>
      block.type === "tool_result"
        ? [[block.tool_use_id, Message.textOf({ role: "user", content: block.content })] as const]
        : []
    )
  )

/** One task at rest: no gap in its events, each call with one result, each command run at most once. */
const checkTask = (row: History.TaskRow, workspace: string) =>
  Effect.gen(function* () {
    const history = yield* TaskHistory
    const { id } = row.record
    assert.strictEqual(row.record.status, "completed", row.meta.title)
    assert.isNull(row.lease, "leased")
    assert.strictEqual(row.openAsks, 0, "open asks")
    const seqs = (yield* history.events(id, 1, 100_000)).map(({ seq }) => seq)
    assert.deepStrictEqual(
      seqs,
      seqs.map((_, index) => index + 1)
    )
    const log = yield* history.messages(id)
    const answers = answersOf(log)
    const asked = log.flatMap((message) => Message.toolUses(message).map((use) => use.id))
    assert.deepStrictEqual(
      answers.map(([callId]) => callId),
      asked,
      "results in call order, one each"
    )
    for (const { callId, name, state } of yield* history.calls(id)) {
      assert.include(["finished", "unknown"], state, callId)
      if (name === "replace_in_file") {
        const text = readFileSync(path.join(workspace, "a.txt"), "utf8")
        assert.include(state === "finished" ? ["two\n"] : ["one\n", "two\n"], text)
      }
      if (name !== "execute_command") continue
      const file = path.join(workspace, callId.slice("command-".length))
      const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n").length - 1 : 0
      if (state === "finished") assert.strictEqual(lines, 1, `${callId} ran once`)
      else {
        assert.isAtMost(lines, 1, `${callId} ran at most once`)
        assert.include(new Map(answers).get(callId), "not known")
      }
    }
    const unknown = (yield* history.calls(id)).filter(({ state }) => state === "unknown").length
    return { answers: new Map(answers), unknown }
  })

/** Each result reaches the root once: as that of its call, or in the background as a message or that of the wait. */
const checkReports = (
  log: ReadonlyArray<Message.Message>,
  answers: ReadonlyMap<string, string>,
  background: boolean
) => {
  if (!background) {
    // What it changed stands beside it.
    const results = ["new-a", "new-b"].map((call) => answers.get(call)?.replace(/\s*\[task [^\]]*\]\s*/, ""))
    assert.deepStrictEqual(results, ["result of a", "result of b"])
    return
  }
  const texts = log.filter(({ role }) => role === "user").map((message) => Message.textOf(message))
  const told = [...texts, ...answers.values()].join("\n")
  for (const name of ["a", "b"]) {
    assert.strictEqual(told.split(new RegExp(`: succeeded[^\\]]*\\] result of ${name}`)).length - 1, 1, told)
  }
}

const checkHistory = (workspace: string, background: boolean) =>
  Effect.gen(function* () {
    const history = yield* TaskHistory
    const { rows: roots } = yield* history.list({ limit: 10, rootsOnly: true })
    assert.strictEqual(roots.length, 1)
    const [root] = roots
    if (root === undefined) return 0
    const below = yield* rowsOf(root.record.id)
    assert.deepStrictEqual(
      below.map(({ meta }) => meta.title),
      ["part a", "part b"]
    )
    const { answers, unknown } = yield* checkTask(root, workspace)
    checkReports(yield* history.messages(root.record.id), answers, background)
    const children = yield* Effect.forEach(below, (row) => checkTask(row, workspace))
    const tasks = new Map([root, ...below].map(({ record }) => [record.id, record]))
    assert.deepStrictEqual(Invariant.violations({ tasks, leases: new Map(), alive: () => false }), [])
    return children.reduce((sum, child) => sum + child.unknown, unknown)
  })

/** No request repeats a call or leaves one open. */
const checkRequests = (requests: ScriptedServer.ScriptedServer["requests"]) => {
  for (const { body, path: asked } of requests) {
    if (asked !== "/v1/messages") continue
    const messages: ReadonlyArray<Message.Message> = body.messages
    assert.deepStrictEqual(
      answersOf(messages).map(([id]) => id),
      messages.flatMap((message) => Message.toolUses(message).map((use) => use.id))
    )
  }
}

/** What a resume says of a task that is completed. */
export const alreadyCompleted = "has ended: succeeded"

/** Whether the history says so. */
export const isCompleted = Effect.gen(function* () {
  const history = yield* TaskHistory
  const { rows } = yield* history.list({ limit: 1, rootsOnly: true })
  return rows[0]?.record.status === "completed"
})

const flags = ["--approvals", "all", "--output", "json"]

const resume = ["task", "resume", "last", ...flags]

const environment = {
  ANTHROPIC_API_KEY: "sk-test",
  ANTHROPIC_AUTH_TOKEN: undefined,
  BELAY_MODEL: undefined,
  BELAY_FAILPOINT: undefined
}

const serve = Serving.make(environment)

const ended = async ({ exit }: Processes.NodeProcess): Promise<Serving.Ended> => {
  const { code, stderr, stdout } = await exit
  return { code, stdout: stdout.join("\n"), stderr: stderr.join("\n") }
}

/**
 * `hold` keeps first answers to subtasks back, before they begin, until the gate is released. Checkpoints cost more than
 * all the rest, so they are made where it is about them.
 */
export const make = async (hold: Hold, background = false, checkpoints = false): Promise<World> => {
  let server = await ScriptedServer.startServer(scenario(hold, background))
  const workspace = folder("belay-crash-work-")
  const home = folder("belay-crash-home-")
  writeFileSync(path.join(workspace, "a.txt"), "one\n")
  if (!checkpoints) writeFileSync(path.join(home, "settings.json"), '{"checkpoints":{"enabled":false}}')
  const spawn = (args: ReadonlyArray<string>, failpoint: string | undefined) => {
    const started = Processes.spawnNode([entry("cli"), ...args], {
      cwd: workspace,
      env: { ...environment, BELAY_HOME: home, ANTHROPIC_BASE_URL: server.url, BELAY_FAILPOINT: failpoint }
    })
    started.endInput()
    void started.exit.then(moved)
    return started
  }
  const kept = folder("belay-crash-kept-")
  const folders = [workspace, home]
  const reading = <A, E>(program: Effect.Effect<A, E, TaskHistory>): Promise<A> =>
    Effect.runPromise(Effect.provide(program, layerReader({ directory: home, kind: "test" })))
  const world: World = {
    get server() {
      return server
    },
    start: (failpoint) => spawn(["run", "the whole", ...flags], failpoint),
    resume: (failpoint) => spawn(resume, failpoint),
    command: spawn,
    tell: async (args) => {
      const said = await serve({ args, cwd: workspace, env: { BELAY_HOME: home, ANTHROPIC_BASE_URL: server.url } })
      moved()
      return said
    },
    home,
    finish: async (where) => {
      const tried: Array<string> = []
      for (let turn = 0; turn < 3; turn++) {
        const { code, stderr, stdout } = await (where === "new process" ? ended(world.resume()) : world.tell(resume))
        tried.push(`${code} ${stderr}`)
        // Killed after its last commit: there is nothing left to go on with.
        if (code === 2 && stderr.includes(alreadyCompleted)) return
        if (code !== 3 && code !== 130) {
          assert.strictEqual(code, 0, tried.join("\n"))
          const last = JSON.parse(stdout)
          assert.deepInclude(last, { status: "completed", outcome: "succeeded", result: "the result" })
          return
        }
      }
      assert.fail(`not finished: ${tried.join("\n")}`)
    },
    keep: () => {
      for (const [index, made] of folders.entries()) copy(made, path.join(kept, `${index}`))
      return async () => {
        await server.close()
        server = await ScriptedServer.startServer(scenario(false, background))
        for (const [index, made] of folders.entries()) {
          rmSync(made, { recursive: true, force: true })
          copy(path.join(kept, `${index}`), made)
        }
      }
    },
    read: reading,
    check: async () => {
      checkRequests(server.requests)
      const unknown = await reading(checkHistory(workspace, background))
      assert.deepStrictEqual(readdirSync(path.join(home, "owners")), [], "owners left behind")
      return unknown
    },
    remove: async () => {
      await server.close()
      for (const made of [...folders, kept]) rmSync(made, { recursive: true, force: true })
    }
  }
  return world
}
