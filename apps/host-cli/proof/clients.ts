/**
 * The second part of `pnpm interop`: `belay mcp serve` with programs that nobody here has written, each with a scripted
 * service in place of its model: Claude Code and Codex, set up by the lines that our recipes give, and the command of the
 * protocol's inspector; then eight clients at once, and a runner that is killed twenty times.
 *
 * The programs are installed into a folder of this run. One that cannot be is skipped with a word. Runs the command that is
 * built; prints a line for each thing that has to hold, and exits with 1 when one does not.
 */
import { Client } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { ScriptedServer } from "@belay/testkit"
import { spawn, spawnSync } from "node:child_process"
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { DatabaseSync } from "node:sqlite"
import * as Models from "./Models.ts"

const root = mkdtempSync(path.join(tmpdir(), "belay-clients-"))
const entry = path.resolve(import.meta.dirname, "../dist/belay.js")
const say = (text: string): void => void process.stdout.write(`${text}\n`)

let hasFailed = false
const holds = (name: string, is: boolean, more = ""): void => {
  if (!is) hasFailed = true
  say(`interop: ${name} | ${is ? "yes" : `NO ${more.slice(-1500)}`}`)
}

/** The folder of a package at a version; undefined when it cannot be installed. */
const installed = (name: string, version: string): string | undefined => {
  const folder = path.join(root, "packages", name.replace("/", "+"))
  mkdirSync(folder, { recursive: true })
  writeFileSync(path.join(folder, "package.json"), '{"private":true}')
  const args = ["install", "--no-audit", "--no-fund", "--ignore-scripts", `${name}@${version}`]
  return spawnSync("npm", args, { cwd: folder, encoding: "utf8" }).status === 0 ? folder : undefined
}

interface Ran {
  readonly code: number | null
  readonly said: string
}

const run = (program: string, args: ReadonlyArray<string>, env: NodeJS.ProcessEnv, cwd: string): Promise<Ran> =>
  new Promise((resolve) => {
    const child = spawn(program, args, { env, cwd, stdio: ["ignore", "pipe", "pipe"] })
    const limit = setTimeout(() => child.kill("SIGKILL"), 120_000)
    let said = ""
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (piece) => (said += String(piece)))
    child.on("error", (error) => (said += error.message))
    child.on("close", (code) => {
      clearTimeout(limit)
      resolve({ code, said })
    })
  })

const use = (name: string, input: object, id: string) => ({ content: [{ type: "tool_use" as const, id, name, input }] })
const completes = (result: string) => use("attempt_completion", { result }, "done")
const script = (prompt: string, ...answers: ReadonlyArray<ReturnType<typeof use>>) => ({
  match: { prompt },
  shared: true as const,
  answers
})

const own = await ScriptedServer.startServer({
  tasks: [
    script("Count", use("list_files", { path: "." }, "list"), completes("Nothing there.")),
    script("Build", use("execute_command", { command: "echo ran >> built.txt" }, "build"), completes("Ended.")),
    script("Job", completes("Done.")),
    script(
      "Many",
      ...Array.from({ length: 20 }, (_, n) =>
        use("execute_command", { command: `echo ${n} >> many.txt; until [ -e go${n} ]; do sleep 0.05; done` }, `m${n}`)
      ),
      completes("All of it.")
    )
  ]
})
const models = await Models.start()

/** A home with `belay` on its path: the command that is built, with a service of its own. */
const place = (name: string) => {
  const [home, bin, cwd] = ["home", "bin", "work"].map((part) => path.join(root, name, part)) as [
    string,
    string,
    string
  ]
  for (const folder of [home, bin, cwd]) mkdirSync(folder, { recursive: true, mode: 0o700 })
  const data = path.join(root, name, "belay")
  const lines = [
    "#!/bin/sh",
    `export BELAY_HOME='${data}' ANTHROPIC_BASE_URL='${own.url}' ANTHROPIC_API_KEY=test-key`,
    `exec '${process.execPath}' '${entry}' "$@"`
  ]
  writeFileSync(path.join(bin, "belay"), `${lines.join("\n")}\n`)
  chmodSync(path.join(bin, "belay"), 0o755)
  const env = {
    PATH: `${bin}:${path.dirname(process.execPath)}:${process.env["PATH"] ?? ""}`,
    HOME: home,
    CODEX_HOME: path.join(home, ".codex"),
    ANTHROPIC_BASE_URL: models.url,
    ANTHROPIC_API_KEY: "other-key",
    MODEL_KEY: "other-key",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    LANG: "C.UTF-8"
  }
  return { cwd, data, env, home }
}

type Place = ReturnType<typeof place>

/** Kills every process that has written this history but some. */
const killWriters = (data: string, but: ReadonlyArray<number> = []): number => {
  const file = path.join(data, "belay.db")
  if (!existsSync(file)) return 0
  const db = new DatabaseSync(file, { readOnly: true })
  const pids = db.prepare("SELECT pid FROM owner").all()
  db.close()
  let killed = 0
  for (const { pid } of pids) {
    if (but.includes(Number(pid))) continue
    try {
      process.kill(Number(pid), "SIGKILL")
      killed++
    } catch {
      // It has ended.
    }
  }
  return killed
}

/** What a program has to do with our tasks, by what its model asks for. */
const conversation = async (name: string, at: Place, ask: () => Promise<Ran>) => {
  const step = (tool: string, input: object, id: string): Models.Step => ({ tool, input, id })
  const turn = async (...steps: ReadonlyArray<Models.Step>): Promise<string> => {
    models.next(steps)
    const { said } = await ask()
    return `${models.heard().join("\n")}\n${said}`
  }
  const began = await turn(step("start_task", { prompt: "Count" }, "call_1"))
  holds(`${name}: begins a task and ends`, began.includes('\\"created\\":true'), began)
  const again = await turn(
    step("start_task", { prompt: "Count", key: "one" }, "call_2"),
    step("start_task", { prompt: "Count", key: "one" }, "call_3")
  )
  holds(`${name}: the same key is the same task`, again.includes('\\"created\\":false'), again)
  for (const time of ["first", "second"]) {
    const waited = await turn(step("wait_for_tasks", { timeoutSeconds: 100 }, `wait_${time}`))
    holds(`${name}: a later session hears how it ended, the ${time} time`, waited.includes("Nothing there."), waited)
  }
  const built = await turn(
    step("start_task", { prompt: "Build" }, "call_4"),
    step("wait_for_tasks", { timeoutSeconds: 100 }, "call_5")
  )
  holds(
    `${name}: what needs approval is not run where nobody is there`,
    !existsSync(path.join(at.cwd, "built.txt")) && built.includes("Ended."),
    built
  )
  killWriters(at.data)
}

const claude = async (): Promise<void> => {
  const folder = installed("@anthropic-ai/claude-code", "2.1.330")
  const file = path.join(
    folder ?? "",
    "node_modules/@anthropic-ai",
    `claude-code-${process.platform}-${process.arch}`,
    "claude"
  )
  if (folder === undefined || !existsSync(file))
    return say("interop: Claude Code | skipped: it cannot be installed here")
  const at = place("claude")
  const added = await run(
    file,
    ["mcp", "add", "--scope", "user", "belay", "--", "belay", "mcp", "serve"],
    at.env,
    at.cwd
  )
  holds("Claude Code: is set up by its line", added.code === 0, added.said)
  const args = ["-p", "Use belay", "--allowedTools", "mcp__belay"]
  await conversation("Claude Code", at, () => run(file, args, at.env, at.cwd))
}

const codex = async (): Promise<void> => {
  const folder = installed("@openai/codex", "0.169.0")
  const file = path.join(folder ?? "", "node_modules/.bin/codex")
  if (folder === undefined || !existsSync(file)) return say("interop: Codex | skipped: it cannot be installed here")
  const at = place("codex")
  mkdirSync(at.env.CODEX_HOME, { recursive: true })
  const added = await run(file, ["mcp", "add", "belay", "--", "belay", "mcp", "serve"], at.env, at.cwd)
  holds("Codex: is set up by its line", added.code === 0, added.said)
  const lines = [
    'default_tools_approval_mode = "approve"',
    "tool_timeout_sec = 600",
    "[model_providers.scripted]",
    'name = "scripted"',
    `base_url = "${models.url}/v1"`,
    'env_key = "MODEL_KEY"',
    'wire_api = "responses"'
  ]
  appendFileSync(path.join(at.env.CODEX_HOME, "config.toml"), `\n${lines.join("\n")}\n`)
  const args = ["exec", "--skip-git-repo-check", "-c", 'model_provider="scripted"', "-m", "m", "Use belay"]
  await conversation("Codex", at, () => run(file, args, at.env, at.cwd))
}

const inspector = async (): Promise<void> => {
  const folder = installed("@modelcontextprotocol/inspector", "2.12.0")
  if (folder === undefined) return say("interop: inspector | skipped: it cannot be installed here")
  const file = path.join(folder, "node_modules/.bin/mcp-inspector")
  const at = place("inspector")
  const list = async (era: string): Promise<string> => {
    const { said } = await run(
      file,
      ["--cli", "--protocol-era", era, "belay", "mcp", "serve", "--method", "tools/list"],
      at.env,
      at.cwd
    )
    return said
  }
  const [legacy, modern] = [await list("legacy"), await list("modern")]
  holds(
    "inspector: lists the same tools, in the same bytes, in both eras",
    legacy === modern && legacy.includes("start_task"),
    `${legacy}\n${modern}`
  )
}

const connected = async (at: Place, args: ReadonlyArray<string> = []) => {
  const transport = new StdioClientTransport({
    command: path.join(path.dirname(at.cwd), "bin/belay"),
    args: ["mcp", "serve", ...args],
    env: at.env,
    cwd: at.cwd,
    stderr: "ignore"
  })
  const client = new Client({ name: "many", version: "1" }, {})
  await client.connect(transport)
  const call = async (name: string, given: Record<string, unknown> = {}): Promise<any> => {
    const { structuredContent } = await client.callTool({ name, arguments: given }, { timeout: 240_000 })
    return structuredContent
  }
  return { call, close: () => client.close(), pid: () => transport.pid ?? 0 }
}

const many = async (): Promise<void> => {
  const at = place("many")
  const clients = await Promise.all(Array.from({ length: 8 }, () => connected(at)))
  const started = await Promise.all(
    Array.from({ length: 100 }, (_, n) =>
      clients[n % 8]?.call("start_task", { prompt: `Job ${n % 50}`, key: `key ${n % 50}` })
    )
  )
  const ids = new Set(started.map(({ taskId }) => taskId))
  const created = started.filter((one) => one.created).length
  holds("8 clients, 100 starts with 50 keys: 50 tasks", ids.size === 50 && created === 50, `${ids.size} ${created}`)
  const all = [...ids]
  const ended = async (some: ReadonlyArray<string>): Promise<ReadonlyArray<any>> => {
    const waited = await clients[0]?.call("wait_for_tasks", { ids: some, timeoutSeconds: 240 })
    return waited?.tasks ?? []
  }
  const tasks = [...(await ended(all.slice(0, 25))), ...(await ended(all.slice(25)))]
  holds(
    "all of them end",
    tasks.length === all.length && tasks.every(({ outcome }) => outcome === "succeeded"),
    JSON.stringify(tasks)
  )
  for (const { close } of clients) await close()
  killWriters(at.data)
}

const kills = async (): Promise<void> => {
  const at = place("kills")
  const { call, close, pid } = await connected(at, ["--approvals", "all"])
  const { taskId } = await call("start_task", { prompt: "Many" })
  const file = path.join(at.cwd, "many.txt")
  let killed = 0
  for (let n = 0; n < 20; n++) {
    while (!existsSync(file) || !readFileSync(file, "utf8").includes(`${n}\n`)) {
      await call("send_message", { id: taskId, text: "Go on" }).catch(() => undefined)
      await call("wait_for_tasks", { ids: [taskId], timeoutSeconds: 1 })
    }
    if (killWriters(at.data, [pid()]) > 0) killed++
    writeFileSync(path.join(at.cwd, `go${n}`), "")
  }
  const { tasks } = await call("wait_for_tasks", { ids: [taskId], timeoutSeconds: 240 })
  const lines = readFileSync(file, "utf8").trim().split("\n")
  holds(
    `a runner killed ${killed} times: each command ran once`,
    killed === 20 && new Set(lines).size === lines.length && lines.length === 20,
    lines.join()
  )
  holds("and the task is told of once", tasks.length === 1, JSON.stringify(tasks))
  await close()
  killWriters(at.data)
}

try {
  if (process.platform === "win32") say("interop: clients | skipped: their setup is a shell script here")
  else for (const part of [inspector, claude, codex, many, kills]) await part()
} finally {
  models.close()
  await own.close()
  rmSync(root, { recursive: true, force: true, maxRetries: 5 })
}
process.exitCode = hasFailed ? 1 : 0
