/** Processes that live longer than the call that started them: real ones, and what the model reads of them. */
import { TaskId } from "@belay/task-state"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import type * as Tool from "../../src/tool/Tool.ts"
import * as WorkspaceTools from "../../src/workspace.ts"
import { install } from "./fixtures/Bubblewrap.ts"
import * as Workspace from "./fixtures/Workspace.ts"

install()

/** The tools of one process of ours, as a function that calls one; what they run ends with the test. */
const processOf = (workspace: Workspace.TestWorkspace) =>
  Effect.gen(function* () {
    const outputs = WorkspaceTools.OutputStore.make({ directory: workspace.home })
    const tools = WorkspaceTools.make({ runner: WorkspaceTools.CommandRunner.make({ outputs }) })
    let calls = 0
    const call = (name: string, args: object, context: Partial<Tool.ToolContext> = {}) => {
      const tool = tools.find((one) => one.name === name)
      if (tool === undefined) throw new Error(`no tool ${name}`)
      const executed = Effect.suspend(() =>
        tool.execute(args, { ...workspace.context, callId: `call ${++calls}`, ...context })
      )
      return Effect.map(executed, (output) => ({ text: Workspace.textOf(output), isError: output.isError }))
    }
    const { taskId } = workspace.context
    const release = Effect.suspend(() =>
      Effect.forEach(tools, (tool) => tool.release?.(taskId) ?? Effect.void, { discard: true })
    )
    yield* Effect.addFinalizer(() => release)
    const news = Effect.map(
      Effect.forEach(tools, (tool) => tool.news?.(taskId) ?? Effect.succeed([])),
      (all) => all.flat()
    )
    const told = Effect.map(news, (all) => all.map(({ text, told }) => (told(), text)))
    return { call, release, news, told }
  })

const idIn = (text: string): string => /with id (\w+)/.exec(text)?.[1] ?? ""
const pidIn = (text: string): number => Number(/pid=(\d+)/.exec(text)?.[1])

const isAlive = (pid: number) => {
  try {
    process.kill(pid, 0)
    return !/\) Z /.test(fs.readFileSync(`/proc/${pid}/stat`, "utf8"))
  } catch {
    return false
  }
}

/** A pipe by which a command is let go on, a line each time. */
const gate = (workspace: Workspace.TestWorkspace) => {
  execFileSync("mkfifo", [workspace.at("go")])
  return (line: string) => Effect.promise(() => fs.promises.writeFile(workspace.at("go"), `${line}\n`))
}

const next = "read -r line < go; echo got $line"

describe.skipIf(process.platform === "win32")("a command in the background", () => {
  it.live("is read while it runs: what came since, and how it is with it", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      const { call, told } = yield* processOf(workspace)
      const go = gate(workspace)
      // It holds the pipe open, so no line is lost between two reads.
      const line = "read -r line <&3"
      const command = `exec 3<>go; echo listening; ${line}; echo got $line; ${line}; echo got $line; ${line}; exit 3`
      const first = yield* call("execute_command", { command, background: true })
      const id = idIn(first.text)
      const read = call("read_command_output", { id })
      yield* go("one")
      const second = yield* read
      const third = yield* Effect.forkChild(read, { startImmediately: true })
      yield* go("two")
      const whole = yield* call("read_command_output", { id, offset: 0 })
      const found = yield* call("read_command_output", { id, regex: "got" })
      const waited = yield* Fiber.join(third)
      const last = yield* Effect.forkChild(read, { startImmediately: true })
      yield* go("end")
      const ended = yield* Fiber.join(last)
      const texts = [first, second, waited, ended].map(({ text }) => text)
      assert.deepStrictEqual(
        texts.map((text) => text.replaceAll(id, "ID")),
        [
          "listening\n[It runs in the background with id ID: read_command_output reads on, stop_command ends it, and so does the end of the task.]",
          "got one\n[Bytes 10 to 18 of 18. It is running.]",
          "got two\n[Bytes 18 to 26 of 26. It is running.]",
          "(nothing new)\n[Bytes 26 to 26 of 26. It has ended: exit code 3.]"
        ]
      )
      assert.match(
        whole.text,
        /^listening\ngot one\n[^]*\n\[Bytes 0 to \d+ of \d+\. This is the end\.\]\n\[It is running\.\]$/
      )
      assert.match(found.text, /2: got one\n[^]*\n\[It is running\.\]$/)
      assert.deepStrictEqual(yield* told, [], "its end has been told")
      const mode = fs.statSync(path.join(workspace.home, "tasks", "test", "output", `${id}.txt`)).mode
      assert.strictEqual(mode & 0o777, 0o600)
    })
  )

  it.live("is told once when it has ended by itself", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      const { call, news, told } = yield* processOf(workspace)
      const go = gate(workspace)
      const command = `echo up; ${next}; seq 1 20; echo failed >&2; exit 1`
      const { text } = yield* call("execute_command", { command, background: true })
      assert.deepStrictEqual(yield* told, [])
      yield* go("on")
      while ((yield* news).length === 0) yield* Effect.sleep(5)
      const lines = [12, 13, 14, 15, 16, 17, 18, 19, 20].join("\n")
      assert.deepStrictEqual(yield* told, [
        `[Background process ${idIn(text)} (echo up; read -r line < go; echo got $line; seq 1 20; echo failed >&2; exit 1) has ended: exit code 1. Its last lines:\n${lines}\nfailed]`
      ])
      assert.deepStrictEqual(yield* told, [])
      assert.include((yield* call("stop_command", { id: idIn(text) })).text, "It had ended: exit code 1.")
    })
  )

  it.live("ends with all it started when it is stopped, also with what has left its group", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      const { call, told } = yield* processOf(workspace)
      const command = "setsid sleep 300 & echo pid=$!; trap 'echo bye; exit' TERM; sleep 300 & wait"
      const { text } = yield* call("execute_command", { command, background: true })
      const id = idIn(text)
      const stray = pidIn(text)
      assert.isTrue(isAlive(stray))
      const other = { taskId: TaskId.TaskId.make("other") }
      assert.isTrue((yield* call("stop_command", { id }, other)).isError)
      assert.isTrue(isAlive(stray))
      const stopped = yield* call("stop_command", { id })
      assert.match(stopped.text, /^(bye\n)?Stopped setsid sleep 300 & echo pid=/)
      if (process.platform === "linux") assert.isFalse(isAlive(stray))
      assert.include((yield* call("read_command_output", { id })).text, "It has ended: stopped.")
      assert.deepStrictEqual(yield* told, [])
    })
  )

  it.live("ends with its task; the process that goes on with that tells which", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      const { call, release, told } = yield* processOf(workspace)
      const { text } = yield* call("execute_command", { command: "echo pid=$$; exec sleep 300", background: true })
      assert.isTrue(isAlive(pidIn(text)))
      yield* release
      assert.isFalse(isAlive(pidIn(text)))
      const later = yield* processOf(workspace)
      const said = `[Background process ${idIn(text)} (echo pid=$$; exec sleep 300) ended when the task stopped. Start it again if you need it.]`
      assert.deepStrictEqual(yield* later.told, [said])
      assert.deepStrictEqual([...(yield* later.told), ...(yield* told)], [])
      const gone = yield* later.call("stop_command", { id: idIn(text) })
      assert.strictEqual(
        gone.text,
        "No background process of this task has this id. What ran before the task stopped has ended."
      )
      assert.include((yield* later.call("read_command_output", { id: idIn(text) })).text, "pid=")
    })
  )

  it.live("that ends at once gives what the same command does without", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      const { call, told } = yield* processOf(workspace)
      const failing = { command: "echo no such thing >&2; exit 2" }
      const plain = yield* call("execute_command", failing)
      assert.deepStrictEqual(yield* call("execute_command", { ...failing, background: true }), plain)
      assert.deepStrictEqual(yield* told, [])
    })
  )

  it.live("is one of eight of its task at most", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      const { call } = yield* processOf(workspace)
      const start = call("execute_command", { command: "echo on; exec sleep 300", background: true })
      const ids = (yield* Effect.forEach(Array.from({ length: 8 }), () => start, { concurrency: 8 })).map(({ text }) =>
        idIn(text)
      )
      assert.strictEqual(new Set(ids).size, 8)
      const refused = yield* start
      assert.isTrue(refused.isError)
      assert.match(
        refused.text,
        /^Not started: 8 background processes are running \(.*\)\. Stop one with stop_command\.$/
      )
      yield* call("stop_command", { id: ids[0] ?? "" })
      assert.isFalse((yield* start).isError)
    })
  )

  it.effect("has as much time as it was given, and no end of it otherwise", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      const { call } = yield* processOf(workspace)
      const start = (timeout: object) =>
        Effect.gen(function* () {
          const fiber = yield* Effect.forkChild(
            call("execute_command", { command: "exec sleep 3000", background: true, ...timeout }),
            { startImmediately: true }
          )
          while (fiber.pollUnsafe() === undefined) {
            yield* Effect.promise(() => new Promise(setImmediate))
            yield* TestClock.adjust("1 second")
          }
          return idIn((yield* Fiber.join(fiber)).text)
        })
      const limited = yield* start({ timeout: 1800 })
      const unlimited = yield* start({})
      yield* TestClock.adjust("30 minutes")
      const read = yield* call("read_command_output", { id: limited })
      assert.include(read.text, "It has ended: timed out.")
      const asked = yield* Effect.forkChild(call("read_command_output", { id: unlimited }), { startImmediately: true })
      while (asked.pollUnsafe() === undefined) {
        yield* Effect.promise(() => new Promise(setImmediate))
        yield* TestClock.adjust("15 seconds")
      }
      assert.strictEqual((yield* Fiber.join(asked)).text, "(nothing new)\n[Bytes 0 to 0 of 0. It is running.]")
    })
  )

  it.live("runs in the same sandbox as without", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      const { call } = yield* processOf(workspace)
      const sandbox = { sandbox: "required" } as const
      const command = `echo x > ${workspace.outside}/file; echo kept > inside; echo tried; setsid sleep 300 & exec sleep 300`
      const { text } = yield* call("execute_command", { command, background: true }, sandbox)
      assert.include(text, "tried\n[It runs in the background")
      assert.strictEqual(workspace.read("inside"), "kept\n")
      assert.isFalse(fs.existsSync(path.join(workspace.outside, "file")))
      assert.match((yield* call("stop_command", { id: idIn(text) })).text, /Stopped echo x > /)
    })
  )

  it.live("shows a line that has not ended, and it again when it is whole", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      const { call } = yield* processOf(workspace)
      const go = gate(workspace)
      const command = "printf 'Ready? '; read -r line < go; echo $line; exec sleep 300"
      const { text } = yield* call("execute_command", { command, background: true })
      assert.isTrue(text.startsWith("Ready? \n[It runs"))
      yield* go("yes")
      const read = yield* call("read_command_output", { id: idIn(text) })
      assert.strictEqual(read.text, "Ready? yes\n[Bytes 0 to 11 of 11. It is running.]")
    })
  )
})
