/** A model's words as they come, in rows that stay. */
import { assert, describe, it } from "vitest"
import * as Answer from "../../src/interactive/transcript/Answer.ts"
import * as Sink from "../../src/output/Sink.ts"
import * as Markdown from "../../src/output/Markdown.ts"
import type { Appearance } from "../../src/output/Appearance.ts"
import { displayWidth } from "../../src/output/DisplayWidth.ts"

const plain: Appearance = { color: false, ascii: false, plain: false, width: 80 }
const coloured: Appearance = { ...plain, color: true }

// oxlint-disable-next-line no-control-regex
const sgr = /\u001B\[[\d;]*m/g

const long = "words that go on ".repeat(9)

const document = [
  "# A heading **with** more",
  "",
  `Words with \`code\`, **bold words of several lines that are wrapped somewhere** and [a link](https://example.org/a). ${long}`,
  `An open \` and a ** and [brackets] of a sentence that ends, ${long} and one \` more ** here.`,
  `**${long}${long}** is too long to be bold, \`${long}${long}\` to be code, [${long}](x) to be a link.`,
  `1. first ${long}`,
  "An *emphasis of words that go on over the end of a row, for as long as it takes to do so* and _another one_, and *one",
  'that is open, snake_case_names and src/*.ts and test/*.ts and 2*3*4 stay; (*within*) and "_quoted_".',
  "   - second, which is so long that it goes on in the next row with the indent of its text",
  "* third *with* stars * and more",
  "> quoted",
  "| a | long head |",
  "|:--|--:|",
  "| 日本語 | x |",
  "after it 👍🏽 日本語 👨‍👩‍👧 and na\u0308me",
  "~~~",
  `  code | with | bars ${long}`,
  "# no heading",
  "~~~",
  "```ts",
  `const  said = "a \\" b" + \`over`,
  `lines\` // it's a comment, ${long}`,
  "if (it.isNot(1)) /* on",
  `and on */ return "not closed ${long}`,
  "```",
  `A last line without an end, ${long}`
].join("\n")

describe("an answer that arrives", () => {
  it("has the same rows wherever it is cut, and those are the rows of the whole text", () => {
    for (const look of [plain, coloured]) {
      for (const width of [12, 37, 78]) {
        const whole = Markdown.text(look, width, document)
        for (let at = 0; at <= document.length; at += width === 37 && look.color ? 1 : 11) {
          const answer = Answer.make(look, () => width)
          const rows = [...answer.push(document.slice(0, at))]
          rows.push(...answer.push(document.slice(at)), ...answer.end().rows)
          assert.deepStrictEqual(rows, whole, `${width}, cut at ${at}`)
        }
      }
    }
  })

  it("has the same rows character by character, and few of them are live", () => {
    for (const look of [plain, coloured]) {
      const answer = Answer.make(look, () => 78)
      const rows: Array<string> = []
      let most = 0
      for (const unit of document.split("")) {
        rows.push(...answer.push(unit))
        most = Math.max(most, answer.open().length)
        for (const row of answer.open()) assert.isAtMost(displayWidth(row.replaceAll(sgr, "")), 78)
      }
      const { rows: last, text } = answer.end()
      assert.deepStrictEqual([...rows, ...last], Markdown.text(look, 78, document))
      assert.strictEqual(text, document)
      assert.isAtMost(most, look.color ? 5 : 2)
    }
  })

  it("has emphasis in italics, and signs that are none as they are", () => {
    const rows = Markdown.text(coloured, 78, "An *em*, a _line_, snake_case_name, src/*.ts, test/*.ts and 2*3*4.")
    assert.deepStrictEqual(rows, [
      "An \u001B[3mem\u001B[23m, a \u001B[3mline\u001B[23m, snake_case_name, src/*.ts, test/*.ts and 2*3*4."
    ])
  })

  it("keeps the width of its open line when the terminal changes, and loses nothing", () => {
    let width = 60
    const answer = Answer.make(plain, () => width)
    const text = `${long}\n${long}`
    const rows: Array<string> = []
    for (const [index, unit] of text.split("").entries()) {
      if (index === 100) width = 30
      if (index === 200) width = 90
      rows.push(...answer.push(unit))
    }
    rows.push(...answer.end().rows)
    assert.strictEqual(rows.join(" ").replaceAll(/\s+/g, " ").trim(), text.replaceAll(/\s+/g, " ").trim())
  })

  it("has code in colours where its language is known, and its text as it is", () => {
    const [blue, green, yellow, plainly] = [34, 32, 33, 39].map((code) => `\u001B[${code}m`)
    const rows = Markdown.text(coloured, 78, "```py\nif x == 10: # it's\n    s = 'if'\n```\n\n```none\nif x\n```")
    assert.deepStrictEqual(rows, [
      `  ${blue}if${plainly} x == ${yellow}10${plainly}: \u001B[3m# it's\u001B[23m`,
      `      s = ${green}'if'${plainly}`,
      "",
      `  \u001B[36mif x${plainly}`
    ])
  })

  it("has addresses of pages as links to themselves, where the terminal can", () => {
    const text = "See https://a.example/b. And [this](https://c.example), not [that](javascript:x)."
    const link = (to: string, shown: string) => `\u001B]8;;${to}\u0007${shown}\u001B]8;;\u0007`
    assert.deepStrictEqual(Markdown.text({ ...coloured, links: true }, 200, text), [
      `See ${link("https://a.example/b", "https://a.example/b")}. And this ${link("https://c.example", "(https://c.example)")}, not that (javascript:x).`
    ])
    assert.notInclude(Markdown.text(coloured, 200, text).join(""), "\u001B]8")
    const [linked = ""] = Markdown.text({ ...coloured, links: true }, 200, text)
    assert.strictEqual(Sink.readable(linked), linked)
    assert.notInclude(Sink.readable("\u001B]8;;file:///etc/passwd\u0007x"), "\u001B")
  })
})
