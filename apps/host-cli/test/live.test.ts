/** The parts of what a run shows, each by itself. */
import xterm from "@xterm/headless"
import type { LiveEvent } from "@belay/task-engine"
import { assert, describe, it } from "vitest"
import * as Answers from "../src/progress/Answers.ts"
import type { Appearance } from "../src/output/Appearance.ts"
import { displayWidth } from "../src/output/DisplayWidth.ts"
import { line as eventLine } from "../src/progress/EventJson.ts"
import * as Markdown from "../src/output/Markdown.ts"
import * as OutputTail from "../src/progress/OutputTail.ts"
import * as Region from "../src/output/Region.ts"
import * as ScreenOf from "../src/progress/Screen.ts"
import * as Silence from "../src/progress/Silence.ts"
import { broken, rows } from "../src/output/Wrapped.ts"
import { id } from "./support/states.ts"

const plain: Appearance = { color: false, ascii: false, plain: false, width: 80 }
const coloured: Appearance = { ...plain, color: true }

// oxlint-disable-next-line no-control-regex
const sgr = /\u001B\[[\d;]*m/g

const document = [
  "# A heading **with** more",
  "",
  "Words with `code`, **bold words of several lines that are wrapped somewhere** and [a link](https://example.org/a).",
  "1. first",
  "   - second, which is so long that it goes on in the next row with the indent of its text",
  "> quoted",
  "| a | long head |",
  "|:--|--:|",
  "| 日本語 | x |",
  "after it",
  "~~~",
  "  code | with | bars",
  "# no heading",
  "~~~",
  "| not | closed"
].join("\n")

describe("Markdown in a terminal", () => {
  it("has each sign's meaning, and without colours the signs", () => {
    assert.deepStrictEqual(Markdown.text(coloured, 60, "# Head\nA **b** `c` [d](https://e.f)\n- e\n```\nx\n```"), [
      "\u001B[1mHead\u001B[22m",
      "A \u001B[1mb\u001B[22m \u001B[36mc\u001B[39m d (https://e.f)",
      "• e",
      "  \u001B[36mx\u001B[39m"
    ])
    assert.deepStrictEqual(Markdown.text(plain, 60, "# Head\nA **b** `c`\n- e\n```\nx\n```"), [
      "# Head",
      "A **b** `c`",
      "- e",
      "```",
      "  x",
      "```"
    ])
    assert.deepStrictEqual(Markdown.text(plain, 60, "| a | long |\n|---|---|\n| 日本 | x |"), [
      "a    | long",
      "-----------",
      "日本 | x"
    ])
  })

  it("is the same wherever the answer is cut into pieces, and fits at every width", () => {
    for (const look of [plain, coloured]) {
      for (const width of [12, 31, 80]) {
        const whole = Markdown.text(look, width, document)
        for (const row of whole) assert.isAtMost(displayWidth(row.replaceAll(sgr, "")), width, row)
        for (let at = 0; at <= document.length; at += 3) {
          const answers = Answers.make(look, () => width)
          const first = answers.push("t", document.slice(0, at))
          // What is shown of a line that is not whole changes nothing.
          for (const row of answers.open()) assert.isAtMost(displayWidth(row.replaceAll(sgr, "")), width)
          const all = [...first, ...answers.push("t", document.slice(at)), ...answers.end("t").rows]
          assert.deepStrictEqual(all, whole, `${width}, cut at ${at}`)
        }
      }
    }
  })
})

describe("wrapped words", () => {
  it("lose nothing but the blanks at the ends of rows, and characters of two columns stay whole", () => {
    const text = "one 日本語 two👩‍💻three नमस्ते and a-word-that-is-wider-than-any-row-of-it"
    for (const columns of [4, 9, 20, 200]) {
      const wrapped = rows(plain, [{ text }], columns)
      for (const row of wrapped) assert.isAtMost(displayWidth(row), columns)
      assert.strictEqual(wrapped.join("").replaceAll(" ", ""), text.replaceAll(" ", ""))
      assert.strictEqual(broken(text, columns).join(""), text)
    }
  })

  it("are as wide as a terminal has them", () => {
    for (const [text, width] of [
      ["1️⃣", 2],
      ["नमस्ते", 4],
      ["👍🏽", 2],
      ["é", 1]
    ] as const) {
      assert.strictEqual(displayWidth(text), width, text)
    }
  })
})

describe("the end of the screen", () => {
  it("is replaced in place: what was written above it stands once and in order, whatever is shown and in what size", async () => {
    // A linear congruential generator: the same sequence in every run.
    let seed = 1
    const random = (most: number): number => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
      // Its lower bits repeat soon.
      return Math.floor(seed / 65_536) % most
    }
    for (let round = 0; round < 40; round++) {
      const columns = 20 + random(60)
      const terminal = new xterm.Terminal({ cols: columns, rows: 12, scrollback: 1000, allowProposedApi: true })
      const region = Region.make()
      const written: Array<string> = []
      let shown: ReadonlyArray<string> = []
      for (let step = 0; step < 30; step++) {
        const above = Array.from({ length: random(4) }, (_, n) => `${round}.${step}.${n} ${"w".repeat(random(10))}`)
        written.push(...above)
        shown = Array.from({ length: random(8) }, (_, n) => `live ${n} ${"x".repeat(random(columns - 9))}`)
        const frame = region.frame(above.map((line) => `${line}\r\n`).join(""), shown, columns)
        assert.strictEqual(region.frame("", shown, columns), "", "nothing changed, nothing is written")
        // oxlint-disable-next-line no-control-regex
        assert.notMatch(frame, /\u001B\[[23]J|\u001B\[\?10|\u001Bc/)
        await new Promise<void>((resolve) => terminal.write(frame.replaceAll(/(?<!\r)\n/g, "\r\n"), resolve))
      }
      const { active } = terminal.buffer
      const lines = Array.from(
        { length: active.length },
        (_, n) => active.getLine(n)?.translateToString().trimEnd() ?? ""
      )
      while (lines.at(-1) === "") lines.pop()
      assert.deepStrictEqual(
        lines,
        [...written, ...shown].map((line) => line.trimEnd())
      )
    }
  })
})

describe("the tail of an output", () => {
  it("has the last five lines, cut anywhere, without colours and what a return has overwritten", () => {
    const text = "1\n2\n3\n4\n5\n\u001B[31m6\u001B[0m\n10 %\r55 %\r100 %\n\u001B[2Jopen"
    for (let at = 0; at <= text.length; at++) {
      const tail = OutputTail.make()
      tail.push(text.slice(0, at))
      tail.push(text.slice(at))
      assert.deepStrictEqual(tail.lines(), ["4", "5", "6", "100 %", String.raw`\u{1b}[2Jopen`])
    }
  })
})

describe("a screen", () => {
  it("shows nothing while a person is asked, and all of it afterwards", () => {
    let text = ""
    let last: ReadonlyArray<string> = []
    const terminal = {
      write: (more: string) => (text += more),
      live: (lines: ReadonlyArray<string>) => (last = lines),
      size: () => ({ columns: 80, rows: 24 })
    }
    const screen = ScreenOf.make(terminal, plain, "live")
    const take = (body: object) =>
      screen.take({ taskId: id(1), ts: 1000, seq: 1, after: 1, n: 1, ...body } as unknown as LiveEvent.TaskEvent)
    take({ type: "text.delta", text: "one\n" })
    take({ type: "answer", state: "waiting" })
    assert.deepStrictEqual([text.split("\n")[0], last], ["  one", ["● Waiting for the model"]])
    screen.hold(true)
    const before = text
    take({ type: "text.delta", text: "two\n" })
    take({ type: "progress", text: "three" })
    screen.tick(9000)
    assert.deepStrictEqual([text, last], [before, []])
    screen.hold(false)
    assert.strictEqual(text, `${before}  two\nthree\n`)
    assert.deepStrictEqual(last, ["● Waiting for the model · 8s"])
  })
})

describe("silence", () => {
  const at = (ts: number, body: object) => ({ taskId: id(1), ts, after: 3, n: 1, ...body }) as LiveEvent.TaskEvent

  it("is told once, ten seconds after the last event, of what is waited for, and never while a person is asked", () => {
    const told: Array<Silence.Silent> = []
    const silence = Silence.make((silent) => told.push(silent))
    const ticks = (until: number) => {
      for (let now = 0; now <= until; now += 500) silence.tick(now)
    }
    ticks(60_000)
    assert.deepStrictEqual(told, [], "nothing is waited for")
    silence.take(at(1000, { type: "answer", state: "streaming" }))
    silence.take(at(2000, { type: "text.delta", text: "x" }))
    silence.tick(11_999)
    assert.deepStrictEqual(told, [])
    ticks(60_000)
    assert.deepStrictEqual(told.splice(0), [{ type: "silence", taskId: id(1), ts: 12_000, after: 3, n: 1, ms: 10_000 }])
    silence.take(at(60_000, { type: "answer", state: "complete" }))
    silence.take(at(60_000, { type: "tool.started", callId: "c", name: "execute_command" }))
    silence.tick(70_000)
    assert.deepStrictEqual(
      told.map(({ callId }) => callId),
      ["c"]
    )
    silence.take(at(71_000, { type: "ask", askId: "a", kind: "approval" }))
    silence.tick(90_000)
    silence.take(at(91_000, { type: "ask.settled", askId: "a" }))
    silence.take(at(91_000, { type: "tool.finished", callId: "c" }))
    silence.tick(120_000)
    assert.strictEqual(told.length, 1)
    const [silent] = told
    assert.ok(silent)
    assert.deepStrictEqual(JSON.parse(eventLine(silent)), {
      taskId: id(1),
      type: "silence",
      ts: "1970-01-01T00:01:10.000Z",
      after: 3,
      n: 1,
      callId: "c",
      ms: 10_000
    })
  })
})
