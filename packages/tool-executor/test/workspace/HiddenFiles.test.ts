/** What the tools that find files do not show: by patterns of paths and by .belayignore. */
import { ApprovalPolicy, Approvals } from "@belay/approval-policy"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import * as Workspace from "./fixtures/Workspace.ts"

describe("a pattern in paths", () => {
  it.effect("that does not let files be read keeps them from what takes all of a folder", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      for (const name of ["src/keys/k.ts", "src/asked.ts", "src/a.ts"])
        workspace.write(name, "export const needle = () => 1\n")
      const paths = [
        { pattern: "src/keys/**", read: "deny" },
        { pattern: "**/asked.ts", read: "ask" }
      ] as const
      const context = { ...workspace.context, approvals: { ...Approvals.ask, paths } }
      const run = (name: string, args: object) => Workspace.tool(name).execute(args, context)
      const found = yield* run("search_files", { path: ".", regex: "needle" })
      assert.match(Workspace.textOf(found), /src\/a\.ts/)
      assert.notMatch(Workspace.textOf(found), /keys|asked/)
      const defined = yield* run("list_code_definition_names", { path: "src" })
      assert.notMatch(Workspace.textOf(defined), /asked/)
      // A file that is named has been judged.
      const named = yield* run("search_files", { path: "src/asked.ts", regex: "needle" })
      assert.match(Workspace.textOf(named), /asked/)
    })
  )
})

describe(".belayignore", () => {
  it.effect("is the same for every tool: what it leaves out asks by name, and lists and searches do not show it", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      workspace.write(".belayignore", "private/\n*.keepout\n")
      for (const name of ["private/p.txt", "src/b.keepout", "src/a.ts", "docs/c.md"]) workspace.write(name, "needle\n")
      fs.symlinkSync(workspace.at("private/p.txt"), workspace.at("notes.txt"))
      const rules = {
        ...Approvals.all,
        commands: { allow: ["cat", "grep", "rg", "ls", "npm test"], deny: [], other: "ask" }
      } as const
      const decide = Effect.fnUntraced(function* (tool: string, args: object) {
        const { category, facts, name, readOnly } = Workspace.tool(tool)
        const found = yield* facts(args, workspace.context)
        const { decision, rule } = ApprovalPolicy.decide({
          tool: name,
          category,
          args,
          readOnly,
          mode: "act",
          approvals: rules,
          workspace: workspace.root,
          known: true,
          facts: { paths: found.paths, ...(found.command === undefined ? {} : { command: found.command }) }
        })
        return decision === "allow" ? "allow" : rule
      })
      for (const file of ["private/p.txt", "src/b.keepout", "notes.txt"]) {
        assert.strictEqual(yield* decide("read_file", { path: file }), "path.ignored", file)
        assert.strictEqual(yield* decide("write_to_file", { path: file, content: "" }), "path.ignored", file)
        assert.strictEqual(yield* decide("search_files", { path: file, regex: "x" }), "path.ignored", file)
        for (const command of [`cat ${file}`, `cat < ${file}`, `cat ${file[0]}*/* *.txt src/*`, `npm test ${file}`]) {
          assert.strictEqual(yield* decide("execute_command", { command }), "path.ignored", command)
        }
      }
      assert.strictEqual(yield* decide("list_files", { path: "private" }), "path.ignored")
      for (const command of [
        "grep -r needle .",
        "grep -r needle",
        "rg needle",
        "rg needle src",
        "find . -exec cat {} +"
      ]) {
        assert.strictEqual(yield* decide("execute_command", { command }), "path.ignored", command)
      }
      for (const command of ["cat src/a.ts", "grep -r needle docs", "rg needle docs", "ls -R"]) {
        assert.strictEqual(yield* decide("execute_command", { command }), "allow", command)
      }
      assert.strictEqual(yield* decide("read_file", { path: "src/a.ts" }), "allow")
      fs.rmSync(workspace.at(".belayignore"))
      assert.strictEqual(yield* decide("read_file", { path: "private/p.txt" }), "allow")
    })
  )
})
