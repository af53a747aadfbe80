import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { Checkpoints } from "@belay/checkpoints"
import { git, realGit, temporary, wrapped, write } from "./folders.ts"
import { folders, optionsOf, test, worldOf } from "./service.ts"

const isLinux = process.platform === "linux"
const isWindows = process.platform === "win32"

describe("a checkpoint", () => {
  test("counts the files that differ from the one before, and is left out after a turn without changes", (world) =>
    Effect.gen(function* () {
      const { checkpoints, place, workspace } = world
      const record = (messageIndex: number, moment: "before" | "after") =>
        checkpoints.record({ ...place, messageIndex, moment })
      write(workspace, { "a.txt": "1", "b.txt": "1" })
      const first = yield* record(1, "before")
      assert.deepStrictEqual(first, { _tag: "Recorded", id: first.id, files: 0, leftOut: [] })
      assert.deepStrictEqual(yield* record(1, "after"), {
        _tag: "Skipped",
        reason: "unchanged",
        id: first.id,
        leftOut: []
      })
      write(workspace, { "a.txt": "2", "c.txt": "1" })
      fs.rmSync(path.join(workspace, "b.txt"))
      const after = yield* record(1, "after")
      assert.deepStrictEqual(after, { _tag: "Recorded", id: after.id, files: 3, leftOut: [] })
      const listed = yield* checkpoints.list(place)
      assert.deepStrictEqual(
        listed.map(({ files, id, messageIndex, moment }) => ({ files, id, messageIndex, moment })),
        [
          { files: 0, id: first.id, messageIndex: 1, moment: "before" },
          { files: 3, id: after.id, messageIndex: 1, moment: "after" }
        ]
      )
    }))

  test("before a message stays the first one, so that a turn that goes on does not cover its beginning", (world) =>
    Effect.gen(function* () {
      write(world.workspace, { "a.txt": "beginning" })
      const id = yield* world.before(3)
      write(world.workspace, { "a.txt": "half-way" })
      const again = yield* world.checkpoints.record({ ...world.place, messageIndex: 3, moment: "before" })
      assert.deepStrictEqual(again, { _tag: "Skipped", reason: "recorded", id, leftOut: [] })
      yield* world.restore(id)
      assert.strictEqual(fs.readFileSync(path.join(world.workspace, "a.txt"), "utf8"), "beginning")
    }))

  test("sees a change that leaves size and time of the file as they were", (world) =>
    Effect.gen(function* () {
      const file = path.join(world.workspace, "a.txt")
      write(world.workspace, { "a.txt": "one" })
      const from = yield* world.before(1)
      const { atime, mtime } = fs.statSync(file)
      write(world.workspace, { "a.txt": "two" })
      fs.utimesSync(file, atime, mtime)
      assert.lengthOf(yield* world.checkpoints.compare({ ...world.place, from, to: "now" }), 1)
    }))

  test.skipIf(isWindows)("keeps names as they are: blanks, line ends, quotes, patterns, leading dashes", (world) =>
    Effect.gen(function* () {
      const { contents, workspace } = world
      const names = [
        " a ",
        "b\nc",
        '"d"',
        "e\\f",
        "*",
        "[g]",
        ":(glob)h",
        "-i",
        "!j",
        "#k",
        "ünï",
        "e\u0301",
        "é",
        "日本"
      ]
      write(workspace, Object.fromEntries(names.map((name) => [name, name])))
      write(workspace, Object.fromEntries(names.map((name) => [`folder ${name}/${name}`, name])))
      const first = contents()
      const to = yield* world.before(1)
      for (const name of names) fs.rmSync(path.join(workspace, name))
      write(workspace, Object.fromEntries(names.map((name) => [`folder ${name}/${name}`, "changed"])))
      const { changes, kept } = yield* world.restore(to)
      assert.deepStrictEqual(kept, [])
      assert.lengthOf(changes, 2 * names.length)
      assert.deepStrictEqual(contents(), first)
    })
  )

  test.skipIf(!isLinux)("keeps names that are not UTF-8, and names that differ only in case", (world) =>
    Effect.gen(function* () {
      const { contents, workspace } = world
      const odd = Buffer.concat([Buffer.from(`${workspace}/`), Buffer.from([0x61, 0xff, 0xfe])])
      fs.writeFileSync(odd, "odd")
      write(workspace, { "a.txt": "lower", "Sub/x": "1" })
      const first = contents()
      const to = yield* world.before(1)
      fs.rmSync(odd)
      fs.renameSync(path.join(workspace, "a.txt"), path.join(workspace, "A.txt"))
      fs.renameSync(path.join(workspace, "Sub"), path.join(workspace, "sub"))
      const second = contents()
      const { undo } = yield* world.restore(to)
      assert.deepStrictEqual(contents(), first)
      yield* world.restore(undo)
      assert.deepStrictEqual(contents(), second)
    })
  )

  test.skipIf(isWindows)(
    "says what it leaves out: what is too large, of a forbidden name, or no file any more",
    (world) =>
      Effect.gen(function* () {
        const { workspace } = world
        write(workspace, { "a.txt": "1", pipe: "was a file", "git~1/x": "x", large: "x".repeat(2000) })
        yield* world.before(1)
        fs.rmSync(path.join(workspace, "pipe"))
        execFileSync("mkfifo", [path.join(workspace, "pipe")])
        const recorded = yield* world.checkpoints.record({ ...world.place, messageIndex: 2, moment: "before" })
        assert.sameDeepMembers(recorded._tag === "Recorded" ? [...recorded.leftOut] : [], [
          { path: "git~1/x", reason: "name" },
          { path: "large", reason: "tooLarge" },
          { path: "pipe", reason: "noFile" }
        ])
        const listed = yield* world.checkpoints.list(world.place)
        assert.lengthOf(listed.at(-1)?.leftOut ?? [], 3)
      }),
    { maxFileBytes: 1000 }
  )

  test("takes in what a rule ignores no longer, and takes out what it ignores by now", (world) =>
    Effect.gen(function* () {
      write(world.workspace, { ".gitignore": "a.txt\n", "a.txt": "1", "b.txt": "1" })
      const from = yield* world.before(1)
      write(world.workspace, { ".gitignore": "b.txt\n" })
      const changes = yield* world.checkpoints.compare({ ...world.place, from, to: "now" })
      assert.deepStrictEqual(
        changes.map(({ from, path, to }) => [path, from !== undefined, to !== undefined]),
        [
          [".gitignore", true, true],
          ["a.txt", false, true],
          ["b.txt", true, false]
        ]
      )
    }))
})

describe.skipIf(isWindows)("a file that changes while it is read", () => {
  const recordedWith = (name: string, script: (made: ReturnType<typeof folders>) => string) => {
    const made = folders()
    write(made.workspace, { [name]: "0", "other.txt": "1" })
    return Effect.gen(function* () {
      const { checkpoints, place } = worldOf(yield* Checkpoints, made)
      const recorded = yield* checkpoints.record({ ...place, messageIndex: 1, moment: "before" })
      assert.strictEqual(recorded._tag, "Recorded")
      return { made, checkpoints, place, recorded }
    }).pipe(Effect.provide(Checkpoints.layerNode({ ...optionsOf(made), git: wrapped(made.home, script(made)) })))
  }

  it.live("once is read again", () =>
    Effect.gen(function* () {
      const script = ({ home, workspace }: ReturnType<typeof folders>) =>
        `${realGit()} "$@"; code=$?\ncase "$*" in *update-index*) mkdir ${home}/once 2>/dev/null && echo more >> ${workspace}/growing;; esac\nexit $code`
      const { checkpoints, place, recorded } = yield* recordedWith("growing", script)
      assert.deepInclude(recorded, { leftOut: [] })
      assert.deepStrictEqual(yield* checkpoints.compare({ ...place, from: recorded.id, to: "now" }), [])
    })
  )

  it.live("each time is left out and named, and a restore leaves it alone", () =>
    Effect.gen(function* () {
      const script = ({ workspace }: ReturnType<typeof folders>) =>
        `${realGit()} "$@"; code=$?\ncase "$*" in *update-index*) echo more >> ${workspace}/growing;; esac\nexit $code`
      const { checkpoints, made, place, recorded } = yield* recordedWith("growing", script)
      assert.deepInclude(recorded, { leftOut: [{ path: "growing", reason: "changing" }] })
      yield* checkpoints.restore({ ...place, to: recorded.id })
      assert.match(fs.readFileSync(path.join(made.workspace, "growing"), "utf8"), /^0more\nmore\n/)
    })
  )
})

describe.skipIf(isWindows)("a file that changes while a restore runs", () => {
  it.live("is kept and named", () => {
    const made = folders()
    const { home, workspace } = made
    // Once the present is recorded, and before anything is put back.
    const script = `case " $* " in *" commit-tree "*) mkdir ${home}/first 2>/dev/null || echo theirs > ${workspace}/a.txt;; esac\nexec ${realGit()} "$@"`
    write(workspace, { "a.txt": "1", "b.txt": "1" })
    return Effect.gen(function* () {
      const world = worldOf(yield* Checkpoints, made)
      const to = yield* world.before(1)
      write(workspace, { "a.txt": "2", "b.txt": "2" })
      const { changes, kept } = yield* world.restore(to)
      assert.deepStrictEqual(kept, [{ path: "a.txt", reason: "changed" }])
      assert.deepStrictEqual(
        changes.map((change) => change.path),
        ["b.txt"]
      )
      assert.strictEqual(fs.readFileSync(path.join(workspace, "a.txt"), "utf8"), "theirs\n")
      assert.strictEqual(fs.readFileSync(path.join(workspace, "b.txt"), "utf8"), "1")
    }).pipe(Effect.provide(Checkpoints.layerNode({ ...optionsOf(made), git: wrapped(home, script) })))
  })
})

it.live("the data folder in the workspace is never recorded", () => {
  const home = temporary()
  const workspace = path.join(home, "project")
  fs.mkdirSync(workspace)
  git(workspace, "init", "--quiet")
  write(workspace, { "a.txt": "1", ".data/belay.db": "history" })
  const made = { home, workspace, directory: path.join(workspace, ".data") }
  return Effect.gen(function* () {
    const world = worldOf(yield* Checkpoints, made)
    const to = yield* world.before(1)
    write(workspace, { ".data/belay.db": "later", "a.txt": "2" })
    const { changes } = yield* world.restore(to)
    assert.deepStrictEqual(
      changes.map((change) => change.path),
      ["a.txt"]
    )
    assert.strictEqual(fs.readFileSync(path.join(workspace, ".data/belay.db"), "utf8"), "later")
  }).pipe(Effect.provide(Checkpoints.layerNode(optionsOf(made))))
})
