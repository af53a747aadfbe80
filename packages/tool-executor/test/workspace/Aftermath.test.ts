import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { spawn, spawnSync } from "node:child_process"
import { on, once } from "node:events"
import * as fs from "node:fs"
import * as path from "node:path"
import { ProtectedPath } from "@belay/approval-policy"
import { install } from "./fixtures/Bubblewrap.ts"
import * as BoxJournal from "../../src/workspace/sandbox/BoxJournal.ts"
import * as Placeholders from "../../src/workspace/sandbox/Placeholders.ts"
import * as Probe from "./fixtures/Probe.ts"
import * as Workspace from "./fixtures/Workspace.ts"

install()

const script = path.join(import.meta.dirname, "fixtures", "cutOff.ts")
const argsOf = (point: string, { outside, root }: Workspace.TestWorkspace, command = "") => [
  "--conditions=@belay/source",
  script,
  point,
  root,
  path.join(outside, "data"),
  command
]

/** A Belay that has come to this point of the command. */
const at = (point: string, world: Workspace.TestWorkspace, command: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const child = spawn(process.execPath, argsOf(point, world, command), { stdio: ["ignore", "pipe", "inherit"] })
      let said = ""
      for await (const [bytes] of on(child.stdout, "data")) {
        said += String(bytes)
        if (/^here$/m.test(said)) break
      }
      return child
    }),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  )

const killedAt = (point: string, world: Workspace.TestWorkspace, command: string) =>
  Effect.scoped(
    Effect.gen(function* () {
      const child = yield* at(point, world, command)
      const gone = once(child, "exit")
      child.kill("SIGKILL")
      yield* Effect.promise(() => gone)
    })
  )

/** The next start of a Belay, which may be killed itself. */
const start = (world: Workspace.TestWorkspace, point: "recover" | "whole" = "whole") =>
  Effect.sync(() => spawnSync(process.execPath, argsOf(point, world), { stdio: "inherit" }))

/** Every path in the workspace that the policy protects. */
const protectedIn = (root: string): ReadonlyArray<string> =>
  fs
    .readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((file) => ProtectedPath.match(file, "write") !== undefined)
    .toSorted()

const plants = [
  "echo script-shell=/bin/false > .npmrc",
  "echo x > .envrc",
  "echo x > .env",
  "echo x > Makefile",
  "echo x > id_rsa",
  "mkdir -p .git/hooks sub/.vscode/deep/.git sub/.husky",
  "echo x > sub/.npmrc",
  "echo x > sub/.vscode/deep/package.json",
  "mkdir closed; echo x > closed/.npmrc; chmod 0311 closed"
].join("; ")

describe("no protected or secret name survives a confined command", () => {
  it.effect("at any depth, also below one that is put aside, and in a folder that cannot be read", () =>
    Probe.command(
      () => plants,
      ({ root }) => protectedIn(root).some((file) => !/^(?:\.git|home|package|pkg)/.test(file))
    )
  )

  for (const [point, when] of [
    ["begun", "before it has started"],
    ["running", "while it runs"],
    ["ended", "when it has ended"]
  ] as const) {
    it.live(`nor a kill of Belay ${when}, from the next start on`, () =>
      Effect.gen(function* () {
        const world = yield* Workspace.make
        world.write("package.json", "{}")
        fs.symlinkSync("package.json", world.at("AGENTS.md"))
        yield* killedAt(point, world, `${plants}; rm AGENTS.md; echo here; ${point === "running" ? "sleep 600" : ""}`)
        const left = protectedIn(world.root)
        yield* start(world, "recover")
        yield* start(world, "recover")
        yield* start(world)
        assert.deepStrictEqual(protectedIn(world.root), ["AGENTS.md", "package.json"])
        assert.strictEqual(fs.readlinkSync(world.at("AGENTS.md")), "package.json")
        // Something was left to do.
        assert.notDeepEqual(left, ["AGENTS.md", "package.json"])
        assert.deepStrictEqual(fs.readdirSync(path.join(world.outside, "data", "boxes")), [])
      })
    )
  }

  it.live("and one line tells the person what was renamed", () =>
    Effect.gen(function* () {
      const world = yield* Workspace.make
      yield* killedAt("running", world, "mkdir sub; echo x > sub/.npmrc; echo here; sleep 600")
      const told = () => spawnSync(process.execPath, argsOf("whole", world), { encoding: "utf8" }).stdout
      const line = `A command that was cut off had made protected names in ${world.root}, which were renamed: `
      assert.match(told().replace(line, ""), /^[^\n]*npmrc[^\n]*\n$/)
      assert.strictEqual(told(), "")
    })
  )

  it.live("keeps what our own tools wrote meanwhile, and what came to be long after the kill", () =>
    Effect.gen(function* () {
      const world = yield* Workspace.make
      yield* killedAt("own", world, `echo x > Makefile; echo here; sleep 600`)
      const boxes = path.join(world.outside, "data", "boxes")
      const stamp = () => fs.readdirSync(boxes).find((name) => name.endsWith(".ended"))
      while (stamp() === undefined) yield* Effect.sleep("1 millis")
      const ended = fs.statSync(path.join(boxes, stamp() ?? "")).mtimeMs
      const long = (ended - BoxJournal.graceMillis) / 1000
      fs.utimesSync(path.join(boxes, stamp() ?? ""), long, long)
      // The clock of a file system goes in steps.
      do {
        fs.rmSync(world.at(".npmrc.new"), { force: true })
        world.write(".npmrc.new", "of a person")
      } while (fs.statSync(world.at(".npmrc.new")).birthtimeMs <= ended)
      fs.rmSync(world.at(".npmrc"), { recursive: true, force: true })
      fs.renameSync(world.at(".npmrc.new"), world.at(".npmrc"))
      yield* start(world)
      assert.strictEqual(world.read("AGENTS.md"), "approved")
      assert.strictEqual(world.read(".npmrc"), "of a person")
      assert.deepStrictEqual(protectedIn(world.root), [".npmrc", "AGENTS.md"])
    })
  )

  it.live("and the command of a Belay that lives is left alone by another", () =>
    Effect.gen(function* () {
      const world = yield* Workspace.make
      const child = yield* at("running", world, "echo x > Makefile; echo here; sleep 600")
      yield* start(world)
      assert.strictEqual(world.read("Makefile"), "x\n")
      assert.isTrue(fs.existsSync(world.at(".npmrc")))
      const gone = once(child, "exit")
      child.kill("SIGKILL")
      yield* Effect.promise(() => gone)
      yield* start(world)
      assert.deepStrictEqual(protectedIn(world.root), [])
    })
  )
})

describe("while a confined command runs", () => {
  it.effect("no absent name that a person or an editor obeys by itself can be made in the root", () =>
    Effect.gen(function* () {
      const world = yield* Probe.world(true)
      const up = yield* Deferred.make<void>()
      const progress = () => Effect.asVoid(Deferred.succeed(up, undefined))
      const each = Placeholders.names.map(
        (name) => `echo x > ${name}; mkdir -p ${name}/x; mv src ${name}; rm -rf ${name}`
      )
      const command = `(${each.join("; ")}) 2>/dev/null; echo up; until [ -e go ]; do :; done`
      const fiber = yield* Effect.forkChild(Probe.run(world, command, { progress }))
      yield* Deferred.await(up)
      for (const name of Placeholders.names.filter((one) => one !== ".git")) {
        assert.deepStrictEqual(fs.readdirSync(world.at(name)), [], name)
      }
      world.write("go", "")
      yield* Fiber.join(fiber)
      assert.deepStrictEqual(
        Placeholders.names.filter((name) => fs.existsSync(world.at(name))),
        [".git"]
      )
      assert.isTrue(fs.existsSync(world.at("src/a.ts")))
    })
  )

  it.effect("what our own tools wrote and it changed then is put aside", () =>
    Effect.gen(function* () {
      const world = yield* Probe.world(true)
      const up = yield* Deferred.make<void>()
      const progress = () => Effect.asVoid(Deferred.succeed(up, undefined))
      const command = "echo up; until [ -e AGENTS.md ]; do :; done; echo mine > AGENTS.md"
      const fiber = yield* Effect.forkChild(Probe.run(world, command, { progress }))
      yield* Deferred.await(up)
      yield* Workspace.call("write_to_file", { path: "AGENTS.md", content: "approved" }, world)
      yield* Fiber.join(fiber)
      assert.isFalse(fs.existsSync(world.at("AGENTS.md")))
      assert.strictEqual(world.read("AGENTS.md.refused"), "mine\n")
    })
  )
})
