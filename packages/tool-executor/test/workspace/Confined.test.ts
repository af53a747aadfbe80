/** What a confined command can do, and where there is a sandbox for it. */
import { Approvals } from "@belay/approval-policy"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { install } from "./fixtures/Bubblewrap.ts"
import * as Probe from "./fixtures/Probe.ts"
import * as ControlGroup from "../../src/workspace/sandbox/ControlGroup.ts"
import * as CommandRunner from "../../src/workspace/command/CommandRunner.ts"
import * as ExecuteCommand from "../../src/workspace/tools/ExecuteCommand.ts"
import * as Sandbox from "../../src/workspace/sandbox/Sandbox.ts"
import * as Workspace from "./fixtures/Workspace.ts"
import { marked, isUp } from "./fixtures/Marked.ts"

install()

describe("a confined command", () => {
  it.effect("reads and writes its workspace, also below /tmp, and has a /tmp of its own", () =>
    Effect.gen(function* () {
      const world = yield* Probe.world(true)
      const { text } = yield* Probe.run(
        world,
        "echo b > src/b.ts; mkdir -p out; cat src/*.ts > out/all; cd out; ls /tmp | wc -l; echo $TMPDIR"
      )
      assert.include(text, "/tmp\nexit code 0")
      assert.strictEqual(world.read("out/all"), "a\nb\n")
    })
  )

  it.effect(
    "reads folders that the user has added, and writes them where edits run, but no protected name in them",
    () =>
      Effect.gen(function* () {
        const world = yield* Probe.world(true)
        const added = path.join(world.outside, "lib")
        fs.mkdirSync(path.join(added, "sub"), { recursive: true })
        for (const name of ["a.txt", "package.json", "sub/package.json"]) {
          fs.writeFileSync(path.join(added, name), "original\n")
        }
        const script = [
          `cd ${added}; cat a.txt; echo new > b.txt; echo evil > package.json; mv sub gone; echo evil > sub/package.json`,
          `echo made > AGENTS.md; echo out > ../c.txt; true`
        ].join("; ")
        const run = (edit: "allow" | "ask", folders?: ReadonlyArray<string>) =>
          Probe.run(world, script, {
            approvals: { ...Approvals.all, edit, ...(folders === undefined ? {} : { folders }) }
          })
        const read = (name: string) => fs.readFileSync(path.join(added, name), "utf8")
        yield* run("allow")
        assert.include((yield* run("ask", [added])).text, "original")
        assert.deepStrictEqual(fs.readdirSync(added).toSorted(), ["a.txt", "package.json", "sub"])
        const written = yield* run("allow", [added, path.join(world.outside, "none"), "/tmp"])
        assert.include(written.text, "original")
        assert.include(written.text, `they were renamed: ${path.join(added, "AGENTS.md.refused")}]`)
        assert.deepStrictEqual(
          [read("b.txt"), read("package.json"), read("sub/package.json"), read("AGENTS.md.refused")],
          ["new\n", "original\n", "original\n", "made\n"]
        )
        assert.isFalse(fs.existsSync(path.join(world.outside, "c.txt")))
      })
  )

  it.effect("is told what of it was put aside, and that it was confined", () =>
    Effect.gen(function* () {
      const world = yield* Probe.world(true)
      const made = yield* Probe.run(world, "echo x > AGENTS.md")
      assert.isTrue(made.isError)
      assert.include(made.text, "they were renamed: AGENTS.md.refused]")
      assert.strictEqual(world.read("AGENTS.md.refused"), "x\n")
      assert.include(
        (yield* Probe.run(world, "false")).text,
        "\n[It ran in a sandbox: no network, writes only in the workspace. If it needs more, ask the user.]\n"
      )
    })
  )

  it.effect("commits where the rules allow git to write, and still changes no hook and no setting", () =>
    Effect.gen(function* () {
      const world = yield* Probe.world(true)
      fs.rmSync(world.at(".git"), { recursive: true })
      execFileSync("git", ["init", "-q"], { cwd: world.root })
      const commit = "git -c user.name=a -c user.email=a@example.com commit -qm one"
      const { text } = yield* Probe.run(world, `git add src && ${commit} && git log --oneline | wc -l`)
      assert.strictEqual(text, "1\nexit code 0")
      const tried = [
        "git config user.name b",
        "echo x > .git/hooks/pre-commit && git status",
        "echo . > .git/commondir; git status"
      ]
      for (const command of tried) assert.isTrue((yield* Probe.run(world, command)).isError, command)
      assert.isFalse(fs.existsSync(world.at(".git/hooks/pre-commit")))
      assert.isFalse(fs.existsSync(world.at(".git/commondir")))
      assert.include((yield* Probe.run(world, "echo x > .git/index")).text, "Read-only file system")
    })
  )

  it.effect("keeps what our own tools write meanwhile", () =>
    Effect.gen(function* () {
      const world = yield* Probe.world(true)
      const up = yield* Deferred.make<void>()
      const progress = () => Effect.asVoid(Deferred.succeed(up, undefined))
      const running = Probe.run(world, "echo up; until [ -e AGENTS.md ]; do :; done", { progress })
      const fiber = yield* Effect.forkChild(running)
      yield* Deferred.await(up)
      yield* Workspace.call("write_to_file", { path: "AGENTS.md", content: "approved" }, world)
      assert.strictEqual((yield* Fiber.join(fiber)).text, "up\nexit code 0")
      assert.strictEqual(world.read("AGENTS.md"), "approved")
    })
  )

  it.effect("runs Node, and reads the file outside that the rules allowed by name", () =>
    Effect.gen(function* () {
      const world = yield* Probe.world(true)
      const file = path.join(world.outside, "notes.txt")
      fs.writeFileSync(file, "before\n")
      // Wherever this one lies, the box has its own /tmp.
      fs.copyFileSync(process.execPath, world.at("node"))
      const { text } = yield* Probe.run(world, `./node -p 1+1; cat ${file}`)
      assert.strictEqual(text, "2\nbefore\nexit code 0")
      yield* Probe.run(world, `cat ${file}; echo after > ${file}`)
      assert.strictEqual(fs.readFileSync(file, "utf8"), "before\n")
    })
  )

  it.effect("ends with everything it started when it is interrupted", () =>
    Effect.gen(function* () {
      const world = yield* Probe.world(true)
      const mark = `belay-stopped-${process.pid}`
      const up = yield* Deferred.make<void>()
      const progress = () => Effect.asVoid(Deferred.succeed(up, undefined))
      const daemon = `env -i setsid bash -c 'exec -a ${mark} sleep 300' & until ${isUp(mark)}; do :; done; echo up; wait`
      const running = Probe.run(world, daemon, { progress })
      const fiber = yield* Effect.forkChild(running)
      yield* Deferred.await(up)
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(marked(mark), [])
    })
  )

  it.effect("has one limit of memory and of processes for all of it, where Belay may set one", () =>
    Effect.gen(function* () {
      const world = yield* Probe.world(true)
      const up = yield* Deferred.make<void>()
      const progress = () => Effect.asVoid(Deferred.succeed(up, undefined))
      const command = "echo up; until [ -e go ]; do :; done"
      const fiber = yield* Effect.forkChild(Probe.run(world, command, { progress }))
      yield* Deferred.await(up)
      const [box = ""] = marked(world.root).flatMap(
        (pid) => /belay-box-[0-9a-f]+/.exec(fs.readFileSync(`/proc/${pid}/cmdline`, "latin1")) ?? []
      )
      assert.notStrictEqual(box, "")
      const folders = ControlGroup.named(box)
      for (const folder of folders) {
        const members = fs.readFileSync(path.join(folder, "cgroup.procs"), "utf8").trim().split("\n")
        assert.includeMembers(members.map(Number), [...marked(box)])
      }
      const limits = folders.flatMap((folder) =>
        ["memory.max", "memory.limit_in_bytes", "pids.max"]
          .map((name) => path.join(folder, name))
          .filter((file) => fs.existsSync(file))
          .map((file) => Number(fs.readFileSync(file, "utf8")))
      )
      assert.strictEqual(limits.length, folders.length === 0 ? 0 : 2)
      assert.isTrue(limits.every((limit) => limit === 4096 || limit < os.totalmem()))
      world.write("go", "")
      yield* Fiber.join(fiber)
      assert.deepStrictEqual(
        folders.filter((folder) => fs.existsSync(folder)),
        []
      )
    })
  )
})

describe("the state of the sandbox", () => {
  const stateIn = (environment: NodeJS.ProcessEnv, root: string) =>
    Sandbox.make({ environment: { PATH: environment["PATH"] } }).state(root)

  it.effect("is confined only when a command ran in the box", () =>
    Effect.gen(function* () {
      const { root } = yield* Workspace.make
      assert.deepStrictEqual(yield* stateIn(process.env, root), { _tag: "Confined", by: "bubblewrap" })
    })
  )

  it.effect("is unavailable with the reason that bubblewrap gives", () =>
    Effect.gen(function* () {
      const { outside, root } = yield* Workspace.make
      const program = path.join(outside, "bwrap")
      fs.writeFileSync(program, "#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n")
      fs.chmodSync(program, 0o755)
      const state = yield* stateIn({ PATH: outside }, root)
      const reason = "Bubblewrap does not work here: No permissions to create new namespace."
      assert.deepStrictEqual(state, { _tag: "Unavailable", reason })
    })
  )

  it.effect("is unavailable with a bubblewrap that knows no filter of system calls", () =>
    Effect.gen(function* () {
      const { outside, root } = yield* Workspace.make
      const program = path.join(outside, "bwrap")
      const says = `case "$*" in *--seccomp*) echo 'bwrap: Unknown option --seccomp' >&2; exit 1;; esac\n`
      fs.writeFileSync(program, `#!/bin/sh\n${says}`, { mode: 0o755 })
      const reason = "Bubblewrap does not work here: Unknown option --seccomp."
      assert.deepStrictEqual(yield* stateIn({ PATH: outside }, root), { _tag: "Unavailable", reason })
    })
  )

  it.effect("is confined by an older bubblewrap that cannot count namespaces, where the filter closes them alone", () =>
    Effect.gen(function* () {
      const world = yield* Probe.world(true)
      const real = execFileSync("/bin/sh", ["-c", "command -v bwrap"], { encoding: "utf8" }).trim()
      const says = `case "$*" in *--disable-userns*) echo 'bwrap: Unknown option --disable-userns' >&2; exit 1;; esac`
      const program = path.join(world.outside, "bwrap")
      fs.writeFileSync(program, `#!/bin/sh\n${says}\nexec ${real} "$@"\n`, { mode: 0o755 })
      const PATH = `${world.outside}:${process.env["PATH"]}`
      const { text } = yield* Probe.run(world, "echo in; unshare -Ur echo opened", { environment: { PATH } })
      assert.include(text, "in\n")
      assert.notInclude(text, "opened\n")
    })
  )

  it.effect("never takes a program of the workspace for bubblewrap", () =>
    Effect.gen(function* () {
      const { at, root, write } = yield* Workspace.make
      write("bin/bwrap", "#!/bin/sh\nexit 0\n")
      fs.chmodSync(at("bin/bwrap"), 0o755)
      const state = yield* stateIn({ PATH: at("bin") }, root)
      assert.deepInclude(state, { reason: "Bubblewrap (bwrap) is not installed outside the workspace." })
    })
  )

  it.effect("is unavailable for a workspace that holds what a box makes for itself, and on Windows", () =>
    Effect.gen(function* () {
      assert.deepInclude(yield* stateIn(process.env, "/"), { _tag: "Unavailable" })
      assert.deepInclude(yield* stateIn(process.env, "/tmp"), { _tag: "Unavailable" })
      assert.deepInclude(yield* Sandbox.make({}, "win32").state("C:\\ws"), { _tag: "Unavailable" })
    })
  )

  it.effect("decides: required does not run without it, preferred does", () =>
    Effect.gen(function* () {
      const { context } = yield* Workspace.make
      const runner = CommandRunner.make({ sandbox: Sandbox.unavailable("There is none.") })
      const tool = ExecuteCommand.make({ home: "/", runner })
      const run = (sandbox: "required" | "preferred") =>
        Effect.map(tool.execute({ command: "echo ran" }, { ...context, sandbox }), Workspace.textOf)
      assert.strictEqual(yield* run("required"), "Not run, because it cannot be confined. There is none.")
      assert.strictEqual(yield* run("preferred"), "ran\nexit code 0")
    })
  )
})
