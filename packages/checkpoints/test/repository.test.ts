import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { git, repositoriesOf, write } from "./folders.ts"
import { test, type World } from "./service.ts"

const recordedPaths = (world: World) =>
  Effect.gen(function* () {
    const all = yield* world.checkpoints.list(world.place)
    const tree = all.at(-1)?.tree ?? assert.fail("nothing was recorded")
    const [store] = fs.readdirSync(path.join(world.directory, "checkpoints")).filter((name) => !name.includes("."))
    const cwd = path.join(world.directory, "checkpoints", store ?? "")
    const listed = execFileSync("git", ["--git-dir=.", "ls-tree", "-r", "-z", "--name-only", tree], {
      cwd,
      encoding: "utf8"
    })
    return listed.split("\0").slice(0, -1)
  })

/** A repository with everything that a user may have in the works. */
const busyRepository = (workspace: string): void => {
  const home = path.dirname(workspace)
  const library = path.join(home, "library")
  fs.mkdirSync(library)
  git(library, "init", "--quiet")
  write(library, { "lib.txt": "lib\n" })
  git(library, "add", "--all")
  git(library, "commit", "--quiet", "--message=lib")
  git(workspace, "init", "--quiet")
  write(workspace, {
    ".gitignore": "ignored/\n*.log\n",
    "a.txt": "1\n",
    "forced.log": "tracked although ignored\n",
    "src/b.txt": "1\n"
  })
  git(workspace, "add", "--all")
  git(workspace, "add", "--force", "forced.log")
  git(workspace, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", library, "module")
  git(workspace, "commit", "--quiet", "--message=first")
  write(workspace, { "a.txt": "stashed\n" })
  git(workspace, "stash")
  git(workspace, "worktree", "add", "--quiet", "-b", "other", path.join(workspace, "tree"))
  write(workspace, { "a.txt": "staged\n" })
  git(workspace, "add", "a.txt")
  write(workspace, { "a.txt": "dirty\n", "ignored/x": "x", "debug.log": "x" })
  write(workspace, { "vendor/c.txt": "vendored\n", "vendor/unborn/d.txt": "d\n" })
  git(path.join(workspace, "vendor"), "init", "--quiet")
  git(path.join(workspace, "vendor", "unborn"), "init", "--quiet")
}

describe("the user's repository", () => {
  test("is the same to the byte after 20 checkpoints and restores: index, HEAD, references, stash, nested ones", (world) =>
    Effect.gen(function* () {
      const { workspace } = world
      busyRepository(workspace)
      const repositories = repositoriesOf(workspace)
      assert.isAbove(Object.keys(repositories).length, 100)
      const first = world.contents()
      const to = yield* world.before(0)
      for (let turn = 1; turn <= 10; turn++) {
        write(workspace, {
          "a.txt": `${turn}\n`,
          [`src/${turn}.txt`]: "x",
          "vendor/c.txt": `${turn}`,
          "module/new": "x"
        })
        yield* world.before(turn)
        fs.rmSync(path.join(workspace, `src/${turn}.txt`))
        yield* world.after(turn)
      }
      const { undo } = yield* world.restore(to)
      assert.deepStrictEqual(world.contents(), first)
      yield* world.restore(undo)
      assert.lengthOf(yield* world.checkpoints.list(world.place), 23)
      assert.deepStrictEqual(repositoriesOf(workspace), repositories)
    }))

  test("tells what is recorded: not what it ignores, but what it tracks, and nested ones file by file", (world) =>
    Effect.gen(function* () {
      busyRepository(world.workspace)
      yield* world.before(0)
      assert.sameMembers(yield* recordedPaths(world), [
        ".gitignore",
        ".gitmodules",
        "a.txt",
        "forced.log",
        "module/lib.txt",
        "src/b.txt",
        "tree/.gitignore",
        "tree/.gitmodules",
        "tree/a.txt",
        "tree/src/b.txt",
        "vendor/c.txt",
        "vendor/unborn/d.txt"
      ])
    }))

  test("above the workspace ignores for it, and only the workspace is recorded", (world) =>
    Effect.gen(function* () {
      const { home, workspace } = world
      git(home, "init", "--quiet")
      write(home, { ".gitignore": "/project/out/\nnode_modules/\n", "beside.txt": "x" })
      write(workspace, { "a.txt": "1", "out/x": "x", "node_modules/y": "y" })
      yield* world.before(0)
      assert.deepStrictEqual(yield* recordedPaths(world), ["a.txt"])
      write(workspace, { "a.txt": "2" })
      const [first] = yield* world.checkpoints.list(world.place)
      yield* world.restore(first?.id ?? assert.fail())
      assert.strictEqual(fs.readFileSync(path.join(workspace, "a.txt"), "utf8"), "1")
      assert.strictEqual(fs.readFileSync(path.join(home, "beside.txt"), "utf8"), "x")
    }))

  test("above the workspace has no say when it ignores the workspace itself", (world) =>
    Effect.gen(function* () {
      git(world.home, "init", "--quiet")
      write(world.home, { ".gitignore": "*\n" })
      write(world.workspace, { "a.txt": "1" })
      yield* world.before(0)
      assert.deepStrictEqual(yield* recordedPaths(world), ["a.txt"])
    }))

  test("and the user may ignore more in its exclude file and for all repositories", (world) =>
    Effect.gen(function* () {
      const { home, workspace } = world
      write(home, { ".gitconfig": "[core]\n  excludesFile = ~/everywhere\n", everywhere: "*.swp\n" })
      git(workspace, "init", "--quiet")
      write(workspace, { ".git/info/exclude": "private/\n", "private/x": "x", "a.swp": "x", "a.txt": "1" })
      yield* world.before(0)
      assert.deepStrictEqual(yield* recordedPaths(world), ["a.txt"])
    }))

  test("has no say where its settings put the work tree elsewhere", (world) =>
    Effect.gen(function* () {
      const { home, workspace } = world
      git(workspace, "init", "--quiet")
      git(workspace, "config", "core.worktree", home)
      write(home, { ".gitignore": "a.txt\n" })
      write(workspace, { "a.txt": "1" })
      yield* world.before(0)
      assert.deepStrictEqual(yield* recordedPaths(world), ["a.txt"])
    }))

  test("runs nothing and changes no byte: filters, line ends, encodings, hooks, monitors, textconv", (world) =>
    Effect.gen(function* () {
      const { home, workspace } = world
      const trap = path.join(home, "ran")
      const run = `touch ${trap}; cat`
      git(workspace, "init", "--quiet")
      const config = [
        "[core]\n  autocrlf = true\n  safecrlf = true\n  eol = crlf",
        `  fsmonitor = "${run}"\n  hooksPath = "${home}/hooks"\n  pager = "${run}"\n  sshCommand = "${run}"`,
        `[filter "f"]\n  clean = "${run}"\n  smudge = "${run}"\n  required = true`,
        `[diff]\n  external = "${run}"\n[diff "f"]\n  textconv = "${run}"\n  command = "${run}"`
      ].join("\n")
      write(home, { ".gitconfig": `${config}\n` })
      for (const hook of ["post-index-change", "reference-transaction", "fsmonitor-watchman"]) {
        write(home, { [`hooks/${hook}`]: `#!/bin/sh\ntouch ${trap}\n` })
        fs.chmodSync(path.join(home, "hooks", hook), 0o755)
      }
      fs.appendFileSync(path.join(workspace, ".git", "config"), `${config}\n`)
      write(workspace, {
        ".gitattributes":
          "[attr]all text eol=crlf ident filter=f diff=f working-tree-encoding=UTF-16\n* all\n*.bin filter=f\n",
        "mixed.txt": "a\r\nb\nc\r$Id$\n",
        "x.bin": Buffer.from([0xff, 0xfe, 13, 10, 0])
      })
      const first = world.contents()
      const from = yield* world.before(0)
      write(workspace, { "mixed.txt": "b\n", "x.bin": "text" })
      yield* world.checkpoints.patch({ ...world.place, from, to: "now" })
      yield* world.restore(from)
      assert.deepStrictEqual(world.contents(), first)
      assert.isFalse(fs.existsSync(trap))
    }))
})

describe("a folder that is no repository", () => {
  test("is recorded whole, and becomes none", (world) =>
    Effect.gen(function* () {
      write(world.workspace, { "a.txt": "1", "deep/b.txt": "1" })
      fs.mkdirSync(path.join(world.workspace, "empty"))
      const to = yield* world.before(0)
      write(world.workspace, { "a.txt": "2", "new/c.txt": "2" })
      yield* world.restore(to)
      assert.deepStrictEqual(yield* recordedPaths(world), ["a.txt", "deep/b.txt", "new/c.txt"])
      assert.deepStrictEqual(fs.readdirSync(world.workspace).toSorted(), ["a.txt", "deep", "empty"])
    }))

  test("may be empty", (world) =>
    Effect.gen(function* () {
      const to = yield* world.before(0)
      write(world.workspace, { "a.txt": "1" })
      yield* world.restore(to)
      assert.deepStrictEqual(fs.readdirSync(world.workspace), [])
    }))
})
