/** Worktrees of tasks: what is merged is whole, and what is not merged is not lost. */
import { Worktree } from "@belay/git-runner"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { folder, repository, write } from "./folders.ts"

/** The line of a refusal. */
const refused = <A, E extends { readonly message: string }>(effect: Effect.Effect<A, E>) =>
  Effect.map(Effect.flip(effect), ({ message }) => message)

/** A repository of the user, with a name to commit in. */
const made = () => {
  const project = repository()
  project.git("config", "user.name", "U")
  project.git("config", "user.email", "u@localhost")
  write(project.folder, { "a.txt": "one\n", "b.txt": "one\n" })
  project.git("add", "--all")
  project.git("commit", "-qm", "base")
  const state = () => [
    project.git("rev-parse", "HEAD"),
    project.git("status", "--porcelain"),
    fs.readFileSync(path.join(project.folder, "a.txt"), "utf8")
  ]
  return { ...project, state, branch: project.git("branch", "--show-current").trim() }
}

describe("a worktree", () => {
  it.effect("is a branch and a folder of its own, whose work is merged and then removed", () =>
    Effect.gen(function* () {
      const project = made()
      write(project.folder, { "sub/own.txt": "own\n" })
      const added = yield* Worktree.add(path.join(project.folder, "sub"), "fix")
      const { folder: at, isNew, name } = added
      assert.deepStrictEqual([added.workspace, added.leftOut], [at, 1], "what is not committed is not there")
      fs.rmSync(path.join(project.folder, "sub"), { recursive: true })
      assert.deepStrictEqual([name, isNew, at], ["fix", true, `${project.folder}.worktrees/fix`])
      assert.isFalse((yield* Worktree.add(path.join(at, "."), "fix")).isNew)
      assert.strictEqual(yield* Worktree.free(project.folder, "fix"), "fix-2")
      write(at, { "b.txt": "changed\n", "extra.txt": "new\n" })
      const [one = assert.fail("none is listed")] = yield* Worktree.list(project.folder)
      assert.deepStrictEqual(one, { name: "fix", branch: "belay/fix", folder: at })
      assert.deepStrictEqual(yield* Worktree.state(one), { ahead: 0, changed: 2 })
      assert.match(
        yield* refused(Worktree.remove(project.folder, "fix", false)),
        /^"fix" has work that is not merged \(2 changed files\)\. Merge it first, or remove it by force/
      )
      const merged = yield* Worktree.merge(project.folder, "fix", "Fix it")
      assert.deepStrictEqual(merged, { into: project.branch, commits: 1, committed: 2 })
      assert.strictEqual(fs.readFileSync(path.join(project.folder, "extra.txt"), "utf8"), "new\n")
      assert.include(project.git("log", "-1", "--format=%s"), "Fix it")
      assert.deepStrictEqual(yield* Worktree.merge(project.folder, "fix", "Again"), {
        into: project.branch,
        commits: 0,
        committed: 0
      })
      yield* Worktree.remove(project.folder, "fix", false)
      assert.deepStrictEqual([yield* Worktree.list(project.folder), fs.existsSync(at)], [[], false])
      assert.strictEqual(project.git("branch", "--list", "belay/*"), "")
    })
  )

  it.effect("that cannot be merged leaves the main folder as it is", () =>
    Effect.gen(function* () {
      const project = made()
      const { folder: at } = yield* Worktree.add(project.folder, "w")
      write(at, { "a.txt": "theirs\n", "c.txt": "theirs\n" })
      write(project.folder, { "b.txt": "not committed\n" })
      const before = project.state()
      assert.match(
        yield* refused(Worktree.merge(project.folder, "w", "W")),
        /\/project has changes that are not committed \(b\.txt\)\. /
      )
      assert.deepStrictEqual(project.state(), before)
      write(project.folder, { "a.txt": "ours\n" })
      project.git("commit", "-qam", "ours")
      const conflicting = project.state()
      assert.match(
        yield* refused(Worktree.merge(project.folder, "w", "W")),
        /^"w" conflicts with \S+ \(a\.txt\)\. Nothing was merged\. Resolve it in its folder: git -C /
      )
      assert.deepStrictEqual(project.state(), conflicting)
      assert.match(yield* refused(Worktree.remove(project.folder, "w", false)), /not merged \(1 commit\)/)
      yield* Worktree.remove(project.folder, "w", true)
      const next = yield* Worktree.add(project.folder, "u")
      write(next.folder, { "free.txt": "theirs\n" })
      write(project.folder, { "free.txt": "mine\n" })
      assert.match(yield* refused(Worktree.merge(project.folder, "u", "U")), /^"u" has files that lie here untracked\./)
      assert.strictEqual(fs.readFileSync(path.join(project.folder, "free.txt"), "utf8"), "mine\n")
    })
  )

  it.effect("is refused in one line where there can be none", () =>
    Effect.gen(function* () {
      const plain = folder()
      assert.match(yield* refused(Worktree.add(plain.folder, "x")), /^this is not a git repository /)
      const project = made()
      for (const name of ["../x", "-x", "a b", "x.lock", ""]) {
        assert.match(yield* refused(Worktree.add(project.folder, name)), /cannot be the name of a worktree/)
      }
      assert.match(yield* refused(Worktree.merge(project.folder, "none", "")), /^there is no worktree "none"\./)
      assert.deepStrictEqual(["Fix the failing test, please, now!", "äöü", "a".repeat(90)].map(Worktree.nameOf), [
        "fix-the-failing-test-please",
        "task",
        "a".repeat(40)
      ])
    })
  )

  it.effect("starts no program that the repository names", () =>
    Effect.gen(function* () {
      const project = made()
      write(project.folder, { ".git/hooks/post-checkout": "#!/bin/sh\ntouch ran-hook\n" })
      fs.chmodSync(path.join(project.folder, ".git/hooks/post-checkout"), 0o755)
      yield* Worktree.add(project.folder, "x")
      assert.isFalse(fs.existsSync(path.join(`${project.folder}.worktrees`, "x", "ran-hook")))
      project.git("config", "merge.x.driver", project.spy)
      assert.match(yield* refused(Worktree.add(project.folder, "y")), /settings of this repository start programs/)
      assert.isFalse(project.ran())
    })
  )
})
