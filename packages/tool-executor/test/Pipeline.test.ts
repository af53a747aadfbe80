import { ApprovalPolicy, Approvals } from "@belay/approval-policy"
import { Pipeline, Tool, ToolCatalog, ToolExecutor } from "@belay/tool-executor"
import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as fs from "node:fs"
import { bare, change, context, fileFact, show, textOf } from "./fixtures/Tools.ts"
import * as Workspace from "./workspace/fixtures/Workspace.ts"

const failing = (name: string, parts: Partial<Tool.Tool>): Tool.Tool => ({ ...show, name, ...parts })
const thrown = (): never => {
  throw new Error("broken")
}

const tools: ReadonlyArray<Tool.Tool> = [
  show,
  change,
  bare,
  { ...bare, name: "deploy", category: "custom", readOnly: false },
  failing("facts_die", { facts: () => Effect.die(new Error("broken")) }),
  failing("facts_throw", { facts: thrown }),
  failing("facts_wrong", { facts: () => Effect.succeed({ paths: [{ ...fileFact("a"), kind: "odd" as "file" }] }) }),
  failing("run_dies", { execute: () => Effect.die(new Error("broken")) }),
  failing("run_throws", { execute: thrown }),
  failing("run_dies_oddly", { execute: () => Effect.die(Object.create(null)) }),
  failing("run_stops", { execute: () => Effect.interrupt }),
  failing("run_asks", { execute: (_args, { callId }) => Effect.succeed(Tool.output(callId)) }),
  ...Workspace.all.filter(({ name }) => /^(?:write_to_file|read_file|replace_in_file|apply_patch)$/.test(name))
]

const layer = ToolExecutor.layer.pipe(Layer.provide([ToolCatalog.layer(tools), ApprovalPolicy.ApprovalPolicy.layer]))

const call = (name: string, input: unknown): Pipeline.Call => ({ callId: "toolu_1", name, input })

const prepare = (name: string, input: unknown, more: Partial<Pipeline.TaskContext> = {}) =>
  ToolExecutor.use((executor) => executor.prepare(call(name, input), { ...context, ...more })).pipe(
    Effect.provide(layer)
  )

const ready = (name: string, input: unknown, more: Partial<Pipeline.TaskContext> = {}) =>
  Effect.map(prepare(name, input, more), (prepared) =>
    prepared._tag === "Ready" ? prepared : assert.fail(textOf(prepared.output))
  )

/** The refusal, whose text is always one plain line and an error for the model. */
const refused = (name: string, input: unknown, more: Partial<Pipeline.TaskContext> = {}) =>
  Effect.map(prepare(name, input, more), (prepared) => {
    if (prepared._tag === "Ready") return assert.fail("it was not refused")
    const text = textOf(prepared.output)
    assert.isTrue(prepared.output.isError)
    assert.match(text, /^[\x20-\x7e]+$/)
    return { text, mistake: prepared.mistake, decision: prepared.decision }
  })

const run = (name: string, input: unknown) =>
  Effect.gen(function* () {
    const prepared = yield* ready(name, input)
    return yield* ToolExecutor.use((executor) => executor.run(prepared, context)).pipe(Effect.provide(layer))
  })

describe("a call that the model made wrong", () => {
  it.effect("to an unknown tool names the tools there are", () =>
    Effect.gen(function* () {
      const { mistake, text } = yield* refused("sho\n\u202ew", {})
      assert.isTrue(mistake)
      assert.isTrue(text.startsWith("There is no tool sho\\n\\u{202e}w here. Use one of: show, change, bare,"))
      for (const name of ["constructor", "__proto__", "toString", ""]) assert.isTrue((yield* refused(name, {})).mistake)
      assert.isBelow((yield* refused("x".repeat(9999), {})).text.length, 400)
    })
  )

  it.effect("names each parameter and what is wrong with it", () =>
    Effect.gen(function* () {
      const after = ". Correct the arguments and call it again."
      const wrong: ReadonlyArray<readonly [unknown, string]> = [
        [{}, "path is missing"],
        [{ limit: 1 }, "path is missing"],
        [{ path: 1 }, "path: expected string"],
        [{ path: "a", limit: "two" }, "limit: expected number"],
        [{ path: "a", limit: 1.5 }, "limit: expected an integer"],
        [{ file: "b" }, "file is not a parameter; path is missing"],
        [{ path: "a", options: { a: "1" } }, "options.b is missing"],
        [{ "\n\u202e": 1, limit: "two" }, "\\n\\u{202e} is not a parameter; path is missing; limit: expected number"],
        [undefined, "they must be one JSON object"],
        [null, "they must be one JSON object"],
        ['{"path":"a"}', "they must be one JSON object"],
        [[], "they must be one JSON object"]
      ]
      for (const [input, problem] of wrong) {
        const { decision, mistake, text } = yield* refused("show", input)
        assert.strictEqual(text, `Invalid arguments for show: ${problem}${after}`)
        assert.isTrue(mistake)
        assert.isUndefined(decision)
      }
    })
  )

  it.effect("with many wrong parameters is still one short line", () =>
    Effect.gen(function* () {
      const many = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`k${index}${"x".repeat(500)}`, 1]))
      const { text } = yield* refused("show", many)
      assert.isBelow(text.length, 1200)
      assert.include(text, "493 more.")
    })
  )

  it.effect("to a tool without parameters gives it none", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual((yield* ready("bare", { path: "a" })).args, {})
      assert.deepStrictEqual((yield* ready("bare", { task_progress: "- [ ] a" })).args, {})
    })
  )
})

describe("task_progress", () => {
  it.effect("is stripped from the arguments and returned", () =>
    Effect.gen(function* () {
      const input = { path: "a", task_progress: "- [x] one" }
      const prepared = yield* ready("show", input)
      assert.deepStrictEqual(prepared.args, { path: "a" })
      assert.strictEqual(Pipeline.taskProgress(prepared.call), "- [x] one")
      assert.strictEqual(textOf(yield* run("show", input)), '{"path":"a"}')
      assert.strictEqual(prepared.hash, (yield* ready("show", { path: "a" })).hash)
    })
  )

  it("is nothing when it is blank, of another type or not there", () => {
    for (const input of [{}, { task_progress: " \n" }, { task_progress: ["a"] }, null, "task_progress", undefined]) {
      assert.isUndefined(Pipeline.taskProgress(call("show", input)))
    }
  })
})

describe("the decision of the policy", () => {
  it.effect("deny refuses with the rule, the reason and what is left", () =>
    Effect.gen(function* () {
      const { decision, mistake, text } = yield* refused("change", { path: "a" }, { mode: "plan" })
      assert.strictEqual(decision?.rule, "mode.plan")
      assert.strictEqual(
        text,
        `Not run: ${decision?.reason} (rule: mode.plan). Plan without it; the user switches to act mode.`
      )
      assert.isFalse(mistake)
      const denied = yield* refused("show", { path: "a" }, { approvals: { ...Approvals.ask, read: "deny" } })
      assert.strictEqual(denied.decision?.decision, "deny")
    })
  )

  it.effect("ask and allow pass through with their rule", () =>
    Effect.gen(function* () {
      const asked = yield* ready("change", { path: "a" })
      assert.deepStrictEqual([asked.decision.decision, asked.decision.rule], ["ask", "edit"])
      assert.isNotEmpty(asked.decision.grants)
      assert.strictEqual((yield* ready("show", { path: "a" })).decision.decision, "allow")
      const allowed = yield* ready("change", { path: "a" }, { approvals: Approvals.edits })
      assert.strictEqual(allowed.decision.decision, "allow")
    })
  )

  it.effect("of a tool of the host follows its own name, in no preset but the one that allows everything", () =>
    Effect.gen(function* () {
      const decided = (approvals: Approvals.Approvals) =>
        Effect.map(ready("deploy", {}, { approvals }), ({ decision }) => `${decision.decision} ${decision.rule}`)
      assert.strictEqual(yield* decided(Approvals.project), "ask tools")
      assert.strictEqual(yield* decided(Approvals.all), "allow tools")
      assert.strictEqual(yield* decided({ ...Approvals.ask, tools: { deploy: "allow" } }), "allow tools")
      const { text } = yield* refused("deploy", {}, { approvals: { ...Approvals.all, tools: { deploy: "deny" } } })
      assert.include(text, "Calls of the tool 'deploy': deny. (rule: tools)")
    })
  )

  it.effect("protects the folder of our own data, whatever is allowed", () =>
    Effect.gen(function* () {
      const prepared = yield* ready("change", { path: "own/state" }, { approvals: Approvals.all, home: "/ws/proj/own" })
      assert.strictEqual(prepared.decision.decision, "ask")
      assert.deepStrictEqual(prepared.decision.grants, [])
    })
  )

  it.effect("shows no line of a file that may not be read, also when an edit does not fit", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      const outside = yield* Workspace.make
      workspace.write(".env", "API_TOKEN=sk-canary-1\nB=2\n")
      workspace.write("a.txt", "API_TOKEN=sk-canary-1\nB=2\n")
      workspace.write("closed/c.txt", "API_TOKEN=sk-canary-1\nB=2\n")
      outside.write("o.txt", "API_TOKEN=sk-canary-1\nB=2\n")
      fs.symlinkSync(workspace.at(".env"), workspace.at("link.txt"))
      const replaced = (file: string): readonly [string, object] => {
        const diff = "<<<<<<< SEARCH\nAPI_TOKEN=sk-canary-2\n=======\ny\n>>>>>>> REPLACE"
        return ["replace_in_file", { path: file, diff }]
      }
      const patched = (file: string): readonly [string, object] => {
        const patch = `*** Begin Patch\n*** Update File: ${file}\n@@\n-API_TOKEN=sk-canary-2\n+y\n*** End Patch`
        return ["apply_patch", { patch }]
      }
      const paths = [{ pattern: "closed/**", read: "deny" as const }]
      for (const approvals of [Approvals.ask, { ...Approvals.edits, paths }]) {
        const more = { workspace: workspace.root, approvals }
        for (const of of [replaced, patched]) {
          for (const file of [".env", "link.txt", outside.at("o.txt")]) {
            assert.strictEqual((yield* ready(...of(file), more)).decision.decision, "ask", file)
          }
        }
      }
      // Where it may be read, the closest lines help before anybody is asked.
      const open = yield* prepare(...replaced("a.txt"), { workspace: workspace.root })
      assert.match(open._tag === "Refused" ? textOf(open.output) : "", /closest lines[^]*sk-canary-1/)
      const closed = { workspace: workspace.root, approvals: { ...Approvals.edits, paths } }
      for (const of of [replaced, patched]) {
        const denied = yield* refused(...of("closed/c.txt"), closed)
        assert.notInclude(denied.text, "sk-canary-1")
        assert.strictEqual(denied.decision?.rule, "path.pattern")
      }
    })
  )

  it.effect("a check that dies, throws or gives nonsense refuses", () =>
    Effect.gen(function* () {
      for (const name of ["facts_die", "facts_throw", "facts_wrong"]) {
        const { mistake, text } = yield* refused(name, { path: "a" }, { approvals: Approvals.all })
        assert.match(text, /^Not run: .*\(rule: invalid\)\. Go on without it/)
        assert.isFalse(mistake)
      }
    })
  )
})

describe("run", () => {
  it.effect("gives the tool its decoded arguments and the id of the call", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* run("show", { path: "a", limit: 2 }), Tool.output('{"path":"a","limit":2}'))
      assert.deepStrictEqual(yield* run("run_asks", { path: "a" }), Tool.output("toolu_1"))
    })
  )

  it.effect("makes a defect an error for the model", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* run("run_dies", { path: "a" }), Tool.failure("run_dies failed: broken"))
      assert.deepStrictEqual(yield* run("run_throws", { path: "a" }), Tool.failure("run_throws failed: broken"))
      assert.isTrue((yield* run("run_dies_oddly", { path: "a" })).isError)
    })
  )

  it.effect("does not make an interruption a result", () =>
    Effect.gen(function* () {
      assert.isTrue(Exit.hasInterrupts(yield* Effect.exit(run("run_stops", { path: "a" }))))
    })
  )
})

describe("a call that cannot be carried out as things are", () => {
  it.effect("is refused before anybody is asked, and when nobody is asked it is the tool's to see", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      const own = { ...workspace.context, strictPlanMode: true, home: context.home, seen: () => ({ hash: "other" }) }
      workspace.write("file", "1")
      const input = { path: "file", content: "new" }
      const asked = yield* prepare("write_to_file", input, { ...own, approvals: Approvals.ask })
      assert.deepStrictEqual([asked._tag, asked._tag === "Refused" && asked.mistake], ["Refused", false])
      const prepared = yield* ready("write_to_file", input, own)
      assert.strictEqual(prepared.decision.decision, "allow")
      const output = yield* ToolExecutor.use((service) => service.run(prepared, own)).pipe(Effect.provide(layer))
      assert.isTrue(output.isError)
      assert.strictEqual(workspace.read("file"), "1")
    })
  )
})

describe("the hash that an approval binds to", () => {
  const hash = (name: string, input: unknown) => Effect.map(ready(name, input), (prepared) => prepared.hash)

  it.effect("changes with the tool, an argument and the target", () =>
    Effect.gen(function* () {
      const hashes = [
        yield* hash("show", { path: "a" }),
        yield* hash("run_asks", { path: "a" }),
        yield* hash("change", { path: "a" }),
        yield* hash("show", { path: "b" }),
        yield* hash("show", { path: "a", limit: 1 }),
        yield* hash("show", { path: "a", limit: 2 }),
        yield* hash("show", { path: "a", options: { a: "1", b: "2" } }),
        yield* hash("show", { path: "a", options: { a: "2", b: "1" } })
      ]
      assert.strictEqual(new Set(hashes).size, hashes.length)
      for (const one of hashes) assert.match(one, /^[0-9a-f]{64}$/)
    })
  )

  it.effect("does not change with the order of keys, at any depth, nor between two preparations", () =>
    Effect.gen(function* () {
      assert.strictEqual(
        yield* hash("show", { path: "a", limit: 1, options: { a: "1", b: "2" } }),
        yield* hash("show", { options: { b: "2", a: "1" }, limit: 1, path: "a" })
      )
      const first = call("t", { a: { x: 1, y: [1, 2] }, b: 2 })
      assert.strictEqual(Pipeline.argsHash(first), Pipeline.argsHash(call("t", { b: 2, a: { y: [1, 2], x: 1 } })))
      assert.notStrictEqual(Pipeline.argsHash(first), Pipeline.argsHash(call("t", { b: 2, a: { y: [2, 1], x: 1 } })))
    })
  )

  const Input = Schema.Struct({ path: Schema.Literals(["a", "b"]), limit: Schema.optionalKey(Schema.Int) })
  const input = Arbitrary.schema(Input)
  it.effect.prop("is the same exactly for the same arguments", { left: input, right: input }, ({ left, right }) =>
    Effect.gen(function* () {
      const same = left.path === right.path && left.limit === right.limit
      assert.strictEqual((yield* hash("show", left)) === (yield* hash("show", right)), same)
    })
  )

  it.effect(
    "changes with the content of a file that is edited and with the file that is read, once somebody is asked",
    () =>
      Effect.gen(function* () {
        const workspace = yield* Workspace.make
        const own = (approvals: Approvals.Approvals) => ({
          ...workspace.context,
          approvals,
          strictPlanMode: true,
          home: context.home
        })
        const ask = { ...Approvals.ask, read: "ask" } as const
        const hash = (name: string, input: unknown, approvals: Approvals.Approvals = ask) =>
          Effect.map(ready(name, input, own(approvals)), (prepared) => prepared.hash)
        const edit = { path: "file", content: "new" }
        const hashes = (approvals?: Approvals.Approvals) =>
          Effect.all([hash("write_to_file", edit, approvals), hash("read_file", { path: "file" }, approvals)])
        const replace = (content: string) => {
          fs.writeFileSync(workspace.at("other"), content)
          fs.renameSync(workspace.at("other"), workspace.at("file"))
        }
        workspace.write("file", "1")
        const [edited, read] = yield* hashes()
        const allowed = yield* hashes(Approvals.all)
        replace("1")
        const [same, anotherFile] = yield* hashes()
        workspace.write("file", "2")
        const [changed, grown] = yield* hashes()
        assert.deepStrictEqual([edited === same, read === anotherFile], [true, false])
        assert.deepStrictEqual([same === changed, anotherFile === grown], [false, true])
        assert.deepStrictEqual(yield* hashes(Approvals.all), allowed)
      })
  )

  it.effect("holds an edit to the content that it was taken for, at the moment of the write", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      const own = { ...workspace.context, approvals: Approvals.ask, strictPlanMode: true, home: context.home }
      workspace.write("file", "1")
      const prepared = yield* ready("write_to_file", { path: "file", content: "new" }, own)
      workspace.write("file", "2")
      const executor = ToolExecutor.use((service) => service.run(prepared, own)).pipe(Effect.provide(layer))
      const output = yield* executor
      assert.isTrue(output.isError)
      assert.include(textOf(output), "file changed in the meantime")
      assert.strictEqual(workspace.read("file"), "2")
      workspace.write("file", "1")
      assert.isFalse((yield* executor).isError)
    })
  )

  it.effect("changes when the path leads to another file, or to a file of another kind", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      const input = { path: "link/file", content: "new" }
      const own = { ...workspace.context, strictPlanMode: true, home: context.home }
      const now = Effect.map(ready("write_to_file", input, own), (prepared) => prepared.hash)
      workspace.write("one/file", "1")
      workspace.write("two/file", "1")
      fs.symlinkSync("one", workspace.at("link"))
      const before = yield* now
      assert.strictEqual(yield* now, before)
      fs.rmSync(workspace.at("link"))
      fs.symlinkSync("two", workspace.at("link"))
      const elsewhere = yield* now
      fs.linkSync(workspace.at("two/file"), workspace.at("two/second name"))
      const linked = yield* now
      fs.rmSync(workspace.at("two/file"))
      const absent = yield* now
      fs.rmSync(workspace.at("link"))
      fs.symlinkSync(workspace.outside, workspace.at("link"))
      const outside = yield* now
      assert.strictEqual(new Set([before, elsewhere, linked, absent, outside]).size, 5)
    })
  )
})
