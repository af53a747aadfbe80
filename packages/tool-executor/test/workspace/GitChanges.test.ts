import { assert, describe, it } from "@effect/vitest"
import { CommandRule, Approvals } from "@belay/approval-policy"
import * as Effect from "effect/Effect"
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as Workspace from "./fixtures/Workspace.ts"

const env = {
  PATH: process.env["PATH"] ?? "",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_AUTHOR_NAME: "a",
  GIT_AUTHOR_EMAIL: "a@example.com",
  GIT_COMMITTER_NAME: "a",
  GIT_COMMITTER_EMAIL: "a@example.com"
}

/** `plain` differs from main in src/a.ts alone, `tools` in protected names, too. */
const repository = Effect.map(Workspace.make, (world) => {
  const git = (...args: ReadonlyArray<string>) => execFileSync("git", args, { cwd: world.root, env, stdio: "pipe" })
  const commit = (files: Readonly<Record<string, string>>) => {
    for (const [name, text] of Object.entries(files)) world.write(name, text)
    git("add", "-A")
    git("commit", "-qm", "x")
  }
  git("init", "-qb", "main")
  commit({ "src/a.ts": "1\n", "src/b.ts": "1\n", "package.json": "{}\n" })
  git("checkout", "-qb", "plain")
  commit({ "src/a.ts": "2\n" })
  git("checkout", "-qb", "tools", "main")
  commit({ "src/a.ts": "3\n", "package.json": '{ "scripts": {} }\n', ".vscode/tasks.json": "{}\n" })
  git("checkout", "-q", "main")
  git("update-ref", "refs/remotes/origin/feature/far", "tools")
  return { ...world, git, commit }
})
type Repository = Effect.Success<typeof repository>

/** The protected names that are said; `"unknown"`, or nothing where no git command moves the work tree. */
const said = (world: Repository, command: string) =>
  Effect.map(Workspace.tool("execute_command").facts({ command }, world.context), ({ command: fact }) => {
    if (fact?.gitChanges === undefined) return undefined
    return fact.gitChanges.known ? fact.gitChanges.names : "unknown"
  })

const both = [".vscode/tasks.json", "package.json"]

describe("the protected names that git would change are known before it runs", () => {
  const cases: ReadonlyArray<readonly [string, ReadonlyArray<string> | "unknown" | undefined]> = [
    ["git checkout plain", []],
    ["git checkout tools", both],
    ["git switch tools", both],
    ["git switch -c other tools", both],
    ["git checkout -b other", []],
    ["git checkout -q -f tools", both],
    ["git checkout tools -- src", []],
    ["git checkout tools -- .", both],
    ["git checkout tools package.json", ["package.json"]],
    ["git checkout tools --", both],
    ["git checkout plain --", []],
    ["git checkout tools -- 'pack*'", both],
    ["git checkout tools ':/'", both],
    ["git restore -s tools -- ':(top)*'", both],
    ["git checkout feature/far", "unknown"],
    ["git merge plain", []],
    ["git merge --no-edit tools", both],
    ["git rebase tools", both],
    ["git cherry-pick plain", []],
    ["git cherry-pick tools", both],
    ["git cherry-pick main..tools", both],
    ["git revert --no-edit tools", both],
    ["git reset --soft tools", []],
    ["git reset --hard tools", both],
    ["git restore --source=tools src", []],
    ["git restore -s tools .", both],
    ["git pull", "unknown"],
    ["git merge", "unknown"],
    ["git am x.patch", "unknown"],
    ["git co tools", "unknown"],
    ["git -C . checkout plain", "unknown"],
    ["git -c user.name=x checkout plain", "unknown"],
    ["git fetch && git merge plain", "unknown"],
    ["cd src && git checkout plain", "unknown"],
    ['git checkout "$BRANCH"', "unknown"],
    ["git status && git checkout plain", []],
    ["git status; git log -1; git commit -qm x", undefined]
  ]
  it.effect("for each way to move the work tree; what cannot be told is unknown", () =>
    Effect.gen(function* () {
      const world = yield* repository
      for (const [command, expected] of cases) assert.deepStrictEqual(yield* said(world, command), expected, command)
    })
  )

  it.effect("and where there is no repository, nothing", () =>
    Effect.gen(function* () {
      const world = yield* Workspace.make
      const asked = (command: string) => Workspace.tool("execute_command").facts({ command }, world.context)
      assert.isUndefined((yield* asked("git checkout main")).command?.gitChanges)
      assert.deepInclude((yield* asked("git init && git checkout main")).command?.gitChanges, { known: false })
    })
  )

  it.effect("for what was stashed, and for what a stash takes away", () =>
    Effect.gen(function* () {
      const world = yield* repository
      world.write("src/a.ts", "4\n")
      assert.deepStrictEqual(yield* said(world, "git stash"), [])
      world.write("package.json", "[]\n")
      world.write(".npmrc", "x=1\n")
      assert.deepStrictEqual(yield* said(world, "git stash"), ["package.json"])
      assert.deepStrictEqual(yield* said(world, "git stash -u"), [".npmrc", "package.json"])
      assert.deepStrictEqual(yield* said(world, "git stash && npm test && git stash pop"), ["package.json"])
      assert.deepStrictEqual(yield* said(world, "git stash -u; git stash pop"), [".npmrc", "package.json"])
      assert.strictEqual(yield* said(world, "git stash && git checkout plain && git stash pop"), "unknown")
      assert.strictEqual(yield* said(world, "git stash && git stash pop && git stash pop"), "unknown")
      assert.strictEqual(yield* said(world, "git stash && git stash pop x"), "unknown")
      assert.deepStrictEqual(yield* said(world, "git stash pop"), [])
      world.git("stash", "-u")
      assert.deepStrictEqual(yield* said(world, "git stash pop"), [".npmrc", "package.json"])
      assert.deepStrictEqual(yield* said(world, "git stash apply 0"), [".npmrc", "package.json"])
      assert.strictEqual(yield* said(world, "git stash pop 1"), "unknown")
    })
  )

  it.effect("for a patch, with both names of what it renames", () =>
    Effect.gen(function* () {
      const world = yield* repository
      fs.writeFileSync(world.at("a.patch"), world.git("diff", "main", "plain"))
      fs.writeFileSync(world.at("b.patch"), world.git("diff", "main", "tools"))
      assert.deepStrictEqual(yield* said(world, "git apply a.patch"), [])
      assert.deepStrictEqual(yield* said(world, "git apply --check b.patch"), [])
      assert.strictEqual(yield* said(world, "git apply --check --apply b.patch"), "unknown")
      assert.deepStrictEqual(yield* said(world, "git worktree list"), [])
      assert.strictEqual(yield* said(world, "git worktree add x"), "unknown")
      assert.deepStrictEqual(yield* said(world, "git apply a.patch b.patch"), both)
      world.git("mv", "package.json", "other.json")
      fs.writeFileSync(world.at("c.patch"), world.git("diff", "HEAD", "-M", "--", "package.json", "other.json"))
      world.git("reset", "-q", "--hard")
      assert.deepStrictEqual(yield* said(world, "git apply c.patch"), ["package.json"])
    })
  )

  it.effect("and a program that the repository names is not run to know them", () =>
    Effect.gen(function* () {
      const world = yield* repository
      world.git("config", "filter.x.clean", "touch ran; cat")
      world.write(".gitattributes", "* filter=x\n")
      world.write("src/a.ts", "5\n")
      assert.strictEqual(yield* said(world, "git checkout -f plain"), "unknown")
      assert.isFalse(fs.existsSync(world.at("ran")))
    })
  )
})

it.effect("an allowed git command asks by the protected names it would change, and no other does", () =>
  Effect.gen(function* () {
    const world = yield* repository
    const commands = { ...Approvals.all.commands, allow: ["git checkout", "= git checkout tools"] }
    const judged = (command: string) =>
      Effect.map(Workspace.tool("execute_command").facts({ command }, world.context), ({ command: fact }) => {
        if (fact === undefined) throw new Error("no facts")
        const verdicts = CommandRule.judge(fact, { ...Approvals.all, commands }, { workspace: world.root })
        return verdicts
          .filter(({ rule }) => rule === "command.git")
          .map(({ decision, reason }) => `${decision}: ${reason}`)
      })
    const reason = "ask: Git would change protected names: '.vscode/tasks.json', 'package.json'."
    assert.deepStrictEqual(yield* judged("git checkout tools"), [reason])
    assert.deepStrictEqual(yield* judged("git checkout plain"), [])
    const unknown = "ask: It cannot be told which protected names git would change."
    assert.deepStrictEqual(yield* judged("git checkout nowhere"), [unknown])
  })
)
