/** Every example of the help and every line for a shell of the READMEs and of docs does, as it is written, what it says. */
import { Grant } from "@belay/approval-policy"
import * as FolderGrants from "@belay/task-engine/unstable/folder-grants"
import { ScriptedServer } from "@belay/testkit"
import * as Effect from "effect/Effect"
import { execFileSync } from "node:child_process"
import { cpSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { running, typing, use, write } from "./support/asking.ts"
import { attended, belay, converse, folder, json } from "./support/cli.ts"
import * as Examples from "./support/examples.ts"
import { begin, delegated, id, owner, started, stopped } from "./support/states.ts"

/** They are not run here, and why. */
const elsewhere: Readonly<Record<string, string>> = {
  "npm start": "installs and builds this repository",
  "npm test": "runs this test",
  "npm install --global": "changes the machine; what is packed is installed by another test",
  "export ANTHROPIC_API_KEY": "is for the shell alone",
  'belay run "update the documentation" --detach': "runs on after the command; detached.test.ts runs it",
  "claude mcp add": "needs Claude Code; serving/serve.test.ts runs what it adds",
  "codex mcp add": "needs Codex; serving/serve.test.ts runs what it adds",
  "belay runner": "waits a minute for work; serving/serve.test.ts runs it",
  "belay demo": "takes 20 seconds; demo.test.ts runs it",
  "belay                                       # a conversation": "needs a terminal; the tests in interactive open it"
}

/** A state before the example, where it is not a stopped task with a question, settings and a server. */
const worlds: ReadonlyArray<
  readonly [
    begins: string,
    world: "nothing" | "subtask" | "asking" | "restored" | "done" | "deleted" | "worktree" | "lost"
  ]
> = [
  ["task continue", "done"],
  ["task abandon", "subtask"],
  ["task restart", "subtask"],
  ["task delete", "subtask"],
  ["task interrupt", "asking"],
  ["task answer last --", "asking"],
  ["task restore 3f9c --undo", "restored"],
  ["task undelete", "deleted"],
  ["run try the other algorithm", "worktree"],
  ["worktree merge", "worktree"],
  ["worktree remove", "worktree"],
  ["mcp add", "nothing"],
  ["rescue", "lost"]
]

/** What else than 0 it may end with, and why. */
const codes: ReadonlyArray<readonly [begins: string, codes: ReadonlyArray<number>, why: string]> = [
  ["doctor", [0, 1], "a machine may lack something"],
  ["models test", [0, 1], "the scripted model only talks"],
  ["reset", [2], "there is no terminal here"],
  ["rescue copy", [0], "it is copied, whatever was damaged"],
  ["rescue import", [0], "it is taken over, whatever was damaged"],
  ["rescue --path", [5], "there is no such disk"],
  ["rescue", [1], "something is lost"],
  ["task resume last", [3], "its question waits for a person"],
  ["task watch", [0, 3], "a task that is stopped"]
]

const server = await ScriptedServer.startServer({
  tasks: [
    {
      match: { prompt: "Paint it" },
      shared: true,
      answers: [
        use("write_to_file", { path: "one.txt", content: "1\n" }),
        use("write_to_file", { path: "two.txt", content: "2\n" }),
        use("ask_followup_question", { question: "Which colour?", options: ["red", "blue"] }),
        { on: "without a cache", content: [{ type: "text", text: "Done." }] }
      ]
    },
    {
      match: { prompt: "name the licence" },
      shared: true,
      answers: [{ content: [{ type: "text", text: '{"licence":"MIT"}' }] }]
    },
    { match: { prompt: "Finish it" }, shared: true, answers: [{ content: [{ type: "text", text: "Done." }] }] }
  ],
  fallback: { content: [{ type: "text", text: "It is right." }] }
})
afterAll(() => server.close())

const [cwd, person] = [folder(), folder()]
const prepared = folder()

const mcpServer = `
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n")
const methods = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "t", version: "1" } }),
  "tools/list": () => ({ tools: [{ name: "note", description: "Notes", inputSchema: { type: "object" } }] })
}
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line)
  if (id !== undefined) send({ id, result: methods[method](params) })
}).on("close", () => process.exit(0))
`

const file = (name: string, text: string): void => {
  mkdirSync(path.dirname(name), { recursive: true })
  writeFileSync(name, text)
}

const lines = [
  ...new Set([
    ...Examples.ofHelp(),
    ...Examples.ofReadme(new URL("../README.md", import.meta.url)),
    ...Examples.ofReadme(new URL("../../../README.md", import.meta.url)),
    ...["approvals", "configuration", "recipes"].flatMap((page) =>
      Examples.ofReadme(new URL(`../../../docs/${page}.md`, import.meta.url))
    )
  ])
]

const place = (): void => {
  execFileSync("git", ["init", "-q", cwd])
  file(path.join(cwd, "sum.js"), "export const sum = (a, b) => a - b\n")
  file(path.join(cwd, "calls.ndjson"), `${JSON.stringify({ tool: "execute_command", args: { command: "ls" } })}\n`)
  file(path.join(cwd, "key.txt"), "sk-test\n")
  mkdirSync(path.join(person, "project"))
  const old = path.join(cwd, "rooveterinaryinc.roo-cline", "tasks", "T")
  file(path.join(old, "history_item.json"), JSON.stringify({ id: "T", ts: 1_784_332_598_169, task: "Old" }))
  file(path.join(old, "api_conversation_history.json"), JSON.stringify([{ role: "user", content: "Hello" }]))
  const storage = path.join(person, ".config", "Code", "User", "globalStorage", "rooveterinaryinc.roo-cline")
  const lost = path.join(storage, "tasks", "7c1e00af")
  // What has just been changed is in use.
  const yesterday = Math.floor(Date.now() / 1000) - 86_400
  file(path.join(lost, "history_item.json"), JSON.stringify({ id: "7c1e00af", ts: yesterday * 1000, task: "Lost" }))
  file(path.join(lost, "api_conversation_history.json"), '[{"role":"user","content":"Hello"},{"role"')
  for (const name of readdirSync(lost)) utimesSync(path.join(lost, name), yesterday, yesterday)
}

place()
const examples = Examples.read(lines, { cwd, home: person, notes: path.join(folder(), "notes") })

const environment = (home: string) => ({ BELAY_HOME: home, ANTHROPIC_BASE_URL: server.url })

/** A history with one stopped task that has changed files and asks something. */
beforeAll(async () => {
  const env = environment(prepared)
  const ran = await belay(["run", "Paint it", "--approvals", "all", "--sandbox", "off"], env, cwd)
  assert.strictEqual(ran.code, 3, ran.stderr.join("\n"))
  file(
    path.join(prepared, "settings.json"),
    JSON.stringify({
      model: { act: "claude-sonnet-5-5", plan: { baseUrl: server.url } },
      approvals: { commands: { allow: ["=npm test"] } }
    })
  )
  const script = path.join(person, "server.cjs")
  file(script, mcpServer)
  const servers = { files: { command: process.execPath, args: [script] } }
  file(path.join(prepared, "mcp.json"), JSON.stringify({ mcpServers: servers }))
  const grants = FolderGrants.make(prepared)
  const rule = (command: string): Grant.Rule => ({ type: "command", command, cwd })
  await Effect.runPromise(grants.add(cwd, [rule("npm test"), rule("npm run build")]))
})

const home = (): string => {
  const made = folder()
  cpSync(prepared, made, { recursive: true })
  return made
}

interface World {
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  /** What `3f9c` and `ASKID` stand for. */
  readonly id: string
  readonly ask: string
}

const newest = async (env: World["env"], at: string): Promise<World> => {
  const record = json((await belay(["task", "show", "last", "--output", "json"], env, at)).stdout)
  return { env, cwd: at, id: record.id, ask: record.asks.find(({ open }: any) => open)?.askId ?? "" }
}

const made: Record<(typeof worlds)[number][1] | "stopped", () => Promise<World>> = {
  stopped: () => newest(environment(home()), cwd),
  lost: async () => {
    const seen = { HOME: person, XDG_CONFIG_HOME: path.join(person, ".config"), APPDATA: person, USERPROFILE: person }
    return { env: { ...environment(folder()), ...seen }, cwd, id: "", ask: "" }
  },
  nothing: async () => ({ env: environment(folder()), cwd, id: "", ask: "" }),
  done: async () => {
    const env = environment(folder())
    await belay(["run", "Finish it"], env, cwd)
    return newest(env, cwd)
  },
  deleted: async () => {
    const world = await made.done()
    const { code, stderr } = await belay(["task", "delete", "last", "--yes"], world.env, cwd)
    assert.strictEqual(code, 0, stderr.join("\n"))
    return world
  },
  worktree: async () => {
    const at = folder()
    const commit = ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "first"]
    for (const args of [["init", "-q"], commit]) execFileSync("git", args, { cwd: at })
    const env = environment(folder())
    const { code, stderr } = await belay(["run", "--worktree", "fix-the-parser", "Finish it"], env, at)
    assert.strictEqual(code, 0, stderr.join("\n"))
    return { env, cwd: at, id: "", ask: "" }
  },
  asking: async () => {
    const { env, event, workspace } = await running([write, { content: [{ type: "text", text: "Done." }] }])
    await event("ask")
    return newest(env, workspace)
  },
  restored: async () => {
    const world = await newest(environment(home()), cwd)
    const { code, stderr } = await belay(["task", "restore", "last", "--to", "2"], world.env, cwd)
    assert.strictEqual(code, 0, stderr.join("\n"))
    return world
  },
  subtask: async () => {
    const env = environment(folder())
    const dead = await owner(env.BELAY_HOME)
    await dead.commit(started(1, "Release", cwd), delegated(1, { 2: "Write the parser" }), begin(2), stopped(2))
    await dead.close()
    return { env, cwd, id: id(2), ask: "" }
  }
}

const starting = <A extends ReadonlyArray<unknown>>(all: ReadonlyArray<readonly [string, ...A]>, text: string) =>
  all.find(([begins]) => text.startsWith(begins))

/** Where a person is asked they say yes; what a terminal would have hidden comes on stdin. */
const run = async (args: ReadonlyArray<string>, stdin: string | undefined, world: World) => {
  if (/^task (?:abandon|delete)/.test(args.join(" "))) return typing(attended(args, world.env, world.cwd), "1")
  const given = stdin ?? (args[0] === "auth" && !args.includes("--remove") ? "sk-test\n" : undefined)
  if (given === undefined) return belay(args, world.env, world.cwd)
  const process = converse(args, world.env, world.cwd)
  process.write(given)
  process.endInput()
  return process.exit
}

describe("an example", () => {
  it("is in the help of every command, and each README has some", () => {
    assert.isAbove(examples.length, 70)
    for (const text of Object.keys(elsewhere))
      assert.isTrue(
        lines.some((line) => line.startsWith(text)),
        text
      )
  })

  for (const { args, code, line, stdin } of examples) {
    if (Object.keys(elsewhere).some((text) => line.startsWith(text))) continue
    it(line, async () => {
      assert.strictEqual(code, 0)
      assert.isDefined(args)
      const said = (args ?? []).join(" ")
      const world = await made[starting(worlds, said)?.[1] ?? "stopped"]()
      const words = (args ?? []).map((word) => (word === "3f9c" ? world.id : word === "ASKID" ? world.ask : word))
      const ended = await run(words, stdin, world)
      const expected = starting(codes, said)?.[1] ?? [0]
      assert.include(expected, ended.code, [...ended.stdout, ...ended.stderr].join("\n"))
    })
  }
})
