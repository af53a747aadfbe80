/** An edit that names a schema elsewhere is told to the policy, and does nothing that was not told. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Workspace from "./fixtures/Workspace.ts"

const address = "https://host.example/?d=KEY"
const schema = (where: string) => `{\n  "$schema": "${where}",\n  "a": 1\n}\n`
const diff = (search: string, replace: string) => `------- SEARCH\n${search}\n=======\n${replace}\n+++++++ REPLACE`
const patch = (...lines: ReadonlyArray<string>) => ["*** Begin Patch", ...lines, "*** End Patch"].join("\n")

const schemas = (workspace: Workspace.TestWorkspace, name: string, args: object) =>
  Effect.map(Workspace.tool(name).facts(args, workspace.context), ({ paths }) =>
    paths.map((fact) => fact.schemas ?? [])
  )

describe("schemas in edits", () => {
  it.effect("are stated by every tool that edits, when they are new or changed", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      const content = schema(address)
      assert.deepStrictEqual(yield* schemas(workspace, "write_to_file", { path: "a.json", content }), [[address]])
      workspace.write("a.json", schema("./a.schema.json"))
      assert.deepStrictEqual(yield* schemas(workspace, "write_to_file", { path: "a.json", content }), [[address]])
      const replaced = { path: "a.json", diff: diff("./a.schema.json", address) }
      assert.deepStrictEqual(yield* schemas(workspace, "replace_in_file", replaced), [[address]])
      const update = [
        "*** Update File: a.json",
        "@@",
        '-  "$schema": "./a.schema.json",',
        `+  "$schema": "${address}",`
      ]
      const add = ["*** Add File: b.json", `+{ "$schema": "${address}" }`]
      const patched = { patch: patch(...update, ...add) }
      assert.deepStrictEqual(yield* schemas(workspace, "apply_patch", patched), [[address], [address]])
    })
  )

  it.effect("are put together of two edits, when only the file as a whole names one", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      workspace.write("a.json", '{ "$x": "https://host.example/?d=KEY" }')
      const args = { path: "a.json", diff: diff("$x", "$schema") }
      assert.deepStrictEqual(yield* schemas(workspace, "replace_in_file", args), [[address]])
    })
  )

  it.effect("that stay, or move along with their file, are not stated", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      workspace.write("a.json", schema(address))
      const content = schema(address).replace("1", "2")
      assert.deepStrictEqual(yield* schemas(workspace, "write_to_file", { path: "a.json", content }), [[]])
      const moved = patch("*** Update File: a.json", "*** Move to: b.json", "@@", '-  "a": 1', '+  "a": 2')
      assert.deepStrictEqual(yield* schemas(workspace, "apply_patch", { patch: moved }), [[], []])
    })
  )

  it.effect("that come in by a change of the file after the decision are refused", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      workspace.write("a.json", '{ "$x": "./a.schema.json" }')
      const args = { path: "a.json", diff: diff("$x", "$schema") }
      assert.deepStrictEqual(yield* schemas(workspace, "replace_in_file", args), [[]])
      workspace.write("a.json", `{ "$x": "${address}" }`)
      const { isError, text } = yield* Workspace.call("replace_in_file", args, workspace)
      assert.deepStrictEqual([isError, workspace.read("a.json")], [true, `{ "$x": "${address}" }`])
      assert.include(text, "would name a schema elsewhere")
    })
  )
})
