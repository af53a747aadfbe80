import { PathResolver } from "@belay/approval-policy/facts"
import type { TaskId } from "@belay/task-state"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as childProcess from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import * as PathLocks from "../../src/workspace/paths/PathLocks.ts"
import * as SafeFile from "../../src/workspace/paths/SafeFile.ts"
import * as SafeWrite from "../../src/workspace/paths/SafeWrite.ts"
import * as Workspace from "./fixtures/Workspace.ts"

const resolve = (workspace: Workspace.TestWorkspace, given: string) =>
  PathResolver.resolve(given, { workspace: workspace.root, home: "/", access: "write" })

const reasonOf = <A>(effect: Effect.Effect<A, SafeFile.SafeFileError>) =>
  Effect.map(Effect.flip(effect), ({ reason }) => reason)

const bytes = (text: string) => Buffer.from(text)
const absent = { expectedHash: "absent" }

describe("SafeWrite.writeAll", () => {
  it.effect("puts everything back when one file cannot be changed, and leaves nothing beside them", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      for (const name of ["changed", "removed", "raced"]) workspace.write(name, name)
      const inode = fs.statSync(workspace.at("changed")).ino
      const change = (name: string, text: string | undefined, expected = name) => ({
        fact: resolve(workspace, name),
        bytes: text === undefined ? undefined : bytes(text),
        expectedHash: expected === "absent" ? expected : SafeFile.hash(bytes(expected))
      })
      const all = (beforeCommit: () => void) =>
        SafeWrite.writeAll([
          change("changed", "new"),
          change("removed", undefined),
          change("made/in/new", "new", "absent"),
          { ...change("raced", "new"), beforeCommit }
        ])
      const race = () => workspace.write("raced", "theirs")
      assert.strictEqual(yield* reasonOf(all(race)), "changed")
      assert.deepStrictEqual(fs.readdirSync(workspace.root).toSorted(), ["changed", "raced", "removed"])
      assert.deepStrictEqual(
        ["changed", "removed", "raced"].map((name) => workspace.read(name)),
        ["changed", "removed", "theirs"]
      )
      assert.strictEqual(fs.statSync(workspace.at("changed")).ino, inode)
      workspace.write("raced", "raced")
      yield* all(() => undefined)
      assert.deepStrictEqual(fs.readdirSync(workspace.root).toSorted(), ["changed", "made", "raced"])
      assert.deepStrictEqual(fs.readdirSync(workspace.at("made/in")), ["new"])
    })
  )
})

describe("SafeFile", () => {
  it.effect("refuses folders, FIFOs, devices and sockets without hanging", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      childProcess.execFileSync("mkfifo", [workspace.at("fifo")])
      const asFile = (given: string) => ({ ...resolve(workspace, given), kind: "file" as const })
      assert.strictEqual(yield* reasonOf(SafeFile.readAll(resolve(workspace, "fifo"), 10)), "notRegular")
      // Also when it took the place of a file after it was judged.
      assert.strictEqual(yield* reasonOf(SafeFile.readAll(asFile("fifo"), 10)), "notRegular")
      assert.strictEqual(yield* reasonOf(SafeFile.readAll(asFile("."), 10)), "folder")
      assert.strictEqual(yield* reasonOf(SafeFile.readAll(asFile("/dev/zero"), 10)), "notRegular")
      assert.strictEqual(yield* reasonOf(SafeFile.readAll(resolve(workspace, "nothing"), 10)), "missing")
    })
  )

  it.effect("refuses a file or a folder that became a link after it was judged", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      workspace.write("dir/a", "inside")
      const file = resolve(workspace, "dir/a")
      fs.writeFileSync(path.join(workspace.outside, "a"), "outside")
      fs.rmSync(workspace.at("dir/a"))
      fs.symlinkSync(path.join(workspace.outside, "a"), workspace.at("dir/a"))
      assert.strictEqual(yield* reasonOf(SafeFile.readAll(file, 10)), "moved")
      fs.rmSync(workspace.at("dir"), { recursive: true })
      fs.symlinkSync(workspace.outside, workspace.at("dir"))
      assert.strictEqual(yield* reasonOf(SafeFile.readAll(file, 10)), "moved")
      const { reason } = yield* Effect.flip(
        SafeWrite.write(file, bytes("x"), { expectedHash: SafeFile.hash(bytes("outside")) })
      )
      assert.strictEqual(reason, "moved")
      assert.strictEqual(fs.readFileSync(path.join(workspace.outside, "a"), "utf8"), "outside")
    })
  )

  it.effect("does not write through a parent that is swapped during the write", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      workspace.write("dir/a", "old")
      fs.writeFileSync(path.join(workspace.outside, "a"), "old")
      const swap = () => {
        fs.renameSync(workspace.at("dir"), workspace.at("dir-before"))
        fs.symlinkSync(workspace.outside, workspace.at("dir"))
      }
      const expectedHash = SafeFile.hash(bytes("old"))
      const write = SafeWrite.write(resolve(workspace, "dir/a"), bytes("new"), { expectedHash, beforeCommit: swap })
      assert.strictEqual(yield* reasonOf(write), "moved")
      assert.strictEqual(fs.readFileSync(path.join(workspace.outside, "a"), "utf8"), "old")
      assert.strictEqual(workspace.read("dir-before/a"), "old")
    })
  )

  it.effect("does not create a file through a parent that is swapped during the write", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      workspace.write("dir/a", "")
      const swap = () => {
        fs.renameSync(workspace.at("dir"), path.join(workspace.outside, "dir"))
        fs.symlinkSync(path.join(workspace.outside, "dir"), workspace.at("dir"))
      }
      const create = SafeWrite.write(resolve(workspace, "dir/b"), bytes("new"), { ...absent, beforeCommit: swap })
      assert.strictEqual(yield* reasonOf(create), "moved")
      assert.deepStrictEqual(fs.readdirSync(path.join(workspace.outside, "dir")), ["a"])
    })
  )

  it.effect("refuses a file whose content changed since it was read", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      workspace.write("a", "one")
      const fact = resolve(workspace, "a")
      const expectedHash = SafeFile.hash(bytes("one"))
      const late = SafeWrite.write(fact, bytes("x"), { expectedHash, beforeCommit: () => workspace.write("a", "two") })
      assert.strictEqual(yield* reasonOf(late), "changed")
      assert.strictEqual(yield* reasonOf(SafeWrite.write(fact, bytes("x"), { expectedHash })), "changed")
      const created = SafeWrite.write(resolve(workspace, "b"), bytes("x"), {
        ...absent,
        beforeCommit: () => workspace.write("b", "theirs")
      })
      assert.strictEqual(yield* reasonOf(created), "changed")
      assert.deepStrictEqual([workspace.read("a"), workspace.read("b")], ["two", "theirs"])
      assert.deepStrictEqual(fs.readdirSync(workspace.root).toSorted(), ["a", "b"])
    })
  )

  it.effect("keeps the mode, makes folders, leaves other names of the file alone", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      workspace.write("run.sh", "old")
      fs.chmodSync(workspace.at("run.sh"), 0o751)
      fs.linkSync(workspace.at("run.sh"), workspace.at("second"))
      const fact = resolve(workspace, "run.sh")
      assert.strictEqual(fact.links, 2)
      yield* SafeWrite.write(fact, bytes("new"), { expectedHash: SafeFile.hash(bytes("old")) })
      assert.strictEqual(fs.statSync(workspace.at("run.sh")).mode & 0o777, 0o751)
      assert.strictEqual(workspace.read("second"), "old")
      yield* SafeWrite.write(resolve(workspace, "x/y/z"), bytes("deep"), absent)
      assert.strictEqual(workspace.read("x/y/z"), "deep")
      assert.strictEqual(fs.statSync(workspace.at("x/y/z")).mode & 0o777 & ~0o644, 0)
    })
  )

  it.effect("says in one line why another user may not read or write", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      workspace.write("closed", "x")
      fs.chmodSync(workspace.at("closed"), 0o000)
      const url = (name: string) =>
        JSON.stringify(new URL(`../../src/workspace/paths/${name}.ts`, import.meta.url).href)
      const resolver = new URL("../../../approval-policy/src/facts/PathResolver.ts", import.meta.url).href
      const script = `const { resolve } = await import(${JSON.stringify(resolver)})
        const { readAll } = await import(${url("SafeFile")})
        const { write } = await import(${url("SafeWrite")})
        const Effect = await import(${JSON.stringify(import.meta.resolve("effect/Effect"))})
        process.setuid?.(65534)
        const fact = resolve("closed", { workspace: process.argv[1], home: "/", access: "write" })
        const fresh = resolve("fresh", { workspace: process.argv[1], home: "/", access: "write" })
        const say = (effect) => Effect.runPromise(Effect.flip(effect)).then((error) => console.log(error.message))
        await say(readAll(fact, 10))
        await say(write(fresh, Buffer.from("x"), { expectedHash: "absent" }))`
      const args = ["--conditions=@belay/source", "--input-type=module", "-e", script, workspace.root]
      const out = childProcess.execFileSync(process.execPath, args, { encoding: "utf8" })
      assert.strictEqual(
        out,
        "closed may not be accessed (permission denied)\nfresh may not be accessed (permission denied)\n"
      )
    })
  )
})

describe("PathLocks", () => {
  it.effect("never runs two sections of one path at once, and forgets the path", () =>
    Effect.gen(function* () {
      const log: Array<string> = []
      const section = (name: string) =>
        Effect.gen(function* () {
          log.push(`${name} in`)
          yield* Effect.yieldNow
          log.push(`${name} out`)
        })
      const first = yield* Effect.forkChild(PathLocks.withPath("/ws/A")(section("a")), { startImmediately: true })
      const second = yield* Effect.forkChild(PathLocks.withPath("/ws/a")(section("b")), { startImmediately: true })
      yield* Fiber.join(first)
      yield* Fiber.join(second)
      assert.deepStrictEqual(log, ["a in", "a out", "b in", "b out"])
      assert.strictEqual(yield* PathLocks.size, 0)
    })
  )

  it.effect("tells a task for whom it waits, once it has to, and no other", () =>
    Effect.gen(function* () {
      const log: Array<string> = []
      const gate = yield* Deferred.make<void>()
      const user = (task: string) =>
        PathLocks.userOf({
          taskId: task as TaskId.TaskId,
          workspace: "/ws",
          waits: ({ path, task: holder }) => Effect.sync(() => log.push(`${task} waits for ${holder}: ${path}`))
        })
      const at = (task: string, ...paths: ReadonlyArray<string>) =>
        Effect.forkChild(
          PathLocks.withPaths(
            paths,
            user(task)
          )(
            Effect.andThen(
              Effect.sync(() => log.push(`${task} writes`)),
              Deferred.await(gate)
            )
          ),
          { startImmediately: true }
        )
      const running = [yield* at("a", "/ws/src/x.ts"), yield* at("b", "/ws/src/y.ts"), yield* at("c", "/ws/src/X.ts")]
      assert.deepStrictEqual(log, ["a writes", "b writes", "c waits for a: src/X.ts"])
      yield* Deferred.succeed(gate, undefined)
      for (const fiber of running) yield* Fiber.join(fiber)
      assert.strictEqual(log.at(-1), "c writes")
      assert.strictEqual(yield* PathLocks.size, 0)
    })
  )
})
