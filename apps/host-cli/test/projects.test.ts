/**
 * Real projects with `--approvals project`: a failing test is mended without a question where there is a sandbox, and each
 * check is asked about where there is none. And what of the environment commands see, as the settings and `--env` say it.
 */
import { type Scenario, ScriptedServer } from "@belay/testkit"
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import * as path from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { completes, use } from "./support/asking.ts"
import { alone, belay, type Environment, folder, json } from "./support/cli.ts"

interface Made {
  readonly name: string
  readonly check: string
  readonly files: Readonly<Record<string, string>>
  readonly wrong: readonly [file: string, from: string, to: string]
  /** Where programs of the project lie that are on PATH. */
  readonly bin?: string
  /** What the person's shell has besides. */
  readonly variables?: Environment
  /** What the check says in the sandbox. */
  readonly says?: string
}

/** It says what it sees, and fails until the file is right. */
const runner = (file: string, text: string, first = "") =>
  `#!/bin/sh\n${first}\necho "sees $(env | cut -d= -f1 | sort | tr '\\n' ' ')"\nexec grep -q '${text}' ${file}\n`

const authority = path.join(folder(), "ca.pem")
writeFileSync(authority, "-----BEGIN CERTIFICATE-----\n")
/** Something listens there as an agent does. */
const agent = path.join(folder(), "agent")
const listening = createServer((socket) => socket.end()).listen(agent)
afterAll(() => listening.close())

const npmProject = (first: string): Pick<Made, "check" | "files" | "wrong"> => ({
  check: "npm test",
  files: {
    "package.json": '{ "scripts": { "test": "vitest run" } }',
    "node_modules/.bin/vitest": runner("sum.js", "a + b", first),
    "sum.js": "export const sum = (a, b) => a - b\n"
  },
  wrong: ["sum.js", "a - b", "a + b"]
})

const projects: ReadonlyArray<Made> = [
  {
    name: "python",
    check: "pytest -q",
    bin: ".venv/bin",
    files: {
      "pyproject.toml": "[project]\n",
      ".venv/bin/pytest": runner("calc.py", "a + b"),
      "calc.py": "def add(a, b):\n    return a - b\n"
    },
    wrong: ["calc.py", "a - b", "a + b"]
  },
  { name: "node", ...npmProject("") },
  {
    name: "gradle",
    check: "./gradlew test",
    files: {
      "build.gradle": "plugins { id 'java' }\n",
      gradlew: runner("src/Calc.java", "a + b"),
      "src/Calc.java": "class Calc { int add(int a, int b) { return a - b; } }\n"
    },
    wrong: ["src/Calc.java", "a - b", "a + b"]
  },
  {
    name: "proxy",
    ...npmProject(`echo "by $HTTPS_PROXY"; grep -q CERTIFICATE "$NODE_EXTRA_CA_CERTS" && echo "knows its authority"`),
    variables: { HTTPS_PROXY: "http://me:canary@proxy.test:3128", NODE_EXTRA_CA_CERTS: authority },
    says: "by http://proxy.test:3128\\nknows its authority\\n"
  },
  {
    name: "ssh",
    ...npmProject(`if [ -S '${agent}' ]; then echo "an agent"; else echo "no agent"; fi`),
    variables: { SSH_AUTH_SOCK: agent },
    says: "no agent\\n"
  }
]

/** The last line, which is the wrong one. */
const lineOf = (files: Made["files"], name: string): string => files[name]?.trimEnd().split("\n").at(-1) ?? ""

const answersOf = ({ check, files, wrong: [file, from, to] }: Made): ReadonlyArray<Scenario.Answer> => [
  use("execute_command", { command: check }),
  use("read_file", { path: file }),
  use("replace_in_file", {
    path: file,
    diff: `------- SEARCH\n${lineOf(files, file)}\n=======\n${lineOf(files, file).replace(from, to)}\n+++++++ REPLACE\n`
  }),
  use("execute_command", { command: check }),
  completes("The test passes.")
]

let server: ScriptedServer.ScriptedServer
beforeAll(async () => {
  server = await ScriptedServer.startServer({
    tasks: [
      ...projects
        .filter(({ name }) => name === "node")
        .map((made) => ({ match: { prompt: "Mend off" }, answers: answersOf(made) })),
      ...projects.map((made) => ({ match: { prompt: `Mend ${made.name}` }, answers: answersOf(made) })),
      {
        match: { prompt: "Show it" },
        shared: true,
        answers: [use("execute_command", { command: "env" }), completes("Done.")]
      }
    ]
  })
})
afterAll(() => server.close())

const write = (workspace: string, { files }: Made) => {
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(workspace, name)
    mkdirSync(path.dirname(file), { recursive: true })
    writeFileSync(file, text)
    if (text.startsWith("#!")) chmodSync(file, 0o755)
  }
}

const env = (more: Environment = {}): Environment => ({ BELAY_HOME: folder(), ANTHROPIC_BASE_URL: server.url, ...more })

const person = { GITHUB_TOKEN: "canary-of-the-person", JAVA_HOME: "/opt/java", SSH_AUTH_SOCK: "/tmp/agent" }

/** What the model has read of the commands of a task. */
const resultsOf = (name: string): ReadonlyArray<string> => {
  const last = server.requests
    .map(({ body }) => body)
    .findLast(({ messages }) => JSON.stringify(messages[0]).includes(name))
  const blocks: ReadonlyArray<any> =
    last?.messages.flatMap(({ content }: any) => (Array.isArray(content) ? content : [])) ?? []
  return blocks.flatMap(({ content, type }) => (type === "tool_result" ? [JSON.stringify(content)] : []))
}

describe("--approvals project", () => {
  it("mends a failing test of each project in the sandbox, and asks for its checks without one", async () => {
    const plain = await belay(["policy", "explain", "true", "--output", "json"], env(), folder())
    const isBoxed = json(plain.stdout).sandbox === "confined"
    for (const made of projects) {
      const workspace = folder()
      write(workspace, made)
      const PATH = [...(made.bin === undefined ? [] : [path.join(workspace, made.bin)]), process.env["PATH"]].join(
        path.delimiter
      )
      const args = ["run", `Mend ${made.name}`, "--approvals", "project", "--output", "json"]
      const ran = await alone(args, env({ ...person, ...made.variables, PATH }), workspace)
      const { denials, outcome } = json(ran.stdout)
      assert.deepStrictEqual([ran.code, outcome], [0, "succeeded"], ran.stderr.join("\n"))
      assert.include(readFileSync(path.join(workspace, made.wrong[0]), "utf8"), made.wrong[2])
      const [failing = "", , , passing = ""] = resultsOf(`Mend ${made.name}`)
      if (isBoxed) {
        assert.deepStrictEqual(denials, [], made.name)
        assert.include(failing, "exit code 1", made.name)
        assert.match(passing, /sees .*JAVA_HOME.*exit code 0/, made.name)
        assert.notMatch(passing, /GITHUB_TOKEN|SSH_AUTH_SOCK|ANTHROPIC_API_KEY|canary/)
        assert.include(passing, made.says ?? "")
      } else {
        const asked = denials.map(({ rule, what }: any) => [rule, what])
        assert.deepStrictEqual(asked, [
          ["commands.checks", made.check],
          ["commands.checks", made.check]
        ])
      }
    }
  })

  it("stands in the first line of a run, and policy explain says what it allows", async () => {
    const [made, node] = projects
    assert(made && node)
    const workspace = folder()
    write(workspace, made)
    write(workspace, node)
    const args = ["run", "Mend off", "--approvals", "project", "--sandbox", "off", "--screen-reader"]
    const ran = await belay(args, env(), workspace)
    assert.match(ran.stderr.join("\n"), /, act mode, approvals project, sandbox off$/m)
    // Nobody is there to be asked.
    assert.include(ran.stderr.join("\n"), "Denied, 2 times: Run npm test (commands.checks). Entry: ")
    const explained = await belay(["policy", "explain", ".venv/bin/pytest", "--approvals", "project"], env(), workspace)
    assert.match(
      explained.stdout.join("\n"),
      /It would (?:run without asking|ask)\.\nWhy: .*\(commands\.checks\)\nPrograms: \.venv\/bin\/pytest/
    )
  })
})

describe("the environment of commands", () => {
  it("is said by policy explain --env, without values, and follows env.pass and env.block", async () => {
    const home = env({
      ...person,
      LD_PRELOAD: "canary.so",
      HTTPS_PROXY: "http://me:canary@proxy:1",
      MINE_SECRET: "canary-passed"
    })
    for (const [name, value] of [
      ["env.pass", '["MINE_*"]'],
      ["env.block", '["JAVA_HOME"]']
    ] as const)
      assert.strictEqual((await belay(["config", "set", name, value], home)).code, 0)
    const workspace = folder()
    const said = await alone(["policy", "explain", "--env", "--output", "json"], home, workspace)
    const rows: ReadonlyArray<any> = json(said.stdout).variables
    const row = (name: string) => {
      const { passes, why } = rows.find((one) => one.name === name)
      return [passes, why]
    }
    assert.deepStrictEqual(row("GITHUB_TOKEN"), ["no", "secret by its name"])
    assert.deepStrictEqual(row("LD_PRELOAD"), ["no", "it may load or run code"])
    assert.deepStrictEqual(row("JAVA_HOME"), ["no", "env.block"])
    assert.deepStrictEqual(row("MINE_SECRET"), ["yes", "env.pass"])
    assert.deepStrictEqual(row("HTTPS_PROXY"), ["yes", "without the login in it"])
    assert.strictEqual(row("SSH_AUTH_SOCK")[0], "outside the sandbox")
    assert.notInclude(said.stdout.join(), "canary")
    const table = await alone(["policy", "explain", "--env"], home, workspace)
    assert.match(table.stdout.join("\n"), /^ +NAME +PASSED +WHY$[^]*^ +JAVA_HOME +no +env\.block$/m)
    assert.strictEqual((await belay(["policy", "explain", "--env", "ls"], home)).code, 2)
    const ran = await alone(["run", "Show it", "--approvals", "all"], home, workspace)
    assert.strictEqual(ran.code, 0, ran.stderr.join("\n"))
    const [shown = ""] = resultsOf("Show it")
    assert.include(shown, "HTTPS_PROXY=http://proxy:1")
    assert.match(shown, /MINE_SECRET=<redacted>/)
    assert.notMatch(shown, /JAVA_HOME|LD_PRELOAD|GITHUB_TOKEN|canary/)
  })

  it("is the user's alone to change, name by name", async () => {
    const home = env()
    const all = await belay(["config", "set", "env.pass", '["*"]'], home)
    assert.strictEqual(all.code, 2)
    assert.include(all.stderr.join(), "expected a name, or how names begin, with a * behind it")
    const workspace = folder()
    mkdirSync(path.join(workspace, ".belay"))
    writeFileSync(path.join(workspace, ".belay", "settings.json"), JSON.stringify({ env: { pass: ["GITHUB_TOKEN"] } }))
    assert.strictEqual((await belay(["trust", "--yes"], home, workspace)).code, 0)
    const ran = await belay(["run", "Show it"], home, workspace)
    assert.strictEqual(ran.code, 2)
    assert.match(ran.stderr.join(), /a project may not set env/)
  })
})

describe("the bash of commands", () => {
  it("is the user's alone to name, and the doctor looks at it", async () => {
    const home = env()
    const bash = async () => {
      const { stdout } = await belay(["doctor", "--output", "json"], home)
      return json(stdout).findings.find(({ name }: { readonly name: string }) => name === "bash")
    }
    assert.strictEqual((await belay(["config", "set", "shell.bash", "/gone/bash"], home)).code, 0)
    const { cure, found, state } = await bash()
    assert.deepStrictEqual(
      [state, found, cure],
      [
        "failed",
        "/gone/bash, which shell.bash names, is not there, or cannot be run: no command can run",
        "Correct it: belay config set shell.bash FILE"
      ]
    )
    await belay(["config", "set", "shell.bash", "/bin/bash"], home)
    assert.include((await bash()).found, "(/bin/bash)")
    const workspace = folder()
    mkdirSync(path.join(workspace, ".belay"))
    writeFileSync(path.join(workspace, ".belay", "settings.json"), JSON.stringify({ shell: { bash: "/bin/bash" } }))
    assert.strictEqual((await belay(["trust", "--yes"], home, workspace)).code, 0)
    const ran = await belay(["run", "Show it"], home, workspace)
    assert.strictEqual(ran.code, 2)
    assert.match(ran.stderr.join(), /a project may not set shell/)
  })
})

describe("belay config set approvals.X", () => {
  it("keeps what a preset meant", async () => {
    const home = env()
    const set = (name: string, value: string) => belay(["config", "set", name, value], home)
    const approvals = async () => json((await belay(["config", "get", "approvals", "--output", "json"], home)).stdout)
    await set("approvals", "project")
    await set("approvals.commands.allow", '["git push"]')
    assert.deepStrictEqual(await approvals(), { edit: "allow", commands: { checks: "allow", allow: ["git push"] } })
    await set("approvals", "all")
    await set("approvals.fetch", "ask")
    const { commands, edit, fetch, mcp, readOutside } = await approvals()
    assert.deepStrictEqual(
      [commands, edit, fetch, mcp, readOutside],
      [{ other: "allow" }, "allow", "ask", { "*": "allow" }, "allow"]
    )
    await set("approvals.commands.deny", '["curl"]')
    assert.deepStrictEqual((await approvals()).commands, { other: "allow", deny: ["curl"] })
  })
})

describe("belay mcp add", () => {
  it("understands an address without a flag", async () => {
    const home = env()
    const added = await belay(["mcp", "add", "docs", "https://example.com/mcp", "--header", "X-Key: a"], home)
    assert.strictEqual(added.code, 0, added.stderr.join())
    const { mcpServers } = JSON.parse(readFileSync(path.join(home["BELAY_HOME"] ?? "", "mcp.json"), "utf8"))
    assert.deepStrictEqual(mcpServers, { docs: { url: "https://example.com/mcp", headers: { "X-Key": "a" } } })
    const wrong = await belay(["mcp", "add", "more", "https://example.com/mcp", "argument"], home)
    assert.deepStrictEqual([wrong.code, /a URL takes no arguments/.test(wrong.stderr.join())], [2, true])
  })
})
