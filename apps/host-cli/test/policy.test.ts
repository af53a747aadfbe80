import { mkdirSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "vitest"
import { belay, converse, folder, json, start } from "./support/cli.ts"

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
    const asked = await explain("cat src/a.ts | sort > out")
    assert.deepStrictEqual([asked.code, asked.stderr], [0, []])
    const isSandbox = (line: string) => /^Sandbox: (?:bubblewrap, network off|none\. [A-Z])/.test(line)
    assert.strictEqual(asked.stdout.filter(isSandbox).length, 1)
    const other = asked.stdout.filter((line) => !isSandbox(line))
    assert.deepStrictEqual(other, [
      "It would ask.",
      "Why: No entry lists 'cat'; others: ask. (commands.other)",
      "Programs: cat, sort",
      `Files: ${workspace}/src/a.ts, ${workspace}/out`,
      `Writes: ${workspace}/out`,
      'To allow it, add to commands.allow: "cat", "sort"'
    ])
    const rules = approvals({ edit: "allow", commands: { allow: ["cat", "sort"] } })
    const allowed = await explain("cat src/a.ts | sort > out", "--approvals", rules)
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
      command("git status", { approvals: rules, cwd: "/nowhere" }),
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

  it("refuses in one line what cannot be explained", async () => {
    const rows = [[], ["ls", "--tool", "read_file"], ["--tool", "read_file", "--args", "x"], ["ls", "--batch"]]
    for (const args of rows) {
      const { code, stderr, stdout } = await start(["policy", "explain", ...args], env, workspace).exit
      assert.deepStrictEqual([code, stdout, stderr.length], [2, [], 1], args.join(" "))
    }
  })
})
