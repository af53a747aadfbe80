/** A command of a task cannot answer for the person, nor give itself rights, however it is started; a person can. */
import { ScriptedServer } from "@belay/testkit"
import { execFile } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import { promisify } from "node:util"
import { afterAll, assert, describe, it } from "vitest"
import { completes, running, use, write } from "./support/asking.ts"
import * as Built from "./support/Built.ts"
import { alone, belay, folder, json } from "./support/cli.ts"

const refusal =
  /^belay: a task started this process, and only a person gives answers and rights \(belay [^)]+\)\. Run it in a terminal of your own\.$/m

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** The command as text, with nothing in its environment but what it is given here. */
const clean = (home: string, ...args: ReadonlyArray<string>): string =>
  ["env", "-i", `HOME=${home}`, `BELAY_HOME=${home}`, "PATH=/usr/bin:/bin", "TERM=xterm"]
    .concat([process.execPath, Built.entry("cli"), ...args])
    .map(quoted)
    .join(" ")

/** A history of its own, and a folder that has something to trust. */
const place = () => {
  const [home, workspace] = [folder(), folder()]
  mkdirSync(path.join(workspace, ".belay"))
  writeFileSync(path.join(workspace, ".belay", "settings.json"), "{}")
  return { home, workspace, trusted: path.join(home, "trust.json"), said: path.join(workspace, "said") }
}

/** Runs these scripts in a task that asks for nothing: what is in a file is not seen before it runs. */
const runs = async ({ home, workspace }: { home: string; workspace: string }, ...texts: ReadonlyArray<string>) => {
  for (const [index, text] of texts.entries()) writeFileSync(path.join(workspace, `step${index}.sh`), `${text}\n`)
  const server = await ScriptedServer.startServer({
    tasks: [
      {
        match: { prompt: "Work" },
        shared: true,
        answers: [
          ...texts.map((_, index) => use("execute_command", { command: `sh step${index}.sh` })),
          completes("Done.")
        ]
      }
    ]
  })
  afterAll(() => server.close())
  const env = { BELAY_HOME: home, ANTHROPIC_BASE_URL: server.url }
  const flags = ["--approvals", "all", "--sandbox", "off"]
  const { code, stderr } = await alone(["run", "Work", ...flags], env, workspace)
  assert.strictEqual(code, 0, stderr.join("\n"))
  return { env, said: JSON.stringify(server.requests.at(-1)?.body.messages) }
}

/** Every way to start it that leaves something of the task behind. */
const ways: ReadonlyArray<readonly [name: string, line: (it: string, said: string) => string]> = [
  ["as it is", (it, said) => `${it.replace("'env' '-i'", "env")} > ${said} 2>&1; true`],
  ["without an environment", (it, said) => `${it} > ${said} 2>&1; true`],
  ["in place of the shell", (it, said) => `exec ${it} > ${said} 2>&1`],
  ["in a session of its own", (it, said) => `setsid -w ${it} > ${said} 2>&1; true`],
  ["in the background", (it, said) => `nohup ${it} > ${said} 2>&1 & wait; true`],
  [
    "in a session of its own whose parents are gone",
    (it, said) =>
      `(env -i setsid sh -c ${quoted(`(${it} > ${said}.part 2>&1; mv ${said}.part ${said}) &`)} > /dev/null 2>&1 < /dev/null &); ` +
      `until [ -e ${said} ]; do sleep 0.05; done`
  ],
  [
    "at a terminal that it opened",
    (it, said) => `printf '1\\n' | env -i setsid -w script -qec ${quoted(it)} /dev/null > ${said} 2>&1; true`
  ]
]

describe.skipIf(process.platform !== "linux")("a command of a task that may run everything", () => {
  it.each(ways)("cannot trust a folder, started %s", async (_, line) => {
    const own = place()
    await runs(own, line(clean(own.home, "trust", "--yes", "--cwd", own.workspace), quoted(own.said)))
    assert.match(readFileSync(own.said, "utf8").replaceAll("\r", ""), refusal)
    assert.isFalse(existsSync(own.trusted))
  })

  it("can run none of the commands that give answers or rights", async () => {
    const own = place()
    const commands: ReadonlyArray<ReadonlyArray<string>> = [
      ["task", "answer", "last", "ask", "--allow"],
      ["task", "answer", "last", "ask", "--deny"],
      ["task", "answer", "last", "ask", "--text", "yes"],
      ["task", "mode", "last", "act"],
      ["task", "send", "last", "/act"],
      ["task", "resume", "last"],
      ["task", "continue", "last", "go on"],
      ["task", "fork", "last"],
      ["task", "restart", "last"],
      ["task", "close", "last"],
      ["task", "resume", "last", "--approvals", "all"],
      ["run", "Work", "--approvals", "all"],
      ["run", "Work", "--sandbox", "off"],
      ["run", "Work", "--input", "stream-json"],
      ["trust", "--yes"],
      ["config", "set", "approvals", "all"],
      ["auth"],
      ["mcp", "add", "x", "--", "true"],
      ["mcp", "test", "x", "--approve"]
    ]
    const each = commands.map(
      (args, index) =>
        `${clean(own.home, ...args)} > ${quoted(`${own.said}${index}`)} 2>&1; echo $? > ${quoted(`${own.said}${index}.code`)}`
    )
    await runs(own, each.join("\n"))
    for (const [index, args] of commands.entries()) {
      const name = `${own.said}${index}`
      assert.match(readFileSync(name, "utf8"), refusal, args.join(" "))
      assert.strictEqual(readFileSync(`${name}.code`, "utf8"), "3\n", args.join(" "))
    }
    assert.isFalse(existsSync(path.join(own.home, "settings.json")))
  })

  it("starts no task that may do more than ask, nor is the person of it at a terminal of its own", async () => {
    const own = place()
    writeFileSync(path.join(own.home, "settings.json"), JSON.stringify({ approvals: "all", sandbox: "off" }))
    const server = await ScriptedServer.startServer({
      tasks: [{ match: { prompt: "Nested" }, shared: true, answers: [write, completes("Nested done.")] }]
    })
    afterAll(() => server.close())
    const nested = clean(own.home, "run", "Nested").replace(
      "'PATH=",
      `'ANTHROPIC_API_KEY=k' 'ANTHROPIC_BASE_URL=${server.url}' 'PATH=`
    )
    // As much as a terminal holds, not so much that it has nothing else to do.
    const typed = `yes 1 | head -n 500 | script -qec ${quoted(nested)} /dev/null`
    await runs(own, `${typed} > ${quoted(own.said)} 2>&1; true`)
    assert.include(readFileSync(own.said, "utf8"), "Nested done.")
    assert.include(JSON.stringify(server.requests.at(-1)?.body.messages), "nobody was there to answer")
    assert.isFalse(existsSync(path.join(own.workspace, "one.txt")))
  })

  it("cannot answer what another task asks; a person's answer counts, and names its process", async () => {
    const asking = await running([write, completes("Written.")])
    const { askId, taskId } = await asking.event("ask")
    const home = asking.env.BELAY_HOME
    const said = path.join(folder(), "said")
    const line = `${clean(home, "task", "answer", taskId, askId, "--allow")} > ${quoted(said)} 2>&1; true`
    await runs({ home, workspace: folder() }, line)
    assert.match(readFileSync(said, "utf8"), refusal)
    assert.isFalse(existsSync(path.join(asking.workspace, "one.txt")))
    const { code, stderr } = await alone(["task", "answer", taskId, askId, "--allow"], asking.env)
    assert.strictEqual(code, 0, stderr.join("\n"))
    assert.strictEqual((await asking.ended()).code, 0)
    assert.isTrue(existsSync(path.join(asking.workspace, "one.txt")))
    const shown = json((await belay(["task", "show", taskId, "--output", "json"], asking.env)).stdout)
    const { process: gave } = shown.asks.find((ask: any) => ask.askId === askId)
    assert.strictEqual(gave.kind, "cli")
    assert.notInclude([asking.run.pid, process.pid], gave.pid)
    assert.match(gave.startedAt, /^\d{4}-.*Z$/)
    const { stdout } = await belay(["task", "show", taskId], asking.env)
    assert.match(stdout.join("\n"), new RegExp(`Answers\\n  allowed by cli \\(cli on .*, process ${gave.pid}, since `))
  })
})

describe.skipIf(process.platform !== "linux")("a person", () => {
  it("at a terminal trusts a folder while tasks run and after they ran", async () => {
    const own = place()
    const asking = await running([write, completes("Written.")])
    await asking.event("ask")
    await runs({ ...own, home: asking.env.BELAY_HOME }, "true")
    const text = clean(asking.env.BELAY_HOME, "trust", "--yes", "--cwd", own.workspace)
    const { stdout } = await promisify(execFile)("script", ["-qec", text, "/dev/null"])
    assert.match(stdout, /Trusted, as they are now: its settings\./)
  })
})
