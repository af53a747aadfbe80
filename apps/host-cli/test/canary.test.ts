/** A secret that comes in on every way is in no file, no line and no request but the header that it is for. */
import { ScriptedServer } from "@belay/testkit"
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { alone as belay, converse, type Environment, folder, logging } from "./support/cli.ts"
import { use } from "./support/asking.ts"

/** As it is, as JSON, in a URL, and what of its base64 does not depend on what is around it. */
const formsOf = (value: string): ReadonlyArray<string> => [
  value,
  JSON.stringify(value).slice(1, -1),
  encodeURIComponent(value),
  ...[0, 1, 2].map((before) =>
    Buffer.from(`${"-".repeat(before)}${value}`)
      .toString("base64")
      .slice(4, -4)
  )
]

const key = 'sk-canary-1f0e"/+key'
const other = "ghp-canary-other-2b9d"
const password = "p-canary-77aa-word"
const secrets = [key, other, password]

const heldIn = (bytes: string): ReadonlyArray<string> => secrets.flatMap(formsOf).filter((form) => bytes.includes(form))

const filesBelow = (directory: string): ReadonlyArray<string> =>
  readdirSync(directory, { recursive: true, encoding: "utf8" })
    .map((name) => path.join(directory, name))
    .filter((file) => statSync(file).isFile())

/** A server that answers with a secret, in two pieces on the wire and in two blocks of one result. */
const split = `
import { createInterface } from "node:readline"
const { KEY } = process.env
const cut = 9
let sent = Promise.resolve()
const write = (piece) => new Promise((resolve) => process.stdout.write(piece, resolve))
const send = (message) => {
  const line = JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n"
  const at = Math.max(line.indexOf(KEY), 0) + cut
  sent = sent.then(() => write(line.slice(0, at))).then(() => write(line.slice(at)))
}
const text = (text) => ({ type: "text", text })
const methods = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } }),
  "tools/list": () => ({ tools: [{ name: "say", description: "Says " + KEY, inputSchema: { type: "object" } }] }),
  "tools/call": ({ _meta }) => {
    for (const [at, message] of [KEY.slice(0, cut), KEY.slice(cut), KEY].entries())
      send({ method: "notifications/progress", params: { progressToken: _meta?.progressToken, progress: at, message } })
    process.stderr.write(KEY.slice(0, cut))
    process.stderr.write(KEY.slice(cut))
    return { content: [text("It is " + KEY.slice(0, cut)), text(KEY.slice(cut) + ", once more: " + KEY)] }
  }
}
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line)
  if (id !== undefined) send({ id, result: methods[method](params) })
}).on("close", () => process.exit(0))
`

const text = (value: string) => ({ type: "text" as const, text: value })

let server: ScriptedServer.ScriptedServer
let home: string
const homes: Array<string> = []
let workspace: string
let env: Environment
const said: Array<string> = []
const logged: Array<string> = []

const commands = { enabled: true, read: "allow", edit: "allow", commands: { other: "allow" } }

beforeAll(async () => {
  home = folder()
  homes.push(home)
  workspace = folder()
  writeFileSync(
    path.join(workspace, "config.txt"),
    `key = ${key}\nother = ${Buffer.from(`x:${other}`).toString("base64")}\n`
  )
  mkdirSync(path.join(workspace, "deep"))
  server = await ScriptedServer.startServer({
    tasks: [
      {
        match: { prompt: "Leak" },
        shared: true,
        answers: [
          {
            content: [
              text(`You said ${key}, encoded ${encodeURIComponent(key)}.`),
              ...use("read_file", { path: "config.txt" }).content
            ]
          },
          use("execute_command", { command: "cat config.txt; printf 'sk-canary-'; printf '1f0e\"/+key\\n'" }),
          use("write_to_file", { path: "out.txt", content: `found ${other}` }),
          use("list_files", { task_progress: `- [ ] use ${key}\n- [ ] and ${other}` }),
          use("new_task", { message: `Sub task with ${key}` }),
          use("attempt_completion", { result: `The key is ${key}, the token ${other}.` })
        ]
      },
      { match: { prompt: "Sub task" }, shared: true, answers: [use("attempt_completion", { result: `Sub ${key}` })] },
      {
        match: { prompt: "Fail" },
        shared: true,
        answers: [{ error: { status: 400, message: `bad key ${key} and ${other}` } }]
      },
      {
        match: { prompt: "Refuse" },
        shared: true,
        answers: [{ error: { status: 401, message: `invalid x-api-key ${key}` } }]
      },
      {
        match: { prompt: "Die" },
        shared: true,
        answers: [
          {
            content: [
              ...use("read_file", { path: key }).content,
              ...use("execute_command", { command: `printf '%s\\n' '${other}' >&2; exit 3` }).content
            ]
          },
          use("attempt_completion", { result: "Done." })
        ]
      },
      {
        match: { prompt: "Serve" },
        shared: true,
        answers: [
          use("use_mcp_tool", { server: "split", tool: "say", arguments: {} }),
          use("attempt_completion", { result: "Served." })
        ]
      },
      {
        match: { prompt: "Ask" },
        shared: true,
        answers: [use("ask_followup_question", { question: `Is it ${key}?`, options: [key, "no"] })]
      }
    ]
  })
  const url = new URL(server.url)
  url.username = "user"
  url.password = password
  env = {
    BELAY_HOME: home,
    ANTHROPIC_BASE_URL: url.href,
    ANTHROPIC_API_KEY: key,
    GITHUB_TOKEN: other
  }
  const run = async (args: ReadonlyArray<string>, given: Environment = env, cwd = workspace) => {
    const { code, stderr, stdout } = await belay(args, given, cwd)
    said.push(...stdout, ...stderr)
    logged.push(...stderr)
    return code
  }
  const allowed = ["--approvals", JSON.stringify(commands), "--verbose"]
  const loud = path.join(folder(), "loud.mjs")
  // It says it in two pieces, before it refuses to start.
  writeFileSync(
    loud,
    `const { KEY } = process.env
process.stderr.write("token " + KEY.slice(0, 9))
process.stderr.write(KEY.slice(9) + "\\n")
process.stdin.on("data", (line) => {
  const { id } = JSON.parse(line)
  console.log(JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32000, message: "no " + KEY } }))
})
`
  )
  const tested = run(["mcp", "add", "loud", "--env", "KEY=${env:GITHUB_TOKEN}", "--", process.execPath, loud]).then(
    () => run(["mcp", "test", "loud", "--verbose"])
  )
  // In a data folder of its own, so that no other task has the server.
  const apart = { ...env, BELAY_HOME: folder() }
  homes.push(apart.BELAY_HOME)
  const pieces = path.join(folder(), "split.mjs")
  writeFileSync(pieces, split)
  const served = run(["mcp", "add", "split", "--env", "KEY=${env:GITHUB_TOKEN}", "--", process.execPath, pieces], apart)
    .then(() => run(["run", "Serve it", "--output", "stream-json", "--approvals", '{"mcp":{"*":"allow"}}'], apart))
    .then(async (code) => [code, await run(["task", "show", "last", "--messages"], apart)])
  const elsewhere = folder()
  const died = run(
    ["run", `Die ${key}`, ...allowed],
    { ...env, BELAY_FAILPOINT: "tool.started.after" },
    elsewhere
  ).then(async () => [
    await run(["task", "resume", "last", ...allowed], env, elsewhere),
    await run(["task", "resume", "last", key, "--verbose"], env, elsewhere)
  ])
  const codes = await Promise.all([
    run(["run", `Leak ${key} and ${other}`, "--output", "stream-json", ...allowed]),
    run(["run", `Leak ${other}`, ...allowed]),
    run(["run", `Fail ${key}`, "--output", "json", "--verbose"]),
    run(["run", `Ask ${key}`, "--verbose"]),
    run(["run", `Refuse ${key}`, "--verbose"])
  ])
  assert.deepStrictEqual(codes, [0, 0, 4, 3, 4], said.join("\n"))
  assert.deepStrictEqual([await tested, await died, await served], [1, [0, 2], [0, 0]], said.join("\n"))
  await Promise.all([
    run(["task", "send", "last", `Take ${other} and ${key}`]),
    run(["task", "rename", "last", `Named ${key}`]),
    run(["task", "list", "--all", "--output", "json"]),
    run(["task", "show", "last", "--messages"]),
    run(["task", "watch", "last"]),
    run(["task", "answer", "last", key, "--allow"]),
    run(["run", `--${key}`]),
    run(["policy", "explain", `curl -H ${key} x`])
  ])
})

afterAll(() => server.close())

describe("a secret", () => {
  it("is in no byte of the data folder", () => {
    const files = homes.flatMap(filesBelow)
    assert.isTrue(files.some((file) => file.endsWith("belay.db")))
    assert.isTrue(files.some((file) => file.includes("focus_chain")))
    for (const file of files) assert.deepStrictEqual(heldIn(readFileSync(file, "latin1")), [], file)
  })

  it("is in no byte of output for people or programs, whole or in pieces", () => {
    const lines = said.join("\n")
    assert.deepStrictEqual(heldIn(lines), [])
    assert.include(lines, "<redacted>")
    const shown = said.flatMap((line) => (line.startsWith("{") ? [JSON.parse(line)] : []))
    for (const type of ["text.delta", "tool.output"]) {
      const pieces = shown.filter((event) => event.type === type).map((event) => event.text ?? event.chunk)
      assert.isAbove(pieces.length, 0, type)
      assert.deepStrictEqual(heldIn(pieces.join("")), [], type)
    }
  })

  it("is in no line of a log: of the program, of its errors and of a server", async () => {
    const lines = logged.join("\n")
    assert.match(lines, /^debug: repaired task /m)
    assert.match(lines, /^ +at .*\.js:/m)
    assert.include(lines, "bad key <redacted> and <redacted>")
    assert.include(lines, "the service refused the key")
    assert.include(lines, 'the server "loud" cannot be used')
    assert.deepStrictEqual(heldIn(lines), [])

    const { stderr, stdout } = await logging(secrets, env)
    assert.deepStrictEqual(stdout, [])
    for (const level of ["debug", "belay", "warn", "error"]) {
      assert.isTrue(
        stderr.some((line) => line.startsWith(`${level}: `) && line.includes("<redacted>")),
        level
      )
    }
    assert.deepStrictEqual(heldIn(stderr.join("\n")), [])
  })

  it("is in no request but in the header that it is for", () => {
    assert.isAbove(server.requests.length, 8)
    for (const { headers, path: asked, raw } of server.requests) {
      const { authorization: _basic, "x-api-key": sent, ...rest } = headers
      assert.strictEqual(sent, ScriptedServer.fingerprint(key))
      assert.deepStrictEqual(heldIn(raw + asked + JSON.stringify(rest)), [])
    }
    assert.include(server.requests.map(({ raw }) => raw).join(""), "<redacted>")
  })

  it("that is stored is only in the file of keys, and leaks no more than one of the environment", async () => {
    const own = folder()
    const stored = { BELAY_HOME: own, ANTHROPIC_API_KEY: undefined, ANTHROPIC_BASE_URL: server.url }
    const auth = converse(["auth"], stored)
    auth.write(key)
    auth.endInput()
    assert.strictEqual((await auth.exit).code, 0)
    const { code, stderr, stdout } = await belay(
      ["run", `Leak ${key}`, "--approvals", JSON.stringify(commands)],
      stored,
      workspace
    )
    assert.strictEqual(code, 0)
    assert.deepStrictEqual(
      heldIn([...stdout, ...stderr].join("\n")).filter((form) => formsOf(key).includes(form)),
      []
    )
    for (const file of filesBelow(own).filter((name) => !name.endsWith("keys.json"))) {
      const found = heldIn(readFileSync(file, "latin1")).filter((form) => formsOf(key).includes(form))
      assert.deepStrictEqual(found, [], file)
    }
  })
})
