/** What models, tools and users write cannot steer a terminal, in any output of any command. */
import { ScriptedServer } from "@belay/testkit"
import { mkdirSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { readable } from "../src/output/Sink.ts"
import { use } from "./support/asking.ts"
import { belay, type Environment, folder } from "./support/cli.ts"

const attacks = {
  "clears the screen": "\u001B[2J\u001B[H",
  "hides in colours of ours": "\u001B[31mbelay: all is well\u001B[39m",
  "sets the title": "\u001B]0;pwned\u0007",
  "links elsewhere": "\u001B]8;;https://evil.example\u001B\\click\u001B]8;;\u001B\\",
  "writes the clipboard": "\u001B]52;c;cm0gLXJm\u0007",
  "is a C1 control": "\u009B2J\u009D0;x\u009C",
  "overwrites its line": "harmless\rbelay: done",
  "rings and erases": "\u0007\u0008\u0008\u007F",
  "turns the direction": "\u202Egnp.exe\u202C \u2066x\u2069 \u061C\u200F",
  "hides text in tags": "\u{E0069}\u{E0067}\u{E006E}\u{E007F}",
  "joins letters unseen": "pass\u200Dword\u200B\uFEFF\u2060",
  "breaks lines its own way": "a\u2028b\u2029c\u000Bd\u000C"
}

const all = Object.values(attacks).join(" ")

const steering = /[\p{Cc}\p{Cf}\u2028\u2029]/u

let server: ScriptedServer.ScriptedServer
let env: Environment
let workspace: string

beforeAll(async () => {
  // A folder and a branch may have any name, too.
  workspace = path.join(folder(), "ws\u001B[2J\u202Egnp\u0007\u009B2J\u{E0069}\r\n\u2028x")
  mkdirSync(path.join(workspace, ".git"), { recursive: true })
  writeFileSync(path.join(workspace, ".git", "HEAD"), "ref: refs/heads/\u202Egnp\u{E0069}\u2066\n")
  server = await ScriptedServer.startServer({
    tasks: [
      {
        match: { prompt: "Wipe" },
        shared: true,
        answers: [
          {
            content: [
              { type: "text", text: all },
              ...use("execute_command", { command: `printf '%s' '${all}'` }).content
            ]
          },
          use(`do_${all}`, { path: all }),
          use("read_file", { path: all }),
          use("use_mcp_tool", { server: all, tool: all }),
          use("list_files", { task_progress: `- [ ] ${all}` }),
          use("new_task", { message: `Chunk ${all}` }),
          use("attempt_completion", { result: `${all}\nA line\tof its own 👩‍💻` })
        ]
      },
      { match: { prompt: "Chunk" }, shared: true, answers: [use("attempt_completion", { result: all })] },
      {
        match: { prompt: "Inquire" },
        shared: true,
        answers: [use("ask_followup_question", { question: all, options: [all, "no"] })]
      },
      { match: { prompt: "Break" }, shared: true, answers: [{ error: { status: 400, message: all } }] }
    ]
  })
  env = { BELAY_HOME: folder(), ANTHROPIC_BASE_URL: server.url }
})

afterAll(() => server.close())

const clean = (
  ran: { readonly stdout: ReadonlyArray<string>; readonly stderr: ReadonlyArray<string> },
  what: string
) => {
  for (const line of [...ran.stdout, ...ran.stderr]) {
    assert.notMatch(line.replaceAll("👩‍💻", "").replaceAll("\t", ""), steering, `${what}: ${JSON.stringify(line)}`)
  }
}

const allowed = ["--approvals", JSON.stringify({ commands: { other: "allow" } }), "--verbose"]

describe("what is written for people", () => {
  it("is escaped once more at the way out, which only colours of ours pass", () => {
    for (const [what, attack] of Object.entries(attacks)) {
      if (what === "hides in colours of ours") continue
      assert.notMatch(readable(attack), steering, what)
    }
    assert.strictEqual(
      readable("\u001B[31mred\u001B[39m\t\u001B[1;31mno\n"),
      "\u001B[31mred\u001B[39m\t\\u{1b}[1;31mno\n"
    )
  })

  it("shows every attack as text, of a task that runs, is shown, followed, listed and fails", async () => {
    const ran = await belay(["run", `Wipe ${all}`, ...allowed], env, workspace)
    assert.strictEqual(ran.code, 0, ran.stderr.join("\n"))
    clean(ran, "run")
    assert.include(ran.stdout.join("\n"), String.raw`\u{1b}[31mbelay: all is well`)
    assert.strictEqual(ran.stdout.at(-1), "A line\tof its own 👩‍💻")
    const words = [
      ["task", "show", "last", "--messages"],
      ["task", "show", "last", "--context"],
      ["task", "tree", "last"],
      ["task", "watch", "last"],
      ["task", "list", "--all"],
      ["task", "list", "--all", "--plain"],
      ["task", "list", "--all", "--output", "json"],
      ["task", "show", "last", "--output", "json"],
      ["task", "compare", "last", "--to", all],
      ["mcp", "test", all],
      ["history", "doctor"],
      ["task", "search", "harmless"],
      ["config", "list"],
      ["config", "list", "--all"],
      ["mcp", "list"],
      ["task", "continue", "last", `Break ${all}`, "--verbose"],
      ["policy", "explain", all]
    ]
    const shown = await Promise.all(words.map((args) => belay(args, env, workspace)))
    for (const [index, out] of shown.entries()) clean(out, words[index]?.join(" ") ?? "")
  })

  it("shows what a person typed wrongly in one line, whatever it holds", async () => {
    const paused = await belay(["run", `Inquire ${all}`, "--verbose"], env, workspace)
    assert.strictEqual(paused.code, 3)
    clean(paused, "ask")
    const typed = `${all}\nbelay: forged`
    const words = [
      [typed],
      ["run", `--${typed}`],
      ["run", "x", "--mode", typed],
      ["run", "x", "--cwd", typed],
      ["run", "x", "--approvals", typed],
      ["task", "show", typed],
      ["task", "answer", "last", typed, "--allow"],
      ["config", "get", typed],
      ["config", "set", "model.act", typed]
    ]
    const shown = await Promise.all(words.map((args) => belay(args, { ...env, BELAY_HOME: folder() }, workspace)))
    for (const [index, out] of shown.entries()) {
      const what = words[index]?.slice(0, 2).join(" ") ?? ""
      clean(out, what)
      assert.isAtMost(out.stderr.length, 1, what)
    }
  })

  it("is JSON of the very same values for programs, without a byte that steers", async () => {
    const words = [
      ["run", `Wipe ${all}`, ...allowed, "--output", "json"],
      ["run", `Wipe ${all}`, ...allowed, "--output", "stream-json"]
    ]
    const shown = await Promise.all(words.map((args) => belay(args, env, workspace)))
    for (const ran of shown) {
      clean(ran, "json")
      const { stdout } = ran
      assert.strictEqual(JSON.parse(stdout.at(-1) ?? "").result, `${all}\nA line\tof its own 👩‍💻`)
      for (const line of stdout) JSON.parse(line)
    }
  })
})
