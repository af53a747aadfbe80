/** Commands of the terminal itself, with what they leave: in the clipboard, in files, in the next request. */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "vitest"
import { completes, use } from "../support/asking.ts"
import { belay, json } from "../support/cli.ts"
import { holdFrames, open, says } from "../support/Interactive.ts"

/** What was put into the clipboard of the terminal. */
const clipped = (written: string): ReadonlyArray<string> =>
  // oxlint-disable-next-line no-control-regex
  [...written.matchAll(/\u001B\]52;c;([^\u0007]*)\u0007/gu)].map(([, data = ""]) =>
    Buffer.from(data, "base64").toString("utf8")
  )

describe("a command of the terminal", () => {
  it("copies an answer as it was written, and says what was used", async () => {
    const answers = [says("One **bold**\n\n- answer"), completes("Two, and *done*.")]
    const { home, screen } = await open(answers, { env: { DISPLAY: undefined, WAYLAND_DISPLAY: undefined } })
    screen.type("/copy\r")
    await screen.seen("No task is shown.")
    screen.type("Work\r")
    await screen.seen(/One bold[^]*Act ›/)
    await screen.seen((text) => !text.includes("● Running"))
    screen.type("and on\r")
    await screen.seen(/Two, and done\.[^]*✓ Done · Act/)
    screen.type("/copy\r")
    await screen.seen("Copied 1 line, also to")
    screen.type("/copy 2\r")
    await screen.seen("Copied 3 lines, also to")
    screen.type("/copy 3\r")
    await screen.seen("There is no such answer.")
    assert.deepStrictEqual(clipped(screen.written()), ["Two, and *done*.", "One **bold**\n\n- answer"])
    assert.strictEqual(readFileSync(path.join(home, "copied.md"), "utf8"), "One **bold**\n\n- answer")
    screen.type("/cost\r")
    await screen.seen(/2 requests, \d+ tokens in, \d+ out, </)
    holdFrames(screen.written())
    screen.kill()
  })

  it("writes the conversation into a file, and over none that is there", async () => {
    const { cwd, screen } = await open([says("The answer.")])
    screen.type("Work\r")
    await screen.seen(/The answer\.[^]*Act ›/)
    screen.type("/export\r")
    await screen.seen(/Exported to .*Work\.md\./)
    assert.match(readFileSync(path.join(cwd, "Work.md"), "utf8"), /^# Work\n[^]*The answer\./)
    screen.type("/export\r")
    await screen.seen(/Work\.md is there\s+already/)
    screen.type("/export all.json\r")
    await screen.seen(/Exported to .*all\.json\./)
    assert.strictEqual(JSON.parse(readFileSync(path.join(cwd, "all.json"), "utf8")).title, "Work")
    screen.kill()
  })

  it("chooses the model, which the next request asks, and the next task", async () => {
    const { screen, server } = await open([says("One."), says("Two."), says("Three.")])
    await screen.seen("? keys")
    screen.type("Work\r")
    await screen.seen(/One\.[^]*Act ›/)
    screen.type("\u001Bp")
    await screen.seen(/^Model ›/m)
    screen.type("haiku")
    await screen.seen(/^> claude-haiku\S+ · haiku\n/m)
    screen.type("\r")
    const [, chosen = ""] = /asks (claude-haiku\S+) from/.exec(await screen.seen(/asks claude-haiku\S+ from/)) ?? []
    screen.type("on it\r")
    await screen.seen(/Two\.[^]*Act ›/)
    screen.type("/model my-own\r")
    await screen.seen("Act asks my-own from the next request on.")
    screen.type("/new\r")
    await screen.seen(/^Act · my-own/m)
    screen.type("Work again\r")
    await screen.seen(/One\.[^]*One\.[^]*Act ›/)
    const asked = server.requests.map(({ body }) => (body as { readonly model: string }).model)
    assert.deepStrictEqual(asked.slice(1), [chosen, "my-own"])
    screen.kill()
  })

  it("searches all that was said", async () => {
    const { screen } = await open([says("The needle is here.")])
    screen.type("Work\r")
    await screen.seen(/needle[^]*Act ›/)
    screen.type("/history needle\r")
    await screen.seen(/^> . Work .*\n {2}type to filter[^]*Open › needle/m)
    screen.kill()
  })

  it("restarts a stopped subtask, and gives it up after a question: its parent goes on", async () => {
    const held = { ...says("Half an answer"), hold: "rest", holdAt: 3 }
    const delegates = use("new_task", { prompt: "Write the parser" }, "parser")
    const { home, screen, server, url } = await open([delegates, says("On without it.")], {
      scripts: [["Write the parser", [held]]]
    })
    const env = { BELAY_HOME: home, ANTHROPIC_BASE_URL: url }
    const stopChild = async (requests: number, shown: RegExp) => {
      await server.waitForRequests(requests)
      const { tasks } = json((await belay(["task", "list", "--all", "--output", "json"], env)).stdout)
      const child = tasks.find((task: any) => task.parentId !== null && task.status !== "interrupted")
      assert.strictEqual((await belay(["task", "interrupt", child.id], env)).code, 0)
      await screen.seen(shown)
    }
    screen.type("Work\r")
    await stopChild(2, /^└ ‖ Write the parser .*you stopped it/m)
    screen.type("/restart\r")
    await screen.seen('Restarted "Write the parser". "Work" is told, and goes on.')
    await stopChild(3, /^├ ‖ .*restarted\n└ ‖ Write the parser .*you stopped it/m)
    screen.type("/abandon\r")
    await screen.seen('Abandon "Write the parser"? [y/N]')
    screen.type("n")
    // The same of the one that is chosen in the list, where it was replaced itself already.
    screen.type("\u0014")
    await screen.seen("type to filter")
    screen.type("parser")
    await screen.seen(/^> .*Write the parser[^\n]*\n {4,}.*Write the parser/m)
    screen.type("\t")
    await screen.seen("x abandons")
    screen.type("x")
    await screen.seen("Only a stopped subtask can be given up.")
    screen.type("\u001B[B")
    await screen.seen(/^ {3,}.*Write the parser[^\n]*\n> .*Write the parser/m)
    screen.type("x")
    await screen.seen((text) => text.lastIndexOf("[y/N]") > text.lastIndexOf("Only a stopped"))
    screen.type("y")
    await screen.seen('Abandoned "Write the parser". "Work" is told, and goes on.')
    screen.type("\u001B")
    await screen.seen(/^Act › *$/m)
    await screen.seen("On without it.")
    screen.type("/abandon\r")
    await screen.seen("No subtask that is waited for is stopped.")
    assert.isTrue(existsSync(home))
    screen.kill()
  })

  it("prints the tree whole, says what keys do and how it is spoken, and turns to what waits", async () => {
    const parts = ["a", "b", "c", "d", "e", "f", "g"].map((part) => `Write part ${part}`)
    const delegates = { content: parts.flatMap((prompt) => use("new_task", { prompt }, prompt.slice(-1)).content) }
    const { screen } = await open([delegates, use("ask_followup_question", { question: "Which one is first?" })], {
      scripts: parts.map((prompt) => [prompt, [completes("Written")]]),
      size: { columns: 80, rows: 40 }
    })
    screen.type("Work\r")
    await screen.seen(/Needs you .*Tab answers/)
    screen.type("/tree\r")
    for (const part of parts) {
      // oxlint-disable-next-line no-await-in-loop
      await screen.seen(new RegExp(`^[├└] ✓ ${part} .*Done: Written`, "m"))
    }
    screen.type("/keys\r")
    await screen.seen("Ctrl+J, Alt+Enter, or")
    screen.type("/screen-reader\r")
    await screen.seen("belay -c --screen-reader")
    screen.type("/answer\r")
    await screen.seen(/^╔ Which one is first\?/m)
    holdFrames(screen.written())
    screen.kill()
  })

  it("has the commands of Belay about this folder, and keeps the terminal afterwards", async () => {
    const { cwd, screen } = await open([use("execute_command", { command: "touch ran.txt" }), says("Touched.")])
    writeFileSync(path.join(cwd, "AGENTS.md"), "Be brief.\n")
    screen.type("/trust\r")
    await screen.seen(/Be brief\.[^]*\[y\/N\]|Be brief\.[^]*Trust/)
    await new Promise((resolve) => setTimeout(resolve, 450))
    screen.type("y\r")
    await screen.seen(/rusted[^]*\nAct › /)
    screen.type("/allowed\r")
    await screen.seen("Nothing was allowed always in this folder.")
    await screen.seen(/this folder\.\n[^]*Act › $/m)
    screen.type("Work\r")
    await screen.seen(/Needs you .*Tab answers/)
    screen.kill()
  })
})
