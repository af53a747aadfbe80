/** Git that starts a program which signs, or checks a signature: it starts, and none of it runs without a question. */
import { ApprovalPolicy, Approvals, type PolicyInput } from "@belay/approval-policy"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as Workspace from "./fixtures/Workspace.ts"

/** It leaves a trace, and signs. */
const gpg = (trace: string): string => `#!/bin/sh
touch '${trace}'
printf '\\n[GNUPG:] SIG_CREATED D 1 8 00 1 A\\n' >&2
cat > /dev/null
printf '%s\\n' '-----BEGIN PGP SIGNATURE-----' x '-----END PGP SIGNATURE-----'
`

/** `topic` is one commit ahead, `signed` is a tag of it; the commit of `main` is signed. */
const repository = Effect.map(Workspace.make, (world) => {
  const bin = `${world.outside}/bin`
  fs.mkdirSync(bin)
  const trace = `${world.outside}/started`
  fs.writeFileSync(`${bin}/gpg`, gpg(trace), { mode: 0o755 })
  const env = {
    PATH: `${bin}:${process.env["PATH"] ?? ""}`,
    HOME: world.outside,
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_AUTHOR_NAME: "a",
    GIT_AUTHOR_EMAIL: "a@b",
    GIT_COMMITTER_NAME: "a",
    GIT_COMMITTER_EMAIL: "a@b"
  }
  const run = (text: string) => spawnSync("bash", ["-c", text], { cwd: world.root, env, encoding: "utf8" })
  world.write("sub", "$Format:%GS$\n")
  world.write(".gitattributes", "* -text\n")
  run("git init -qb main && git add -A && git commit -q -S -m one && git checkout -qb topic")
  world.write("b", "b\n")
  run("git add -A && git commit -q -S -m two && git tag -s signed -m x && git tag -am y plain && git checkout -q main")
  run(
    "git checkout -qb substituted && echo 'sub export-subst' > .gitattributes && git commit -q -S -am three && git checkout -q main"
  )
  const starts = (text: string): boolean => {
    fs.rmSync(trace, { force: true })
    run(text)
    return fs.existsSync(trace)
  }
  return { ...world, starts, run }
})
type Repository = Effect.Success<typeof repository>

const decide = Effect.fnUntraced(function* (command: string, world: Repository) {
  const facts = yield* Workspace.tool("execute_command").facts({ command }, world.context)
  const input: PolicyInput.PolicyInput = {
    tool: "execute_command",
    category: "command",
    args: { command },
    mode: "act",
    readOnly: false,
    approvals: Approvals.all,
    facts: { paths: [], ...(facts.command === undefined ? {} : { command: facts.command }) },
    workspace: world.root,
    known: true
  }
  return ApprovalPolicy.decide(input)
})

describe("a program that signs, or checks a signature", () => {
  it.effect.each([
    "git tag -s v9 -m x",
    "git tag -um -m x v9",
    "git tag -v signed",
    "git commit -S --allow-empty -m x",
    "git commit -qS --allow-empty -m x",
    "git commit --gpg --allow-empty -m x",
    "git -c commit.gpgsign=1 commit --allow-empty -m x",
    "git -c alias.x=commit x --allow-empty -S -m x",
    "git -c tag.gpgsign=true tag v9 -m x",
    "git commit-tree -S 'HEAD^{tree}' -m x",
    "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=commit.gpgsign GIT_CONFIG_VALUE_0=true git commit --allow-empty -m x",
    "git merge -S --no-ff topic -m x",
    "git merge --verify-sig topic",
    "git cherry-pick -S topic",
    "git rebase -m -S --force-rebase main topic",
    "git verify-commit HEAD",
    "git verify-tag signed",
    "git log --show-signature",
    "git log --format=%G?",
    "git show -s --pretty='%h %+GS'",
    "git rev-list --format=%GK HEAD",
    "git -c log.showSignature=true log",
    "git -c format.pretty=%GS log",
    "git merge --no-ff --no-edit signed",
    "git archive substituted"
  ])("starts, and asks before it: %s", (command) =>
    Effect.gen(function* () {
      const world = yield* repository
      const { decision } = yield* decide(command, world)
      assert.isTrue(world.starts(command), "the attack does not work")
      assert.strictEqual(decision, "ask")
    })
  )

  it.effect.each([
    ["commit.gpgSign", "git commit --allow-empty -m x"],
    ["tag.gpgSign", "git tag v9 -m x"],
    ["merge.verifySignatures", "git merge topic"]
  ] as const)("starts by the setting %s of the repository, and asks before it", ([name, command]) =>
    Effect.gen(function* () {
      const world = yield* repository
      assert.strictEqual((yield* decide(command, world)).decision, "allow")
      assert.isFalse(world.starts(command))
      world.run(`git reset -q --hard HEAD; git tag -d v9; git config ${name} true`)
      assert.strictEqual((yield* decide(command, world)).rule, "command.git")
    })
  )

  it.effect.each([
    "git merge --no-ff --no-edit plain",
    "git archive HEAD",
    "git log",
    "git merge --no-ff --no-edit topic"
  ])("does not start, and nobody asks: %s", (command) =>
    Effect.gen(function* () {
      const world = yield* repository
      assert.strictEqual((yield* decide(command, world)).decision, "allow")
      assert.isFalse(world.starts(command))
    })
  )
})
