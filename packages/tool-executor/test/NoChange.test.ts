import { ApprovalPolicy, Approvals } from "@belay/approval-policy"
import { ToolCatalog, ToolExecutor } from "@belay/tool-executor"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { context } from "./fixtures/Tools.ts"
import * as Workspace from "./workspace/fixtures/Workspace.ts"

const layer = ToolExecutor.layer.pipe(
  Layer.provide([ToolCatalog.layer(Workspace.all), ApprovalPolicy.ApprovalPolicy.layer])
)
describe("an edit that would be put to a person", () => {
  it.effect("is refused at once when it changes nothing or does not fit", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      workspace.write("file", "one\n")
      const own = { ...workspace.context, strictPlanMode: true, home: context.home, approvals: Approvals.ask }
      const diff = (search: string, replace: string) =>
        `------- SEARCH\n${search}\n=======\n${replace}\n+++++++ REPLACE`
      const patch = (line: string) => `*** Begin Patch\n*** Update File: file\n-one\n+${line}\n*** End Patch`
      const said = (name: string, input: unknown) =>
        Effect.map(
          ToolExecutor.use((executor) => executor.prepare({ callId: "c", name, input }, own)).pipe(
            Effect.provide(layer)
          ),
          (prepared) =>
            prepared._tag === "Refused"
              ? [prepared.mistake, Workspace.textOf(prepared.output).split("\n")[0]]
              : prepared._tag
        )
      const same = [false, "file already has this content. Nothing was changed."]
      assert.deepStrictEqual(yield* said("write_to_file", { path: "file", content: "one\n" }), same)
      assert.deepStrictEqual(yield* said("replace_in_file", { path: "file", diff: diff("one", "one") }), same)
      assert.deepStrictEqual(yield* said("apply_patch", { patch: patch("one") }), [
        false,
        "Every file already has this content. Nothing was changed."
      ])
      const unfit = yield* said("replace_in_file", { path: "file", diff: diff("two", "three") })
      assert.match(String(unfit), /^true,Block 1: the SEARCH part was not found/)
      for (const [name, input] of [
        ["write_to_file", { path: "file", content: "two\n" }],
        ["replace_in_file", { path: "file", diff: diff("one", "two") }],
        ["apply_patch", { patch: patch("two") }]
      ] as const) {
        assert.strictEqual(yield* said(name, input), "Ready", name)
      }
    })
  )
})
