import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { git, write } from "./folders.ts"
import { otherTask, test } from "./service.ts"

const isWindows = process.platform === "win32"

describe("a restore", () => {
  test("brings every file back as it was, and its undo brings back the present", (world) =>
    Effect.gen(function* () {
      const { contents, workspace } = world
      write(workspace, {
        "a.txt": "one\n",
        "deep/er/b.txt": "two\r\nthree\r\n",
        "run.sh": "#!/bin/sh\n",
        binary: Buffer.from([0, 255, 13, 10, 0]),
        empty: "",
        "to-a": "-> a.txt",
        "to-nowhere": "-> /nowhere/at all"
      })
      fs.chmodSync(path.join(workspace, "run.sh"), 0o755)
      const first = contents()
      const id = yield* world.before(1)
      write(workspace, { "a.txt": "changed", "new/c.txt": "added" })
      fs.rmSync(path.join(workspace, "deep"), { recursive: true })
      write(workspace, { deep: "a file where a folder was" })
      fs.rmSync(path.join(workspace, "empty"))
      write(workspace, { "empty/now/a/folder": "x" })
      fs.chmodSync(path.join(workspace, "run.sh"), 0o644)
      fs.rmSync(path.join(workspace, "to-a"))
      write(workspace, { "to-a": "a file now" })
      fs.rmSync(path.join(workspace, "to-nowhere"))
      write(workspace, { "to-nowhere": "-> elsewhere" })
      const second = contents()
      const restored = yield* world.restore(id)
      assert.deepStrictEqual(restored.kept, [])
      assert.deepStrictEqual(contents(), first)
      assert.isFalse(fs.existsSync(path.join(workspace, "new")))
      const undone = yield* world.restore(restored.undo)
      assert.deepStrictEqual(undone.kept, [])
      assert.deepStrictEqual(contents(), second)
    }))

  test("of named files leaves the others alone", (world) =>
    Effect.gen(function* () {
      write(world.workspace, { "a.txt": "1", "src/b.txt": "1", "src/deep/c.txt": "1", "srcs/d.txt": "1" })
      const id = yield* world.before(1)
      write(world.workspace, { "a.txt": "2", "src/b.txt": "2", "src/deep/c.txt": "2", "srcs/d.txt": "2" })
      const { changes } = yield* world.restore(id, ["./src/"])
      assert.deepStrictEqual(
        changes.map((change) => change.path),
        ["src/b.txt", "src/deep/c.txt"]
      )
      const read = (name: string) => fs.readFileSync(path.join(world.workspace, name), "utf8")
      assert.deepStrictEqual(["a.txt", "src/b.txt", "src/deep/c.txt", "srcs/d.txt"].map(read), ["2", "1", "1", "2"])
    }))

  test("does what its preview said, and the preview touches nothing", (world) =>
    Effect.gen(function* () {
      write(world.workspace, { "a.txt": "1", "b.txt": "1" })
      const to = yield* world.before(1)
      write(world.workspace, { "a.txt": "2", "c.txt": "2" })
      const present = world.contents()
      const preview = yield* world.checkpoints.preview({ ...world.place, to })
      assert.deepStrictEqual(world.contents(), present)
      const { undo: _, ...restored } = yield* world.restore(to)
      assert.deepStrictEqual(restored, preview)
    }))

  test("names the files that the user, and those that another task, changed since", (world) =>
    Effect.gen(function* () {
      const { workspace } = world
      write(workspace, { "mine.txt": "1", "theirs.txt": "1", "users.txt": "1" })
      const to = yield* world.before(1)
      write(workspace, { "mine.txt": "2" })
      yield* world.after(1)
      write(workspace, { "users.txt": "2" })
      yield* world.before(1, otherTask)
      write(workspace, { "theirs.txt": "2" })
      yield* world.after(1, otherTask)
      const { changes } = yield* world.checkpoints.preview({ ...world.place, to })
      assert.deepStrictEqual(
        changes.map(({ byTasks, byUser, path }) => ({ path, byUser, byTasks })),
        [
          { path: "mine.txt", byUser: false, byTasks: [] },
          { path: "theirs.txt", byUser: false, byTasks: [otherTask] },
          { path: "users.txt", byUser: true, byTasks: [] }
        ]
      )
    }))
})

describe("a restore never loses what no checkpoint holds:", () => {
  test("a file that is ignored by now", (world) =>
    Effect.gen(function* () {
      const { workspace } = world
      write(workspace, { "build/out.txt": "1", "a.txt": "1" })
      const to = yield* world.before(1)
      write(workspace, { ".gitignore": "build/\n", "build/out.txt": "not recorded", "a.txt": "2" })
      const { kept } = yield* world.restore(to, ["build", "a.txt"])
      assert.deepStrictEqual(kept, [{ path: "build/out.txt", reason: "notRecorded" }])
      assert.strictEqual(fs.readFileSync(path.join(workspace, "build/out.txt"), "utf8"), "not recorded")
      assert.strictEqual(fs.readFileSync(path.join(workspace, "a.txt"), "utf8"), "1")
    }))

  test("a file that was ignored at the time of the checkpoint", (world) =>
    Effect.gen(function* () {
      const { workspace } = world
      write(workspace, { ".gitignore": "*.log\n", "old.log": "was there" })
      const to = yield* world.before(1)
      write(workspace, { ".gitignore": "", "new.txt": "x" })
      const { kept } = yield* world.restore(to)
      assert.deepStrictEqual(kept, [{ path: "old.log", reason: "leftOut" }])
      assert.deepStrictEqual(Object.keys(world.contents()).toSorted(), [".gitignore", "old.log"])
    }))

  test(
    "a file that was, or is, over the size limit",
    (world) =>
      Effect.gen(function* () {
        const { workspace } = world
        write(workspace, { "was-large": "x".repeat(1001), "is-large": "1" })
        const recorded = yield* world.checkpoints.record({ ...world.place, messageIndex: 1, moment: "before" })
        assert.deepInclude(recorded, { _tag: "Recorded", leftOut: [{ path: "was-large", reason: "tooLarge" }] })
        write(workspace, { "was-large": "small", "is-large": "y".repeat(1001) })
        const { kept } = yield* world.restore(recorded.id)
        assert.sameDeepMembers(
          [...kept],
          [
            { path: "is-large", reason: "notRecorded" },
            { path: "was-large", reason: "leftOut" }
          ]
        )
        assert.strictEqual(fs.readFileSync(path.join(workspace, "was-large"), "utf8"), "small")
        assert.strictEqual(fs.readFileSync(path.join(workspace, "is-large"), "utf8"), "y".repeat(1001))
      }),
    { maxFileBytes: 1000 }
  )

  test("an ignored file in a folder that was a file", (world) =>
    Effect.gen(function* () {
      const { workspace } = world
      write(workspace, { ".gitignore": "secret\n", thing: "a file" })
      const to = yield* world.before(1)
      fs.rmSync(path.join(workspace, "thing"))
      write(workspace, { "thing/secret": "kept", "thing/other": "recorded" })
      const { kept } = yield* world.restore(to)
      assert.deepStrictEqual(kept, [{ path: "thing", reason: "blocked" }])
      assert.strictEqual(fs.readFileSync(path.join(workspace, "thing/secret"), "utf8"), "kept")
    }))
})

describe.skipIf(isWindows)("a restore follows no symbolic link:", () => {
  test("a folder that became a link is replaced, and what it points to stays as it is", (world) =>
    Effect.gen(function* () {
      const { home, workspace } = world
      const outside = path.join(home, "outside")
      write(workspace, { "src/a.txt": "inside" })
      const to = yield* world.before(1)
      const first = world.contents()
      fs.renameSync(path.join(workspace, "src"), outside)
      fs.symlinkSync(outside, path.join(workspace, "src"))
      const changed = yield* world.checkpoints.compare({ ...world.place, from: to, to: "now" })
      assert.deepStrictEqual(
        changed.map(({ path, to }) => [path, to?.kind]),
        [
          ["src", "link"],
          ["src/a.txt", undefined]
        ]
      )
      fs.writeFileSync(path.join(outside, "a.txt"), "outside")
      yield* world.restore(to)
      assert.deepStrictEqual(world.contents(), first)
      assert.strictEqual(fs.readFileSync(path.join(outside, "a.txt"), "utf8"), "outside")
    }))

  test("an ignored link in the way of a named file stays, and nothing is written behind it", (world) =>
    Effect.gen(function* () {
      const { home, workspace } = world
      const outside = path.join(home, "outside")
      fs.mkdirSync(outside)
      write(workspace, { "src/a.txt": "inside" })
      const to = yield* world.before(1)
      fs.rmSync(path.join(workspace, "src"), { recursive: true })
      fs.symlinkSync(outside, path.join(workspace, "src"))
      write(workspace, { ".gitignore": "src\n" })
      const { kept } = yield* world.restore(to, ["src"])
      assert.deepStrictEqual(kept, [{ path: "src/a.txt", reason: "behindLink" }])
      assert.deepStrictEqual(fs.readdirSync(outside), [])
    }))

  test("a file that became a link is replaced, not written through", (world) =>
    Effect.gen(function* () {
      const { home, workspace } = world
      const outside = path.join(home, "outside.txt")
      write(workspace, { "a.txt": "inside" })
      fs.writeFileSync(outside, "outside")
      const to = yield* world.before(1)
      fs.rmSync(path.join(workspace, "a.txt"))
      fs.symlinkSync(outside, path.join(workspace, "a.txt"))
      yield* world.restore(to)
      assert.strictEqual(fs.readFileSync(outside, "utf8"), "outside")
      assert.isTrue(fs.lstatSync(path.join(workspace, "a.txt")).isFile())
    }))

  test("another name of a file keeps its content", (world) =>
    Effect.gen(function* () {
      const { home, workspace } = world
      write(workspace, { "a.txt": "1" })
      const to = yield* world.before(1)
      write(workspace, { "a.txt": "2" })
      fs.linkSync(path.join(workspace, "a.txt"), path.join(home, "twin.txt"))
      yield* world.restore(to)
      assert.strictEqual(fs.readFileSync(path.join(home, "twin.txt"), "utf8"), "2")
      assert.strictEqual(fs.readFileSync(path.join(workspace, "a.txt"), "utf8"), "1")
    }))
})

describe("a comparison", () => {
  test("equals the git diff of the same edits", (world) =>
    Effect.gen(function* () {
      const { workspace } = world
      git(workspace, "init", "--quiet")
      const lines = Array.from({ length: 40 }, (_, at) => `line ${at}\n`)
      write(workspace, { "a.txt": lines.join(""), "gone.txt": "x\n", "sub/b.txt": "same\n" })
      git(workspace, "add", "--all")
      const from = yield* world.before(1)
      write(workspace, { "a.txt": lines.toSpliced(20, 2, "other\n").join(""), "new.txt": "y\n" })
      fs.rmSync(path.join(workspace, "gone.txt"))
      const mine = yield* world.checkpoints.patch({ ...world.place, from, to: "now" })
      const changes = yield* world.checkpoints.compare({ ...world.place, from, to: "now" })
      git(workspace, "add", "--intent-to-add", "new.txt")
      assert.strictEqual(mine, git(workspace, "diff"))
      assert.deepStrictEqual(
        changes.map(({ from, path, to }) => [path, from?.kind, to?.kind]),
        [
          ["a.txt", "file", "file"],
          ["gone.txt", "file", undefined],
          ["new.txt", undefined, "file"]
        ]
      )
      const added = yield* world.checkpoints.content(world.place, changes[2]?.to?.blob ?? "")
      assert.strictEqual(Buffer.from(added).toString(), "y\n")
    }))
})
