/** What git takes settings and hooks from is protected wherever it lies. */
import { GitFolders } from "@belay/approval-policy/facts"
import { ApprovalPolicy } from "@belay/approval-policy"
import { ToolCatalog, ToolExecutor } from "@belay/tool-executor"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as childProcess from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import * as Workspace from "./fixtures/Workspace.ts"

const git = (folder: string, ...args: ReadonlyArray<string>) =>
  childProcess.execFileSync("git", ["-C", folder, "-c", "user.name=a", "-c", "user.email=a@b", ...args])

const layer = ToolExecutor.layer.pipe(
  Layer.provide([ToolCatalog.layer(Workspace.all), ApprovalPolicy.ApprovalPolicy.layer])
)

const judged = Effect.fnUntraced(function* (workspace: Workspace.TestWorkspace, name: string, input: object) {
  const context = { ...workspace.context, strictPlanMode: true, home: workspace.home }
  const prepared = yield* ToolExecutor.use((executor) => executor.prepare({ callId: "c", name, input }, context)).pipe(
    Effect.provide(layer)
  )
  const { decision, rule } = prepared.decision ?? { decision: "none", rule: "none" }
  return `${decision} ${rule}`
})

const writes = (workspace: Workspace.TestWorkspace, file: string) =>
  judged(workspace, "write_to_file", { path: file, content: "#!/bin/sh\n" })

describe("folders of git", () => {
  it.effect("an edit in the folder that core.hooksPath names asks, by a tool and by a command, and runs no git", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      git(workspace.root, "init", "-q")
      assert.strictEqual(yield* writes(workspace, "tools/checks/pre-commit"), "allow edit")
      git(workspace.root, "config", "core.hooksPath", "tools/checks")
      assert.strictEqual(yield* writes(workspace, "tools/checks/pre-commit"), "ask path.protected")
      assert.strictEqual(yield* writes(workspace, "tools/other"), "allow edit")
      const copies = { command: "cp a tools/checks/pre-commit" }
      assert.strictEqual(yield* judged(workspace, "execute_command", copies), "ask path.protected")
    })
  )

  it.effect("whatever way the setting is written", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      git(workspace.root, "init", "-q")
      const config = fs.readFileSync(workspace.at(".git/config"), "utf8")
      const ways = [
        '[core]\n\tHooksPath = "tools/checks" # ours\n',
        "[core] hookspath=tools/checks\n",
        "[core]\n\thookspath = tools/\\\nchecks\n",
        `[core]\n\thookspath = ${workspace.at("tools/checks")}\n`,
        "[include]\n\tpath = ../more.conf\n"
      ]
      workspace.write("more.conf", "[core]\r\n\thooksPath = tools/checks\r\n")
      for (const way of ways) {
        workspace.write(".git/config", config + way)
        assert.strictEqual(yield* writes(workspace, "tools/checks/pre-push"), "ask path.protected", way)
      }
      workspace.write(".git/config", `${config}[core]\n\thooksPath = .\n`)
      assert.strictEqual(yield* writes(workspace, "pre-push"), "ask path.protected")
      assert.strictEqual(yield* writes(workspace, "src/a.ts"), "allow edit")
    })
  )

  it.effect("of a repository inside, and of a git directory with another name", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      fs.mkdirSync(workspace.at("sub"))
      git(workspace.root, "init", "-q", "--separate-git-dir", workspace.at("store"))
      git(workspace.at("sub"), "init", "-q")
      git(workspace.at("sub"), "config", "core.hooksPath", "checks")
      assert.strictEqual(yield* writes(workspace, "store/hooks/pre-commit"), "ask path.protected")
      assert.strictEqual(yield* writes(workspace, "sub/checks/pre-commit"), "ask path.protected")
      assert.strictEqual(yield* writes(workspace, "checks/pre-commit"), "allow edit")
    })
  )

  it.effect("a folder without a repository, and files that cannot be read, are no error", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      assert.isArray(GitFolders.of(workspace.root, []))
      fs.mkdirSync(workspace.at(".git/config"), { recursive: true })
      assert.include(GitFolders.of(workspace.root, []), path.join(workspace.root, ".git"))
    })
  )
})
