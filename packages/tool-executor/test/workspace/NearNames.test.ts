import { ApprovalPolicy, Approvals } from "@belay/approval-policy"
import { ToolCatalog, ToolExecutor } from "@belay/tool-executor"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as fs from "node:fs"
import * as Workspace from "./fixtures/Workspace.ts"

const layer = ToolExecutor.layer.pipe(
  Layer.provide([ToolCatalog.layer(Workspace.all), ApprovalPolicy.ApprovalPolicy.layer])
)

/** What the model reads of a call that is judged and, where it may be, run. */
const told = (
  workspace: Workspace.TestWorkspace,
  name: string,
  input: object,
  approvals: Approvals.Approvals = Approvals.all
) =>
  Effect.gen(function* () {
    const executor = yield* ToolExecutor
    const context = { ...workspace.context, approvals, strictPlanMode: true, home: workspace.home }
    const prepared = yield* executor.prepare({ callId: "c", name, input }, context)
    return Workspace.textOf(prepared._tag === "Ready" ? yield* executor.run(prepared, context) : prepared.output)
  }).pipe(Effect.provide(layer))

const patch = (file: string) => `*** Update File: ${file}\n@@\n-a\n+b`
const diff = "------- SEARCH\na\n=======\nb\n+++++++ REPLACE"

describe("a path that leads nowhere", () => {
  it.effect("is answered with the file of that name elsewhere", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      for (const name of ["src/tax.js", "docs/guide.md", "b/util.ts", "c/util.ts"]) workspace.write(name, "a\n")
      const tax = "tax.js does not exist. There is src/tax.js."
      const unchanged = `${tax}\nNothing was changed.`
      const ask = { ...Approvals.edits, edit: "ask" as const }
      assert.strictEqual(yield* told(workspace, "read_file", { path: "tax.js" }), tax)
      assert.strictEqual(yield* told(workspace, "search_files", { path: "tax.js", regex: "a" }), tax)
      assert.strictEqual(yield* told(workspace, "replace_in_file", { path: "tax.js", diff }), unchanged)
      assert.strictEqual(yield* told(workspace, "replace_in_file", { path: "tax.js", diff }, ask), unchanged)
      assert.strictEqual(yield* told(workspace, "apply_patch", { patch: patch("tax.js") }), unchanged)
      assert.strictEqual(
        yield* told(workspace, "read_file", { path: "lib/UTIL.ts" }),
        "lib/UTIL.ts does not exist. There are b/util.ts and c/util.ts."
      )
      assert.strictEqual(
        yield* told(workspace, "list_files", { path: "documents" }),
        "documents does not exist. List the folder above it."
      )
      assert.strictEqual(yield* told(workspace, "list_files", { path: "dcos" }), "dcos does not exist. There is docs.")
    })
  )

  it.effect("is answered with a name that is spelled almost so", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      for (const name of ["src/tax.js", "src/index.tsx", "lib/parser.ts"]) workspace.write(name, "")
      const answers = [
        ["src/taxx.js", "There is src/tax.js."],
        ["src/tax.ts", "There is src/tax.js."],
        ["src/index.js", "There is src/index.tsx."],
        ["src/prasers.ts", "There is lib/parser.ts."]
      ] as const
      for (const [path, there] of answers) {
        assert.strictEqual(yield* told(workspace, "read_file", { path }), `${path} does not exist. ${there}`)
      }
      assert.strictEqual(yield* told(workspace, "read_file", { path: "src/other.js" }), "src/other.js does not exist")
    })
  )

  it.effect("leaves what is written new alone", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      workspace.write("src/tax.js", "")
      yield* told(workspace, "write_to_file", { path: "tax.js", content: "new" })
      assert.strictEqual(workspace.read("tax.js"), "new")
    })
  )

  it.effect("names nothing that is ignored, secret, or that the task may not read unasked", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      workspace.write(".gitignore", "gen/\n")
      workspace.write(".belayignore", "private/\n")
      const hidden = ["gen/a.ts", "private/b.ts", "node_modules/p/c.ts", "keys/.env", "keys/id_rsa", "closed/d.ts"]
      for (const name of hidden) workspace.write(name, "")
      fs.symlinkSync(workspace.outside, workspace.at("link"))
      fs.writeFileSync(`${workspace.outside}/e.ts`, "")
      const approvals = { ...Approvals.all, paths: [{ pattern: "closed/**", read: "deny" as const }] }
      for (const path of ["a.ts", "b.ts", "c.ts", "x/.env", "x/.envs", "id_rsa", "d.ts", "e.ts"]) {
        const text = yield* told(workspace, "search_files", { path, regex: "x" }, approvals)
        assert.notInclude(text, "There is", path)
      }
      workspace.write("open/f.ts", "")
      const found = "f.ts does not exist. There is open/f.ts."
      assert.strictEqual(yield* told(workspace, "read_file", { path: "f.ts" }, approvals), found)
      const text = yield* told(workspace, "read_file", { path: "f.ts" }, { ...Approvals.all, read: "ask" })
      assert.strictEqual(text, "f.ts does not exist")
    })
  )
})
