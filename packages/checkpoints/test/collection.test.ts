import { TaskId } from "@belay/task-state"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { randomBytes } from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { DatabaseSync } from "node:sqlite"
import { Checkpoints } from "@belay/checkpoints"
import { appears, git, realGit, wrapped, write } from "./folders.ts"
import { folders, optionsOf, otherTask, task, test, worldOf } from "./service.ts"

const storesOf = (directory: string) =>
  fs.readdirSync(path.join(directory, "checkpoints")).filter((name) => !name.includes("."))

describe("collection", () => {
  it.effect("takes checkpoints that are older than 30 days, and with the last one the whole store", () => {
    const made = folders()
    return Effect.gen(function* () {
      const { before, checkpoints, place, workspace } = worldOf(yield* Checkpoints, made)
      write(workspace, { "a.txt": "1" })
      yield* before(1)
      yield* TestClock.adjust("20 days")
      write(workspace, { "a.txt": "2" })
      const young = yield* before(2)
      yield* TestClock.adjust("11 days")
      assert.deepInclude(yield* checkpoints.collect(), { removed: 1 })
      const listed = yield* checkpoints.list(place)
      assert.deepStrictEqual(
        listed.map(({ id }) => id),
        [young]
      )
      write(workspace, { "a.txt": "3" })
      yield* checkpoints.restore({ ...place, to: young })
      assert.strictEqual(fs.readFileSync(path.join(workspace, "a.txt"), "utf8"), "2")
      yield* TestClock.adjust("31 days")
      assert.deepStrictEqual(yield* checkpoints.collect(), { removed: 2, bytes: 0 })
      assert.deepStrictEqual(storesOf(made.directory), [])
      assert.deepStrictEqual(yield* checkpoints.list(place), [])
      yield* before(3)
    }).pipe(Effect.provide(Checkpoints.layerNode(optionsOf(made))))
  })

  it.effect("takes the oldest until the quota holds", () => {
    const made = folders()
    const options = { ...optionsOf(made), maxBytes: 500_000 }
    return Effect.gen(function* () {
      const { before, checkpoints, place, workspace } = worldOf(yield* Checkpoints, made)
      for (let messageIndex = 1; messageIndex <= 4; messageIndex++) {
        write(workspace, { large: randomBytes(200_000) })
        yield* before(messageIndex)
        yield* TestClock.adjust("1 minute")
      }
      const { bytes, removed } = yield* checkpoints.collect()
      assert.strictEqual(removed, 2)
      assert.isAtMost(bytes, 500_000)
      const listed = yield* checkpoints.list(place)
      assert.deepStrictEqual(
        listed.map(({ messageIndex }) => messageIndex),
        [3, 4]
      )
    }).pipe(Effect.provide(Checkpoints.layerNode(options)))
  })
})

describe("collecting, and removing a task,", () => {
  it.effect("run no git of a workspace that has a store, whatever stands on PATH", () => {
    const made = folders()
    const ran = path.join(made.home, "ran")
    const planted = ["bin", "packages/a/node_modules/.bin", "virtual/bin"].map((name) =>
      path.join(made.workspace, name)
    )
    for (const folder of planted) {
      fs.mkdirSync(folder, { recursive: true })
      fs.writeFileSync(path.join(folder, "git"), `#!/bin/sh\ntouch ${ran}\nexec ${realGit()} "$@"\n`)
      fs.chmodSync(path.join(folder, "git"), 0o755)
    }
    const options = optionsOf(made)
    const PATH = [...planted, process.env["PATH"]].join(path.delimiter)
    const environment = { ...options.environment, PATH }
    return Effect.gen(function* () {
      const { before, checkpoints } = worldOf(yield* Checkpoints, made)
      yield* before(1)
      yield* before(1, otherTask)
      assert.isDefined(yield* checkpoints.collect())
      assert.isDefined(yield* checkpoints.tidy())
      yield* checkpoints.remove(task)
      assert.deepStrictEqual(yield* checkpoints.tasks(), [otherTask])
      assert.isFalse(fs.existsSync(ran))
    }).pipe(Effect.provide(Checkpoints.layerNode({ ...options, environment })))
  })
})

describe("removing a task", () => {
  test("removes what only its checkpoints held, and nothing of another task", (world) =>
    Effect.gen(function* () {
      const { checkpoints, directory, place, workspace } = world
      write(workspace, { "a.txt": "1" })
      const kept = yield* world.before(1)
      const secret = randomBytes(40_000)
      write(workspace, { "a.txt": "2", secret })
      yield* world.before(1, otherTask)
      const size = () =>
        fs
          .readdirSync(path.join(directory, "checkpoints"), { recursive: true, withFileTypes: true })
          .reduce(
            (sum, entry) => sum + (entry.isFile() ? fs.statSync(path.join(entry.parentPath, entry.name)).size : 0),
            0
          )
      assert.isAbove(size(), 40_000)
      yield* checkpoints.remove(otherTask)
      yield* checkpoints.remove(otherTask)
      assert.isBelow(size(), 20_000)
      // The files are as the index knows them, but their contents went.
      const now = yield* world.before(2)
      const changes = yield* checkpoints.compare({ ...place, from: kept, to: now })
      assert.deepStrictEqual(
        changes.map((change) => change.path),
        ["a.txt", "secret"]
      )
      const content = yield* checkpoints.content(place, changes[1]?.to?.blob ?? "")
      assert.deepStrictEqual(Buffer.from(content), secret)
      yield* checkpoints.remove(task)
      assert.deepStrictEqual(storesOf(directory), [])
    }))

  test("from a store that is in use takes its checkpoints at once, and their contents with the next collection", (world) =>
    Effect.gen(function* () {
      const { checkpoints, directory, place, workspace } = world
      write(workspace, { "a.txt": "1" })
      yield* world.before(1)
      const [store] = storesOf(directory)
      const user = new DatabaseSync(path.join(directory, "checkpoints", `${store}.lock`))
      user.exec("BEGIN; SELECT count(*) FROM sqlite_schema")
      yield* checkpoints.remove(task)
      assert.deepStrictEqual(yield* checkpoints.list(place), [])
      assert.deepStrictEqual(storesOf(directory), [store])
      user.close()
      yield* checkpoints.collect()
      assert.deepStrictEqual(storesOf(directory), [])
    }))
})

describe.skipIf(process.platform === "win32")("while a checkpoint is being made", () => {
  it.live("nothing that it may refer to goes away", () => {
    const made = folders()
    const reached = path.join(made.home, "reached")
    const go = `${reached}.fifo`
    // The second checkpoint stops before its commit, when its tree is stored and nothing names it.
    const script = `case " $* " in *" commit-tree "*) mkdir ${made.home}/first 2>/dev/null || { mkfifo ${go} 2>/dev/null && touch ${reached} && cat ${go} >&2; };; esac\nexec ${realGit()} "$@"`
    write(made.workspace, { "a.txt": "1" })
    return Effect.gen(function* () {
      const { before, checkpoints, place, workspace } = worldOf(yield* Checkpoints, made)
      yield* before(1, otherTask)
      const second = yield* Effect.forkChild(before(1))
      yield* appears(reached)
      yield* checkpoints.remove(otherTask)
      yield* checkpoints.collect()
      fs.writeFileSync(go, "go")
      const to = yield* Fiber.join(second)
      write(workspace, { "a.txt": "2" })
      yield* checkpoints.collect()
      yield* checkpoints.restore({ ...place, to })
      assert.strictEqual(fs.readFileSync(path.join(workspace, "a.txt"), "utf8"), "1")
    }).pipe(Effect.provide(Checkpoints.layerNode({ ...optionsOf(made), git: wrapped(made.home, script) })))
  })
})

describe("a store whose references were packed by another program", () => {
  it.effect("still has all of its checkpoints, and takes further ones", () => {
    const made = folders()
    return Effect.gen(function* () {
      const { before, checkpoints, place, workspace } = worldOf(yield* Checkpoints, made)
      const ids: Array<string> = []
      for (const messageIndex of [1, 2]) {
        write(workspace, { "a.txt": `${messageIndex}` })
        ids.push(yield* before(messageIndex))
        const [store = ""] = storesOf(made.directory)
        git(path.join(made.directory, "checkpoints", store), "pack-refs", "--all")
        const listed = yield* checkpoints.list(place)
        assert.deepStrictEqual(
          listed.map(({ id }) => id),
          ids
        )
      }
    }).pipe(Effect.provide(Checkpoints.layerNode(optionsOf(made))))
  })
})

describe("branching", () => {
  test("again gives what the first task holds by then", ({ after, before, checkpoints, place, workspace }) =>
    Effect.gen(function* () {
      const branched = TaskId.TaskId.make("branch")
      const idsOf = (taskId: TaskId.TaskId) =>
        Effect.map(checkpoints.list({ workspace, taskId }), (listed) => listed.map(({ id }) => id))
      const first = yield* before(1)
      for (const text of ["1", "2"]) {
        write(workspace, { "a.txt": text })
        const second = yield* after(1)
        yield* checkpoints.branch(place, second, branched)
        assert.deepStrictEqual(
          [yield* idsOf(place.taskId), yield* idsOf(branched)],
          [
            [first, second],
            [first, second]
          ]
        )
      }
    }))

  test("gives another task the checkpoints up to one of them, whatever becomes of the first task", (world) =>
    Effect.gen(function* () {
      const { checkpoints, place, workspace } = world
      const branched = TaskId.TaskId.make("branch")
      for (const messageIndex of [1, 2, 3]) {
        write(workspace, { "a.txt": `${messageIndex}` })
        yield* world.before(messageIndex)
      }
      const [, second] = yield* checkpoints.list(place)
      yield* checkpoints.branch(place, second?.id ?? assert.fail(), branched)
      yield* checkpoints.remove(task)
      const listed = yield* checkpoints.list({ workspace, taskId: branched })
      assert.deepStrictEqual(
        listed.map(({ messageIndex, taskId }) => [taskId, messageIndex]),
        [
          [branched, 1],
          [branched, 2]
        ]
      )
      yield* checkpoints.restore({ workspace, taskId: branched, to: listed[0]?.id ?? assert.fail() })
      assert.strictEqual(fs.readFileSync(path.join(workspace, "a.txt"), "utf8"), "1")
    }))

  test("and everything else refuses a checkpoint of another task", (world) =>
    Effect.gen(function* () {
      const id = yield* world.before(1)
      const theirs = { ...world.place, taskId: otherTask }
      const failures = yield* Effect.all([
        Effect.flip(world.checkpoints.restore({ ...theirs, to: id })),
        Effect.flip(world.checkpoints.compare({ ...theirs, from: id, to: "now" })),
        Effect.flip(world.checkpoints.branch(theirs, id, task))
      ])
      for (const failure of failures) {
        assert.strictEqual(failure.reason, "notFound")
        assert.include(failure.message, id)
      }
    }))
})

describe("tidying", () => {
  test("collects once a day over all processes, and nothing where nothing was recorded", ({
    before,
    checkpoints,
    directory
  }) =>
    Effect.gen(function* () {
      assert.isUndefined(yield* checkpoints.tidy())
      assert.isFalse(fs.existsSync(path.join(directory, "checkpoints")))
      yield* before(1)
      assert.strictEqual((yield* checkpoints.tidy())?.removed, 0)
      assert.isUndefined(yield* checkpoints.tidy())
      const last = path.join(directory, "checkpoints", "collected")
      const yesterday = fs.statSync(last).mtimeMs / 1000 - 86_401
      fs.utimesSync(last, yesterday, yesterday)
      assert.isDefined(yield* checkpoints.tidy())
    }))

  test("knows which tasks have checkpoints, in whichever workspace", ({ before, checkpoints }) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* checkpoints.tasks(), [])
      yield* before(1)
      yield* before(1, otherTask)
      assert.deepStrictEqual([...(yield* checkpoints.tasks())].sort(), [task, otherTask])
      yield* checkpoints.remove(task)
      assert.deepStrictEqual(yield* checkpoints.tasks(), [otherTask])
    }))
})
