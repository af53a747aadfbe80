/** Real commands in a real box, and a real server of this machine. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import * as path from "node:path"
import * as Sandbox from "../../src/workspace/sandbox/Sandbox.ts"
import { install } from "../workspace/fixtures/Bubblewrap.ts"
import * as Probe from "../workspace/fixtures/Probe.ts"
import * as S from "./support.ts"

install()

/** Asks the relay for a URL as a program would that is told of the proxy. */
const ask = (url: string) =>
  `exec 3<>/dev/tcp/127.0.0.1/\${HTTP_PROXY##*:} && printf 'GET ${url} HTTP/1.1\\r\\nconnection: close\\r\\n\\r\\n' >&3 && cat <&3`

const world = Effect.all([Probe.world(true), S.web])

const relays = (): ReadonlyArray<string> =>
  fs.readdirSync("/proc").filter((name) => {
    try {
      return fs.readFileSync(`/proc/${name}/cmdline`, "latin1").includes("/run/belay/hosts")
    } catch {
      return false
    }
  })

const folders = () => fs.readdirSync("/tmp").filter((name) => name.startsWith("belay-hosts-"))

describe("a confined command", () => {
  it.effect("reaches the listed host, also with a program that knows nothing of Belay, and leaves nothing behind", () =>
    Effect.gen(function* () {
      const [box, web] = yield* world
      const host = `127.0.0.1:${web.port}`
      const allowedDomains = [host]
      const { text } = yield* Probe.run(box, ask(`http://${host}/a`), { allowedDomains })
      assert.match(text, /^HTTP\/1\.1 200 OK[^]*hello\nexit code 0$/u)
      yield* Probe.run(box, `git ls-remote http://${host}/repo`, { allowedDomains })
      assert.deepStrictEqual(
        web.got.slice(0, 2).map((request) => request.split(" ")[1]),
        ["/a", "/repo/info/refs?service=git-upload-pack"]
      )
      assert.deepStrictEqual([relays(), folders()], [[], []])
    })
  )

  it.effect("reaches no other host, and its result says so", () =>
    Effect.gen(function* () {
      const [box, web] = yield* world
      const other = yield* S.web
      const allowedDomains = [`127.0.0.1:${web.port}`]
      const { text } = yield* Probe.run(box, `${ask(`http://127.0.0.1:${other.port}/`)}; exit 1`, { allowedDomains })
      assert.include(text, "HTTP/1.1 403 Forbidden")
      const refused = `[The network was refused: 127.0.0.1:${other.port}: it is not listed in network.allowedDomains]`
      assert.include(text, refused)
      assert.include(
        text,
        `\n[It ran in a sandbox: no network but 127.0.0.1:${web.port}, writes only in the workspace. If it needs more, ask the user.]\n`
      )
      assert.deepStrictEqual(other.got, [])
    })
  )

  it.effect("has no way but the proxy, also to the listed host", () =>
    Effect.gen(function* () {
      const [box, web] = yield* world
      const allowedDomains = [`127.0.0.1:${web.port}`]
      const direct = [
        `exec 3<>/dev/tcp/127.0.0.1/${web.port}`,
        `exec 3<>/dev/tcp/localhost/${web.port}`,
        "exec 3<>/dev/udp/192.0.2.1/53 && echo x >&3",
        "exec 3<>/dev/tcp/192.0.2.1/80",
        `git -c http.proxy= ls-remote http://127.0.0.1:${web.port}/repo`
      ]
      const tried = direct.map((command) => `(${command}) 2>/dev/null && echo reached`).join("; ")
      const found = yield* Probe.run(box, `(echo x > /run/belay/hosts) 2>/dev/null && echo wrote; ${tried}; echo end`, {
        allowedDomains
      })
      assert.strictEqual(found.text, "end\nexit code 0")
      assert.deepStrictEqual(web.got, [])
    })
  )

  it.effect("keeps its servers to itself, without the proxy between", () =>
    Effect.gen(function* () {
      const box = yield* Probe.world(true)
      fs.copyFileSync(process.execPath, box.at("node"))
      const git = "git ls-remote http://localhost:3000/repo"
      const server = `require("http").createServer((q, r) => { console.log(q.url); r.end() })`
      const own = `${server}.listen(3000, () => require("child_process").exec("${git}", () => process.exit()))`
      const { text } = yield* Probe.run(box, `./node -e '${own}'`, { allowedDomains: ["packages.example.com"] })
      assert.match(text, /^\/repo\/info\/refs[^]*\nexit code 0$/u)
    })
  )

  it.effect("gets nothing of this where no host is listed", () =>
    Effect.gen(function* () {
      const box = yield* Probe.world(true)
      const { text } = yield* Probe.run(box, "env | grep -ci proxy; ls /run; exit 0")
      assert.strictEqual(text, "0\nexit code 0")
      const request = { program: "/bin/true", args: [], env: {}, workspace: box.root, cwd: box.root, files: [] }
      const confine = (allowedDomains: ReadonlyArray<string>) =>
        Sandbox.make({ home: box.home }).confine({ ...request, writesGit: false, allowedDomains })
      const closed = yield* confine([])
      const open = yield* confine(["packages.example.com"])
      const added = open.args.filter((arg) => !closed.args.includes(arg))
      assert.isUndefined(closed.refused)
      const socket = added.find((arg) => arg.startsWith("/tmp/belay-hosts-")) ?? ""
      assert.strictEqual(fs.statSync(path.dirname(socket)).mode & 0o777, 0o700)
      // Node is bound by its path where it lies in a folder that the box hides, such as `/tmp`.
      const isExpected = (arg: string) => arg === process.execPath || /belay|^read -r|^for fd/.test(arg)
      assert.deepStrictEqual(
        added.filter((arg) => !isExpected(arg)),
        []
      )
    })
  )
})
