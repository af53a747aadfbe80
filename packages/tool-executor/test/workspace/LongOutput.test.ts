import { assert, describe, it } from "@effect/vitest"
import { TaskId } from "@belay/task-state"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as fs from "node:fs"
import * as path from "node:path"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import type * as Tool from "../../src/Tool.ts"
import * as WorkspaceTools from "../../src/workspace.ts"
import * as LiveText from "../../src/workspace/LiveText.ts"
import * as Workspace from "./fixtures/Workspace.ts"

/** The tools of a workspace that keep long output, as a function that calls one. */
const toolsOf = (workspace: Workspace.TestWorkspace, pieces?: () => WorkspaceTools.CommandRunner.Pieces) => {
  const outputs = WorkspaceTools.OutputStore.make({ directory: workspace.home })
  const runner = WorkspaceTools.CommandRunner.make({ outputs, ...(pieces === undefined ? {} : { pieces }) })
  const tools = WorkspaceTools.make({ runner })
  return (name: string, args: object, context: Partial<Tool.ToolContext> = {}) => {
    const tool = tools.find((one) => one.name === name)
    if (tool === undefined) throw new Error(`no tool ${name}`)
    return Effect.map(tool.execute(args, { ...workspace.context, ...context }), (output) => ({
      text: Workspace.textOf(output),
      isError: output.isError
    }))
  }
}

const place = (text: string) => {
  const [, missing, id, offset] =
    /\n\[\.\.\. (\d+) characters left out: read_command_output with id (\w+), offset (\d+) \.\.\.\]\n/.exec(text) ?? []
  return { missing: Number(missing), id: id ?? "", offset: Number(offset) }
}

/** Bytes that are in use once everything else is collected. */
const used = (): number => {
  setFlagsFromString("--expose-gc")
  runInNewContext("gc")()
  const { external, heapUsed } = process.memoryUsage()
  return heapUsed + external
}

const folder = (workspace: Workspace.TestWorkspace) => path.join(workspace.home, "tasks", "test", "output")

describe("output that does not fit into a result", () => {
  it.live("can be read on page by page, to the last byte, in whole characters", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      const call = toolsOf(workspace)
      const { text } = yield* call("execute_command", { command: "for i in $(seq 1 30000); do echo é$i; done" })
      const { id, missing, offset } = place(text)
      const all = Array.from({ length: 30_000 }, (_, index) => `é${index + 1}\n`).join("")
      assert.strictEqual(missing, all.length - 48_000)
      let read = text.slice(0, text.indexOf("\n[... "))
      let next = offset
      for (;;) {
        const page = yield* call("read_command_output", { id, offset: next, limit: 40_001 })
        const [, said, from, on] = /^([^]*)\n\[Bytes (\d+) to \d+ of \d+\. (.*)\]$/.exec(page.text) ?? []
        assert.strictEqual(Number(from), next)
        read += said
        const further = /offset (\d+)/.exec(on ?? "")?.[1]
        if (further === undefined) break
        next = Number(further)
      }
      assert.strictEqual(read, all)
    })
  )

  it.live("is another task's to read only by its own id, and says what to do when it is gone", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      const call = toolsOf(workspace)
      const { id } = place((yield* call("execute_command", { command: "seq 1 20000" })).text)
      const other = { taskId: TaskId.TaskId.make("other") }
      const refused = { text: "There is no output of this id in this task. Run the command again, with less output." }
      assert.deepInclude(yield* call("read_command_output", { id }, other), { ...refused, isError: true })
      for (const wrong of ["../output", "", "00000000", `${id}.txt`]) {
        assert.deepInclude(yield* call("read_command_output", { id: wrong }), refused)
      }
      assert.isTrue((yield* call("read_command_output", { id, offset: 1_000_000 })).isError)
      if (path.sep === "/") assert.strictEqual(fs.statSync(path.join(folder(workspace), `${id}.txt`)).mode & 0o077, 0)
    })
  )

  it.live("makes no file when it fits, and leaves none when the command is interrupted", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      const call = toolsOf(workspace)
      yield* call("execute_command", { command: "head -c 48000 /dev/zero | tr '\\0' x" })
      assert.isFalse(fs.existsSync(folder(workspace)))
      const much = yield* Deferred.make<void>()
      const progress = () =>
        Effect.suspend(() => (fs.existsSync(folder(workspace)) ? Deferred.succeed(much, undefined) : Effect.void))
      const running = yield* Effect.forkChild(call("execute_command", { command: "yes" }, { progress }))
      yield* Deferred.await(much)
      yield* Fiber.interrupt(running)
      assert.deepStrictEqual(fs.readdirSync(folder(workspace)), [])
    })
  )

  it.live("holds nothing that must not be kept, also across its pieces", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      let held = ""
      const pieces = () => ({
        push: (piece: string) => {
          const whole = (held + piece).replaceAll("canary-secret", "***")
          held = whole.slice(-12)
          return whole.slice(0, -12)
        },
        end: () => held
      })
      const call = toolsOf(workspace, pieces)
      let seen = ""
      const progress = (chunk: string) => Effect.sync(() => void (seen += chunk))
      const command = "yes canary-secret | head -20000"
      const { text } = yield* call("execute_command", { command }, { progress })
      const [file = ""] = fs.readdirSync(folder(workspace))
      const stored = fs.readFileSync(path.join(folder(workspace), file), "utf8")
      assert.strictEqual(stored, "***\n".repeat(20_000))
      assert.notInclude(seen + text, "canary-secret")
      assert.isTrue(text.endsWith("***\nexit code 0"))
    })
  )

  it.live("of 100 MB is kept whole while memory stays as it is", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      const call = toolsOf(workspace)
      const before = used()
      let most = 0
      let shown = 0
      const progress = (chunk: string) =>
        Effect.sync(() => {
          most = Math.max(most, used() - before)
          shown += chunk.length
        })
      const command = "yes 123456789 | head -c 100000000"
      const { text } = yield* call("execute_command", { command }, { progress })
      const { id } = place(text)
      const last = yield* call("read_command_output", { id, offset: 99_999_980 })
      assert.strictEqual(
        last.text,
        "123456789\n123456789\n\n[Bytes 99999980 to 100000000 of 100000000. This is the end.]"
      )
      assert.isBelow(most, 20_000_000)
      assert.isBelow(shown, 20_000_000)
    })
  )
})

describe("LiveText", () => {
  it("gives all of little, and of much the end with how much is missing", () => {
    const live = LiveText.make()
    assert.strictEqual(live.take(), "")
    live.push("a")
    live.push("b")
    assert.strictEqual(live.take(), "ab")
    for (let piece = 0; piece < 1000; piece++) live.push("0123456789".repeat(100))
    live.push("end")
    const piece = live.take()
    assert.isTrue(piece.startsWith("[... 984003 characters are not shown ...]\n"))
    assert.isTrue(piece.endsWith("789end"))
    assert.strictEqual(live.take(), "")
  })
})
