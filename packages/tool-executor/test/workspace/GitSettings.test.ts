/** What a repository's own settings could start while git only reads is asked for, or it is switched off. */
import { ApprovalPolicy, Approvals, type PolicyInput } from "@belay/approval-policy"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as childProcess from "node:child_process"
import * as fs from "node:fs"
import * as Workspace from "./fixtures/Workspace.ts"

const git = (folder: string, ...args: ReadonlyArray<string>) =>
  childProcess.execFileSync("git", ["-C", folder, "-c", "user.name=a", "-c", "user.email=a@b", ...args])

/** A repository whose file differs from what is committed, and a program that leaves a trace. */
const repository = Effect.map(Workspace.make, (workspace) => {
  git(workspace.root, "init", "-q")
  workspace.write("a.txt", "one\n")
  git(workspace.root, "add", "-A")
  git(workspace.root, "commit", "-qm", "one")
  workspace.write("a.txt", "two\n")
  workspace.write("spy.sh", `#!/bin/sh\ntouch ${workspace.at("ran")}\ncat "$1"\n`)
  fs.chmodSync(workspace.at("spy.sh"), 0o755)
  return workspace
})

const approvals = {
  ...Approvals.ask,
  commands: { allow: ["git", "git commit", "git fetch", "cd"], deny: [], other: "ask" as const }
}

const decide = Effect.fnUntraced(function* (
  command: string,
  workspace: Workspace.TestWorkspace,
  mode: "plan" | "act" = "act"
) {
  const facts = yield* Workspace.tool("execute_command").facts({ command }, workspace.context)
  const input: PolicyInput.PolicyInput = {
    tool: "execute_command",
    category: "command",
    args: { command },
    mode,
    readOnly: false,
    approvals,
    facts: { paths: [], ...(facts.command === undefined ? {} : { command: facts.command }) },
    workspace: workspace.root,
    known: true
  }
  return ApprovalPolicy.decide(input).rule
})

const reads = ["git diff", "git log -p", "git show", "git status", "cd . && git diff"]

describe("settings of the repository", () => {
  it.effect("that start programs make every reading git command ask, and plan mode refuse it", () =>
    Effect.gen(function* () {
      const settings = [
        ["diff.external", "./spy.sh"],
        ["diff.x.textconv", "./spy.sh"],
        ["diff.x.command", "./spy.sh"],
        ["filter.x.clean", "./spy.sh"],
        ["filter.a.b.process", "./spy.sh"],
        ["gpg.program", "./spy.sh"],
        ["include.path", "other"]
      ] as const
      for (const [key, value] of settings) {
        const workspace = yield* repository
        for (const command of reads) assert.strictEqual(yield* decide(command, workspace), "commands.allow", command)
        git(workspace.root, "config", key, value)
        for (const command of reads)
          assert.strictEqual(yield* decide(command, workspace), "command.git", `${key} ${command}`)
        assert.strictEqual(yield* decide("git diff", workspace, "plan"), "mode.plan")
        // A command of another program does not ask for it.
        assert.strictEqual(yield* decide("cd .", workspace), "commands.allow")
      }
    })
  )

  it.effect("also those of a repository below, of a worktree and of a submodule", () =>
    Effect.gen(function* () {
      const workspace = yield* repository
      fs.mkdirSync(workspace.at("sub"))
      git(workspace.at("sub"), "init", "-q")
      git(workspace.at("sub"), "config", "diff.external", "./spy.sh")
      assert.strictEqual(yield* decide("git diff", workspace), "commands.allow")
      assert.strictEqual(yield* decide("cd sub && git diff", workspace), "command.git")
      fs.rmSync(workspace.at("sub"), { recursive: true })
      git(workspace.root, "worktree", "add", "-q", workspace.at("tree"))
      workspace.write(".git/modules/m/HEAD", "ref: refs/heads/main\n")
      workspace.write(".git/modules/m/config", "[core]\n\tfsmonitor = ./spy.sh\n")
      for (const command of ["git status", "cd tree && git status"]) {
        assert.strictEqual(yield* decide(command, workspace), "command.git", command)
      }
    })
  )

  it.effect("also those of a repository inside that git enters by itself, wherever they stand in a line", () =>
    Effect.gen(function* () {
      const workspace = yield* repository
      workspace.write("sub/b.txt", "one\n")
      git(workspace.at("sub"), "init", "-q")
      git(workspace.at("sub"), "add", "-A")
      git(workspace.at("sub"), "commit", "-qm", "sub")
      git(workspace.root, "add", "sub")
      workspace.write("sub/b.txt", "two\n")
      for (const command of reads) assert.strictEqual(yield* decide(command, workspace), "commands.allow", command)
      fs.appendFileSync(workspace.at("sub/.git/config"), "[a][core] fsmonitor = ../spy.sh # [b]\n")
      git(workspace.root, "status")
      assert.isTrue(fs.existsSync(workspace.at("ran")), "the attack does not work")
      for (const command of reads) assert.strictEqual(yield* decide(command, workspace), "command.git", command)
    })
  )

  it.effect("that only other commands than readers run ask for these", () =>
    Effect.gen(function* () {
      const workspace = yield* repository
      git(workspace.root, "config", "core.hooksPath", ".husky/_")
      for (const command of ["git commit -m x", "git fetch origin", ...reads])
        assert.strictEqual(yield* decide(command, workspace), "commands.allow", command)
      git(workspace.root, "config", "core.sshCommand", "./spy.sh")
      for (const command of ["git commit -m x", "git fetch origin", "git status && git fetch origin"])
        assert.strictEqual(yield* decide(command, workspace), "command.git", command)
      for (const command of reads) assert.strictEqual(yield* decide(command, workspace), "commands.allow", command)
    })
  )

  it.effect("that name a monitor never run, neither for readers nor for others", () =>
    Effect.gen(function* () {
      const workspace = yield* repository
      git(workspace.root, "config", "core.fsmonitor", "./spy.sh")
      git(workspace.root, "status")
      assert.isTrue(fs.existsSync(workspace.at("ran")), "the attack does not work")
      fs.rmSync(workspace.at("ran"))
      for (const command of ["git add -A", "git commit -qm x", "git status"]) {
        yield* Workspace.call("execute_command", { command }, workspace)
      }
      assert.isFalse(fs.existsSync(workspace.at("ran")))
    })
  )

  it.effect("that can be switched off are: nothing runs", () =>
    Effect.gen(function* () {
      const workspace = yield* repository
      for (const [key, value] of [
        ["core.fsmonitor", "./spy.sh"],
        ["core.hooksPath", "."],
        ["core.pager", "./spy.sh"],
        ["pager.diff", "./spy.sh"],
        ["alias.diff", "!./spy.sh"],
        ["log.showSignature", "true"]
      ] as const) {
        git(workspace.root, "config", key, value)
      }
      for (const command of reads) {
        assert.strictEqual(yield* decide(command, workspace), "commands.allow")
        yield* Workspace.call("execute_command", { command }, workspace)
      }
      assert.isFalse(fs.existsSync(workspace.at("ran")))
    })
  )

  it.effect("of a folder that looks like a bare repository are not read at all", () =>
    Effect.gen(function* () {
      const workspace = yield* repository
      fs.mkdirSync(workspace.at("bare"))
      git(workspace.at("bare"), "init", "-q", "--bare")
      fs.appendFileSync(workspace.at("bare/config"), `[core]\n\tworktree = ${workspace.root}\n\tbare = false\n`)
      git(workspace.at("bare"), "config", "diff.external", workspace.at("spy.sh"))
      git(workspace.at("bare"), "config", "core.fsmonitor", workspace.at("spy.sh"))
      for (const command of ["git status", "git diff", "git add -A; true"]) {
        yield* Workspace.call("execute_command", { command, cwd: "bare" }, workspace)
      }
      assert.isFalse(fs.existsSync(workspace.at("ran")))
    })
  )
})
