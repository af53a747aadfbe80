/** What a person at a real terminal sees of a run. */
import { ScriptedServer, type Scenario } from "@belay/testkit"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import { afterAll, assert, describe, it } from "vitest"
import { completes, use } from "./support/asking.ts"
import { folder, type Environment } from "./support/cli.ts"
import * as Screen from "./support/Screen.ts"

const said = (text: string, ...calls: ReadonlyArray<{ readonly content: ReadonlyArray<any> }>): Scenario.Answer => ({
  content: [{ type: "text", text }, ...calls.flatMap(({ content }) => content)]
})

interface Options {
  readonly args?: ReadonlyArray<string>
  readonly env?: Environment
  readonly size?: Screen.Size
  readonly out?: string
}

const normal = { columns: 80, rows: 24 }

const opened = async (
  answers: ReadonlyArray<Scenario.Answer>,
  { args = [], env = {}, out, size = normal }: Options = {}
) => {
  const server = await ScriptedServer.startServer({ tasks: [{ match: { prompt: "Work" }, shared: true, answers }] })
  afterAll(() => server.close())
  const cwd = folder()
  const all = { BELAY_HOME: folder(), ANTHROPIC_BASE_URL: server.url, ...env }
  writeFileSync(path.join(cwd, "sum.js"), "export const sum = (a, b) => {\n  return a - b\n}\n")
  const screen = Screen.open(
    ["run", "Work", ...args],
    all,
    cwd,
    size,
    out === undefined ? undefined : path.join(cwd, out)
  )
  /** The prompt is there once a line counts. */
  const prompted = () => screen.seen(/\n> ?$/)
  const answer = async (line: string, then: string | RegExp) => {
    await prompted()
    screen.type(`${line}\r`)
    await screen.seen(then)
  }
  return { screen, server, cwd, env: all, answer, prompted }
}

const count = (text: string, part: string): number => text.split(part).length - 1

// oxlint-disable-next-line no-control-regex
const sgr = /\u001B\[[\d;]*m/g
// oxlint-disable-next-line no-control-regex
const moves = /\u001B\[\?2026[hl]|\u001B\[\d*[AJ]/g

const markdown = [
  "# The plan",
  "",
  "I will **fix** the `sum` function:",
  "",
  "- read `sum.js` and look at what it does with its two arguments, which may be anything at all",
  "- change it",
  "",
  "```js",
  "const a = 1",
  "```",
  "",
  "| a | b |",
  "|---|---|",
  "| one | 日本 |",
  "",
  "Now I read it, which is not said to its en"
].join("\n")

const fix = use("replace_in_file", {
  path: "sum.js",
  diff: "------- SEARCH\n  return a - b\n=======\n  return a + b\n+++++++ REPLACE"
})

/** Prints seven lines, and waits until there is a file of this name. */
const waits = (name: string, then = "exit 3") =>
  use("execute_command", {
    command: `for i in 1 2 3 4 5 6 7; do printf 'line %s\\n' $i; done; until [ -e ${name} ]; do sleep 0.05; done; ${then}`
  })

describe("a run in a terminal", () => {
  it("shows the words of the model as they come, with what Markdown means, and each call with its subject", async () => {
    const { answer, cwd, screen, server } = await opened([
      {
        ...said(markdown, use("read_file", { path: "sum.js" })),
        hold: "rest",
        holdAt: Math.ceil(markdown.length / 20)
      },
      said("The bug is on line 2.", fix),
      completes("It **adds** now.")
    ])
    // An answer of which the end has not come.
    await screen.seen("Now I read it")
    assert.notInclude(screen.lines().join("\n"), "sum.js\n✓")
    server.release("rest")
    await screen.seen("Allow this change to sum.js?")
    const shown = screen.lines()
    const ask = shown.slice(
      0,
      shown.findIndex((line) => line.startsWith("◆"))
    )
    assert.deepStrictEqual(ask, [
      "Model claude-sonnet-5-5, act mode, approvals ask, sandbox preferred",
      "  The plan",
      "",
      "  I will fix the sum function:",
      "",
      "  • read sum.js and look at what it does with its two arguments, which may be",
      "    anything at all",
      "  • change it",
      "",
      "    const a = 1",
      "",
      "  a   | b",
      "----------".padStart(12),
      "  one | 日本",
      "",
      "  Now I read it, which is not said to its en",
      "✓ Read sum.js",
      "  The bug is on line 2.",
      ""
    ])
    assert.include(screen.written(), "\u001B[1mThe plan\u001B[22m")
    assert.include(screen.written(), "\u001B[36msum\u001B[39m")
    await answer("y", "done in")
    assert.strictEqual(await screen.exit, 0)
    assert.include(readFileSync(path.join(cwd, "sum.js"), "utf8"), "a + b")
    const [call, result, end] = screen
      .lines()
      .filter((line) => /^✓|^ {2}It/u.test(line))
      .slice(-3)
    assert.deepStrictEqual([call, result], ["✓ Edit sum.js", "  It adds now."])
    assert.match(end ?? "", /^✓ done in [\d.]+ s, 3 requests, 360 tokens, <\$0\.01$/)
    assert.deepStrictEqual(screen.overflown(), [])
  })

  it("shows at most the last five lines of a command that runs, replaced in place, and how it ended", async () => {
    const { cwd, screen } = await opened([waits("go"), completes("Done.")], { args: ["--approvals", "all"] })
    const running = await screen.seen("line 7")
    const tail = running.slice(running.indexOf("\n● $ for i in"))
    assert.match(tail, /^\n● \$ for i in [^\n]*\n {4}line 3\n {4}line 4\n {4}line 5\n {4}line 6\n {4}line 7$/)
    // The time is counted where it is, and moves nothing.
    await screen.seen(/ · \ds\n/)
    assert.strictEqual(count(screen.lines().join("\n"), "line 7"), 1)
    writeFileSync(path.join(cwd, "go"), "")
    assert.strictEqual(await screen.exit, 0)
    const text = screen.lines().join("\n")
    assert.match(text, /\n✗ \$ for i in [^]* · exit 3 · \d+s\n {4}line 3\n/)
    assert.deepStrictEqual([count(text, "line 7"), count(text, "Waiting for"), count(text, "●")], [1, 0, 0])
    // Nothing else of the screen is touched.
    assert.strictEqual(screen.written().replaceAll(sgr, "").replaceAll(moves, "").includes("\u001B"), false)
  })

  it("stays whole when Enter or words are typed meanwhile, which are shown again once it asks", async () => {
    const { answer, cwd, prompted, screen } = await opened([waits("go"), fix, completes("Done.")], {
      args: ["--allowed-tools", "Bash"]
    })
    await screen.seen("line 7")
    screen.type("typed early\r\r\r")
    // The next second is drawn where the last one was.
    for (const time of ["2s", "3s"]) await screen.seen(` · ${time}\n`)
    const running = screen.lines().join("\n")
    assert.deepStrictEqual([count(running, "● $ for i"), running.includes("typed early")], [1, false])
    writeFileSync(path.join(cwd, "go"), "")
    await prompted()
    assert.deepStrictEqual([count(screen.lines().join("\n"), "line 7"), count(screen.lines().join("\n"), "●")], [1, 0])
    await answer("not this one", "> not this one")
    assert.strictEqual(await screen.exit, 0)
    assert.strictEqual(screen.written().replaceAll(sgr, "").replaceAll(moves, "").includes("\u001B"), false)
  })

  it("fits into narrow terminals, and into one that changes its size while something is shown", async () => {
    for (const size of [
      { columns: 120, rows: 40 },
      { columns: 40, rows: 12 },
      { columns: 24, rows: 7 }
    ]) {
      const { answer, screen } = await opened([said(markdown, fix), completes("It **adds** now.")], { size })
      await answer("y", /done in/)
      await screen.exit
      assert.deepStrictEqual(screen.overflown(), [], `${size.columns} columns`)
    }
    const { cwd, screen } = await opened([said(`${markdown}.`, waits("go")), completes("Done.")], {
      args: ["--approvals", "all"],
      size: { columns: 100, rows: 30 }
    })
    await screen.seen("line 7")
    for (const columns of [60, 90, 45, 110]) {
      screen.resize({ columns, rows: 20 })
      // The next second is drawn in the new size.
      const before = screen.written().length
      await screen.seen(() => screen.written().length > before && / · \d+s/.test(screen.lines().join("\n")))
    }
    writeFileSync(path.join(cwd, "go"), "")
    assert.strictEqual(await screen.exit, 0)
    const text = screen.lines().join("\n")
    for (const part of ["I will fix the", "change it", "const a = 1", "one | 日本", "line 5", "done in"]) {
      assert.strictEqual(count(text, part), 1, `${part}:\n${text}`)
    }
  })

  it("has no colours with NO_COLOR, and with --plain or for a screen reader nothing that is replaced", async () => {
    const answers = [said(markdown, fix), completes("It **adds** now.")]
    const none = await opened(answers, { env: { NO_COLOR: "1" } })
    await none.answer("y", "done in")
    await none.screen.exit
    assert.notMatch(none.screen.written(), sgr)
    assert.include(none.screen.lines(), "  I will **fix** the `sum` function:")
    for (const [args, marks] of [
      [["--plain"], ["Edit sum.js", "Needs you: Allow this change to sum.js?"]],
      [
        ["--screen-reader"],
        ["Assistant: ", "Tool: Edit sum.js", "Result: done", "Needs you: Allow this change to sum.js?"]
      ]
    ] as const) {
      const { answer, screen } = await opened(answers, { args, env: { NO_COLOR: "1" } })
      await answer("y", "done in")
      await screen.exit
      assert.notInclude(screen.written(), "\u001B", args.join())
      assert.notMatch(screen.lines().join("\n"), /[●✓◆]/)
      for (const mark of marks) assert.include(screen.lines().join("\n"), mark)
    }
  })

  it("shows what would steer the terminal as text, in words, calls, outputs and asks", async () => {
    const evil = "\u001B[2J\u001B]0;pwned\u0007\u001B[31mbelay: all is well\r\u202Egnp"
    const { answer, cwd, screen } = await opened([
      said(`${evil}\n**${evil}** and \`${evil}\``, use("read_file", { path: evil })),
      use("execute_command", { command: `touch x; printf '%s' '${evil}'` }),
      completes(evil)
    ])
    await screen.seen("Allow this command?")
    await answer("y", "done in")
    await screen.exit
    assert.isTrue(existsSync(path.join(cwd, "x")))
    const rest = screen.written().replaceAll(sgr, "").replaceAll(moves, "").replaceAll("\r\n", "\n")
    // oxlint-disable-next-line no-control-regex
    assert.notMatch(rest.replaceAll(/\r(?=\n|$)/g, "").replaceAll(/^\r/gm, ""), /[\u001B\u0007\u202E]/)
    assert.include(screen.lines().join("\n").replaceAll(/\n */g, ""), String.raw`\u{1b}[2J\u{1b}]0;pwned\u{7}`)
    assert.notMatch(screen.lines().join("\n"), /^belay: all/m)
  })

  it("writes the result as it is to a pipe, and what happens to the terminal", async () => {
    const answers = [said("First **I look**.", use("read_file", { path: "sum.js" })), said("# All\n\nis **well**.")]
    const { cwd, screen } = await opened(answers, { out: "out" })
    assert.strictEqual(await screen.exit, 0)
    assert.strictEqual(readFileSync(path.join(cwd, "out"), "utf8"), "# All\n\nis **well**.\n")
    assert.include(screen.lines().join("\n"), "  First I look.\n✓ Read sum.js\n  All\n")
    const whole = await opened(answers)
    await whole.screen.exit
    // What was shown as it came is not shown again.
    assert.strictEqual(count(whole.screen.lines().join("\n"), "is well."), 1)
  })
})

describe("an ask at a real terminal", () => {
  it("shows a change as a diff, a new file as its text and a command with its folder, in colours", async () => {
    const { answer, screen, cwd } = await opened([
      fix,
      use("write_to_file", { path: "new.txt", content: "one\n\ttwo\n" }),
      use("execute_command", { command: "touch made" }),
      completes("Done.")
    ])
    await screen.seen(/Ask .*\n>/)
    const first = screen.lines().join("\n")
    assert.include(
      first,
      "  M sum.js  +1 −1\n  @@ -1,3 +1,3 @@\n   export const sum = (a, b) => {\n  -  return a - b\n  +  return a + b\n   }\n"
    )
    assert.match(first, /\n {2}Ask [\w-]{36}\n> ?$/)
    assert.include(screen.written(), "\u001B[31m-  return a - b\u001B[39m")
    assert.include(screen.written(), "\u001B[32m+  return a + b\u001B[39m")
    await answer("y", "Allow the new file new.txt?")
    assert.include(await screen.seen("+one"), "\n  A new.txt  +2 −0\n  +one\n  +    two\n")
    await answer("y", "Allow this command?")
    await screen.seen(`  in ${cwd}\n`)
    assert.include(await screen.seen("Ask"), 'You have not allowed "touch made" yet.')
    await answer("use echo", /denied/)
    assert.strictEqual(await screen.exit, 0)
    assert.isFalse(existsSync(path.join(cwd, "made")))
  })

  it("cuts a long text in its middle, and shows all of it in the pager", async () => {
    const content = Array.from({ length: 200 }, (_, n) => `line ${n + 1}`).join("\n")
    const paged = path.join(folder(), "paged")
    const { answer, screen } = await opened([use("write_to_file", { path: "long.txt", content }), completes("Done.")], {
      env: { PAGER: `cat > ${paged}; echo left` }
    })
    const text = await screen.seen("Show all of it")
    assert.match(text, /\n {2}\+line 6\n {2}… 19\d more lines: v shows all\n/)
    assert.include(text, "  +line 200\n")
    await answer("v", "left")
    for (let n = 1; n <= 200; n++) assert.include(readFileSync(paged, "utf8"), `+line ${n}\u001B`)
    await answer("n", "done in")
    assert.strictEqual(await screen.exit, 0)
  })

  it("is left with Ctrl+D: the task stops, its ask stays open, and the way on is said", async () => {
    const { prompted, screen, cwd } = await opened([fix, completes("Done.")])
    await screen.seen("Allow this change")
    await prompted()
    screen.type("\u0004")
    assert.strictEqual(await screen.exit, 130)
    assert.match(
      screen.lines().slice(-3).join(" "),
      /belay: stopped; an answer is open: may it edit sum\.js\? Go on with: belay /
    )
    assert.include(readFileSync(path.join(cwd, "sum.js"), "utf8"), "a - b")
  })
})
