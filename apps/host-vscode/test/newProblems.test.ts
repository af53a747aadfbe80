import { Approvals } from "@belay/approval-policy"
import { TaskId } from "@belay/task-state"
import { Tool } from "@belay/tool-executor"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import { TestClock } from "effect/testing"
import { beforeEach, vi } from "vitest"
import * as NewProblems from "../src/editor/NewProblems.ts"
import * as StandIn from "./vscode/StandIn.ts"

vi.mock("vscode", () => import("./vscode/StandIn.ts"))

const context: Tool.ToolContext = {
  taskId: TaskId.TaskId.make("t"),
  callId: "c",
  mode: "act",
  workspace: "/w",
  approvals: Approvals.ask,
  progress: () => Effect.void
}

const problem = (message: string, line = 0, severity = 0) => ({ message, severity, range: { start: { line } } })

const mark = (file: string, ...problems: ReadonlyArray<ReturnType<typeof problem>>): void => {
  StandIn.editor.problems.set(file, problems)
  StandIn.editor.changedProblems.fire()
}

/** What the model is told besides "Done." after an edit of a file, after which the editor says something. */
const edit = (says: () => void, output: Partial<Tool.ToolOutput> = {}) => {
  const tool: Tool.Tool = {
    name: "replace_in_file",
    description: "",
    category: "edit",
    flow: "run",
    readOnly: false,
    parameters: Schema.Struct({}),
    facts: () => Effect.succeed(Tool.noFacts),
    execute: () =>
      Effect.sync(() => {
        says()
        return { ...Tool.output("Done."), files: [{ path: "/w/src/a.ts", hash: "h" }], ...output }
      })
  }
  const [telling] = NewProblems.telling([tool])
  return () =>
    Effect.map(telling?.execute({}, context) ?? Effect.die("no tool"), ({ content }) =>
      content.slice(1).map((block) => (block.type === "text" ? block.text.trim().split("\n") : []))
    )
}

const told = (says: () => void, output?: Partial<Tool.ToolOutput>) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(edit(says, output)())
    yield* TestClock.adjust("1 minute")
    return yield* Fiber.join(fiber)
  })

const header = "The editor marks since this edit:"

describe("an edit", () => {
  beforeEach(() => {
    StandIn.renew().settings.set("belay.edits.problems", "errors")
  })

  it.effect("tells the model what the editor marks since then, of its own files first, and no more than 20", () =>
    Effect.gen(function* () {
      mark("/w/src/a.ts", problem("Old one", 3), problem("Told twice"))
      const lines = yield* told(() => {
        mark("/w/src/b.ts", problem("Has no\nexported member"), problem("Only a warning", 1, 1))
        mark("/elsewhere/c.ts", problem("Not of the folder"))
        mark(
          "/w/src/a.ts",
          problem("Old one", 9),
          problem("Told twice"),
          problem("Told twice", 5),
          problem("New one", 6)
        )
      })
      assert.deepEqual(lines, [
        [
          header,
          "src/a.ts:6 error: Told twice",
          "src/a.ts:7 error: New one",
          "src/b.ts:1 error: Has no exported member"
        ]
      ])
      const many = yield* told(() => mark("/w/src/a.ts", ...Array.from({ length: 30 }, (_, at) => problem(`${at}`))))
      assert.equal(many[0]?.length, 22)
      assert.equal(many[0]?.at(-1), "(10 more)")
    })
  )

  it.effect("says nothing where nothing is new, where it failed, and where the person wants it so", () =>
    Effect.gen(function* () {
      const breaks = () => mark("/w/src/a.ts", problem("Broken"))
      assert.deepEqual(yield* told(breaks, { isError: true }), [])
      assert.deepEqual(yield* told(breaks), [])
      StandIn.editor.problems.clear()
      StandIn.editor.settings.set("belay.edits.problems", "off")
      assert.deepEqual(yield* told(breaks), [])
      StandIn.editor.settings.set("belay.edits.problems", "warnings")
      const warned = yield* told(() => mark("/w/src/a.ts", problem("Unused", 1, 1), problem("Hint", 1, 3)))
      assert.deepEqual(warned, [[header, "src/a.ts:2 warning: Unused"]])
    })
  )

  it.effect("waits a second for an editor that says nothing, and no more after two in a row", () =>
    Effect.gen(function* () {
      const again = edit(() => undefined)
      for (const wait of [true, true, false]) {
        const fiber = yield* Effect.forkChild(again())
        yield* TestClock.adjust(wait ? "999 millis" : 0)
        assert.equal(fiber.pollUnsafe() === undefined, wait)
        yield* TestClock.adjust("1 millis")
        yield* Fiber.join(fiber)
      }
    })
  )
})
