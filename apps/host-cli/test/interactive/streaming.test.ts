/** Streaming: what a model says is there once and in order, in few frames, and nothing is written where nothing changes. */
import { assert, describe, it, vi } from "vitest"
import * as Markdown from "../../src/output/Markdown.ts"
import { framesOf, holdFrames, open, says } from "../support/Interactive.ts"

const count = (text: string, part: string): number => text.split(part).length - 1

const numbered = (lines: number): string => Array.from({ length: lines }, (_, n) => `This is line ${n}.`).join("\n")

describe("an answer that streams", () => {
  it("of two thousand lines stands in the scrollback once and in order", async () => {
    const { screen } = await open([says(`${numbered(2000)}\n\nThe end.`)])
    screen.type("Work\r")
    await screen.seen("The end.")
    const lines = screen.lines().filter((line) => line.startsWith("  This is line"))
    assert.deepStrictEqual(
      lines,
      numbered(2000)
        .split("\n")
        .map((line) => `  ${line}`)
    )
    holdFrames(screen.written())
    screen.kill()
  })

  it("of many pieces costs at most 20 frames a second", async () => {
    const text = Array.from({ length: 200 }, (_, n) => `word${n}`).join(" ")
    const { screen } = await open([{ ...says(`${text} over`), delayMs: 10 }])
    await screen.seen("? keys")
    const began = performance.now()
    screen.type("Work\r")
    await screen.seen(/over\s*\n/)
    const seconds = (performance.now() - began) / 1000
    // One for the key, some for what is around the answer.
    assert.isAtMost(framesOf(screen.written()), 20 * seconds + 12)
    holdFrames(screen.written())
    screen.kill()
  })

  it("equals the stored message on the screen", async () => {
    const text = `# One\n\nSome **bold** and \`code\`, ${"with words that are wrapped ".repeat(8)}\n\n- a\n- b\n\n| a | b |\n|---|---|\n| c | d |\n\nDone.`
    const { screen } = await open([says(text)])
    screen.type("Work\r")
    await screen.seen("Done.")
    const look = { color: true, ascii: false, plain: false, width: 79 }
    // oxlint-disable-next-line no-control-regex
    const expected = Markdown.text(look, 77, text).map((row) => row.replaceAll(/\u001B\[[\d;]*m/g, ""))
    const shown = screen.lines().map((line) => line.slice(2))
    const from = shown.indexOf("One")
    assert.deepStrictEqual(shown.slice(from, from + expected.length), expected)
    screen.kill()
  })

  it("shows what a model writes to steer a terminal as text", async () => {
    const { screen } = await open([says("A \u001B[2J\u001B]52;c;aGk=\u0007 \u001B[?1049h and \u202E reversed\rback.")])
    screen.type("Work\r")
    const text = await screen.seen("back.")
    assert.include(text, "reversed")
    holdFrames(screen.written())
    assert.notInclude(screen.written(), "\u001B]52")
    assert.notInclude(screen.written(), "\u202E")
    screen.kill()
  })

  it("is followed by no byte: ten looks at the history in a row write nothing while a person is waited for", async () => {
    const { screen } = await open([says("Anything else?")])
    await screen.seen("? keys")
    screen.type("Work\r")
    await screen.seen((text) => text.includes("Anything else?") && !text.includes("Running"))
    let before = ""
    let looks = 0
    const isQuiet = () => {
      const now = screen.written()
      looks = now === before ? looks + 1 : 0
      before = now
      return looks === 10
    }
    await vi.waitUntil(isQuiet, { interval: 200, timeout: 15_000 })
    assert.strictEqual(count(screen.lines().join("\n"), "Anything else?"), 1)
    screen.kill()
  })
})
