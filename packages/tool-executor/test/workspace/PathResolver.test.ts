import { PathResolver } from "@belay/approval-policy/facts"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as childProcess from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import * as Workspace from "./fixtures/Workspace.ts"

const resolveIn = (workspace: Workspace.TestWorkspace) => (given: string) =>
  PathResolver.resolve(given, { workspace: workspace.root, home: "/users/somebody", access: "read" })

describe("PathResolver", () => {
  it.effect("resolves files, folders and what does not exist yet", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      const resolve = resolveIn(workspace)
      workspace.write("src/a.ts", "a")
      assert.include(resolve("src/a.ts"), { kind: "file", inside: true, relative: "src/a.ts", links: 1 })
      assert.include(resolve("."), { kind: "directory", inside: true, relative: "", resolved: workspace.root })
      assert.include(resolve("src/../src/./a.ts"), { kind: "file", relative: "src/a.ts" })
      assert.include(resolve("new/deep/b.ts"), { kind: "absent", inside: true, relative: "new/deep/b.ts" })
      assert.include(resolve(workspace.at("src/a.ts")), { inside: true, relative: "src/a.ts" })
      assert.isUndefined(resolve("src/a.ts").failure)
    })
  )

  it.effect("judges a neighbour with the same prefix, the home and URLs as outside", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      const resolve = resolveIn(workspace)
      assert.include(resolve("../project-outside/x"), { inside: false, relative: "" })
      assert.include(resolve("~/x"), { inside: false, displayed: "/users/somebody/x" })
      assert.include(resolve("file:///nowhere/x"), { inside: false, displayed: "/nowhere/x" })
      assert.include(resolve("..hidden"), { inside: true, relative: "..hidden" })
      assert.strictEqual(resolve("file:///a%2Fb").failure, PathResolver.PathFailure.url)
    })
  )

  it.effect("judges a link by where it leads, also when the target does not exist", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      const resolve = resolveIn(workspace)
      fs.symlinkSync(workspace.outside, workspace.at("out"))
      fs.symlinkSync(path.join(workspace.outside, "absent"), workspace.at("dangling"))
      workspace.write("real/a.ts", "a")
      fs.symlinkSync("real", workspace.at("in"))
      assert.include(resolve("out/secret"), { inside: false, resolved: path.join(workspace.outside, "secret") })
      assert.include(resolve("dangling"), { inside: false, resolved: path.join(workspace.outside, "absent") })
      assert.include(resolve("in/a.ts"), { inside: true, relative: "real/a.ts" })
      // The kernel goes to the parent of the target, the text stays inside.
      assert.include(resolve("out/../x"), { inside: false, displayed: workspace.at("x") })
      assert.strictEqual(resolve("out/../x").resolved, path.join(path.dirname(workspace.outside), "x"))
    })
  )

  it.effect("agrees with the kernel on chains of links", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      workspace.write("a/b/c/file", "x")
      fs.symlinkSync("b/c", workspace.at("a/l1"))
      fs.symlinkSync("../a/l1/..", workspace.at("a/l2"))
      fs.symlinkSync(workspace.at("a/l2"), workspace.at("l3"))
      for (const given of ["a/l1/file", "a/l2/c/file", "l3/c/file", "l3/../b/c/file", "l3/c/../../l1/file"]) {
        assert.strictEqual(resolveIn(workspace)(given).resolved, fs.realpathSync.native(`${workspace.root}/${given}`))
      }
    })
  )

  it.effect("fails for loops, long names, NUL, an empty path and a file used as a folder", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      const resolve = resolveIn(workspace)
      fs.symlinkSync("loop-b", workspace.at("loop-a"))
      fs.symlinkSync("loop-a", workspace.at("loop-b"))
      fs.symlinkSync(".", workspace.at("self"))
      workspace.write("file", "x")
      const { PathFailure } = PathResolver
      assert.include(resolve("loop-a"), { failure: PathFailure.loop, inside: false })
      assert.strictEqual(resolve(`${"self/".repeat(50)}file`).failure, PathFailure.loop)
      assert.strictEqual(resolve("x/".repeat(2500)).failure, PathFailure.tooLong)
      assert.strictEqual(resolve("absent/".concat("y".repeat(300))).failure, PathFailure.tooLong)
      assert.strictEqual(resolve("a\0b").failure, PathFailure.nul)
      assert.strictEqual(resolve("").failure, PathFailure.empty)
      assert.strictEqual(resolve("file/x").failure, PathFailure.notFolder)
      assert.strictEqual(resolve("file/..").failure, PathFailure.notFolder)
    })
  )

  it.effect("fails for a folder that may not be searched", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      workspace.write("closed/file", "x")
      fs.chmodSync(workspace.at("closed"), 0o000)
      // Another user, because a superuser may read everything.
      const script = `const { PathResolver: { resolve } } = await import("@belay/approval-policy/facts")
        process.setuid?.(65534)
        console.log(resolve("closed/file", { workspace: process.argv[1], home: "/", access: "read" }).failure)`
      const args = ["--conditions=@belay/source", "--input-type=module", "-e", script, workspace.root]
      const out = childProcess.execFileSync(process.execPath, args, { encoding: "utf8" })
      fs.chmodSync(workspace.at("closed"), 0o755)
      assert.strictEqual(out.trim(), PathResolver.PathFailure.denied)
    })
  )
})
