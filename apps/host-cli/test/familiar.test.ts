/** Options that people know from other agents: what each becomes here, and what is refused. */
import { Approvals } from "@belay/approval-policy"
import { Settings } from "@belay/settings"
import { type Scenario, ScriptedServer } from "@belay/testkit"
import * as Effect from "effect/Effect"
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { homedir } from "node:os"
import * as path from "node:path"
import { afterAll, assert, describe, it, vi } from "vitest"
import { parse } from "../src/CommandLine.ts"
import * as Familiar from "../src/cli/Familiar.ts"
import * as RunOptions from "../src/session/RunOptions.ts"
import { belay, folder, json } from "./support/cli.ts"

const settingsOf = (...typed: ReadonlyArray<string>) =>
  Effect.runSync(
    Effect.gen(function* () {
      const parsed = yield* Effect.fromResult(parse(Familiar.words(typed)))
      const options = yield* RunOptions.decode(parsed)
      const settings = RunOptions.applied(Settings.defaults(Approvals.ask), options)
      return { args: parsed.args, mode: options.mode, settings }
    })
  )

const refusal = (...typed: ReadonlyArray<string>) =>
  Effect.runSync(Effect.flip(Effect.flatMap(Effect.fromResult(parse(Familiar.words(typed))), RunOptions.decode)))
    .message

const call = (name: string, input: object): Scenario.Answer => ({ content: [{ type: "tool_use", name, input }] })
const completes = (result: string) => call("attempt_completion", { result })

const served = async (...answers: ReadonlyArray<Scenario.Answer>) => {
  const server = await ScriptedServer.startServer({
    apiKey: "test-key",
    tasks: [{ match: { prompt: "" }, shared: true, answers }]
  })
  afterAll(() => server.close())
  return { server, env: { ANTHROPIC_BASE_URL: server.url, BELAY_HOME: folder() } }
}

/** A program in the folder that is an MCP server with one tool, and a call of it. */
const ownServer = (at: string) => {
  const server = `
    require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
      const { id, method, params } = JSON.parse(line)
      const results = {
        initialize: () => ({ protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "t", version: "1" } }),
        "tools/list": () => ({ tools: [{ name: "tell", description: "Tells", inputSchema: { type: "object" } }] }),
        "tools/call": () => ({ content: [{ type: "text", text: "told by the server" }] })
      }
      if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, result: results[method]() }))
    })`
  writeFileSync(path.join(at, "server.cjs"), server)
  const config = { mcpServers: { own: { command: process.execPath, args: [path.join(at, "server.cjs")] } } }
  const asked = call("use_mcp_tool", { server: "own", tool: "tell", arguments: {} })
  return { asked, config }
}

describe("a command line as for another agent", () => {
  it("is one of run where options stand before any command", () => {
    const { args, mode, settings } = settingsOf("-p", "fix it", "--permission-mode", "plan", "--max-turns", "7")
    assert.deepStrictEqual([args, mode, settings.maxRequests], [["fix it"], "plan", 7])
    assert.deepStrictEqual(settingsOf("--permission-mode", "acceptEdits", "x").settings.approvals, Approvals.edits)
    assert.deepStrictEqual(settingsOf("--permission-mode", "bypassPermissions", "x").settings.approvals, Approvals.all)
    const system = { append: "Be kind.", replace: "You are a poet." }
    const said = settingsOf("run", "x", "--system-prompt", system.replace, "--append-system-prompt", system.append)
    assert.deepStrictEqual(said.settings.system, system)
  })

  it("never allows what a rule, or the approvals, deny", () => {
    const approvals = (before: object, ...typed: ReadonlyArray<string>) =>
      settingsOf("run", "x", "--approvals", JSON.stringify(before), ...typed).settings.approvals
    const both = ["--allowed-tools", "mcp__a__b", "--disallowed-tools", "mcp__a"]
    assert.deepStrictEqual(approvals({}, ...both).mcp, { ...Approvals.ask.mcp, "a/b": "deny", "a/*": "deny" })
    const allows = ["--allowed-tools", "Edit Read WebFetch Task Bash mcp__a__b mcp__c mcp__d__e"]
    const denied = {
      edit: "deny",
      read: "deny",
      readOutside: "deny",
      fetch: "deny",
      delegate: "deny",
      commands: { other: "deny" },
      mcp: { "a/*": "deny", "c/f": "deny", "d/e": "deny" }
    }
    const { commands, delegate, edit, fetch, mcp, read, readOutside } = approvals(denied, ...allows)
    assert.deepStrictEqual(new Set([commands.other, delegate, edit, fetch, read, readOutside]), new Set(["deny"]))
    assert.deepInclude(mcp, { "a/*": "deny", "a/b": "deny", "c/f": "deny", "d/e": "deny" })
    const asking = approvals({}, ...allows)
    assert.deepStrictEqual(
      [asking.commands.other, asking.edit, asking.fetch, asking.mcp["a/b"], asking.mcp["c/*"]],
      ["allow", "allow", "allow", "allow", "allow"]
    )
  })

  it.each<[ReadonlyArray<string>, RegExp]>([
    [
      ["-p", "x", "--dangerously-skip-permissions"],
      /no option --dangerously-skip-permissions\. Here it is --approvals all/
    ],
    [["run", "x", "-C", "dir"], /no option -C\. Here it is --cwd DIR/],
    [["run", "x", "-z"], /unknown option -z\. See/],
    [["run", "x", "--permission-mode", "dontAsk"], /--permission-mode cannot be "dontAsk"\. Run it without a terminal/],
    [["run", "x", "--permission-mode", "default", "--approvals", "all"], /say the same thing/],
    [["run", "x", "--allowedTools", "Bash(git * main)"], /a star counts only at its end/],
    [["run", "x", "--allowed-tools", "Bash(a && b)"], /without chains/],
    [["run", "x", "--allowed-tools", "WebFetch(domain:example.com)"], /nothing here can limit WebFetch to this/],
    [["run", "x", "--allowed-tools", "Read(//etc/**)"], /relative to the workspace/],
    [["run", "x", "--disallowed-tools", "Bsh"], /no tool has this name/],
    [["run", "x", "--disallowed-tools", "Read(~/.ssh/**)"], /relative to the workspace/]
  ])("%j is refused with one line", (typed, said) => assert.match(refusal(...typed), said))

  it("adds no folder that opens more than a project, by whatever name", () => {
    const workspace = path.join(folder(), "project")
    mkdirSync(workspace)
    const link = path.join(folder(), "link")
    symlinkSync("/", link)
    const data = path.join(homedir(), "..", path.basename(homedir()))
    for (const [added, why] of [
      ["/", /it is all of this machine/],
      [link, /it is all of this machine/],
      [homedir(), /your home folder is in it/],
      [data, /your home folder is in it/],
      [path.dirname(homedir()), /your home folder is in it|all of this machine/],
      [path.dirname(workspace), /the workspace is in it/]
    ] as const) {
      const said = refusal("-p", "x", "--cwd", workspace, "--add-dir", added)
      assert.match(said, /^this folder cannot be added, .*--add-dir\)\. Name the folder that is needed\.$/)
      assert.match(said, why, added)
    }
    vi.stubEnv("BELAY_HOME", path.join(workspace, "data"))
    mkdirSync(path.join(workspace, "data", "tasks"), { recursive: true })
    for (const name of ["data", path.join("data", "tasks")]) {
      const said = refusal("-p", "x", "--cwd", folder(), "--add-dir", path.join(workspace, name))
      assert.match(said, /Belay's own data/)
    }
    vi.unstubAllEnvs()
  })

  it("lists of tools become approvals that allow no more and deny no less, whatever way they are written", () => {
    const { args, settings } = settingsOf(
      "-p",
      "fix it",
      "--allowedTools",
      "Bash(git diff:*),Bash(npm run build)",
      "Edit",
      "Read(docs/**)",
      "mcp__files__read",
      "TodoWrite",
      "--disallowedTools=Bash(git push *) Read(.env) Edit(/src/gen/) WebFetch mcp__web"
    )
    assert.deepStrictEqual(args, ["fix it"])
    const { approvals, withoutTools } = settings
    assert.deepStrictEqual(approvals, {
      ...Approvals.ask,
      edit: "allow",
      fetch: "deny",
      commands: { allow: ["git diff", "=npm run build"], deny: ["git push"], other: "ask" },
      mcp: { "*": "ask", "files/read": "allow", "web/*": "deny" },
      paths: [
        { pattern: "docs/**", read: "allow" },
        { pattern: "**/.env", read: "deny" },
        { pattern: "src/gen/**", edit: "deny" }
      ]
    })
    assert.deepStrictEqual(withoutTools, ["fetch_url"])
    const noShell = settingsOf("run", "x", "--approvals", "all", "--disallowed-tools", "Bash").settings
    assert.deepStrictEqual(noShell.withoutTools, ["execute_command", "read_command_output"])
    assert.deepInclude(noShell.approvals.commands, { other: "deny", readOnly: "ask" })
    assert.isTrue(Effect.runSync(Effect.isSuccess(Approvals.decode(approvals))), "they can be written as --approvals")
  })

  it("policy explain says what a list becomes, and judges a command by it", async () => {
    const env = { BELAY_HOME: folder() }
    const shown = await belay(["policy", "explain", "--allowedTools", "Bash(git diff:*) Edit", "WebSearch"], env)
    assert.deepStrictEqual(shown.stdout, [
      'allow Bash(git diff:*): commands.allow "git diff"',
      'allow Edit: edit "allow"',
      "allow WebSearch: nothing: there is no such tool here"
    ])
    const rules = ["--allowed-tools", "Bash(touch a)", "--output", "json"]
    const [exact, longer] = await Promise.all(
      ["touch a", "touch a b"].map((command) => belay(["policy", "explain", command, ...rules], env, folder()))
    )
    assert.strictEqual(json(exact?.stdout ?? []).decision, "allow")
    assert.strictEqual(json(longer?.stdout ?? []).decision, "ask")
    const gone = await belay(["policy", "explain", "ls", "--disallowed-tools", "Bash", "--output", "json"], env)
    assert.strictEqual(json(gone.stdout).decision, "deny")
  })
})

describe("--json-schema", () => {
  const schema = JSON.stringify({
    type: "object",
    properties: { name: { type: "string" }, sizes: { type: "array", items: { type: "integer", minimum: 1 } } },
    required: ["name", "sizes"],
    additionalProperties: false
  })
  const fits = '{"name":"a","sizes":[1,2]}'
  const says = (text: string): Scenario.Answer => ({ content: [{ type: "text", text }] })
  const run = async (...answers: ReadonlyArray<Scenario.Answer>) => {
    const { env, server } = await served(...answers)
    const ran = await belay(["-p", "describe it", "--json-schema", schema, "--output", "json"], env, folder())
    return { code: ran.code, object: json(ran.stdout), server }
  }

  it("takes a result that fits, with or without a block of code around it, and tells the model of it", async () => {
    const plain = await run(completes(fits))
    assert.deepStrictEqual([plain.code, plain.object.result], [0, fits])
    assert.include(JSON.stringify(plain.server.requests.at(0)?.body.system), JSON.stringify(schema).slice(1, -1))
    const fenced = await run(says(`\`\`\`json\n${fits}\n\`\`\``))
    assert.deepStrictEqual([fenced.code, fenced.object.result, fenced.server.requests.length], [0, fits, 1])
  })

  it.each([
    ["as a call", completes('{"name":1,"sizes":[0],"more":true}'), completes(fits)],
    ["in words", says("It is a."), says(fits)]
  ])("gives one round to correct a result that does not, %s", async (_, first, second) => {
    const { code, object, server } = await run(first, second)
    assert.deepStrictEqual([code, object.result, server.requests.length], [0, fits, 2])
    assert.include(JSON.stringify(server.requests.at(1)?.body.messages), "does not fit its JSON Schema: ")
  })

  it("fails with exit 1 and why when it does not fit again", async () => {
    const { code, object, server } = await run(completes("no"), completes('{"name":"a","sizes":"many"}'))
    assert.deepStrictEqual([code, object.outcome, server.requests.length], [1, "failed", 2])
    assert.match(object.result, /^The result does not fit its JSON Schema: sizes: .*\n\n\{"name":"a","sizes":"many"\}$/)
  })

  it("may require what it does not describe", async () => {
    const given = '{"type":"object","required":["name"]}'
    const read = Effect.flatMap(Effect.fromResult(parse(["run", "x", "--json-schema", given])), RunOptions.decode)
    assert.deepStrictEqual((await Effect.runPromise(read)).familiar.resultSchema, JSON.parse(given))
  })

  it.each([
    ['{"type":"object","divisibleBy":2}', /the JSON Schema cannot be used, .*divisibleBy/],
    ['{"type":"string","format":"colour"}', /the JSON Schema cannot be used, .*colour/],
    ['{"$ref":"https://example.com/other"}', /the JSON Schema cannot be used, .*example\.com/],
    ['{"$async":true,"type":"object"}', /the JSON Schema cannot be used, .*\$async/],
    ["{ no", /is not JSON/],
    ["none.json", /cannot be read \(none\.json, --json-schema\)/]
  ])("that cannot be checked whole is refused before anything starts: %s", (given, said) =>
    Effect.runPromise(
      Effect.flip(Effect.flatMap(Effect.fromResult(parse(["run", "x", "--json-schema", given])), RunOptions.decode))
    ).then(({ message }) => assert.match(message, said))
  )
})

describe("a run as for another agent", () => {
  it("tells the model the user's system prompt, and of no tool that is disallowed, which no call gets either", async () => {
    const { env, server } = await served(call("execute_command", { command: "touch made" }), completes("done"))
    const at = folder()
    const flags = [
      "--system-prompt",
      "You are a poet.",
      "--append-system-prompt",
      "Rhyme.",
      "--disallowedTools",
      "Bash"
    ]
    const ran = await belay(["-p", "write", ...flags, "--permission-mode", "bypassPermissions"], env, at)
    assert.deepStrictEqual([ran.code, ran.stdout], [0, ["done"]])
    const [first, second] = server.requests
    const system = JSON.stringify(first?.body.system)
    assert.match(system, /^\[\{"type":"text","text":"You are a poet\.\\n.*Modes.*\\n\\nRhyme\."/)
    assert.notInclude(system, "You are a coding agent")
    assert.notInclude(JSON.stringify(first?.body.tools), '"execute_command"')
    assert.include(JSON.stringify(second?.body.messages), "There is no tool 'execute_command' for this task.")
  })

  it("reads and edits in an added folder as in its own, which the model is told, and nowhere else outside", async () => {
    const [added, other] = [folder(), folder()]
    const write = (at: string) => call("write_to_file", { path: path.join(at, "made.txt"), content: "made" })
    const { env, server } = await served(write(added), write(other), completes("done"))
    const ran = await belay(["-p", "write", "--approvals", "edits", "--add-dir", added], env, folder())
    assert.strictEqual(ran.code, 0, ran.stderr.join("\n"))
    assert.deepStrictEqual(
      [existsSync(path.join(added, "made.txt")), existsSync(path.join(other, "made.txt"))],
      [true, false]
    )
    assert.include(
      JSON.stringify(server.requests.at(0)?.body.messages),
      `in ${added} tools work as in the working directory`
    )
    const none = await belay(["-p", "x", "--add-dir", path.join(other, "none")], env, folder())
    assert.match(none.stderr.join(""), /no such folder to read \(.*none, --add-dir\)/)
    writeFileSync(path.join(other, "file"), "")
    const file = await belay(["-p", "x", "--add-dir", path.join(other, "file")], env, folder())
    assert.match(
      file.stderr.join(""),
      /^belay: the path to add is not a folder \(.*file, --add-dir\)\. Name a folder\.$/
    )
  })

  it("has the MCP servers of --mcp-config for itself alone, and refuses what is none", async () => {
    const { asked, config } = ownServer(folder())
    const { env, server: model } = await served(asked, completes("done"))
    const flags = ["--mcp-config", JSON.stringify(config), "--allowed-tools", "mcp__own"]
    assert.strictEqual((await belay(["-p", "ask it", ...flags], env, folder())).code, 0)
    assert.include(JSON.stringify(model.requests.at(1)?.body.messages), "told by the server")
    assert.deepStrictEqual(json((await belay(["mcp", "list", "--output", "json"], env, folder())).stdout).servers, [])
    const wrong = await belay(["-p", "x", "--mcp-config", '{"mcpServers":{"a":{"nothing":1}}}'], env, folder())
    assert.deepStrictEqual(
      [wrong.code, /the MCP servers cannot be used, .*\(--mcp-config\)/.test(wrong.stderr.join(""))],
      [2, true]
    )
  })

  it("finds the servers of --mcp-config again in another process, as long as their file says the same", async () => {
    const at = folder()
    const { asked, config } = ownServer(at)
    const file = path.join(at, "servers.json")
    writeFileSync(file, JSON.stringify(config))
    const again = { content: asked.content ?? [] }
    const { env, server } = await served(asked, again, completes("first"), completes("second"), completes("third"))
    const where = folder()
    const begun = ["--mcp-config", file, "--allowed-tools", "mcp__own", "--max-requests", "1"]
    assert.strictEqual((await belay(["-p", "ask it", ...begun], env, where)).code, 3)
    const resumed = await belay(["task", "resume", "last", "--max-requests", "9"], env, where)
    assert.deepStrictEqual([resumed.code, resumed.stdout], [0, ["first"]], resumed.stderr.join("\n"))
    const last = JSON.stringify(server.requests.at(2)?.body.messages)
    assert.lengthOf(last.match(/told by the server/g) ?? [], 2)
    writeFileSync(file, JSON.stringify({ mcpServers: {} }))
    const changed = await belay(["-c", "-p", "and more"], env, where)
    assert.include(
      changed.stderr.join("\n"),
      `The MCP server own is not there for this task: the file has changed. To give it again: --mcp-config ${file}`
    )
    const given = await belay(["-c", "-p", "once more", "--mcp-config", JSON.stringify(config)], env, where)
    assert.notInclude(given.stderr.join("\n"), "not there for this task")
    const without = await belay(["-c", "-p", "at last"], env, where)
    assert.include(without.stderr.join("\n"), "it was said on the command line of an earlier run")
  })

  it("goes on with -c where the last task of the folder stands, and with -r where another one does", async () => {
    const { env, server } = await served(completes("first"), completes("second"))
    const at = folder()
    const one = json((await belay(["-p", "begin", "--output-format", "json"], env, at)).stdout)
    const two = json((await belay(["-c", "-p", "and more", "--output", "json"], env, at)).stdout)
    assert.deepStrictEqual([one.result, two.result], ["first", "second"])
    assert.include(JSON.stringify(server.requests.at(1)?.body.messages), "begin")
    const three = json((await belay(["-r", one.taskId, "again", "--output", "json"], env, at)).stdout)
    assert.strictEqual(three.result, "second", "the answer of the script to a second message")
    const third = JSON.stringify(server.requests.at(2)?.body.messages)
    assert.include(third, "again")
    assert.notInclude(third, "and more")
    const none = await belay(["-r", "-p"], env, at)
    assert.deepStrictEqual([none.code, none.stdout], [2, []])
    assert.match(
      none.stderr.join(""),
      /^belay: --resume names no task; the newest of this folder are (\w+) "[^"]+", \w+ "[^"]+"(?:, \w+ "[^"]+")?\. Give one, such as --resume \1\.$/
    )
    const empty = await belay(["--continue", "x"], env, folder())
    assert.match(empty.stderr.join(""), /no task in this workspace/)
  })
})
