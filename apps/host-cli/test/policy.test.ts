import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "vitest"
import { denied, type Question } from "../src/policy/Explain.ts"
import * as Explanation from "../src/policy/Explanation.ts"
import { typing } from "./support/asking.ts"
import { attended, belay, converse, type Environment, folder, json } from "./support/cli.ts"

const workspace = folder()
mkdirSync(path.join(workspace, "src"))
writeFileSync(path.join(workspace, "src", "a.ts"), "a\n")
const env = { BELAY_HOME: path.join(workspace, "..", "nowhere", "belay") }

const explain = (...args: ReadonlyArray<string>) => belay(["policy", "explain", ...args], env, workspace)
const approvals = (more: object) => JSON.stringify(more)

/** The answers to lines on stdin, in their order. */
const batch = async (lines: ReadonlyArray<unknown>): Promise<ReadonlyArray<any>> => {
  const running = converse(["policy", "explain", "--batch"], env, workspace)
  for (const line of lines) running.write(`${typeof line === "string" ? line : JSON.stringify(line)}\n`)
  running.endInput()
  const { code, stderr, stdout } = await running.exit
  assert.deepStrictEqual([code, stderr], [0, []])
  return stdout.map((line) => JSON.parse(line))
}

const command = (text: string, more: object = {}) => ({ tool: "execute_command", args: { command: text }, ...more })

describe("policy explain", () => {
  it("says for people what would happen, why, and which entry to add", async () => {
    const asked = await explain("cat src/a.ts | tee out")
    assert.deepStrictEqual([asked.code, asked.stderr], [0, []])
    const isSandbox = (line: string) => /^Sandbox: (?:bubblewrap, network off|none\. [A-Z])/.test(line)
    assert.strictEqual(asked.stdout.filter(isSandbox).length, 1)
    const other = asked.stdout.filter((line) => !isSandbox(line))
    assert.deepStrictEqual(other, [
      "It would ask.",
      'Why: You have not allowed "tee out" yet. (commands.other)',
      "Programs: cat, tee",
      `Files: ${workspace}/src/a.ts, ${workspace}/out`,
      `Writes: ${workspace}/out`,
      'To allow it, add to commands.allow: "tee"'
    ])
    const rules = approvals({ edit: "allow", commands: { allow: ["tee"] } })
    const allowed = await explain("cat src/a.ts | tee out", "--approvals", rules)
    assert.strictEqual(allowed.stdout[0], "It would run without asking.")
    const floor = await explain("rm -rf ~/", "--approvals", "all")
    assert.strictEqual(floor.stdout.at(-1), "Nothing can be added: it always asks.")
  })

  it("its advice for a command is what then allows it", async () => {
    const texts = [
      "npm test",
      "git log --oneline | head -3",
      "find . -name '*.ts' | xargs cat",
      "npx tsc --noEmit",
      "ls $X"
    ]
    const advised = await Promise.all(texts.map((text) => explain(text)))
    const after = await batch(
      advised.map(({ stdout }, index) => {
        const [, entries = ""] = stdout.at(-1)?.split("commands.allow: ") ?? []
        return command(texts[index] ?? "", { approvals: { commands: { allow: JSON.parse(`[${entries}]`) } } })
      })
    )
    assert.deepStrictEqual(
      after.map(({ decision }) => decision),
      texts.map(() => "allow")
    )
  })

  it("gives one JSON object, also for another tool and mode", async () => {
    const { sandbox, ...read } = json(
      (await explain("--tool", "read_file", "--args", '{"path":"/etc/passwd"}', "--output", "json")).stdout
    )
    assert.include(["confined", "unavailable"], sandbox)
    assert.deepStrictEqual(read, {
      decision: "ask",
      rule: "path.outside",
      reason: "'/etc/passwd' lies outside the workspace.",
      resolved: { paths: ["/etc/passwd"] }
    })
    const plan = await explain("npm test", "--mode", "plan", "--approvals", "all", "--output", "json", "--unattended")
    assert.include(json(plan.stdout), { decision: "deny", rule: "mode.plan" })
  })

  it("answers every line of a batch in order, and denies those it cannot read", async () => {
    const rules = { commands: { allow: ["git status"] } }
    const answers = await batch([
      command("git status", { approvals: rules, mode: "plan" }),
      command("git status", { approvals: rules, cwd: path.join(workspace, "nowhere") }),
      "nonsense",
      "[]",
      { tool: "read_file", args: {}, extra: 1 },
      { tool: "read_file", args: { path: "src/a.ts" }, mode: "plan", cwd: workspace },
      { tool: "read_file", args: {} },
      command("", { approvals: "all" }),
      command("git push -f", { approvals: "all" }),
      command("git push -f", { approvals: "all", attended: false }),
      command("ls", { approvals: { comands: {} } }),
      { tool: "use_mcp_tool", args: { server: "s", tool: "t" }, approvals: { mcp: { "s/t": "allow" } } },
      { tool: "fetch_url", args: { url: "http://169.254.169.254/" }, approvals: "all" },
      { tool: "unheard_of", args: {}, approvals: "all" }
    ])
    assert.deepStrictEqual(
      answers.map(({ decision, rule }) => `${decision} ${rule}`),
      [
        "allow commands.allow",
        "deny invalid",
        "deny invalid",
        "deny invalid",
        "deny invalid",
        "allow read",
        "deny invalid",
        "deny invalid",
        "ask floor.history",
        "deny floor.history",
        "deny invalid",
        "allow mcp",
        "deny fetch.address",
        "ask unknown"
      ]
    )
    for (const answer of answers) {
      assert.hasAllKeys(answer, ["decision", "rule", "reason", "resolved", "sandbox"])
      assert.isAbove(answer.reason.length, 5)
    }
  })

  it("takes a line feed alone for the end of a line", async () => {
    const answers = await batch([
      command("echo 'a\u2028b\u2029c\u0085d\re'", { approvals: "all" }),
      `${JSON.stringify(command("ls", { approvals: "ask" }))}\r`,
      command("ls nosuch", { approvals: "ask" })
    ])
    assert.deepStrictEqual(
      answers.map(({ decision, rule }) => `${decision} ${rule}`),
      ["ask command.unreadable", "allow commands.readOnly", "allow commands.readOnly"]
    )
  })

  it("offers the narrowest entry, and says what is really in the way", async () => {
    const last = async (text: string, ...allow: ReadonlyArray<string>) =>
      (await explain(text, "--approvals", approvals({ commands: { allow } }))).stdout.join("\n")
    assert.include(await last("npm run build"), 'add to commands.allow: "npm run build"')
    const assigned = await last("LD_PRELOAD=x cargo test", "cargo test")
    assert.include(assigned, "LD_PRELOAD may change what runs")
    assert.include(assigned, "No entry can allow it. When it asks, allow it always.")
    assert.include(await last("echo $TOKEN", "echo"), "one of its words stands for is not known")
  })

  it("refuses in one line what cannot be explained", async () => {
    const rows = [[], ["ls", "--tool", "read_file"], ["--tool", "read_file", "--args", "x"], ["ls", "--batch"]]
    for (const args of rows) {
      const { code, stderr, stdout } = await belay(["policy", "explain", ...args], env, workspace)
      assert.deepStrictEqual([code, stdout, stderr.length], [2, [], 1], args.join(" "))
    }
  })

  it("says by default what a task here would get: the user's settings, narrowed by those of a trusted project", async () => {
    const own = { BELAY_HOME: folder() }
    const settings = { approvals: { edit: "allow", commands: { allow: ["ls", "npm test"] } }, sandbox: "required" }
    const file = path.join(own.BELAY_HOME, "settings.json")
    writeFileSync(file, JSON.stringify(settings))
    const project = folder()
    const edit = { tool: "write_to_file", args: { path: "a.ts", content: "" } }
    const decided = async (given: Environment, ...lines: ReadonlyArray<object>) => {
      const running = converse(["policy", "explain", "--batch"], given, project)
      for (const line of lines) running.write(`${JSON.stringify(line)}\n`)
      running.endInput()
      const answers = (await running.exit).stdout.map((line) => JSON.parse(line))
      return answers.map(({ decision, rule }) => `${decision} ${rule}`)
    }
    const marks = {
      mcpServers: { notes: { command: "none" } },
      tools: { "notes/list": "readOnly", "notes/wipe": "disabled" }
    }
    writeFileSync(path.join(own.BELAY_HOME, "mcp.json"), JSON.stringify(marks))
    const mcp = (tool: string, mode: string) => ({
      tool: "use_mcp_tool",
      args: { server: "notes", tool },
      mode,
      approvals: { mcp: { "*": "allow" } }
    })
    const marked = [mcp("list", "plan"), mcp("add", "plan"), mcp("add", "act"), mcp("wipe", "act")]
    assert.deepStrictEqual(await decided(own, edit, { ...edit, approvals: "ask" }, command("curl x"), ...marked), [
      "allow edit",
      "ask edit",
      "ask commands.other",
      "allow mcp",
      "deny mode.plan",
      "allow mcp",
      "deny mcp.unknown"
    ])
    // Where a sandbox is required and there is none, what the rules allow asks.
    const bin = folder()
    symlinkSync("/bin/bash", path.join(bin, "bash"))
    assert.deepStrictEqual(await decided({ ...own, PATH: bin }, command("ls")), ["ask sandbox"])
    mkdirSync(path.join(project, ".belay"))
    writeFileSync(path.join(project, ".belay", "settings.json"), JSON.stringify({ approvals: { edit: "deny" } }))
    assert.deepStrictEqual(await decided(own, edit), ["allow edit"])
    const trusting = attended(["run", "x"], { ...own, ANTHROPIC_API_KEY: undefined }, project)
    await trusting.waitForLine((line) => line.includes("1 Trust this content"), "stderr")
    // It ends for want of a key, after the folder is trusted.
    assert.strictEqual((await typing(trusting, "1")).code, 4)
    assert.deepStrictEqual(await decided(own, edit), ["deny edit"])
    writeFileSync(file, '{"sandbox":"maybe"}')
    const wrong = await belay(["policy", "explain", "ls"], own, project)
    assert.deepStrictEqual([wrong.code, wrong.stderr.length], [2, 1])
    assert.include(wrong.stderr[0] ?? "", "the setting sandbox cannot be")
  })

  it("names the hosts that a confined command reaches, and says where there are none", () => {
    const question = { tool: "execute_command", args: {} } as Question
    const explanation = { ...denied("No."), sandbox: { _tag: "Confined", by: "bubblewrap" } } as const
    const open = { ...explanation, network: ["packages.example.com", "127.0.0.1:8080"] }
    assert.include(Explanation.forPeople(question, explanation, []), "Sandbox: bubblewrap, network off, for")
    const line = "Sandbox: bubblewrap, network to packages.example.com, 127.0.0.1:8080 only, for"
    assert.include(Explanation.forPeople(question, open, []), line)
    assert.notProperty(JSON.parse(Explanation.line(explanation)), "network")
    assert.deepStrictEqual(JSON.parse(Explanation.line(open)).network, open.network)
  })

  it("judges a program with its arguments as the same words of a command", async () => {
    const rules = { commands: { allow: ["git log", "ls"] } }
    const calls = [
      { program: "git", args: ["log", "-3"] },
      { program: "git", args: ["log", "--output=x"] },
      { program: "ls", args: ["; id"] },
      { program: "ls", command: "ls" },
      {}
    ]
    const answers = await batch(calls.map((args) => ({ tool: "execute_command", args, approvals: rules })))
    assert.deepStrictEqual(
      answers.map(({ decision }) => decision),
      ["allow", "ask", "allow", "deny", "deny"]
    )
  })

  it("looks anew at what may have changed once a caller has its answer", async () => {
    const place = folder()
    const note = path.join(place, "note")
    writeFileSync(note, "a\n")
    const running = converse(["policy", "explain", "--batch"], env, place)
    const answers: Array<string> = []
    const ask = async () => {
      running.write(`${JSON.stringify(command("cat note"))}\n`)
      const next = answers.length + 1
      await running.waitForLine(() => running.stdout.length === next)
      answers.push(JSON.parse(running.stdout.at(-1) ?? "").rule)
    }
    await ask()
    rmSync(note)
    symlinkSync("/etc/passwd", note)
    await ask()
    rmSync(note)
    symlinkSync(".env", note)
    writeFileSync(path.join(place, ".env"), "TOKEN=a\n")
    await ask()
    await running.kill()
    assert.deepStrictEqual(answers, ["commands.readOnly", "commands.other", "path.secret"])
  })

  it("answers a batch of 1,000 lines and more", async () => {
    const texts = [
      "git status",
      "npm test && git diff | head -20",
      "find . -name '*.ts' -exec grep -l x {} +",
      "cat src/a.ts > out",
      "rm -rf ~/"
    ]
    const lines = Array.from({ length: 1000 }, (_, index) =>
      command(`${texts[index % texts.length]} # ${index}`, { approvals: "all" })
    )
    const before = performance.now()
    const answers = await batch(lines)
    process.stdout.write(
      `policy explain --batch: 1,000 lines in ${Math.round(performance.now() - before)} ms, start included\n`
    )
    assert.strictEqual(answers.length, 1000)
    assert.sameMembers([...new Set(answers.map(({ decision }) => String(decision)))], ["allow", "ask"])
  })
})
