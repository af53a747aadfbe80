/** The terminal in bad times: jobs of a shell, sizes of nothing, terminals that stall or go away, and what throws. */
import { execFileSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { assert, describe, it } from "vitest"
import { use } from "../support/asking.ts"
import { belay } from "../support/cli.ts"
import { modesOf, open, says } from "../support/Interactive.ts"

const numbered = (lines: number): string =>
  Array.from({ length: lines }, (_, n) => `Line ${n} of the answer, which is as long as a row of this screen.`).join(
    "\n"
  )

const notes = (home: string): ReadonlyArray<string> => {
  const folder = `${home}/terminal`
  return existsSync(folder) ? readdirSync(folder).map((name) => readFileSync(`${folder}/${name}`, "utf8")) : []
}

/** How often a part of the screen is there. */
const count = (text: string, part: string): number => text.split(part).length - 1

describe("a job of a shell", () => {
  it("is suspended with Ctrl+Z, and painted once when it comes back", async () => {
    const { screen } = await open([says("Ready.")], { shell: true })
    screen.type("Work\r")
    await screen.seen("Ready.")
    screen.type("half a thought")
    await screen.seen("Act › half a thought")
    screen.type("\u001A")
    await screen.seen(/Suspended: fg comes back\.\n[^]*shell> /)
    assert.notInclude(screen.lines().join("\n"), "Act ›")
    screen.type("echo of the shell\r")
    await screen.seen(/^of the shell$/m)
    screen.type("fg\r")
    const text = await screen.seen("Act › half a thought")
    assert.strictEqual(count(text, "Act ›"), 1)
    screen.type(", and more")
    await screen.seen("Act › half a thought, and more")
    screen.type("\u0003\u0004")
    await screen.seen(/Go on with: belay -c\nshell> /)
    screen.kill()
  })

  it("writes nothing into the shell from the background, where its task goes on", async () => {
    const { screen, server } = await open([{ ...says("It goes on and on."), hold: "rest", holdAt: 3 }], {
      shell: true
    })
    screen.type("Work\r")
    await server.waitForRequests(1)
    await screen.seen(/● Running/)
    screen.type("\u001A")
    await screen.seen(/A task stands still until then\.\n[^]*shell> /)
    screen.type("bg\r")
    await screen.seen(/\[1\]\+ .*&\nshell> /)
    const before = screen.written().length
    server.release("rest")
    // Its answer is in the history: the task has gone on.
    screen.type("until grep -qa 'goes on and on' $BELAY_HOME/belay.db*; do :; done; echo so it has\r")
    await screen.seen(/^so it has$/m)
    assert.notInclude(screen.written().slice(before), "\u001B[?2026h")
    screen.type("fg\r")
    const text = await screen.seen(/It goes on and on\.[^]*Act ›/)
    assert.strictEqual(count(text, "It goes on and on."), 1)
    screen.kill()
  })

  it("does not suspend itself where no shell is there", async () => {
    const { screen } = await open([])
    await screen.seen("? keys")
    screen.type("\u001A")
    await screen.seen("No shell is there to come back from.")
    screen.kill()
  })
})

describe("a terminal", () => {
  it("whose size becomes 0x0 is used as 80x24", async () => {
    const { screen } = await open([says("Small, and there.")])
    await screen.seen("? keys")
    execFileSync("stty", ["-F", screen.device(), "rows", "0", "cols", "0"])
    screen.signal("SIGWINCH")
    screen.type("Work\r")
    await screen.seen(/Small, and there\.[^]*Act ›/)
    screen.type("\u0004")
    assert.strictEqual(await screen.exit, 0)
  })

  it("that takes nothing holds up no task, and has every line once when it takes more", async () => {
    const touch = use("execute_command", { command: "echo hello" })
    const { screen, server } = await open([
      { content: [{ type: "text", text: `${numbered(2000)}\n` }, ...touch.content] },
      says("It is over.")
    ])
    await screen.seen("? keys")
    screen.type("Work\r")
    await server.waitForRequests(1)
    screen.stall()
    await server.waitForRequests(2)
    screen.drain()
    await screen.seen(/It is over\.[^]*Act ›/)
    const lines = screen.lines().filter((line) => line.startsWith("  Line "))
    assert.deepStrictEqual(
      lines,
      numbered(2000)
        .split("\n")
        .map((line) => `  ${line}`)
    )
    screen.kill()
  })

  it("that goes away ends the interface, and the task can go on", async () => {
    const opened = await open([{ ...says("It goes on and on."), hold: "rest", holdAt: 3 }])
    opened.screen.type("Work\r")
    await opened.server.waitForRequests(1)
    await opened.screen.seen(/● Running/)
    opened.screen.close()
    await opened.screen.exit
    const next = await open([says("On it goes.")], { of: opened, args: ["-c"] })
    await next.screen.seen("── Work ──")
    next.screen.type("\r")
    await next.screen.seen("On it goes.")
    next.screen.kill()
  })

  it("is as before when something throws, and one line says how to go on", async () => {
    const thrower = "process.on('SIGUSR2',()=>{throw%20new%20Error('no%20such%20luck')})"
    const { screen } = await open([says("Ready.")], {
      env: { NODE_OPTIONS: `--import=data:text/javascript,${thrower}` }
    })
    screen.type("Work\r")
    await screen.seen("Ready.")
    screen.signal("SIGUSR2")
    assert.strictEqual(await screen.exit, 1)
    assert.deepStrictEqual(modesOf(screen.written()), ["25", "7"])
    const text = screen.lines().join("\n")
    assert.match(text, /belay: no such luck\. .*\nGo on with: belay -c/)
    assert.notInclude(text, "    at ")
  })
})

describe("the modes of a killed interface", () => {
  it("are reset by the next start in its terminal", async () => {
    const { home, screen } = await open([], { shell: true })
    await screen.seen("? keys")
    const [note = ""] = notes(home)
    const { pid } = JSON.parse(note)
    process.kill(pid, "SIGKILL")
    await screen.seen(/Killed.*\n[^]*shell> /)
    const before = screen.written().length
    screen.type("$BELAY\r")
    await screen.seen(() => screen.written().slice(before).includes("? keys"))
    const since = screen.written().slice(before)
    assert.isBelow(since.indexOf("\u001B[<u"), since.indexOf("\u001B[>1u"))
    assert.isAtLeast(since.indexOf("\u001B[<u"), 0)
    screen.type("\u0004")
    await screen.seen(() => screen.written().slice(before).split("shell> ").length === 2)
    assert.deepStrictEqual(notes(home), [])
    screen.kill()
  })

  it("are reset by hand, too, and only in a terminal", async () => {
    const { code, stderr } = await belay(["reset"], {})
    assert.strictEqual(code, 2)
    assert.include(stderr.join("\n"), "no terminal")
  })
})
