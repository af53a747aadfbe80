import { ApprovalPolicy, Approvals } from "@belay/approval-policy"
import { Pipeline, Tool, ToolCatalog, ToolExecutor } from "@belay/tool-executor"
import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as References from "effect/References"
import * as Schema from "effect/Schema"
import * as WorkspaceTools from "../src/workspace.ts"
import { bare, context, show, textOf } from "./fixtures/Tools.ts"
import * as Workspace from "./workspace/fixtures/Workspace.ts"

const Everything = Schema.Struct({
  text: Schema.String,
  count: Schema.optionalKey(Schema.Int),
  size: Schema.optionalKey(Schema.Finite),
  recursive: Schema.optionalKey(Schema.Boolean),
  ids: Schema.optionalKey(Schema.Array(Schema.String)),
  lines: Schema.optionalKey(Schema.Array(Schema.Int)),
  options: Schema.optionalKey(Schema.Struct({ deep: Schema.Boolean, most: Schema.optionalKey(Schema.Int) })),
  mode: Schema.optionalKey(Schema.Literals(["plan", "act"]))
})

const every: Tool.Tool<typeof Everything.Type> = {
  ...(show as Tool.Tool),
  name: "every",
  parameters: Everything,
  facts: () => Effect.succeed(Tool.noFacts)
}

const server: Tool.Tool = {
  ...(every as Tool.Tool),
  name: "use_mcp_tool",
  parameters: Schema.Struct({
    server: Schema.String,
    tool: Schema.String,
    arguments: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown))
  })
}

const outputs = WorkspaceTools.OutputStore.make({ directory: "/nowhere" })

/** The tools that are there only where output is kept. */
const ofOutput = WorkspaceTools.make({ runner: WorkspaceTools.CommandRunner.make({ outputs }) }).filter(
  ({ name }) => name === "read_command_output" || name === "stop_command"
)

const tools: ReadonlyArray<Tool.Tool> = [every, bare, server, ...Workspace.all, ...ofOutput]

const layer = ToolExecutor.layer.pipe(Layer.provide([ToolCatalog.layer(tools), ApprovalPolicy.ApprovalPolicy.layer]))

const prepare = (name: string, input: unknown, more: Partial<Pipeline.TaskContext> = {}) =>
  ToolExecutor.use((executor) =>
    executor.prepare({ callId: "c", name, input }, { ...context, approvals: Approvals.all, ...more })
  ).pipe(Effect.provide(layer))

/** The arguments that the policy and the tool get, or what the model reads. */
const taken = (name: string, input: unknown, more?: Partial<Pipeline.TaskContext>) =>
  Effect.map(prepare(name, input, more), (prepared) =>
    prepared._tag === "Ready" ? (prepared.args as unknown) : textOf(prepared.output)
  )

const again = ". Correct the arguments and call it again."

describe("arguments whose meaning is plain", () => {
  it.effect("are taken as what they mean", () =>
    Effect.gen(function* () {
      const plain: ReadonlyArray<readonly [object, object]> = [
        [{ count: "2" }, { count: 2 }],
        [
          { count: " -12 ", size: "1.5" },
          { count: -12, size: 1.5 }
        ],
        [{ recursive: "true" }, { recursive: true }],
        [{ recursive: "False" }, { recursive: false }],
        [{ ids: "a b" }, { ids: ["a b"] }],
        [{ ids: '["a","b"]' }, { ids: ["a", "b"] }],
        [{ lines: ["1", 2] }, { lines: [1, 2] }],
        [{ options: '{"deep":"true"}' }, { options: { deep: true } }],
        [{ options: { deep: true, most: "3" } }, { options: { deep: true, most: 3 } }],
        [{ count: null, ids: null }, {}]
      ]
      for (const [given, meant] of plain) {
        assert.deepStrictEqual(yield* taken("every", { text: "x", ...given }), { text: "x", ...meant })
      }
      // A text is one, whatever it looks like.
      for (const text of ["2", "true", "null", '["a"]', "{}"]) {
        assert.deepStrictEqual(yield* taken("every", { text }), { text })
      }
    })
  )

  it.effect("are not guessed", () =>
    Effect.gen(function* () {
      const wrong: ReadonlyArray<readonly [object, string]> = [
        [{ text: 2 }, "text: expected string"],
        [{ text: null }, "text: expected string"],
        [{ text: "x", count: "two" }, "count: expected number"],
        [{ text: "x", count: "1.5" }, "count: expected an integer"],
        [{ text: "x", count: "" }, "count: expected number"],
        [{ text: "x", count: true }, "count: expected number"],
        [{ text: "x", recursive: 1 }, "recursive: expected boolean"],
        [{ text: "x", recursive: "yes" }, "recursive: expected boolean"],
        [{ text: "x", lines: "1" }, "lines: expected array"],
        [{ text: "x", options: { deep: true, moost: 1 } }, "options.moost is not a parameter"]
      ]
      for (const [given, problem] of wrong) {
        assert.strictEqual(yield* taken("every", given), `Invalid arguments for every: ${problem}${again}`)
      }
    })
  )

  it.effect.prop("stay as they are where they are valid", { args: Arbitrary.schema(Everything) }, ({ args }) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* taken("every", args), args)
    })
  )

  it.effect("are the same for the policy, for an approval and for the tool", () =>
    Effect.gen(function* () {
      const hash = (input: unknown) =>
        Effect.map(prepare("read_file", input), (prepared) => (prepared._tag === "Ready" ? prepared.hash : "refused"))
      const plain = yield* hash({ path: "a", start_line: 2 })
      assert.match(plain, /^[0-9a-f]{64}$/)
      assert.strictEqual(yield* hash({ file_path: "a", startLine: "2", reason: "why" }), plain)
      const workspace = yield* Workspace.make
      const own = { ...workspace.context, strictPlanMode: true, home: context.home }
      const prepared = yield* prepare("read_file", { file_path: "../project-outside/x" }, own)
      assert.strictEqual(prepared._tag === "Ready" && prepared.facts.paths[0]?.inside, false)
    })
  )
})

describe("names of parameters", () => {
  it.effect("of other agents are taken for ours, where ours is not given", () =>
    Effect.gen(function* () {
      const meant: ReadonlyArray<readonly [string, object, object]> = [
        ["read_file", { file_path: "a" }, { path: "a" }],
        ["read_file", { filePath: "a", startLine: 1 }, { path: "a", start_line: 1 }],
        ["write_to_file", { target_file: "a", contents: "x" }, { path: "a", content: "x" }],
        ["execute_command", { cmd: "ls", workdir: "src" }, { command: "ls", cwd: "src" }],
        ["search_files", { pattern: "x", glob: "*.ts" }, { path: ".", regex: "x", file_pattern: "*.ts" }],
        ["read_file", { path: "a", file_path: "a" }, { path: "a" }],
        [
          "use_mcp_tool",
          { server_name: "s", tool_name: "t", arguments: '{"n":"1"}' },
          { server: "s", tool: "t", arguments: { n: "1" } }
        ],
        ["list_files", {}, { path: "." }],
        ["search_files", { regex: "x" }, { path: ".", regex: "x" }]
      ]
      for (const [name, given, args] of meant) assert.deepStrictEqual(yield* taken(name, given), args)
    })
  )

  it.effect("that no tool takes are passed over, with a line in the log", () =>
    Effect.gen(function* () {
      const lines: Array<unknown> = []
      const logger = Logger.make(({ message }) => void lines.push(message))
      const logged = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
        effect.pipe(
          Effect.provide(Logger.layer([logger])),
          Effect.provideService(References.MinimumLogLevel, "Debug" as const)
        )
      const input = { command: "ls", requires_approval: false, "de\nscription": "x" }
      assert.deepStrictEqual(yield* logged(taken("execute_command", input)), { command: "ls" })
      assert.deepStrictEqual(yield* logged(taken("bare", { path: "a" })), {})
      assert.deepStrictEqual(lines, [
        ["execute_command takes no requires_approval, de\\nscription: passed over"],
        ["bare takes no path: passed over"]
      ])
    })
  )

  it.effect("are told to the model where the call would do something else without them", () =>
    Effect.gen(function* () {
      const told: ReadonlyArray<readonly [string, object, string]> = [
        [
          "read_file",
          { path: "a", offset: 10, limit: 20 },
          "offset and limit are not parameters; it takes start_line and end_line"
        ],
        [
          "replace_in_file",
          { path: "a", old_string: "x", new_string: "y", replaceAll: "true" },
          "old_string and new_string are not parameters; it takes diff: ------- SEARCH, the text as it is, =======, the new text, +++++++ REPLACE, each on lines of their own"
        ],
        ["list_files", { path: ".", recursve: true }, "recursve is not a parameter; recursive is"],
        ["read_file", { path: "a", file_path: "b" }, "file_path is not a parameter, and path is given"],
        ["read_file", { file: "a" }, "file is not a parameter; path is missing"]
      ]
      for (const [name, given, problem] of told) {
        assert.strictEqual(yield* taken(name, given), `Invalid arguments for ${name}: ${problem}${again}`)
      }
    })
  )
})

describe("a tool of another agent", () => {
  it.effect("is answered with what does the same here", () =>
    Effect.gen(function* () {
      const answers: ReadonlyArray<readonly [string, object, string]> = [
        ["Bash", { command: "ls" }, "Use execute_command {command}."],
        ["shell", { command: ["ls"] }, "Use execute_command {command}."],
        ["Read", { file_path: "a" }, "Use read_file {path, start_line, end_line}."],
        ["Edit", {}, "Use replace_in_file {path, diff, replace_all}."],
        ["MultiEdit", {}, "Use replace_in_file {path, diff, replace_all}."],
        ["Write", {}, "Use write_to_file {path, content}."],
        ["LS", {}, "Use list_files {path, pattern}."],
        ["Glob", {}, "Use list_files {path, pattern}."],
        ["Grep", {}, "Use search_files {path, regex, file_pattern}."],
        ["apply_diff", {}, "Use replace_in_file {path, diff, replace_all}."],
        ["str_replace_editor", { command: "view" }, "Use read_file {path, start_line, end_line}."],
        ["str_replace_based_edit_tool", { command: "create" }, "Use write_to_file {path, content}."],
        ["str_replace_editor", { command: "str_replace" }, "Use replace_in_file {path, diff, replace_all}."],
        ["ReadFile", {}, "Use read_file {path, start_line, end_line}."],
        ["TodoWrite", {}, "Give the whole checklist as task_progress with your next call."],
        ["update_focus_chain", {}, "Give the whole checklist as task_progress with your next call."],
        ["condense", {}, "The conversation is condensed by itself when there is need. Go on with the work."]
      ]
      for (const [name, input, instead] of answers) {
        assert.strictEqual(yield* taken(name, input), `There is no tool ${name} here. ${instead}`)
      }
    })
  )

  it.effect("for commands in the background is meant by its parameters, too", () =>
    Effect.gen(function* () {
      const meant: ReadonlyArray<readonly [string, object, object]> = [
        [
          "execute_command",
          { command: "npm start", run_in_background: true, description: "the server" },
          { command: "npm start", background: true }
        ],
        ["execute_command", { command: "npm start", background: "true" }, { command: "npm start", background: true }],
        ["read_command_output", { bash_id: "1a2b3c4d", filter: "error" }, { id: "1a2b3c4d", regex: "error" }],
        ["stop_command", { shell_id: "1a2b3c4d" }, { id: "1a2b3c4d" }]
      ]
      for (const [name, given, args] of meant) assert.deepStrictEqual(yield* taken(name, given), args)
      for (const name of ["KillShell", "KillBash", "TaskStop"]) {
        assert.strictEqual(yield* taken(name, {}), `There is no tool ${name} here. Use stop_command {id}.`)
      }
      assert.include(yield* taken("BashOutput", {}), "Use read_command_output {id, regex}.")
    })
  )

  it.effect("that is not offered, or unknown, is answered with those that are", () =>
    Effect.gen(function* () {
      const offered = ["read_file", "list_files"]
      const list = "Use one of: read_file, list_files."
      assert.strictEqual(yield* taken("Edit", {}, { offered }), `There is no tool Edit here. ${list}`)
      assert.strictEqual(yield* taken("browse", {}, { offered }), `There is no tool browse here. ${list}`)
    })
  )
})
