import { Approvals } from "@belay/approval-policy"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import * as fs from "node:fs"
import * as net from "node:net"
import * as os from "node:os"
import * as path from "node:path"
import { install } from "./fixtures/Bubblewrap.ts"
import * as Probe from "./fixtures/Probe.ts"
import * as ControlGroup from "../../src/workspace/sandbox/ControlGroup.ts"
import * as CommandRunner from "../../src/workspace/command/CommandRunner.ts"
import * as ExecuteCommand from "../../src/workspace/tools/ExecuteCommand.ts"
import * as Sandbox from "../../src/workspace/sandbox/Sandbox.ts"
import * as SystemCalls from "../../src/workspace/sandbox/SystemCalls.ts"
import * as Workspace from "./fixtures/Workspace.ts"

install()

const perl = (script: string) => `perl -e '${script}'`

/** A server that counts who connects, at a port of loopback or at a socket file. */
const server = (at: string | number) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly port: number; readonly visits: () => number; readonly server: net.Server }>((resume) => {
      let visits = 0
      const listening = net.createServer((socket) => {
        visits++
        socket.end("hello\n")
      })
      const where = typeof at === "number" ? { host: "127.0.0.1", port: at } : { path: at }
      listening.listen(where, () => {
        const address = listening.address()
        const port = typeof address === "object" && address !== null ? address.port : 0
        resume(Effect.succeed({ port, visits: () => visits, server: listening }))
      })
    }),
    ({ server }) => Effect.sync(() => server.close())
  )

/** A process of the host that a command may try to reach. */
const bystander = Effect.acquireRelease(
  Effect.sync(() => spawn("sleep", ["300"], { env: { CANARY: "canary-environment" }, stdio: "ignore" })),
  (child) => Effect.sync(() => child.kill("SIGKILL"))
)

/** What was killed and has not been waited for yet is not alive. */
const isAlive = (pid: number): boolean => {
  try {
    return !/\) Z /.test(fs.readFileSync(`/proc/${pid}/stat`, "utf8"))
  } catch {
    return false
  }
}

/** Host pids of processes whose command line holds the mark. */
const marked = (mark: string): ReadonlyArray<number> =>
  fs
    .readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      try {
        return fs.readFileSync(`/proc/${name}/cmdline`, "latin1").includes(mark) && isAlive(Number(name))
      } catch {
        return false
      }
    })
    .map(Number)

const endAll = (mark: string) => Effect.sync(() => marked(mark).forEach((pid) => process.kill(pid, "SIGKILL")))

/** In a shell: a process of that name runs. */
const isUp = (mark: string) => `grep -qsa ^${mark} /proc/[0-9]*/cmdline`

const changed = (name: string) => (world: Probe.World) => !world.read(name).startsWith("original")

describe("a confined command cannot", () => {
  it.effect("write outside the workspace", () =>
    Probe.command(
      () => "echo x > $PWD-outside/taken",
      ({ outside }) => fs.existsSync(path.join(outside, "taken"))
    )
  )

  it.effect("write a protected file", () => Probe.command(() => "echo x > package.json", changed("package.json")))

  it.effect("make a protected name that was not there", () =>
    Probe.command(
      () => "mkdir -p .vscode new/sub; echo x > .vscode/tasks.json; echo x > new/sub/package.json; echo x > AGENTS.md",
      ({ at }) => [".vscode", "new/sub/package.json", "AGENTS.md"].some((name) => fs.existsSync(at(name)))
    )
  )

  it.effect("write a protected file through a symbolic link", () =>
    Probe.command(() => "ln -s package.json link; echo x > link", changed("package.json"))
  )

  it.effect("replace a protected link", () =>
    Probe.fails((world) =>
      Effect.gen(function* () {
        fs.symlinkSync("src/a.ts", world.at("AGENTS.md"))
        yield* Probe.run(world, "rm AGENTS.md; echo x > AGENTS.md")
        return !fs.lstatSync(world.at("AGENTS.md")).isSymbolicLink()
      })
    )
  )

  it.effect("move a folder above a protected file away", () =>
    Probe.command(() => "mv pkg old; mkdir pkg; echo x > pkg/package.json", changed("pkg/package.json"))
  )

  it.effect("write a protected file under another name", () =>
    Probe.command(() => "ln package.json other; echo x > other", changed("package.json"))
  )

  it.effect("write hooks or settings of git", () =>
    Probe.command(
      () => "echo x > .git/hooks/pre-commit; echo x > .git/config; mv .git old; cp -r old .git",
      (world) => changed(".git/hooks/pre-commit")(world) || changed(".git/config")(world)
    )
  )

  it.effect("read keys of the home folder", () =>
    Probe.command(
      () => "cat ~/.ssh/id_ed25519 ~/.netrc ~/.config/gh/hosts.yml",
      (_, { text }) => text.includes("canary")
    )
  )

  it.effect("see of the home folder more than tool chains, whatever keeps tokens there", () =>
    Probe.fails((world) =>
      Effect.gen(function* () {
        const tokens = [
          ".cache/huggingface/token",
          ".config/github-copilot/apps.json",
          ".kaggle/kaggle.json",
          ".cargo/credentials.toml",
          ".local/share/uv/credentials/credentials.toml",
          "notes.txt",
          "tools/thing/auth"
        ]
        for (const token of tokens) {
          fs.mkdirSync(path.dirname(path.join(world.home, token)), { recursive: true })
          fs.writeFileSync(path.join(world.home, token), "canary-token\n")
        }
        for (const program of [".cargo/bin/one", "tools/thing/bin/two"]) {
          const file = path.join(world.home, program)
          fs.mkdirSync(path.dirname(file), { recursive: true })
          fs.writeFileSync(file, `#!/bin/sh\necho ${path.basename(program)} runs\n`, { mode: 0o755 })
        }
        const PATH = `${process.env["PATH"]}:${path.join(world.home, "tools/thing/bin")}`
        // The workspace is the folder beside it, so that only the home itself is looked at.
        const beside = { ...world, root: world.outside, context: { ...world.context, workspace: world.outside } }
        const { text } = yield* Probe.run(beside, "find ~ -type f -exec cat {} +; ~/.cargo/bin/one; two", {
          environment: { PATH }
        })
        if (world.confined) assert.include(text, "one runs")
        return text.includes("canary")
      })
    )
  )

  it.effect("make a namespace of its own", () =>
    Probe.command(
      () => "unshare -Ur echo opened; unshare -n echo opened",
      (_, { text }) => text.includes("opened")
    )
  )

  it.effect("make a system call that boxes are broken out of with", () =>
    Effect.gen(function* () {
      const world = yield* Probe.world(true)
      const index = process.arch === "arm64" ? 1 : 0
      const calls = Object.entries(SystemCalls.refused).flatMap(([name, numbers]) => {
        const number = numbers[index]
        return number === undefined ? [] : [[name, number] as const]
      })
      const script = calls.map(
        ([name, number]) => `$! = 0; syscall(${number}, 0, 0, 0, 0, 0); print "${name} ", $! + 0, "\\n";`
      )
      const { text } = yield* Probe.run(world, perl(script.join(" ")))
      const [notPermitted, noCall, noFamily] = [1, 38, 97]
      assert.deepStrictEqual(
        text.split("\n").slice(0, -1),
        calls.map(([name]) => `${name} ${notPermitted}`)
      )
      const [clone3, socket, ioctl] = [435, index === 0 ? 41 : 198, index === 0 ? 16 : 29]
      const pushInput = 0x5412
      const others = [`${clone3}, 0, 0`, `${socket}, 40, 1, 0`, `${ioctl}, 0, ${pushInput}, 0`]
      const asked = others.map((call) => `$! = 0; syscall(${call}); print $! + 0, "\\n";`)
      const said = yield* Probe.run(world, perl(asked.join(" ")))
      assert.strictEqual(said.text, `${noCall}\n${noFamily}\n${notPermitted}\nexit code 0`)
      if (process.arch !== "x64") return
      // Calls of x32: getpid.
      const x32 = yield* Probe.run(world, perl(`$! = 0; syscall(${0x40000000 + 39}); print $! + 0`))
      assert.strictEqual(x32.text, `${notPermitted}\nexit code 0`)
    })
  )

  it.effect("take much memory by files in it", () =>
    Probe.command(
      () => "df -k --output=size /dev/shm | tail -n 1; : > /dev/taken && echo taken",
      (_, { text }) => Number(text.split("\n")[0]) > 262_144 || text.includes("\ntaken\n")
    )
  )

  it.effect("read the environment of another process", () =>
    Probe.fails((world) =>
      Effect.gen(function* () {
        yield* bystander
        const { text } = yield* Probe.run(world, "cat /proc/[0-9]*/environ | tr '\\0' '\\n' | grep canary")
        return text.includes("canary-environment")
      })
    )
  )

  it.effect("trace a process of the host", () =>
    Probe.fails((world) =>
      Effect.gen(function* () {
        const { pid = 0 } = yield* bystander
        const ptrace = process.arch === "arm64" ? 117 : 101
        const seize = 0x4206
        const { isError } = yield* Probe.run(
          world,
          perl(`exit(syscall(${ptrace}, ${seize}, ${pid}, 0, 0) == 0 ? 0 : 1)`)
        )
        return !isError
      })
    )
  )

  it.effect("signal a process of the host", () =>
    Probe.fails((world) =>
      Effect.gen(function* () {
        const child = yield* bystander
        const gone = once(child, "exit")
        const { isError } = yield* Probe.run(world, `kill -9 ${child.pid}`)
        // What was signalled may still be on its way out.
        if (!isError) yield* Effect.promise(() => gone)
        return !isAlive(child.pid ?? 0)
      })
    )
  )

  it.effect("reach a server on loopback", () =>
    Probe.fails((world) =>
      Effect.gen(function* () {
        const { port, visits } = yield* server(0)
        yield* Probe.run(world, `exec 3<>/dev/tcp/127.0.0.1/${port} && cat <&3`)
        return visits() > 0
      })
    )
  )

  it.effect("send a datagram, such as a question to a name server", () =>
    Probe.command(
      () => "exec 3<>/dev/udp/192.0.2.1/53 && echo x >&3",
      (_, { isError }) => !isError
    )
  )

  it.effect("connect to an abstract socket", () =>
    Probe.fails((world) =>
      Effect.gen(function* () {
        const { visits } = yield* server(`\0belay-probe-${process.pid}`)
        const name = `\\0belay-probe-${process.pid}`
        yield* Probe.run(
          world,
          perl(
            `use Socket; socket(S, AF_UNIX, SOCK_STREAM, 0); connect(S, pack("S a*", AF_UNIX, "${name}")) or exit 1; <S>`
          )
        )
        return visits() > 0
      })
    )
  )

  for (const [name, folder] of [
    ["the socket of a service below /run, such as Docker or D-Bus", "/run/belay-probe"],
    ["the socket of an agent or a display below /tmp", "/tmp/belay-probe-agent"],
    ["the socket of a service in the home folder", ""],
    ["the socket of a server in the workspace", "."]
  ] as const) {
    it.effect(`connect to ${name}`, () =>
      Probe.fails((world) =>
        Effect.gen(function* () {
          const at = folder === "" ? path.join(world.home, "service") : path.resolve(world.root, folder)
          yield* Effect.acquireRelease(
            Effect.sync(() => fs.mkdirSync(at, { recursive: true })),
            () => Effect.sync(() => (at === world.root ? undefined : fs.rmSync(at, { recursive: true, force: true })))
          )
          const { visits } = yield* server(path.join(at, "sock"))
          const file = path.join(at, "sock")
          yield* Probe.run(
            world,
            perl(`use Socket; socket(S, AF_UNIX, SOCK_STREAM, 0); connect(S, sockaddr_un("${file}")) or exit 1; <S>`)
          )
          return visits() > 0
        })
      )
    )
  }

  // Without the box one is found by what its environment says, and these leave that behind.
  it.effect("outlive its timeout as a daemon", () =>
    Probe.fails((world) =>
      Effect.gen(function* () {
        const mark = `belay-daemon-${process.pid}-${world.confined}`
        const daemon = `env -i setsid nohup bash -c 'exec -a ${mark} sleep 300' & until ${isUp(mark)}; do :; done; echo up; wait`
        const up = yield* Deferred.make<void>()
        const progress = () => Effect.asVoid(Deferred.succeed(up, undefined))
        const running = yield* Effect.forkChild(Probe.run(world, daemon, { timeout: 1, progress }))
        yield* Deferred.await(up)
        yield* TestClock.adjust("1 second")
        yield* Fiber.join(running)
        const left = marked(mark).length
        yield* endAll(mark)
        return left > 0
      })
    )
  )

  it.effect("outlive its own end as a daemon", () =>
    Probe.fails((world) =>
      Effect.gen(function* () {
        const mark = `belay-orphan-${process.pid}-${world.confined}`
        const daemon = `env -i setsid bash -c 'exec -a ${mark} sleep 300' >up 2>&1 & until ${isUp(mark)}; do :; done`
        yield* Probe.run(world, daemon)
        const left = marked(mark).length
        yield* endAll(mark)
        return left > 0
      })
    )
  )

  it.effect("unpack an archive over what lies outside, by a path or a link in it, or over a protected file", () =>
    Probe.command(
      () =>
        [
          'echo x > taken; tar -Pcf a.tar --transform "s,^,$PWD-outside/," taken; rm taken',
          "ln -s $PWD-outside l; tar -cf b.tar l; rm l; mkdir l; echo x > l/taken; tar -rf b.tar l/taken; rm -r l",
          "mkdir n; echo x > n/package.json; tar -cf c.tar -C n package.json",
          "for archive in a b c; do tar -Pxf $archive.tar; done"
        ].join("; "),
      (world) => fs.existsSync(path.join(world.outside, "taken")) || changed("package.json")(world)
    )
  )

  it.effect("fill the real /tmp", () =>
    Probe.fails((world) =>
      Effect.gen(function* () {
        const file = `/tmp/belay-fill-${process.pid}`
        yield* Probe.run(world, `dd if=/dev/zero of=/tmp/belay-fill-${process.pid} bs=1M count=8`)
        const there = fs.existsSync(file)
        fs.rmSync(file, { force: true })
        return there
      })
    )
  )

  it.effect("open a device that is not harmless", () =>
    Probe.command(
      () => "ls /dev/vda /dev/kmsg /dev/mem /dev/loop* /dev/sda /dev/fuse 2>/dev/null | grep -q . && echo found",
      (_, { text }) => text.includes("found")
    )
  )

  it.effect("mount anything, or lay bare what is covered", () =>
    Probe.command(
      ({ home, root }) =>
        [
          `mkdir -p m; mount -t tmpfs none m && echo mounted && umount m`,
          `unshare -Urm bash -c 'mount -t tmpfs none m && echo mounted'`,
          `unshare -Urm bash -c 'umount ${root}/package.json; mount -o remount,bind,rw ${root}/package.json; echo x > ${root}/package.json' && echo mounted`,
          `unshare -Urm bash -c 'umount ${home}/.ssh; cat ${home}/.ssh/id_ed25519'`
        ].join("; "),
      (world, { text }) => text.includes("canary") || changed("package.json")(world)
    )
  )

  it.effect("write settings of the kernel", () =>
    Probe.command(
      () => "cat /proc/sys/vm/swappiness > old; cat old > /proc/sys/vm/swappiness && echo wrote",
      (_, { text }) => text.includes("wrote")
    )
  )

  it.effect("find a key in its environment", () =>
    Effect.gen(function* () {
      const world = yield* Probe.world(true)
      const environment = { ANTHROPIC_API_KEY: "canary-key", LD_PRELOAD: "canary-lib" }
      const { text } = yield* Probe.run(world, "env; cat /proc/[0-9]*/environ | tr '\\0' '\\n'", { environment })
      assert.include(text, "HOME=")
      assert.notInclude(text, "canary")
    })
  )

  it.effect("use a file that Belay was started with", () =>
    Probe.fails((world) =>
      Effect.gen(function* () {
        const file = yield* Effect.acquireRelease(
          Effect.sync(() => fs.openSync(path.join(world.home, ".netrc"), "r")),
          (open) => Effect.sync(() => fs.closeSync(open))
        )
        const { text } = yield* Probe.start(world, "cat <&3", { files: [file] })
        return text.includes("canary")
      })
    )
  )

  it.effect("use the terminal", () =>
    Probe.fails((world) =>
      Effect.map(Probe.start(world, "echo x > /dev/tty && echo typed", { terminal: true }), ({ text }) =>
        text.includes("typed")
      )
    )
  )

  it.effect("become another user by a program that may", () =>
    Probe.fails((world) =>
      Effect.gen(function* () {
        const program = world.at("id")
        fs.copyFileSync("/usr/bin/id", program)
        fs.chmodSync(program, 0o4755)
        const asked = `grep NoNewPrivs /proc/self/status; ${program}`
        const { text } = yield* Probe.start(world, asked, { demote: true })
        assert.include(text, "uid=")
        // Only root can make a program that becomes root.
        return /NoNewPrivs:\s*0/.test(text) || text.includes("euid=0")
      })
    )
  )

  it.effect("start processes without end", () =>
    Probe.fails((world) =>
      Effect.gen(function* () {
        // The kernel's word on it: a real bomb would starve whatever else runs on this machine.
        const { text } = yield* Probe.start(world, "echo n=$(ulimit -H -u)", { demote: true })
        const limit = /n=(\w+)/.exec(text)?.[1]
        assert.isDefined(limit, text)
        return limit === "unlimited" || Number(limit) > 4096
      })
    )
  )
})

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
