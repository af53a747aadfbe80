/** Every process of a task carries its mark; in the box, where nothing above it is seen, the data folder is not there. */
import { TaskId } from "@belay/task-state"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { install } from "./fixtures/Bubblewrap.ts"
import * as StdioTransport from "../../src/mcp/StdioTransport.ts"
import * as CommandRunner from "../../src/workspace/command/CommandRunner.ts"
import * as Sandbox from "../../src/workspace/sandbox/Sandbox.ts"

install()

const taskId = TaskId.fromParts(1, 2, 3, 4)

const folder = Effect.acquireRelease(
  Effect.sync(() => fs.realpathSync(fs.mkdtempSync(path.join(os.homedir(), "belay-mark-")))),
  (made) => Effect.sync(() => fs.rmSync(made, { recursive: true, force: true }))
)

const said = (command: string, sandbox: "off" | "required") =>
  Effect.gen(function* () {
    const workspace = yield* folder
    const data = yield* folder
    for (const name of ["belay.db", "settings.json"]) fs.writeFileSync(path.join(data, name), "history")
    const runner = CommandRunner.make({ sandbox: Sandbox.make({ hidden: [data] }) })
    const { head, tail } = yield* runner.run({
      taskId,
      callId: "call",
      command: command.replaceAll("DATA", data),
      cwd: workspace,
      workspace,
      readOnly: false,
      sandbox,
      files: [],
      writesGit: false,
      timeout: "20 seconds",
      progress: () => Effect.void
    })
    const left = fs.readdirSync(data).map((name) => fs.readFileSync(path.join(data, name), "utf8"))
    assert.deepStrictEqual(left, ["history", "history"])
    return head + tail
  })

describe.skipIf(process.platform !== "linux")("the mark of a task", () => {
  it.live("is in the environment of a command and of what it starts, and stays in that of the shell above it", () =>
    Effect.gen(function* () {
      const line =
        "sh -c 'echo $BELAY_TASK'; env -i sh -c 'tr \"\\0\" \"\\n\" < /proc/$PPID/environ | grep BELAY_TASK'; true"
      assert.strictEqual(yield* said(line, "off"), `${taskId}\nBELAY_TASK=${taskId}\n`)
    })
  )

  it.live("is in the environment of a server", () =>
    Effect.gen(function* () {
      const cwd = yield* folder
      const args = ["-c", 'echo "$BELAY_TASK" > new; mv new mark; cat > /dev/null']
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* StdioTransport.make({ program: "/bin/sh", args, cwd, env: {} })
          while (!fs.existsSync(path.join(cwd, "mark"))) yield* Effect.sleep(5)
        })
      )
      assert.strictEqual(fs.readFileSync(path.join(cwd, "mark"), "utf8"), "belay\n")
    })
  )

  it.live("is not needed in the box: there nothing of the data folder can be read, and nothing is written to it", () =>
    Effect.gen(function* () {
      const line =
        "ls -A DATA; cat DATA/belay.db; echo x > DATA/settings.json; tr '\\0' '\\n' < /proc/1/environ | grep BELAY_TASK; true"
      const output = yield* said(line, "required")
      assert.notInclude(output, "history")
      assert.include(output, `BELAY_TASK=${taskId}`, "the first process of the box carries it, too")
    })
  )
})
