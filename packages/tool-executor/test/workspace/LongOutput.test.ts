import { assert, describe, it } from "@effect/vitest"
import { TaskId } from "@belay/task-state"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { execFile } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { promisify } from "node:util"
import type * as Tool from "../../src/tool/Tool.ts"
import * as WorkspaceTools from "../../src/workspace.ts"
import * as LastState from "../../src/workspace/output/LastState.ts"
import * as LiveText from "../../src/workspace/text/LiveText.ts"
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

/** What a call that was cut off had put out, as another process finds it. */
const printed = (workspace: Workspace.TestWorkspace, callId: string) => {
  const outputs = WorkspaceTools.OutputStore.make({ directory: workspace.home })
  const tools = WorkspaceTools.make({ runner: WorkspaceTools.CommandRunner.make({ outputs }) })
  const asked = tools.find(({ name }) => name === "execute_command")?.printed?.({ ...workspace.context, callId })
  return asked ?? Effect.die("no tool says what it has put out")
}

const place = (text: string) => {
  const [, missing, id, offset] =
    /\n\[\.\.\. ([\d,]+) characters left out: read_command_output with id (\w+) and a regex finds lines, with offset (\d+) reads on \.\.\.\]\n/.exec(
      text
    ) ?? []
  return { missing: Number(missing?.replaceAll(",", "")), id: id ?? "", offset: Number(offset) }
}

/** Runs commands of which a disk takes each piece; false where it takes no more before `drained`. */
const runnerOn =
  (workspace: Workspace.TestWorkspace, push: (piece: string, drained: () => void) => boolean) =>
  (command: string, progress = () => Effect.void) => {
    const record: WorkspaceTools.OutputStore.OutputStore["record"] = (_task, _call, drained) =>
      Effect.succeed({
        id: "",
        push: (piece) => push(piece, drained),
        flushed: Effect.void,
        finish: Effect.succeed(undefined)
      })
    const none = () => Effect.succeed(undefined)
    const outputs = { record, folder: () => workspace.home, file: () => undefined, page: none, left: none }
    return WorkspaceTools.CommandRunner.make({ outputs }).run({
      ...workspace.context,
      command,
      cwd: workspace.root,
      workspace: workspace.root,
      sandbox: "off",
      readOnly: false,
      files: [],
      writesGit: false,
      timeout: "10 minutes",
      progress
    })
  }

/** Calls it when the event loop has turned that many times. */
const afterTurns = (count: number, then: () => void): void =>
  void setImmediate(() => (count === 1 ? then() : afterTurns(count - 1, then)))

const clock = Clock.Clock.defaultValue()

/** As if no time was left for the pipes of a command that has ended. */
const hurried: Clock.Clock = Object.assign(Object.create(clock), {
  sleep: (duration: Duration.Duration) => (Duration.toMillis(duration) === 250 ? Effect.void : clock.sleep(duration))
})

/** As if a search had all the time that it takes: a machine may be busy. */
const patient: Clock.Clock = Object.assign(Object.create(clock), {
  sleep: (duration: Duration.Duration) => (Duration.toMillis(duration) < 1000 ? clock.sleep(duration) : Effect.never)
})

const folder = (workspace: Workspace.TestWorkspace) => path.join(workspace.home, "tasks", "test", "output")

describe("output that does not fit into a result", () => {
  it.live("can be read on page by page, to the last byte, in whole characters", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      const call = toolsOf(workspace)
      const { text } = yield* call("execute_command", { command: "for i in $(seq 1 30000); do echo é$i; done" })
      const { id, missing, offset } = place(text)
      const all = Array.from({ length: 30_000 }, (_, index) => `é${index + 1}\n`).join("")
      let read = text.slice(0, text.indexOf("\n[... ") + 1)
      const tail = text.slice(text.indexOf(" ...]\n") + 6, -"exit code 0".length)
      assert.strictEqual(missing, all.length - read.length - tail.length)
      assert.isTrue(all.startsWith(read) && all.endsWith(tail))
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

  it.live("leaves no file when it fits, and what was put out when the command is interrupted", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      const call = toolsOf(workspace)
      yield* call("execute_command", { command: "head -c 16000 /dev/zero | tr '\\0' x" })
      assert.deepStrictEqual(fs.readdirSync(folder(workspace)), [])
      const some = yield* Deferred.make<void>()
      const progress = () => Deferred.succeed(some, undefined)
      const command = "printf 'compiling\\r 5 %%\\r 9 %%'; sleep 600"
      const running = yield* Effect.forkChild(call("execute_command", { command }, { progress, callId: "cut off" }))
      yield* Deferred.await(some)
      assert.isUndefined(yield* printed(workspace, "another"))
      yield* Fiber.interrupt(running)
      assert.strictEqual(yield* printed(workspace, "cut off"), " 9 %")
      const [name = ""] = fs.readdirSync(folder(workspace))
      if (path.sep === "/") assert.strictEqual(fs.statSync(path.join(folder(workspace), name)).mode & 0o777, 0o600)
    })
  )

  it.live("of a command that is cut off is the end of it, and where the rest can be read", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      const call = toolsOf(workspace)
      const all = yield* Deferred.make<void>()
      let seen = ""
      const progress = (chunk: string) =>
        (seen += chunk).endsWith("\nlast\n") ? Effect.asVoid(Deferred.succeed(all, undefined)) : Effect.void
      const command = "seq 1 20000; echo last; sleep 600"
      const running = yield* Effect.forkChild(call("execute_command", { command }, { progress, callId: "much" }))
      yield* Deferred.await(all)
      yield* Fiber.interrupt(running)
      const [, left, id, text = ""] =
        /^\[\.\.\. (\d+) bytes left out: read_command_output with id (\w+) reads them \.\.\.\]\n([^]*)$/.exec(
          (yield* printed(workspace, "much")) ?? ""
        ) ?? []
      assert.isTrue(text.endsWith("19999\n20000\nlast"))
      assert.isBelow(text.length, 12_001)
      const read = yield* call("read_command_output", { id, limit: Number(left) })
      assert.include(read.text, "1\n2\n3\n")
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
      const program = path.join(import.meta.dirname, "fixtures", "longOutput.ts")
      // What is in use can be told where nothing is collected later or by another thread.
      const flags = ["--expose-gc", "--single-threaded-gc", "--conditions=@belay/source"]
      const ran = Effect.promise(() => promisify(execFile)(process.execPath, [...flags, program, workspace.root]))
      const { grown, last } = JSON.parse((yield* ran).stdout)
      assert.strictEqual(last, "123456789\n123456789\n\n[Bytes 99999980 to 100000000 of 100000000. This is the end.]")
      assert.isBelow(grown, 5_000_000)
    })
  )

  it.live("holds its command back while the disk takes nothing", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      const many = yield* Deferred.make<void>()
      let taken = 0
      let unasked = 0
      let isFull = false
      const run = runnerOn(workspace, (_piece, drained) => {
        if (isFull) unasked++
        isFull = true
        if (++taken === 20) Deferred.doneUnsafe(many, Effect.void)
        afterTurns(10, () => {
          isFull = false
          drained()
        })
        return false
      })
      const running = yield* Effect.forkChild(run("yes"))
      yield* Deferred.await(many)
      // What is left in the pipes when a command is ended waits for no disk.
      assert.strictEqual(unasked, 0)
      yield* Fiber.interrupt(running)
    })
  )

  it.live("is whole although this process was held up when its command ended", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      const taken: Array<string> = []
      // Nothing is read after the first piece, until the command has ended.
      const run = runnerOn(workspace, (piece) => {
        taken.push(piece)
        return false
      })
      const progress = () => Effect.sync(() => workspace.write("go", ""))
      const command = "echo 0; until [ -e go ]; do :; done; seq 1 3000"
      const { head, leftovers, tail } = yield* Effect.provideService(run(command, progress), Clock.Clock, hurried)
      assert.strictEqual(head + tail, Array.from({ length: 3001 }, (_, index) => `${index}\n`).join(""))
      assert.strictEqual(taken.join(""), head + tail)
      assert.isFalse(leftovers)
    })
  )

  it.effect("is shown in pieces of at most 16,000 characters, and never more often than each 50 ms", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      const call = toolsOf(workspace)
      const shown: Array<string> = []
      const progress = (chunk: string) => Effect.sync(() => void shown.push(chunk))
      yield* call("execute_command", { command: "seq 1 100000" }, { progress })
      assert.isAtMost(shown.length, 2)
      assert.isTrue(shown.at(-1)?.endsWith("99999\n100000\n"))
      for (const chunk of shown) assert.isBelow(chunk.length, 16_100)
    })
  )
})

describe("the lines of kept output that match", () => {
  const seq = "for i in $(seq 1 3000); do echo ok $i; [ $i = 2222 ] && echo FAIL 2222; done; exit 1"

  it.live("are found in what the result left out, and both texts say how to read on", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      const call = toolsOf(workspace)
      const { text } = yield* call("execute_command", { command: seq })
      const { id } = place(text)
      assert.strictEqual(
        text.slice(text.indexOf("ok 586\n"), text.indexOf("ok 1503\n")),
        `ok 586\n[... 6,915 characters left out: read_command_output with id ${id} and a regex finds lines, with offset 3994 reads on ...]\n`
      )
      assert.deepStrictEqual(yield* call("read_command_output", { id, regex: "^FAIL" }), {
        text: `[offset 16653]
2221- ok 2221
2222- ok 2222
2223: FAIL 2222
2224- ok 2223
2225- ok 2224
[1 matching line. Without regex, an offset reads what follows it.]`,
        isError: false
      })
      assert.strictEqual(
        (yield* call("read_command_output", { id, regex: "ok (1|3|9)$", offset: 6 })).text,
        `[offset 5]
2- ok 2
3: ok 3
4- ok 4
5- ok 5
[offset 30]
7- ok 7
8- ok 8
9: ok 9
10- ok 10
11- ok 11
[2 matching lines from offset 6 on. Without regex, an offset reads what follows it.]`
      )
      assert.strictEqual((yield* call("read_command_output", { id, regex: "nothing" })).text, "[No matching lines.]")
    })
  )

  it.live("are bounded and can be read on, and a regex that is wrong or slow elsewhere is told or harmless", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      const call = toolsOf(workspace)
      const { id } = place(
        (yield* call("execute_command", { command: "seq 1 30000; yes a | head -30000 | tr -d '\\n'" })).text
      )
      const first = (yield* call("read_command_output", { id, regex: "^[0-9]+$" })).text
      assert.include(first, "\n[30,000 matching lines; 100 are shown. The next is at offset 292. Without regex,")
      assert.match(
        (yield* call("read_command_output", { id, regex: "^[0-9]+$", offset: 292 })).text,
        /^\[offset 292\]\n101: 101\n102: 102\n/
      )
      const wrong = yield* call("read_command_output", { id, regex: "a(" })
      assert.isTrue(wrong.isError)
      assert.match(wrong.text, /^The output could not be searched: [^]*unclosed group/)
      const slow = yield* call("read_command_output", { id, regex: "(a+)+b" })
      assert.strictEqual(slow.text, "[No matching lines.]")
      const other = { taskId: TaskId.TaskId.make("other") }
      assert.isTrue((yield* call("read_command_output", { id, regex: "1" }, other)).isError)
    }).pipe(Effect.provideService(Clock.Clock, patient))
  )
})

describe("LastState", () => {
  const all = (pieces: ReadonlyArray<string>) => {
    const states = LastState.make()
    return pieces.map(states.push).join("") + states.end()
  }

  it("keeps of a line that is written over what stood there last, in whatever pieces it comes", () => {
    const text = "one\r\n 1%\r 50%\r100%\r\ntwo\n\nthree\r\rfour\rfive\r"
    const expected = "one\n100%\ntwo\n\nfive"
    for (let size = 1; size <= text.length; size++) {
      const pieces = Array.from({ length: Math.ceil(text.length / size) }, (_, at) =>
        text.slice(at * size, (at + 1) * size)
      )
      assert.strictEqual(all(pieces), expected, `in pieces of ${size}`)
    }
  })

  it("gives text without carriage returns as it is, and holds at most one line of 4,000 characters", () => {
    const line = "x".repeat(10_000)
    assert.strictEqual(all([line, line, "\n", "y"]), `${line}${line}\ny`)
    assert.strictEqual(all([line, "\r1%", "\r2%\n", "3%\r4%"]), `${line}\n2%\n4%`)
    const states = LastState.make()
    let given = 0
    for (let piece = 0; piece < 1000; piece++) given += states.push("z".repeat(100)).length
    assert.isAtMost(100_000 - given, 4000)
  })
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
