import { SearchPath } from "@belay/approval-policy/facts"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/testing/TestClock"
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import * as Bash from "../../src/workspace/process/Bash.ts"
import * as CommandParameters from "../../src/workspace/command/CommandParameters.ts"
import * as CommandRunner from "../../src/workspace/command/CommandRunner.ts"
import * as ExecuteCommand from "../../src/workspace/tools/ExecuteCommand.ts"
import * as Sandbox from "../../src/workspace/sandbox/Sandbox.ts"
import * as PlainText from "../../src/workspace/text/PlainText.ts"
import * as Workspace from "./fixtures/Workspace.ts"

/** Completes when the output of a running command contains `text`, with all output so far. */
const watch = Effect.fnUntraced(function* (text: string) {
  const seen = yield* Deferred.make<string>()
  let output = ""
  const progress = (chunk: string) =>
    Effect.suspend(() => {
      output += chunk
      return output.includes(text) ? Effect.asVoid(Deferred.succeed(seen, output)) : Effect.void
    })
  return { progress, seen: Deferred.await(seen) }
})

const isAlive = (pid: number) => {
  try {
    process.kill(pid, 0)
    // Dead, but not yet collected by its parent.
    return !/\) Z /.test(fs.readFileSync(`/proc/${pid}/stat`, "utf8"))
  } catch {
    return false
  }
}

const pidIn = (output: string) => Number(/pid=(\d+)/.exec(output)?.[1])

/** A grandchild that ignores its parent's end, and says its pid. */
const grandchild = "(sleep 300 & echo pid=$!; wait) | cat; echo never"

describe("execute_command", () => {
  it.live("gives both outputs and the exit code; anything but 0 is an error", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      const run = (command: string) => Workspace.call("execute_command", { command }, workspace)
      const both = yield* run("for i in 1 2 3; do echo err $i >&2; echo out $i; done")
      const text = "err 1\nout 1\nerr 2\nout 2\nerr 3\nout 3\nexit code 0"
      assert.deepStrictEqual(both, { text, isError: false })
      assert.deepStrictEqual(yield* run("exit 3"), { text: "(no output)\nexit code 3", isError: true })
      assert.deepStrictEqual(yield* run("kill -9 $$"), { text: "(no output)\nended by SIGKILL", isError: true })
      assert.deepStrictEqual(yield* run("pwd; cat"), { text: `${workspace.root}\nexit code 0`, isError: false })
      assert.strictEqual((yield* run("-la; true")).text.includes("-la: command not found"), true)
      assert.isTrue((yield* run("true\0")).isError)
    })
  )

  it.live("runs a program with exactly its arguments, without a shell", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      const run = (args: object) => Workspace.call("execute_command", args, workspace)
      const words = ["$HOME", "a b", "*", "$(touch x)", "; touch y", "", "-n"]
      const shown = yield* run({ program: "printf", args: ["[%s]", ...words] })
      assert.deepStrictEqual(shown, {
        text: `${words.map((word) => `[${word}]`).join("")}\nexit code 0`,
        isError: false
      })
      assert.deepStrictEqual(fs.readdirSync(workspace.root), [])
      workspace.write("sub/tool.sh", "#!/bin/sh\npwd\n")
      fs.chmodSync(workspace.at("sub/tool.sh"), 0o755)
      assert.include((yield* run({ program: "./tool.sh", cwd: "sub" })).text, workspace.at("sub"))
      for (const program of ["no-such-program", "tool.sh", "setup.cmd", "x.BAT", "./sub"]) {
        const { isError, text } = yield* run({ program })
        assert.deepStrictEqual([isError, text.includes(program), text.includes("\n")], [true, true, false], text)
      }
    })
  )

  it("takes a line or a program, and not both", () => {
    const takes = Schema.is(CommandParameters.Parameters)
    assert.deepStrictEqual([{ command: "ls" }, { program: "ls" }, { program: "ls", args: ["-l"] }].map(takes), [
      true,
      true,
      true
    ])
    const wrong = [
      {},
      { args: ["ls"] },
      { command: "ls", program: "ls" },
      { command: "ls", args: [] },
      { program: " " }
    ]
    assert.deepStrictEqual(
      [...wrong, { program: "ls", args: ["a\0"] }].map(takes),
      [...wrong, 0].map(() => false)
    )
  })

  it.live("an approval of a program of the project binds to what is in it", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      workspace.write("tool.sh", "one")
      const identity = (args: object) =>
        Workspace.tool("execute_command").identity?.(args, workspace.context) ?? Effect.succeed("")
      const before = [yield* identity({ program: "./tool.sh" }), yield* identity({ command: "./tool.sh -x" })]
      workspace.write("tool.sh", "two")
      assert.notStrictEqual(yield* identity({ program: "./tool.sh" }), before[0])
      assert.notStrictEqual(yield* identity({ command: "./tool.sh -x" }), before[1])
    })
  )

  it.live("runs in the folder it is told, which is judged as a path", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      workspace.write("sub/a", "")
      const args = { command: "pwd", cwd: "sub" }
      const facts = yield* Workspace.tool("execute_command").facts(args, workspace.context)
      assert.deepStrictEqual(facts.paths, [])
      assert.include(facts.command?.cwd, { access: "read", kind: "directory", inside: true, relative: "sub" })
      assert.include((yield* Workspace.call("execute_command", args, workspace)).text, workspace.at("sub"))
      assert.isTrue((yield* Workspace.call("execute_command", { command: "pwd", cwd: "sub/a" }, workspace)).isError)
    })
  )

  it.live("git runs nothing that the repository names, when the command only reads, and no monitor at all", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      const run = (command: string) => Workspace.call("execute_command", { command }, workspace)
      workspace.write("spy.sh", `#!/bin/sh\ntouch ${workspace.at("ran")}\n`)
      fs.chmodSync(workspace.at("spy.sh"), 0o755)
      yield* run("git init -q . && git config core.fsmonitor ./spy.sh && git config core.hooksPath .")
      assert.include((yield* run("git status --short | cat")).text, "spy.sh")
      yield* run("git status --short; touch x")
      assert.isFalse(fs.existsSync(workspace.at("ran")))
      execFileSync("git", ["-C", workspace.root, "status"])
      assert.isTrue(fs.existsSync(workspace.at("ran")))
    })
  )

  it.live("states the files of a command where they really lead", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      workspace.write("sub/a.ts", "")
      workspace.write("sub/b.ts", "")
      fs.symlinkSync(workspace.outside, workspace.at("link"))
      const facts = (command: string) =>
        Effect.map(Workspace.tool("execute_command").facts({ command }, workspace.context), ({ command }) =>
          command?.files.map((found) => found.map(({ resolved }) => resolved))
        )
      assert.deepStrictEqual(yield* facts("cat sub/*.ts > link/x"), [
        [workspace.at("sub/a.ts"), workspace.at("sub/b.ts")],
        [`${workspace.outside}/x`]
      ])
      const home = fs.realpathSync.native(os.homedir())
      assert.deepStrictEqual(yield* facts("cd sub && cat a.ts 'b*' b* ~/x"), [
        [workspace.at("sub")],
        [workspace.at("sub/a.ts")],
        [workspace.at("sub/b*")],
        [workspace.at("sub/b.ts")],
        [`${home}/x`]
      ])
      // Which file it is is not known; its name is still looked at for what is secret, as a name and as a flag.
      const unset = (yield* facts('rm "$UNSET"')) ?? []
      assert.deepStrictEqual(new Set(unset.flat()), new Set([workspace.at("$UNSET")]))
      assert.isTrue(unset.some((found) => found.length === 0))
    })
  )

  it.live("an approval binds to what would run: another script is another call, another log is not", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      const identity = (command: string) => {
        const { identity } = Workspace.tool("execute_command")
        return identity === undefined ? Effect.succeed("") : identity({ command }, workspace.context)
      }
      workspace.write("run.py", "print(1)")
      workspace.write("app.log", "one")
      const before = [yield* identity("python3 run.py"), yield* identity("tail app.log | grep x")]
      assert.deepStrictEqual([yield* identity("python3 run.py"), yield* identity("tail app.log | grep x")], before)
      workspace.write("run.py", "print(2)")
      workspace.write("app.log", "two")
      assert.notStrictEqual(yield* identity("python3 run.py"), before[0])
      assert.strictEqual(yield* identity("tail app.log | grep x"), before[1])
    })
  )

  it.live("sees no key, no hook of bash, and no program of the project", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      workspace.write("bin/ls", "#!/bin/sh\necho owned\n")
      fs.chmodSync(workspace.at("bin/ls"), 0o755)
      workspace.write("hook", "echo owned")
      const environment = {
        ...process.env,
        PATH: [workspace.at("bin"), ".", "", process.env["PATH"]].join(path.delimiter),
        LC_CTYPE: "C.UTF-8",
        ANTHROPIC_API_KEY: "canary-key",
        BASH_ENV: workspace.at("hook"),
        "BASH_FUNC_ls%%": "() { echo owned; }",
        LD_PRELOAD: "canary-lib",
        NODE_OPTIONS: "canary",
        GIT_DIR: "canary"
      }
      const tool = ExecuteCommand.make({ home: "/", runner: CommandRunner.make({ environment }) })
      // PATH is the person's, so that their command is told to be one of the project; a command that only reads has none.
      const whose = yield* tool.facts({ command: "ls; cat x" }, workspace.context)
      assert.deepStrictEqual(
        whose.command?.reading.actions.map(({ argv }) => argv[0]),
        ["bin/ls", "cat"]
      )
      const said = (command: string) => Effect.map(tool.execute({ command }, workspace.context), Workspace.textOf)
      assert.notInclude(yield* said("echo $PATH"), workspace.root)
      assert.include(yield* said("echo $PATH && which ls"), workspace.at("bin/ls"))
      assert.include(yield* said("env"), `PATH=${workspace.at("bin")}:`)
      const output = yield* tool.execute({ command: "env; echo $LC_CTYPE" }, workspace.context)
      const text = Workspace.textOf(output)
      assert.notMatch(text, /canary|owned|BASH_|LD_PRELOAD|NODE_OPTIONS|GIT_DIR/)
      assert.include(text, "LC_CTYPE=C.UTF-8")
      assert.isFalse(output.isError)
    })
  )

  it.live("keeps head and tail of long output and says how much is missing", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      const { text } = yield* Workspace.call(
        "execute_command",
        { command: "echo first; yes | head -c 200000; echo last" },
        workspace
      )
      assert.isTrue(text.startsWith("first\ny\n"))
      assert.isTrue(text.endsWith("y\nlast\nexit code 0"))
      assert.include(text, "\n[... 184,012 characters left out ...]\n")
      assert.isBelow(text.length, 16_100)
    })
  )

  it.live("gives progress the raw output, and the model none of its control characters", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      const { progress, seen } = yield* watch("end")
      const context = { ...workspace.context, progress }
      const command = String.raw`printf '\033[31mred\033[0m 50%%\r100%%\n\033]0;title\007\342\200\256end'`
      const output = yield* Workspace.tool("execute_command").execute({ command }, context)
      assert.include(yield* seen, "\x1b[31mred")
      assert.strictEqual(Workspace.textOf(output), "100%\n\\u{202e}end\nexit code 0")
    })
  )

  it.live("ends the whole group when it is interrupted", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      const { progress, seen } = yield* watch("\n")
      const context = { ...workspace.context, progress }
      const running = Workspace.tool("execute_command").execute({ command: grandchild }, context)
      const fiber = yield* Effect.forkChild(running)
      const pid = pidIn(yield* seen)
      assert.isTrue(isAlive(pid))
      yield* Fiber.interrupt(fiber)
      assert.isFalse(isAlive(pid))
    })
  )

  it.effect(
    "runs in the bash that settings name, and where it cannot be used says so in one line and runs nothing",
    () =>
      Effect.gen(function* () {
        const workspace = yield* Workspace.make
        const copy = path.join(workspace.outside, "bash")
        fs.symlinkSync(fs.realpathSync("/bin/bash"), copy)
        const said = (bash: string) => {
          const runner = CommandRunner.make({ bash, sandbox: Sandbox.unavailable("none") })
          const tool = ExecuteCommand.make({ home: "/", runner })
          return Effect.map(tool.execute({ command: "echo $BASH" }, workspace.context), Workspace.textOf)
        }
        assert.include(yield* said(copy), copy)
        const gone = path.join(workspace.outside, "gone", "bash")
        const line = `Commands cannot run: the setting shell.bash names ${gone}, which is not there, or cannot be run. Correct it.`
        assert.strictEqual(yield* said(gone), line)
        workspace.write("bash", "echo owned")
        assert.include(yield* said(workspace.at("bash")), "lies in the workspace")
      })
  )

  it.effect("ends the whole group at the timeout, also what ignores SIGTERM", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      const { progress, seen } = yield* watch("\n")
      const context = { ...workspace.context, progress }
      const command = `trap '' TERM; ${grandchild}`
      const running = Workspace.tool("execute_command").execute({ command, timeout: 1 }, context)
      const fiber = yield* Effect.forkChild(running)
      yield* seen
      yield* TestClock.adjust("1 second")
      const output = yield* Fiber.join(fiber)
      assert.isTrue(output.isError)
      assert.include(Workspace.textOf(output), "\ntimed out after 1 s; the command and all it had started were ended")
      assert.isFalse(isAlive(pidIn(yield* seen)))
    })
  )

  it.effect("waits no longer than the timeout, and then 250 ms for the pipes", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      const first = yield* watch("\n")
      const slow = Workspace.tool("execute_command").execute(
        { command: "echo on; exec sleep 300" },
        { ...workspace.context, progress: first.progress }
      )
      const timed = yield* Effect.forkChild(slow)
      yield* first.seen
      yield* TestClock.adjust("119 seconds")
      assert.isUndefined(timed.pollUnsafe())
      yield* TestClock.adjust("1 second")
      assert.include(Workspace.textOf(yield* Fiber.join(timed)), "timed out after 120 s")
    })
  )

  it.live.skipIf(process.platform !== "linux")("ends what has left its group, and says so", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      const command = "setsid bash -c 'trap \"\" TERM; sleep 300 & wait; sleep 300' > log 2>&1 & echo pid=$!"
      const { text } = yield* Workspace.call("execute_command", { command }, workspace)
      assert.match(text, /^pid=\d+\n\[Processes that were still running in the background were ended\.\]\nexit code 0$/)
      assert.isFalse(isAlive(pidIn(text)))
      const marked = fs.readdirSync("/proc").filter((name) => {
        try {
          return /^\d+$/.test(name) && fs.readFileSync(`/proc/${name}/environ`, "utf8").includes(workspace.root)
        } catch {
          return false
        }
      })
      assert.deepStrictEqual(marked, [])
    })
  )

  it.live("says what could not be ended", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      const real = CommandRunner.make()
      const run: CommandRunner.CommandRunner["run"] = (request) =>
        Effect.map(real.run(request), (result) => ({ ...result, leftovers: true, outlived: true }))
      const tool = ExecuteCommand.make({ home: os.homedir(), runner: { ...real, run } })
      const output = yield* tool.execute({ command: "echo done" }, workspace.context)
      assert.strictEqual(
        Workspace.textOf(output),
        "done\n[Processes that it left could not all be ended: some still run.]\nexit code 0"
      )
    })
  )

  it.live("does not wait for a process in the background that holds the pipes", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      const { text } = yield* Workspace.call("execute_command", { command: "sleep 300 & echo pid=$!" }, workspace)
      assert.isFalse(isAlive(pidIn(text)))
      assert.match(
        text,
        /^pid=\d+\n\[Processes (of its group )?that were still running in the background were ended\.\]\nexit code 0$/
      )
      const silent = yield* Workspace.call(
        "execute_command",
        { command: "sleep 300 >/dev/null 2>&1 & echo pid=$!" },
        workspace
      )
      assert.isFalse(isAlive(pidIn(silent.text)))
    })
  )
})

describe("CommandEnvironment", () => {
  it.effect("takes bash from outside the workspace only", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      workspace.write("bin/bash", "#!/bin/sh\n")
      fs.chmodSync(workspace.at("bin/bash"), 0o755)
      fs.symlinkSync(workspace.at("bin"), path.join(workspace.outside, "bin"))
      const PATH = [workspace.at("bin"), path.join(workspace.outside, "bin")].join(path.delimiter)
      const found = Bash.find({ PATH }, workspace.root)
      assert.isFalse(found?.startsWith(path.dirname(workspace.root)))
      assert.deepStrictEqual(SearchPath.folders(PATH, workspace.root), [])
    })
  )
})

describe("PlainText", () => {
  it("leaves nothing that a terminal acts on", () => {
    assert.strictEqual(PlainText.output("a\x1b[1;31mb\x1b]8;;http://x\x1b\\c\x9bd\x07\x00\r\ne\tf"), "abcd\ne\tf")
    assert.strictEqual(PlainText.name("a\x1b\u{e0041}\u2028"), "a\\u{1b}\\u{e0041}\\u{2028}")
  })
})
