import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { once } from "node:events"
import * as fs from "node:fs"
import * as path from "node:path"
import { install } from "./fixtures/Bubblewrap.ts"
import * as Probe from "./fixtures/Probe.ts"
import { bystander, server } from "./fixtures/Targets.ts"
import * as SystemCalls from "../../src/workspace/sandbox/SystemCalls.ts"
import { isAlive, marked, isUp } from "./fixtures/Marked.ts"

install()

const perl = (script: string) => `perl -e '${script}'`

const endAll = (mark: string) => Effect.sync(() => marked(mark).forEach((pid) => process.kill(pid, "SIGKILL")))

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
