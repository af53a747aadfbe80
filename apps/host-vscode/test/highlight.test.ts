import { afterEach, assert, beforeEach, describe, it, vi } from "vitest"
import * as Highlighter from "../src/webview/highlight/Highlighter.ts"
import { grammarOf, grammars, type Grammar } from "../src/webview/highlight/languages.ts"
import type { Line, Request } from "../src/webview/highlight/Line.ts"
import * as Tokens from "../src/webview/highlight/Tokens.ts"

const samples: Readonly<Record<Grammar, readonly [code: string, word: string, kind: string]>> = {
  css: ["a { color: red /* why */ }", "/* why */", "comment"],
  diff: ["-old\n+new", "-old", "keyword"],
  go: ["func main() { return }", "return", "keyword"],
  java: ['class A { String s = "x"; }', "class", "keyword"],
  json: ['{ "a": true }', "true", "constant"],
  python: ["def f():\n  return 'x'", "'x'", "string"],
  rust: ["fn main() { let a = 1; }", "main", "name"],
  shellscript: ['echo "$HOME" # home', "# home", "comment"],
  sql: ["SELECT 1 FROM a", "SELECT", "keyword"],
  toml: ['a = "b" # c', '"b"', "string"],
  tsx: ["const f = <A,>(a: A) => `x ${a}`\nconst g = <b>{1}</b>", "=>", "keyword"],
  yaml: ["a: 'b' # c", "# c", "comment"]
}

describe("code in its grammar", () => {
  it("keeps every character, and knows what is what in each of the languages", () => {
    for (const grammar of Object.keys(grammars) as Array<Grammar>) {
      const [code, word, kind] = samples[grammar]
      const lines = Tokens.of(grammar, code)
      assert.equal(lines.map((line) => line.map(([text]) => text).join("")).join("\n"), code, grammar)
      const found = lines.flat().find(([text]) => text.includes(word))
      assert.equal(found?.[1], kind, grammar)
    }
  })

  it("is known by what people write after a fence", () => {
    assert.equal(grammarOf('TS title="a.ts"'), "tsx")
    assert.equal(grammarOf("py,linenos"), "python")
    for (const other of [undefined, "", "brainfuck", "__proto__", "constructor"]) assert.isUndefined(grammarOf(other))
  })
})

describe("the colours of code that is shown", () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  const settled = () => vi.advanceTimersByTimeAsync(0)

  /** A worker that is asked and answers when it is told to. */
  const make = () => {
    const asked: Array<Request> = []
    let events: Highlighter.Events | undefined
    let ended = 0
    let opened = 0
    const highlighter = Highlighter.make(async (given) => {
      opened += 1
      events = given
      return { ask: (request) => void asked.push(request), end: () => void (ended += 1) }
    })
    return {
      asked,
      highlighter,
      counts: () => ({ opened, ended }),
      answer: (lines: ReadonlyArray<Line>) => events?.answered(lines),
      die: () => events?.died()
    }
  }

  it("are asked for once however often it is shown, and open nothing before", async () => {
    const { answer, asked, counts, highlighter } = make()
    await settled()
    assert.equal(counts().opened, 0)
    let calls = 0
    for (let n = 0; n < 3; n += 1) highlighter.want("go", "x", () => (calls += 1))
    await settled()
    answer([[["x", "name"]]])
    assert.equal(calls, 3)
    highlighter.want("go", "x", () => (calls += 1))
    await settled()
    assert.deepEqual(asked, [{ grammar: "go", text: "x" }])
    assert.deepEqual(highlighter.known("go", "x"), [[["x", "name"]]])
  })

  it("are never asked for what is shown no more, or is too long", async () => {
    const { answer, asked, highlighter } = make()
    highlighter.want("go", "first", () => undefined)
    const gone = highlighter.want("go", "gone", () => undefined)
    highlighter.want("go", "a\n".repeat(400), () => undefined)
    highlighter.want("go", "last", () => undefined)
    gone()
    await settled()
    answer([[["first"]]])
    await settled()
    answer([[["last"]]])
    assert.deepEqual(
      asked.map(({ text }) => text),
      ["first", "last"]
    )
  })

  it("count only when their characters are those of the code", async () => {
    const { answer, highlighter } = make()
    highlighter.want("go", "safe", () => undefined)
    await settled()
    answer([[["other", "name"]]])
    assert.isUndefined(highlighter.known("go", "safe"))
  })

  it("are given up for ever when the worker is slow, dies, or cannot be had", async () => {
    const slow = make()
    slow.highlighter.want("go", "x", () => assert.fail("too late"))
    await vi.advanceTimersByTimeAsync(60_000)
    slow.answer([[["x"]]])
    const dead = make()
    dead.highlighter.want("go", "x", () => assert.fail("dead"))
    await settled()
    dead.die()
    await settled()
    for (const { asked, counts, highlighter } of [slow, dead]) {
      highlighter.want("go", "y", () => assert.fail("given up"))
      await settled()
      assert.deepEqual([asked.length, counts()], [1, { opened: 1, ended: 1 }])
    }
    let opened = 0
    const none = Highlighter.make(() => Promise.reject(new Error(`${(opened += 1)}`)))
    for (const text of ["x", "y"]) none.want("go", text, () => assert.fail("none"))
    await settled()
    none.want("go", "z", () => assert.fail("none"))
    await settled()
    assert.equal(opened, 1)
  })
})
