/** The terminal itself: it is as before however the interface ends, and changes of its size double nothing. */
import { assert, describe, it } from "vitest"
import { use } from "../support/asking.ts"
import { belay, folder } from "../support/cli.ts"
import { holdFrames, modesOf, open, says } from "../support/Interactive.ts"

const numbered = (lines: number): string =>
  Array.from({ length: lines }, (_, n) => `Line ${n} of the answer.`).join("\n")

/** A linear congruential generator: the same sequence in every run. */
const generator = (begin: number) => {
  let seed = begin
  return (most: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor(seed / 65_536) % most
  }
}

/** A shell has these on, and nothing else is. */
const asBefore = ["25", "7"]

describe("the terminal", () => {
  it("shows each line once after twenty changes of its size while an answer streams", async () => {
    const { screen } = await open([{ ...says(`${numbered(120)}\n\nThe end.`), delayMs: 12 }])
    screen.type("Work\r")
    const random = generator(3)
    for (let n = 0; n < 20; n += 1) {
      // oxlint-disable-next-line no-await-in-loop
      await screen.seen(`Line ${5 * n} of`)
      screen.resize({ columns: 40 + random(160), rows: 12 + random(48) })
    }
    await screen.seen((text) => text.includes("The end.") && !text.includes("Running"))
    screen.type("\u0004")
    await screen.exit
    const lines = screen.lines().filter((line) => line.startsWith("  Line "))
    assert.deepStrictEqual(
      lines,
      numbered(120)
        .split("\n")
        .map((line) => `  ${line}`)
    )
    holdFrames(screen.written())
  })

  it("is as before after SIGTERM and SIGHUP, and the way on is printed", async () => {
    for (const signal of ["SIGTERM", "SIGHUP"] as const) {
      // oxlint-disable-next-line no-await-in-loop
      const { screen } = await open([says("Ready.")])
      screen.type("Work\r")
      // oxlint-disable-next-line no-await-in-loop
      await screen.seen("Ready.")
      screen.signal(signal)
      // oxlint-disable-next-line no-await-in-loop
      assert.strictEqual(await screen.exit, 130)
      assert.deepStrictEqual(modesOf(screen.written()), asBefore)
      assert.include(screen.lines().join("\n"), "Go on with: belay -c")
    }
  })

  it("is left after a question where a task works, and the task can go on", async () => {
    const opened = await open([{ ...says("It goes on and on."), hold: "rest", holdAt: 3 }])
    const { screen, server } = opened
    screen.type("Work\r")
    await server.waitForRequests(1)
    await screen.seen(/● Running/)
    screen.type("/quit\r")
    await screen.seen("Leave? [y/N]")
    screen.type("n")
    await screen.seen((text) => !text.includes("Leave?"))
    screen.type("\u0004")
    await screen.seen("Leave? [y/N]")
    screen.type("y")
    assert.strictEqual(await screen.exit, 0)
    assert.deepStrictEqual(modesOf(screen.written()), asBefore)
    const next = await open([says("On it goes.")], { of: opened, args: ["-c"] })
    await next.screen.seen("── Work ──")
    next.screen.type("\r")
    await next.screen.seen("On it goes.")
    next.screen.kill()
  })

  it("of 25 columns, or of 8 rows, has a composer that works, and nothing in it wraps", async () => {
    for (const size of [
      { columns: 25, rows: 24 },
      { columns: 80, rows: 8 }
    ]) {
      // oxlint-disable-next-line no-await-in-loop
      const { screen } = await open([use("ask_followup_question", { question: "Which of the two files is it?" })], {
        size
      })
      screen.type("Work\r")
      // oxlint-disable-next-line no-await-in-loop
      await screen.seen(/Which of the/)
      screen.type("the first")
      // oxlint-disable-next-line no-await-in-loop
      await screen.seen("› the first")
      assert.deepStrictEqual(screen.overflown(), [])
      screen.kill()
    }
  })

  it("without colours, and with seven bits, is told the same", async () => {
    const { screen } = await open([says("Some **words** and more.")], {
      env: { NO_COLOR: "1", BELAY_ASCII: "1" }
    })
    screen.type("Work\r")
    await screen.seen("Some **words** and more.")
    // oxlint-disable-next-line no-control-regex
    assert.notMatch(screen.written(), /\u001B\[[\d;]*m/u)
    // oxlint-disable-next-line no-control-regex
    assert.match(screen.lines().join("\n"), /^[\u0000-\u007F]*$/u)
    screen.kill()
  })

  it("gets what others write to stderr as lines of its own", async () => {
    const { screen } = await open([], {
      env: { NODE_OPTIONS: "--import=data:text/javascript,setTimeout(()=>process.emitWarning('a%20stray%20line'),700)" }
    })
    await screen.seen("a stray line")
    holdFrames(screen.written())
    screen.kill()
  })
})

describe("a terminal that can do more", () => {
  it("jumps between what was said and answered, where it is known to", async () => {
    const marks = (written: string) =>
      written
        .split("\u001B]133;")
        .slice(1)
        .map((part) => part.slice(0, 1))
    const { screen } = await open([says("One.\n\nAnd more."), says("Two.")], { env: { TERM_PROGRAM: "WezTerm" } })
    screen.type("Work\r")
    await screen.seen("And more.")
    screen.type("on it\r")
    await screen.seen("Two.")
    assert.deepStrictEqual(marks(screen.written()), ["A", "C", "A", "C"])
    screen.kill()
    const other = await open([says("One.")])
    await other.say("Work", "One.")
    assert.deepStrictEqual(marks(other.screen.written()), [])
    other.screen.kill()
  })

  it("rings once for an ask when the person looks elsewhere, and not when they look at it", async () => {
    const rings = (written: string) => written.split("\u001B[?2026h\u001B[?25l\u0007").length - 1
    const asks = use("execute_command", { command: "touch ran.txt" })
    for (const [focus, expected] of [
      ["\u001B[O", 1],
      ["\u001B[O\u001B[I", 0]
    ] as const) {
      // oxlint-disable-next-line no-await-in-loop
      const { screen } = await open([asks])
      // oxlint-disable-next-line no-await-in-loop
      await screen.seen("? keys")
      screen.type(focus)
      screen.type("Work\r")
      // oxlint-disable-next-line no-await-in-loop
      await screen.seen(/Needs you .*Tab answers/)
      assert.strictEqual(rings(screen.written()), expected)
      holdFrames(screen.written())
      screen.kill()
    }
  })

  it("tells its size among the keys, and what is painted next has it", async () => {
    const { screen } = await open([], { size: { columns: 120, rows: 30 } })
    await screen.seen("? keys")
    assert.include(screen.written(), "\u001B[?2048h")
    screen.type("\u001B[48;30;40;600;400t/history")
    await screen.seen(/^> \/history {2}Search all that was.*…$/m)
    assert.isAtMost(
      Math.max(
        ...screen
          .lines()
          .slice(-4)
          .map((line) => line.length)
      ),
      40
    )
    screen.kill()
  })

  it("lets the desktop tell what waits and what is over, where the person wants that and looks elsewhere", async () => {
    const home = folder()
    assert.strictEqual((await belay(["config", "set", "notify.osc", "true"], { BELAY_HOME: home })).code, 0)
    const asks = use("ask_followup_question", { question: "Which; one?" })
    const of = { cwd: folder(), home, url: "" }
    const { screen } = await open([asks], { env: { TERM_PROGRAM: "WezTerm" }, of })
    await screen.seen("? keys")
    screen.type("\u001B[OWork\r")
    await screen.seen(/Needs you .*Tab answers/)
    // oxlint-disable-next-line no-control-regex
    assert.match(screen.written(), /\u001B\]9;Needs you: [^;\u0007]+\u0007/u)
    holdFrames(screen.written())
    screen.kill()
  })
})
