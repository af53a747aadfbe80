/** Keys: what is typed is shown, kept and sent as it was typed. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { assert, describe, it, vi } from "vitest"
import { holdFrames, open, says } from "../support/Interactive.ts"
import { displayWidth } from "../../src/output/DisplayWidth.ts"

const pool = [
  "a",
  "漢",
  "한",
  "👍",
  "👍🏽",
  "👨‍👩‍👧",
  "🇩🇪",
  "❤️",
  "e\u0301",
  "ñ",
  "न",
  "म",
  "ภ",
  "，",
  "ｱ",
  "1️⃣",
  "z",
  " ",
  "—",
  "नमस्ते"
]

/** A linear congruential generator: the same sequence in every run. */
const generator = (begin: number) => {
  let seed = begin
  return (most: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor(seed / 65_536) % most
  }
}

describe("keys", () => {
  it("are each echoed before anything else is done, in a frame of a few bytes", async () => {
    const { screen } = await open([])
    await screen.seen("? keys")
    const before = screen.written().length
    let text = ""
    for (const key of "Work, one key after the other") {
      text += key
      screen.type(key)
      // oxlint-disable-next-line no-await-in-loop
      await screen.seen((all) => all.includes(`Act › ${text.trimEnd()}`) && screen.caret().column === 6 + text.length)
    }
    assert.isAtMost((screen.written().length - before) / text.length, 120)
    holdFrames(screen.written())
    screen.kill()
  })

  it("leave the caret where the emulator has it, for 200 random graphemes", async () => {
    const { screen } = await open([], { size: { columns: 120, rows: 30 } })
    const random = generator(7)
    let text = ""
    for (let n = 0; n < 200; n += 1) {
      const next = pool[random(pool.length)] ?? ""
      if (displayWidth(text + next) > 100) {
        screen.type("\u0015")
        text = ""
      }
      text += next
      screen.type(next)
      // What stands before the caret is the text; the emulator's own widths put it there.
      // oxlint-disable-next-line no-await-in-loop
      await screen.seen(
        () => screen.caret().column === 6 + displayWidth(text) && screen.caret().line.includes(text.trim())
      )
    }
    screen.kill()
  })

  it("make of a paste with `/quit` in it one chip, and send the same bytes", async () => {
    const { screen, server } = await open([says("Read it all.")])
    const pasted = [...Array.from({ length: 300 }, (_, n) => `line ${n}`), "/quit", "end"].join("\n")
    screen.type("Work with ")
    screen.type(`\u001B[200~${pasted}\u001B[201~`)
    await screen.seen(/Act › Work with \[paste #1 \+302 lines\]/)
    screen.type("\r")
    await screen.seen("Read it all.")
    assert.include(JSON.stringify(server.requests[0]?.body), JSON.stringify(`Work with ${pasted}`).slice(1, -1))
    screen.kill()
  })

  it("that come as several lines in one read are a paste, without its brackets too", async () => {
    const { screen, server } = await open([])
    screen.type("one\rtwo\rthree\rfour")
    await screen.seen("four")
    await screen.seen(/Act › one\n {6}two\n {6}three\n {6}four/)
    assert.lengthOf(server.requests, 0)
    screen.kill()
  })

  it("with Ctrl+C clear, then stop, then leave", async () => {
    const { screen, server } = await open([{ ...says("It goes on and on."), hold: "rest", holdAt: 3 }])
    await screen.seen("? keys")
    screen.type("not this")
    await screen.seen("not this")
    screen.type("\u0003")
    await screen.seen(/^Act ›\s*$/m)
    screen.type("Work\r")
    await server.waitForRequests(1)
    await screen.seen(/● Running/)
    screen.type("\u0003")
    await screen.seen("‖ Interrupted")
    screen.type("\u0003")
    await screen.seen("Ctrl+C again to leave")
    screen.type("\u0003")
    assert.strictEqual(await screen.exit, 0)
  })

  it("twice Escape stops the task, and once only says so", async () => {
    const { screen, server } = await open([{ ...says("It goes on and on."), hold: "rest", holdAt: 3 }])
    screen.type("Work\r")
    await server.waitForRequests(1)
    await screen.seen(/● Running/)
    screen.type("\u001B")
    await screen.seen('Esc again to stop "Work"')
    screen.type("\u001B")
    await screen.seen("‖ Interrupted")
    screen.kill()
  })

  it("with Ctrl+E go to the end of the line, Ctrl+A to its beginning, and Up to what was sent before", async () => {
    const { screen } = await open([says("First."), says("Second.")])
    screen.type("Work one\r")
    await screen.seen("First.")
    screen.type("middle")
    await screen.seen("Act › middle")
    screen.type("\u0001")
    await screen.seen(() => screen.caret().column === 6)
    screen.type("\u0005")
    await screen.seen(() => screen.caret().column === 12)
    screen.type("\u0015\u001B[A")
    await screen.seen("Act › Work one")
    screen.kill()
  })

  it("that were not sent survive kill -9", async () => {
    const first = await open([says("Ready.")])
    await first.say("Work", "Ready.")
    first.screen.type("half a thought")
    await first.screen.seen("half a thought")
    const folder = `${first.home}/drafts`
    const stored = () =>
      existsSync(folder) &&
      readdirSync(folder).some((name) => readFileSync(`${folder}/${name}`, "utf8").includes("half a thought"))
    await vi.waitUntil(stored, { timeout: 10_000 })
    first.screen.kill()
    await first.screen.exit
    const next = await open([], { of: first })
    await next.screen.seen("Act › half a thought")
    next.screen.kill()
  })
})

describe("what may be meant", () => {
  it("is offered for a command and a mention, chosen with the arrows and taken with Tab", async () => {
    const { screen, server } = await open([says("Read it.")])
    await screen.seen("? keys")
    screen.type("/ta")
    await screen.seen("> /tasks  Choose among the tasks, as Ctrl+T")
    screen.type("\t")
    await screen.seen("Act › /tasks")
    screen.type("\u0015Work with @/s")
    await screen.seen(/^> @?\/?sum\.js/m)
    screen.type("\t")
    await screen.seen(/Act › Work with @\/sum\.js/)
    screen.type("\r")
    await screen.seen("Read it.")
    assert.include(JSON.stringify(server.requests[0]?.body), "return a - b")
    screen.kill()
  })
})

describe("the keys of vim", () => {
  it("move, delete, change and bring back words and lines, and Enter sends what is there", async () => {
    const first = await open([])
    writeFileSync(`${first.home}/settings.json`, JSON.stringify({ keys: { editor: "vim" } }))
    first.screen.kill()
    const { screen, server } = await open([says("Read it.")], { of: { ...first, url: "" } })
    // The settings were read once it names the model.
    await screen.seen("claude-sonnet")
    screen.type("Work on one two three")
    await screen.seen("Act › Work on one two three")
    screen.type("\u001B")
    await screen.seen(/^Normal › /mu)
    screen.type("0wwdw")
    await screen.seen("Normal › Work on two three")
    screen.type("x")
    await screen.seen("Normal › Work on wo three")
    screen.type("u")
    await screen.seen("Normal › Work on two three")
    screen.type("D")
    await screen.seen(/^Normal › Work on *$/mu)
    screen.type("p")
    await screen.seen("Normal › Work on two three")
    screen.type("Ithen ")
    await screen.seen("Act › then Work on two three")
    screen.type("\u001B")
    await screen.seen(/^Normal › /mu)
    screen.type("ogone")
    await screen.seen(/^ {6}gone$/mu)
    screen.type("\u001B")
    await screen.seen(/^Normal › /mu)
    screen.type("ddgg")
    await screen.seen((text) => !text.includes("gone"))
    screen.type("A!")
    await screen.seen(/Act › then Work on two three!/)
    screen.type("\r")
    await screen.seen("Read it.")
    assert.include(JSON.stringify(server.requests[0]?.body), "then Work on two three!")
    screen.kill()
  })
})
