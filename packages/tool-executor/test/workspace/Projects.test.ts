/**
 * Real projects: the right program runs, an approved command as in the person's shell and an allowed one in the box, the
 * project's own checks need no question there, and code of the project is never taken for a program of the system.
 */
import { assert, describe, it } from "@effect/vitest"
import { Approvals } from "@belay/approval-policy"
import * as Effect from "effect/Effect"
import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import * as fs from "node:fs"
import * as net from "node:net"
import * as os from "node:os"
import * as path from "node:path"
import * as tls from "node:tls"
import * as Manifests from "../../src/workspace/command/Manifests.ts"
import { install } from "./fixtures/Bubblewrap.ts"
import * as Project from "./fixtures/Project.ts"

install()

const listing = (...allow: ReadonlyArray<string>): Approvals.Approvals => ({
  ...Approvals.edits,
  commands: { allow, deny: [], other: "ask" }
})

/** Says where it runs, and by which name. */
const says = (word: string) => `#!/bin/sh\necho "${word} $*"\n`

/** The words that a test of the project prints: names of variables, and whether it is in the box. */
const shown = "echo names: $(env | cut -d= -f1 | sort | tr '\\n' ' '); test -w /usr && echo free || echo boxed"

const python = execFileSync("python3", ["-c", "import sys; print(sys.executable)"], { encoding: "utf8" }).trim()

const secrets = { GITHUB_TOKEN: "canary-token-1", DEPLOY: "ghp_canarycanarycanarycanary0000", PASSED: "yes" }

const fixing = Effect.fnUntraced(function* (
  project: Project.Project,
  command: string,
  file: string,
  change: readonly [string, string]
) {
  const failing = yield* project.sh(command)
  assert.strictEqual(failing.said, "allow commands.checks", failing.reason)
  assert.isTrue(failing.isError, failing.text)
  const [from, to] = change
  const edited = yield* project.call("replace_in_file", {
    path: file,
    diff: `<<<<<<< SEARCH\n${from}\n=======\n${to}\n>>>>>>> REPLACE\n`
  })
  assert.deepStrictEqual([edited.said, edited.isError], ["allow edit", false], edited.text)
  const passing = yield* project.sh(command)
  assert.deepStrictEqual([passing.said, passing.isError], ["allow commands.checks", false], passing.text)
  assert.notInclude(passing.text, "canary")
  assert.match(passing.text, /names: .*\bPASSED\b/)
  assert.notMatch(passing.text, /names: .*\b(?:GITHUB_TOKEN|DEPLOY|SSH_AUTH_SOCK)\b/)
  assert.include(passing.text, "boxed")
  return passing
})

describe("the project's own checks", () => {
  it.live("of Python run with the environment of the project that is on PATH", () =>
    Effect.gen(function* () {
      const project = yield* Project.make((workspace) => ({
        first: [workspace.at(".venv/bin")],
        variables: { ...secrets, VIRTUAL_ENV: workspace.at(".venv"), SSH_AUTH_SOCK: "/tmp/agent" }
      }))
      project.write("pyproject.toml", "[project]\nname = 'x'\n")
      project.write(".venv/pyvenv.cfg", `home = ${path.dirname(python)}\ninclude-system-site-packages = false\n`)
      fs.mkdirSync(project.at(".venv/bin"))
      fs.symlinkSync(python, project.at(".venv/bin/python"))
      project.program(
        ".venv/bin/pytest",
        `#!/bin/sh\n${shown}\nexec "${project.at(".venv/bin/python")}" -c 'import sys, calc; print(sys.prefix); assert calc.add(1, 2) == 3'\n`
      )
      project.write("calc.py", "def add(a, b):\n    return a - b\n")
      const { programs, text } = yield* fixing(project, "pytest -q", "calc.py", [
        "    return a - b",
        "    return a + b"
      ])
      assert.deepStrictEqual(programs, [".venv/bin/pytest"])
      assert.include(text, `\n${project.at(".venv")}\n`)
      const module = yield* project.sh("python -m unittest -q nothing")
      assert.strictEqual(module.said, "allow commands.checks")
    })
  )

  it.live("of Node run scripts and local binaries, by each of their names", () =>
    Effect.gen(function* () {
      const project = yield* Project.make((workspace) => ({
        first: [workspace.at("node_modules/.bin")],
        variables: secrets
      }))
      const scripts = { test: "vitest run", "build:deploy": "vitest", postinstall: "vitest" }
      project.write("package.json", JSON.stringify({ scripts, devDependencies: { vitest: "1" } }))
      project.program("node_modules/.bin/vitest", `#!/bin/sh\n${shown}\nexec node sum.test.js\n`)
      project.write("sum.js", "module.exports = (a, b) => a - b\n")
      project.write("sum.test.js", "require('node:assert').strictEqual(require('./sum.js')(1, 2), 3)\n")
      yield* fixing(project, "npm test", "sum.js", [
        "module.exports = (a, b) => a - b",
        "module.exports = (a, b) => a + b"
      ])
      for (const text of ["vitest run", "node_modules/.bin/vitest run", "./node_modules/.bin/vitest run sum.test.js"]) {
        const called = yield* project.sh(text)
        assert.deepStrictEqual(
          [called.said, called.programs],
          ["allow commands.checks", ["node_modules/.bin/vitest"]],
          text
        )
      }
      for (const text of [
        "npm run build:deploy",
        "npm install",
        "npm run postinstall",
        "npm test -- --config=evil.js",
        "npm test; curl x"
      ]) {
        const called = yield* project.sh(text)
        assert.strictEqual(called.said, "ask commands.other", text)
      }
    })
  )

  it.live("of Gradle run the wrapper of the project, and ask once the task has changed it", () =>
    Effect.gen(function* () {
      const project = yield* Project.make(() => ({ variables: { ...secrets, JAVA_HOME: "/usr/lib/jvm/default" } }))
      project.write("build.gradle", "plugins { id 'java' }\n")
      project.write("src/Calc.java", "class Calc {\n  static int add(int a, int b) {\n    return a - b;\n  }\n}\n")
      project.write(
        "test/CalcTest.java",
        "class CalcTest { public static void main(String[] x) { if (Calc.add(1, 2) != 3) System.exit(1); } }\n"
      )
      const compiled = "javac -d build src/*.java test/*.java && exec java -cp build CalcTest"
      // Where there is no Java the text of the class says it.
      const without = "exec grep -q 'a + b' src/Calc.java"
      project.program("gradlew", `#!/bin/sh\n${shown}\nif command -v javac; then ${compiled}; else ${without}; fi\n`)
      const { text } = yield* fixing(project, "./gradlew test", "src/Calc.java", [
        "    return a - b;",
        "    return a + b;"
      ])
      assert.match(text, /names: .*\bJAVA_HOME\b/)
      const approvals = { ...Approvals.project, protected: "allow" as const }
      const wrapper = { path: "gradlew", diff: "<<<<<<< SEARCH\nif command\n=======\nif ! command\n>>>>>>> REPLACE\n" }
      const edited = yield* project.call("replace_in_file", wrapper, { approvals })
      assert.strictEqual(edited.said, "allow edit")
      const changed = yield* project.sh("./gradlew test", { approvals })
      assert.strictEqual(changed.said, "ask commands.checks")
      assert.match(changed.reason, /^'gradlew' says what '\.\/gradlew test' runs, and this task has changed it\.$/)
      assert.deepStrictEqual(changed.grants, [])
      // Another task of the same project began before, too; and one that another process goes on with knows less still.
      const beginning = { ...Manifests.read(project.root), gradlew: "as it was" }
      assert.strictEqual(
        (yield* project.sh("gradle test", { approvals, manifests: beginning })).said,
        "ask commands.checks"
      )
      const approved = yield* project.sh("./gradlew test", { approvals, approved: true })
      assert.include(approved.text, "free")
      assert.strictEqual((yield* project.sh("./gradlew test", { approvals })).said, "allow commands.checks")
    })
  )

  it.live("are read again when a person changes a manifest, and ask when the task does", () =>
    Effect.gen(function* () {
      const project = yield* Project.make()
      const manifest = (scripts: object) => JSON.stringify({ scripts })
      project.write("package.json", manifest({ test: "echo first" }))
      project.write("Makefile", "build:\n\techo built\n")
      const said = (text: string, options?: Project.Options) =>
        Effect.map(project.sh(text, options), (called) => called.said)
      assert.strictEqual(yield* said("npm run lint"), "ask commands.other")
      project.write("package.json", manifest({ test: "echo first", lint: "echo second" }))
      assert.strictEqual(yield* said("npm run lint"), "allow commands.checks")
      // A command of the task that a person approved may do anything.
      const rewrite = "sed -i s/second/third/ package.json"
      assert.strictEqual((yield* project.sh(rewrite, { approved: true })).said.split(" ")[0], "ask")
      assert.include(project.read("package.json"), "third")
      assert.deepStrictEqual(
        [yield* said("npm run lint"), yield* said("npm test"), yield* said("make build")],
        ["ask commands.checks", "ask commands.checks", "allow commands.checks"]
      )
      // A yes to another command is none to this.
      yield* project.sh("sort -o x package.json", { approved: true })
      assert.strictEqual(yield* said("npm test"), "ask commands.checks")
      yield* project.sh("npm test", { approved: true })
      assert.strictEqual(yield* said("npm run lint"), "allow commands.checks")
      // In another process nothing is known but how it began.
      assert.strictEqual(yield* said("npm test", { manifests: { "package.json": "another" } }), "ask commands.checks")
      assert.strictEqual(yield* said("npm test", { manifests: {} }), "ask commands.checks")
    })
  )

  it.live("ask once each where there is no box", () =>
    Effect.gen(function* () {
      const project = yield* Project.make()
      project.write("Makefile", "test:\n\techo tested\nlint:\n\techo linted\n")
      const off = { sandbox: "off" } as const
      const first = yield* project.sh("make test", off)
      assert.deepStrictEqual([first.said, first.grants], ["ask commands.checks", ["task", "always"]])
      assert.include((yield* project.sh("make test", { ...off, approved: true })).text, "tested")
      assert.strictEqual((yield* project.sh("make test", off)).said, "allow commands.checks")
      assert.strictEqual((yield* project.sh("make lint", off)).said, "ask commands.checks")
      assert.strictEqual(
        (yield* project.sh("make test", { ...off, approvals: Approvals.edits })).said,
        "ask commands.other"
      )
    })
  )
})

/** A certificate for this machine, by an authority that no machine trusts. */
const certified = (folder: string) => {
  const openssl = (...args: ReadonlyArray<string>) =>
    execFileSync("openssl", args, { cwd: folder, stdio: ["ignore", "ignore", "pipe"] })
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
  openssl("req", "-x509", ...key, "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=Own authority", "-days", "30")
  openssl("req", ...key, "-keyout", "own.key", "-out", "own.csr", "-subj", "/CN=localhost")
  fs.writeFileSync(path.join(folder, "own.ext"), "subjectAltName=DNS:localhost,DNS:packages.test\n")
  const signed = ["-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "30", "-extfile", "own.ext"]
  openssl("x509", "-req", "-in", "own.csr", ...signed, "-out", "own.pem")
  const read = (name: string) => fs.readFileSync(path.join(folder, name))
  return { key: read("own.key"), cert: read("own.pem") }
}

/** A proxy that speaks TLS, with what lies behind it: what it was asked for. */
const proxy = (own: { readonly key: Buffer; readonly cert: Buffer }) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const asked: Array<string> = []
      const behind = tls.createServer(own, (socket) => void socket.on("error", () => {}).end("from behind\n"))
      const server = tls.createServer(own, (socket) => {
        socket
          .on("error", () => {})
          .once("data", (bytes) => {
            asked.push(bytes.toString())
            const { port } = behind.address() as net.AddressInfo
            const way = net.connect(port, "127.0.0.1", () => {
              socket.write("HTTP/1.1 200 Established\r\n\r\n")
              socket.pipe(way).pipe(socket)
            })
            way.on("error", () => socket.destroy())
          })
      })
      for (const one of [behind, server]) {
        one.on("tlsClientError", () => {})
        await new Promise<void>((resolve) => void one.listen(0, "127.0.0.1", () => resolve()))
      }
      return { asked, port: (server.address() as net.AddressInfo).port, servers: [behind, server] }
    }),
    ({ servers }) => Effect.sync(() => servers.forEach((server) => server.close()))
  )

/** What a package manager does: through the proxy that the environment names, with its authorities. */
const fetching = `
const tls = require("node:tls"), fs = require("node:fs")
const { hostname, password, port } = new URL(process.env.HTTPS_PROXY)
console.log("seen", fs.readdirSync(require("node:path").dirname(process.env.SSL_CERT_FILE)).join())
console.log("authorities", fs.readFileSync(process.env.SSL_CERT_FILE, "utf8").includes("BEGIN CERTIFICATE"))
console.log("login", password, process.env.npm_config_proxy)
const way = tls.connect({ host: "127.0.0.1", port, servername: hostname }, () =>
  way.write("CONNECT packages.test:443 HTTP/1.1\\r\\n\\r\\n"))
way.once("data", () => tls.connect({ socket: way, servername: "packages.test" }).on("data", (d) => process.stdout.write(d)))
way.on("error", (e) => console.log("no way", e.code))
`

describe("a project behind a proxy with its own certificate", () => {
  it.live("reaches it by the person's variables, without the login, and sees the authorities in the box, too", () =>
    Effect.gen(function* () {
      const keys = yield* Effect.acquireRelease(
        Effect.sync(() => fs.mkdtempSync(path.join(os.tmpdir(), "belay-keys-"))),
        (folder) => Effect.sync(() => fs.rmSync(folder, { recursive: true, force: true }))
      )
      const { asked, port } = yield* proxy(certified(keys))
      const project = yield* Project.make(({ home }) => {
        const certs = path.join(home, "certs")
        const ca = fs.readFileSync(path.join(keys, "ca.pem"), "utf8")
        fs.mkdirSync(certs)
        fs.writeFileSync(path.join(certs, "ca.pem"), ca)
        fs.writeFileSync(path.join(certs, "both.pem"), `${ca}-----BEGIN PRIVATE KEY-----`)
        const variables = {
          HOME: home,
          HTTPS_PROXY: `https://me:canary@localhost:${port}`,
          npm_config_proxy: `http://me:canary@localhost:${port}`,
          NODE_EXTRA_CA_CERTS: path.join(certs, "ca.pem"),
          SSL_CERT_FILE: path.join(certs, "ca.pem"),
          CURL_CA_BUNDLE: path.join(certs, "both.pem")
        }
        return { variables }
      })
      project.write("fetch.cjs", fetching)
      const approved = yield* project.sh("node fetch.cjs", { approved: true })
      assert.include(approved.text, `authorities true\nlogin  http://localhost:${port}\nfrom behind\n`)
      assert.match(asked.join(), /^CONNECT packages\.test:443/)
      const boxed = yield* project.sh("node fetch.cjs", { approvals: listing("node fetch.cjs") })
      assert.include(boxed.text, `authorities true\nlogin  http://localhost:${port}\nno way ECONNREFUSED\n`)
      // Of the folder it is all that is there.
      assert.match(boxed.text, /^seen ca\.pem$/m)
      assert.notInclude(boxed.text, "canary")
    }).pipe(Effect.scoped)
  )
})

describe("a program of the project", () => {
  it.live("is never taken for one of the system, however it is reached", () =>
    Effect.gen(function* () {
      const project = yield* Project.make((workspace) => ({
        first: ["tools", "", ".", workspace.at("tools"), path.join(workspace.outside, "linked")]
      }))
      for (const name of ["git", "ls", "rg", "bash"]) project.program(`tools/${name}`, says(`own ${name}`))
      project.program("sub/.venv/bin/pytest", says("shipped"))
      project.program(".venv/bin/pytest", says("own pytest"))
      project.program("links/make", says("own make"))
      fs.symlinkSync(project.at("links"), path.join(project.outside, "linked"))
      const allow = listing(
        "git",
        "make",
        "pytest",
        "bash",
        "xargs",
        "timeout",
        "env",
        ".venv/bin/pytest",
        "mkdir",
        "cp"
      )
      const asked = [
        "git status",
        "timeout 5 git status",
        "echo a | xargs git",
        "bash -c 'git status'",
        "ls",
        "cat x | rg y",
        "make test",
        "cd sub && .venv/bin/pytest",
        "sub/.venv/bin/pytest",
        // What lies nowhere is no program of the project; what is made there first would be.
        "mkdir -p x && wc -l x"
      ]
      for (const text of asked) {
        const called = yield* project.sh(text, { approvals: allow })
        assert.match(called.said, /^ask command(?:s\.other|\.order)$/, `${text}: ${called.reason}`)
      }
      const whole = project.at(".venv/bin/pytest")
      for (const text of [
        ".venv/bin/pytest -q",
        "./.venv/bin/pytest -q",
        `${whole} -q`,
        "cd sub && ../.venv/bin/pytest"
      ]) {
        const called = yield* project.sh(text, { approvals: allow })
        assert.strictEqual(called.said, "allow commands.allow", `${text}: ${called.reason}`)
      }
      const git = yield* project.sh("git status", { approvals: allow })
      assert.deepStrictEqual(git.programs, ["tools/git"])
      assert.include(git.reason, "('tools/git' is a program of the project)")
      const named = yield* project.sh("git status", { approvals: listing("tools/git") })
      assert.deepStrictEqual([named.said, named.text], ["allow commands.allow", "own git status\nexit code 0"])
      const plain = { program: "git", args: ["status"] }
      assert.strictEqual(
        (yield* project.call("execute_command", plain, { approvals: allow })).said,
        "ask commands.other"
      )
      const deny = {
        ...Approvals.all,
        commands: { allow: [], deny: ["pytest", "./tools/git"], other: "allow" as const }
      }
      for (const text of [".venv/bin/pytest", "git status"])
        assert.strictEqual((yield* project.sh(text, { approvals: deny })).said, "deny commands.deny", text)
    })
  )

  it.live("runs for a person who approved it, with what is for the shell alone", () =>
    Effect.gen(function* () {
      const sockets = fs.mkdtempSync("/tmp/belay-agent-")
      const socket = path.join(sockets, "agent")
      const agent = spawn("ssh-agent", ["-D", "-a", socket], { stdio: ["ignore", "pipe", "ignore"] })
      yield* Effect.addFinalizer(() =>
        Effect.sync(() => (agent.kill("SIGKILL"), fs.rmSync(sockets, { recursive: true, force: true })))
      )
      // Where there is none its socket alone tells it.
      yield* Effect.promise(() => Promise.race([once(agent, "error"), once(agent.stdout, "data")]))
      const project = yield* Project.make((workspace) => ({
        first: [workspace.at(".venv/bin")],
        variables: { ...secrets, SSH_AUTH_SOCK: socket }
      }))
      project.program(".venv/bin/tool", `#!/bin/sh\n${shown}\nssh-add -l\n`)
      const approved = yield* project.sh("tool", { approved: true })
      assert.match(approved.text, /names: .*\bPASSED\b.*\bSSH_AUTH_SOCK\b/)
      assert.notMatch(approved.text, /GITHUB_TOKEN|DEPLOY|canary/)
      assert.include(approved.text, "free")
      if (fs.existsSync(socket)) assert.include(approved.text, "The agent has no identities")
      const boxed = yield* project.sh("tool", { approvals: listing(".venv/bin/tool"), sandbox: "required" })
      assert.notMatch(boxed.text, /SSH_AUTH_SOCK|canary|no identities/)
      assert.include(boxed.text, "boxed")
    }).pipe(Effect.scoped)
  )
})
