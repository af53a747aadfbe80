/** What a person meets in containers, told in namespaces of this system: they need root, and the tools of util-linux. */
import { ScriptedServer } from "@belay/testkit"
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { chmodSync, chownSync, closeSync, mkdirSync, openSync, readFileSync } from "node:fs"
import * as path from "node:path"
import { afterAll, assert, describe, it, onTestFinished } from "vitest"
import * as Built from "./support/Built.ts"
import { folder } from "./support/cli.ts"

const nobody = 12345
const entry = Built.entry("cli")

const canUnshare = spawnSync("unshare", ["--mount", "--pid", "--fork", "--uts", "true"]).status === 0

/** A volume of the user, which a root that cannot be written does not close. */
const volume = (): string => {
  const made = folder()
  chmodSync(made, 0o755)
  for (const name of ["home", "work"]) mkdirSync(path.join(made, name))
  for (const file of [made, path.join(made, "home"), path.join(made, "work")]) chownSync(file, nobody, nobody)
  return made
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** What a container does before its program begins, as lines of a shell. */
const readOnlyRoot = (open: string): ReadonlyArray<string> => [
  "mount --make-rprivate /",
  `mount --bind ${quoted(open)} ${quoted(open)}`,
  "mount -o remount,bind,ro /"
]
const withoutBash: ReadonlyArray<string> = [
  "mount --make-rprivate /",
  "for bash in /bin/bash /usr/bin/bash /usr/local/bin/bash; do [ ! -e $bash ] || mount --bind /dev/null $bash; done"
]

interface Container {
  readonly before: ReadonlyArray<string>
  readonly namespaces?: ReadonlyArray<string>
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  /** As root, or as a user without an entry in passwd. */
  readonly user?: "root" | "nobody"
}

const line = ({ before, env = {}, user = "nobody" }: Container, args: ReadonlyArray<string>): string => {
  const given = { PATH: process.env["PATH"] ?? "", LANG: "C.UTF-8", ...env }
  const variables = Object.entries(given).map(([name, value]) => quoted(`${name}=${value}`))
  const as = user === "root" ? [] : ["setpriv", `--reuid=${nobody}`, `--regid=${nobody}`, "--clear-groups"]
  const program = [process.execPath, entry, ...args].map(quoted)
  return [...before, ["exec", ...as, "env", "-i", ...variables, ...program].join(" ")].join(" && ")
}

const unshared = (container: Container, args: ReadonlyArray<string>): ReadonlyArray<string> => [
  "--mount",
  ...(container.namespaces ?? []),
  "sh",
  "-c",
  line(container, args)
]

/** Runs a command in a container to its end; the loop of events goes on, since a server of the test may be asked. */
const inside = async (container: Container, ...args: ReadonlyArray<string>) => {
  const child = spawn("unshare", unshared(container, args), {
    cwd: container.cwd ?? "/",
    stdio: ["ignore", "pipe", "pipe"]
  })
  const said = { stdout: "", stderr: "" }
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (text: string) => (said[name] += text))
  }
  const [code] = await once(child, "close")
  return { code, ...said }
}

const writes = { type: "tool_use" as const, name: "write_to_file", input: { path: "a.txt", content: "made\n" } }
const completes = { type: "tool_use" as const, name: "attempt_completion", input: { result: "Made." } }

const server = async (scenario: Parameters<typeof ScriptedServer.startServer>[0]) => {
  const started = await ScriptedServer.startServer(scenario)
  afterAll(() => started.close())
  return started
}

describe.skipIf(!canUnshare)("in a container", () => {
  it("a user without an entry works on a volume, whose root cannot be written", async () => {
    const { url } = await server({
      tasks: [{ match: { prompt: "Make it" }, answers: [{ content: [writes] }, { content: [completes] }] }]
    })
    const open = volume()
    const cwd = path.join(open, "work")
    const key = { ANTHROPIC_API_KEY: "test-key", ANTHROPIC_BASE_URL: url }
    const env = { BELAY_HOME: path.join(open, "home", "belay"), ...key }
    const container = { before: readOnlyRoot(open), cwd }
    const ran = await inside({ ...container, env }, "run", "Make it", "--approvals", "edits")
    assert.strictEqual(ran.code, 0, ran.stderr)
    assert.strictEqual(readFileSync(path.join(cwd, "a.txt"), "utf8"), "made\n")
    const listed = await inside({ ...container, env }, "task", "list", "--output", "json")
    assert.deepStrictEqual(
      JSON.parse(listed.stdout).tasks.map(({ title }: { readonly title: string }) => title),
      ["Make it"]
    )
    // And is told in one line what is missing, where there is no volume or no home.
    const closed = await inside({ ...container, env: { ...key, BELAY_HOME: "/closed/belay" } }, "run", "Make it")
    assert.deepStrictEqual(
      [closed.code === 0, closed.stderr.trim().split("\n").length <= 2],
      [false, true],
      closed.stderr
    )
    assert.match(closed.stderr, /\/closed\/belay/)
    const homeless = await inside({ ...container, env: key }, "task", "list")
    assert.match(homeless.stderr, /Set HOME or BELAY_HOME/)
  })

  it("that is started anew with its volume a task of the one before is told of, and goes on once it is taken over", async () => {
    const { release, url } = await server({
      tasks: [
        {
          match: { prompt: "Make it" },
          shared: true,
          answers: [{ content: [{ type: "text", text: "Half an answer" }, completes], hold: "first" }]
        }
      ]
    })
    const open = volume()
    const env = { BELAY_HOME: path.join(open, "home", "belay"), ANTHROPIC_API_KEY: "test-key", ANTHROPIC_BASE_URL: url }
    const named = (host: string): Container => ({
      before: [`hostname ${host}`],
      namespaces: ["--pid", "--fork", "--uts", "--mount-proc"],
      cwd: path.join(open, "work"),
      env
    })
    const first = spawn("unshare", unshared(named("first"), ["run", "Make it", "--output", "stream-json"]), {
      cwd: path.join(open, "work"),
      stdio: ["ignore", "pipe", "ignore"]
    })
    let said = ""
    await new Promise<void>((resolve) => {
      first.stdout.on("data", (bytes: Buffer) => {
        said += bytes.toString()
        if (said.includes('"text.delta"')) resolve()
      })
    })
    // The first process of the container, whose end is that of all in it.
    const [init] = readFileSync(`/proc/${first.pid}/task/${first.pid}/children`, "utf8").split(" ")
    // While it is looked at the system gives its number to no other namespace: by the same one the owner would be gone.
    const namespace = openSync(`/proc/${init}/ns/pid`, "r")
    onTestFinished(() => closeSync(namespace))
    process.kill(Number(init), "SIGKILL")
    await once(first, "close")
    const list = await inside(named("second"), "task", "list", "--output", "json")
    const [task] = JSON.parse(list.stdout).tasks
    const resumed = await inside(named("second"), "task", "resume", task.id)
    // The ids of processes there and here mean nothing to each other: only a person can say that it has ended.
    assert.notStrictEqual(resumed.code, 0)
    assert.match(resumed.stderr, /another container/)
    release("first")
    const taken = await inside(named("second"), "task", "resume", task.id, "--take-over")
    assert.strictEqual(taken.code, 0, taken.stderr)
    assert.include(taken.stdout, "Made.")
  })

  it("without a bash, as Alpine comes, is told so; what needs none runs", async () => {
    const open = volume()
    const container: Container = { before: withoutBash, user: "root", cwd: path.join(open, "work") }
    const env = { HOME: path.join(open, "home"), TMPDIR: path.join(open, "home") }
    const doctor = await inside({ ...container, env }, "doctor", "--output", "json")
    const bash = JSON.parse(doctor.stdout).findings.find(({ name }: { readonly name: string }) => name === "bash")
    assert.deepStrictEqual([bash.state, bash.found], ["failed", "not found outside the workspace: no command can run"])
    // The whole demo takes seconds.
    if (process.env["BELAY_PROOF"] !== "full") return
    const demo = await inside({ ...container, env }, "demo")
    assert.strictEqual(demo.code, 0, demo.stderr)
  })
})
