import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { frontMatter, listOf, textOf } from "../src/internal/frontMatter.ts"

const fieldsOf = (...lines: ReadonlyArray<string>) => frontMatter(["---", ...lines, "---", "text"].join("\n")).fields

const Plain = Schema.String.check(Schema.isPattern(/^[A-Za-z][A-Za-z0-9 .:#*?'"@-]{0,30}$/u))

describe("front matter", () => {
  it("is read as YAML: folded and whole texts, comments, lists and quotes", () => {
    assert.deepStrictEqual(
      fieldsOf(
        "# about it",
        "description: >-",
        "  one",
        "  two",
        "hint: |",
        "  a",
        "  b",
        "name: 'it''s' # its name",
        "tools:",
        '  - "Bash(git log, x)" # one',
        "  - Read"
      ),
      { description: "one two", hint: "a\nb\n", name: "it's", tools: ["Bash(git log, x)", "Read"] }
    )
  })

  it("has what other agents read as texts, though it is no YAML", () => {
    assert.deepStrictEqual(
      fieldsOf("globs: **/*.ts,*.tsx", "description: Use it when: asked", "argument-hint: [issue] [priority]"),
      { globs: "**/*.ts,*.tsx", description: "Use it when: asked", "argument-hint": "[issue] [priority]" }
    )
  })

  it.each([
    ["a: 1\na: 2", /no YAML \(Duplicate key 'a' at line 2\)/],
    ["a:\n  - b\n c: d", /no YAML/],
    ["- a", /has no fields/],
    ["words", /has no fields/],
    [`a: ${"x".repeat(8192)}`, /longer than 8 kB/],
    [`a: ${"[".repeat(8000)}\nb: "`, /no YAML/]
  ])("that cannot be read is told, and none of it counts: %#", (yaml, why) => {
    const { broken, fields, text } = frontMatter(`---\n${yaml}\n---\ntext`)
    assert.match(broken ?? "", why)
    assert.deepStrictEqual([fields, text], [{}, "text"])
  })

  it("stays small whatever names what: aliases are no copies, and tags do nothing", () => {
    const lists = Array.from({ length: 20 }, (_, at) => `a${at + 1}: &a${at + 1} [${`*a${at}, `.repeat(9)}*a${at}]`)
    const found = fieldsOf("a0: &a0 [x, x]", ...lists, "name: !!js/function run")
    assert.strictEqual(textOf(found["a20"]), "[]")
    assert.isUndefined(listOf(found["a20"]))
    assert.strictEqual(textOf(found["name"]), "!!js/function run")
    assert.strictEqual(Object.getPrototypeOf(fieldsOf("__proto__: {tools: x}")), Object.prototype)
  })

  it.prop("has each text of one line, however it is written", [Plain], ([value]) => {
    const text = value.trim()
    assert.strictEqual(textOf(fieldsOf(`name: ${JSON.stringify(text)}`)["name"]), text)
    assert.strictEqual(textOf(fieldsOf("name: >-", `  ${text}`)["name"]), text)
  })

  it.prop(
    "has the entries of a list, in each way of writing one",
    [Schema.Array(Schema.Literals(["Read", "Bash(a, b)", "x"]))],
    ([list]) => {
      const quoted = list.map((entry) => JSON.stringify(entry))
      assert.deepStrictEqual(listOf(fieldsOf(`tools: [${quoted.join(", ")}]`)["tools"]), list)
      if (list.length === 0) return
      assert.deepStrictEqual(listOf(fieldsOf("tools:", ...list.map((entry) => `- ${entry}`))["tools"]), list)
      assert.deepStrictEqual(listOf(fieldsOf(`tools: ${list.join(", ")}`)["tools"]), list)
    }
  )

  it("is none where a text does not begin with it", () => {
    assert.deepStrictEqual(frontMatter("a\n---\nb: c\n---"), { fields: {}, text: "a\n---\nb: c\n---" })
  })
})
