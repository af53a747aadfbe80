import { lexer } from "marked"
import { assert, describe, it } from "vitest"
import { Words } from "@belay/interaction"
import { type Arriving, blank, grow, nothing, print, type Printed } from "../src/webview/state/arriving.ts"

const blocks = [
  "One line\nand another.\n\n",
  "# Heading\n",
  "Under\n=====\n\n",
  "- a\n- b\n  - c\n",
  "- a\n\n- b\n\n  in b\n\n",
  "1. a\n2. b\n\n",
  "```ts\nconst a = 1\n\n- no list\n```\n\n",
  "~~~\nopen\n~~~\n",
  "> quoted\nlazily\n\n",
  "| a | b |\n| - | - |\n| 1 | 2 |\n\n",
  "---\n\n",
  "    indented\n\n    code\n\n",
  "<div>\nno HTML\n</div>\n\n",
  "A [link](b) and `code`.\n\n",
  "\n\n\n"
]

/** A linear congruential generator, so that every run sees the same texts. */
const numbers = (seed: number) => {
  let state = seed
  return (below: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return (state >>> 8) % below
  }
}

const kinds = (text: string) =>
  lexer(text, { gfm: true })
    .filter(({ type }) => type !== "space")
    .map(({ raw, type }) => `${type} ${raw.trim()}`)

describe("an answer that arrives", () => {
  it("is shown as the same blocks as when it is whole, however it is cut", () => {
    for (let seed = 1; seed <= 300; seed += 1) {
      const next = numbers(seed)
      const text = Array.from({ length: 1 + next(9) }, () => blocks[next(blocks.length)]).join("")
      let arriving: Arriving = nothing
      for (let at = 0; at < text.length;) {
        at = Math.min(text.length, at + 1 + next(12))
        arriving = grow(arriving, text.slice(0, at))
      }
      assert.strictEqual(arriving.done + arriving.rest, text)
      assert.strictEqual(arriving.pieces.join(""), arriving.done)
      assert.deepStrictEqual([...arriving.pieces, arriving.rest].flatMap(kinds), kinds(text), `seed ${seed}`)
    }
  })

  it("is as people may see it, however it is cut", () => {
    const parts = ["a\r\n", "b\r", "\u{1F468}\u200D\u{1F469}", "\u200D", "\u001B[1m", "\u202Ex\n", "\t", "\n", "word "]
    for (let seed = 1; seed <= 300; seed += 1) {
      const next = numbers(seed)
      const text = Array.from({ length: 1 + next(20) }, () => parts[next(parts.length)]).join("")
      let printed: Printed = blank
      for (let at = 0; at < text.length;) {
        at = Math.min(text.length, at + 1 + next(4))
        printed = print(printed, text.slice(0, at))
      }
      assert.strictEqual(printed.text, Words.printableLines(text), `seed ${seed}`)
    }
  })

  it("is looked at from its last line on only, and anew when it is another one", () => {
    const first = print(blank, "a\u001B\nb")
    assert.deepStrictEqual(first, { raw: "a\u001B\n", lines: "a\\u{1b}\n", text: "a\\u{1b}\nb" })
    // What was printed is taken as it is.
    assert.strictEqual(print({ ...first, lines: "A\n" }, "a\u001B\nbc").text, "A\nbc")
    assert.strictEqual(print(first, "x").text, "x")
  })

  it("is read again from its last block on only, and anew when it is another one", () => {
    const first = grow(nothing, "a\n\nb\n\nc")
    assert.deepStrictEqual(first, { pieces: ["a\n\nb\n\n"], done: "a\n\nb\n\n", rest: "c" })
    const then = grow(first, "a\n\nb\n\nc d")
    assert.strictEqual(then.pieces, first.pieces)
    assert.strictEqual(then.rest, "c d")
    assert.deepStrictEqual(grow(then, "x"), { pieces: [], done: "", rest: "x" })
  })
})
