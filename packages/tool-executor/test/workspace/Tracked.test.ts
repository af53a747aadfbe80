/** Commands that are given the names which git tracks read these files, and no other. */
import { ApprovalPolicy, Approvals } from "@belay/approval-policy"
import { ToolCatalog, ToolExecutor } from "@belay/tool-executor"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as childProcess from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import * as Workspace from "./fixtures/Workspace.ts"

const git = (folder: string, ...args: ReadonlyArray<string>) =>
  childProcess.execFileSync("git", ["-C", folder, ...args], { stdio: "pipe" })

const layer = ToolExecutor.layer.pipe(
  Layer.provide([ToolCatalog.layer(Workspace.all), ApprovalPolicy.ApprovalPolicy.layer])
)

const judged = Effect.fnUntraced(function* (workspace: Workspace.TestWorkspace, command: string, cwd = ".") {
  const commands = { allow: ["xargs", "git add"], deny: [], other: "ask" as const }
  const approvals = { ...Approvals.edits, commands }
  const context = { ...workspace.context, approvals, strictPlanMode: true, home: workspace.home }
  const call = { callId: "c", name: "execute_command", input: { command, cwd } }
  const prepared = yield* ToolExecutor.use((executor) => executor.prepare(call, context)).pipe(Effect.provide(layer))
  return prepared.decision?.decision ?? "none"
})

const given = ["git ls-files | xargs cat", "cat $(git ls-files)", "for f in $(git ls-files); do cat $f; done"]

const all = Effect.fnUntraced(function* (workspace: Workspace.TestWorkspace, cwd?: string) {
  const found = yield* Effect.forEach(given, (text) => judged(workspace, text, cwd))
  return [...new Set(found)].join(" ")
})

const make = Effect.gen(function* () {
  const workspace = yield* Workspace.make
  const write = (name: string) => {
    fs.mkdirSync(path.dirname(path.join(workspace.root, name)), { recursive: true })
    fs.writeFileSync(path.join(workspace.root, name), `${name}\n`)
  }
  write("src/a.ts")
  write("src/deep/b.ts")
  workspace.write(".gitignore", ".env\n")
  write(".env")
  fs.symlinkSync("/etc/passwd", path.join(workspace.root, "untracked"))
  git(workspace.root, "init", "-q")
  git(workspace.root, "add", "src", ".gitignore")
  return { workspace, write }
})

describe("names that git tracks", () => {
  it.effect("are read without an ask beside secrets and links that it does not track", () =>
    Effect.gen(function* () {
      const { workspace } = yield* make
      assert.strictEqual(yield* all(workspace), "allow")
      assert.strictEqual(yield* all(workspace, "src"), "allow")
      assert.strictEqual(yield* judged(workspace, "cat $(find . -type f)"), "ask")
      assert.strictEqual(yield* judged(workspace, "git add -f .env; git ls-files | xargs cat"), "ask")
      git(workspace.root, "add", "-f", ".env")
      assert.strictEqual(yield* all(workspace), "ask")
      assert.strictEqual(yield* all(workspace, "src"), "allow")
    })
  )

  it.effect("ask for links that lead outside, and for folders that have become links", () =>
    Effect.gen(function* () {
      const { workspace, write } = yield* make
      git(workspace.root, "add", "untracked")
      assert.strictEqual(yield* all(workspace), "ask")
      git(workspace.root, "rm", "-q", "--cached", "untracked")
      assert.strictEqual(yield* all(workspace), "allow")
      const deep = path.join(workspace.root, "src", "deep")
      fs.rmSync(deep, { recursive: true })
      fs.symlinkSync("../other", deep)
      write("other/b.ts")
      assert.strictEqual(yield* all(workspace), "ask")
    })
  )

  it.effect("are those of changed files alone where git lists what has changed", () =>
    Effect.gen(function* () {
      const { workspace, write } = yield* make
      const changed = (cwd?: string) => judged(workspace, "git diff --name-only | xargs cat", cwd)
      write("src/key.pem")
      git(workspace.root, "add", "src")
      assert.strictEqual(yield* all(workspace), "ask")
      assert.strictEqual(yield* changed(), "allow")
      assert.strictEqual(yield* judged(workspace, "git grep -l x | xargs cat"), "ask")
      // From there the names mean other files.
      assert.strictEqual(yield* changed("src"), "ask")
      fs.chmodSync(path.join(workspace.root, "src/key.pem"), 0o755)
      assert.strictEqual(yield* changed(), "ask")
      fs.chmodSync(path.join(workspace.root, "src/key.pem"), 0o644)
      assert.strictEqual(yield* changed(), "allow")
      workspace.write("src/key.pem", "another\n")
      assert.strictEqual(yield* changed(), "ask")
      git(workspace.root, "rm", "-q", "-f", "--cached", "src/key.pem")
      assert.strictEqual(yield* changed(), "allow")
      git(workspace.root, "add", "untracked")
      assert.strictEqual(yield* changed(), "ask")
    })
  )

  it.effect("ask where an index has names that git puts into none", () =>
    Effect.gen(function* () {
      for (const name of ["../src/a.ts", ".git/config", "src//x.ts", "/src/a.tss"]) {
        const { workspace, write } = yield* make
        const plain = "x".repeat(name.length)
        write(plain)
        git(workspace.root, "add", plain)
        assert.strictEqual(yield* all(workspace), "allow", name)
        const index = path.join(workspace.root, ".git", "index")
        const made = fs.readFileSync(index, "latin1").replace(plain, name)
        fs.writeFileSync(index, made, "latin1")
        assert.strictEqual(yield* all(workspace), "ask", name)
        assert.strictEqual(yield* all(workspace, "src"), "ask", name)
        assert.strictEqual(yield* judged(workspace, "git diff --name-only | xargs cat"), "ask", name)
        assert.strictEqual(yield* judged(workspace, "git ls-files -co | xargs cat"), "ask", name)
      }
    })
  )

  it.effect("ask where a name is taken for several, expanded, or quoted", () =>
    Effect.gen(function* () {
      for (const [name, decisions] of [
        ["src/a b.ts", "ask"],
        ["src/ä.ts", "ask"],
        ["src/[id].ts", "allow ask"],
        ["src/*", "allow ask"]
      ] as const) {
        const { workspace, write } = yield* make
        write(name)
        git(workspace.root, "add", "src")
        assert.strictEqual(yield* all(workspace), decisions, name)
        assert.strictEqual(yield* judged(workspace, "git ls-files -z | xargs -0 cat"), "allow", name)
      }
    })
  )

  it.effect("ask where the index cannot be read, or names another work tree", () =>
    Effect.gen(function* () {
      const { workspace: broken } = yield* make
      fs.writeFileSync(path.join(broken.root, ".git", "index"), "DIRC and nothing else")
      assert.strictEqual(yield* all(broken), "ask")
      const { workspace: moved } = yield* make
      git(moved.root, "config", "core.worktree", "..")
      assert.strictEqual(yield* all(moved), "ask")
      const { workspace: split } = yield* make
      git(split.root, "update-index", "--split-index")
      assert.strictEqual(yield* all(split), "ask")
    })
  )
})
