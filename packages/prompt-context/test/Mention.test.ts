import { Mention } from "@belay/prompt-context"
import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"

const { completions, ofPath, parse, typing } = Mention

const without = (text: string) => parse(text).map(({ text: _text, ...mention }) => mention)

describe("a mention", () => {
  it.each<[string, object]>([
    ["@/src/a.ts", { kind: "path", path: "src/a.ts" }],
    ["@/src/", { kind: "path", path: "src/" }],
    ["@/", { kind: "path", path: "" }],
    ['@"/with blanks/a b.ts"', { kind: "path", path: "with blanks/a b.ts" }],
    ["@/a.ts:10-20", { kind: "path", path: "a.ts", lines: [10, 20] }],
    ["@/a.ts:7", { kind: "path", path: "a.ts", lines: [7, 7] }],
    ['@"/a b.ts":20-10', { kind: "path", path: "a b.ts", lines: [10, 20] }],
    ["@api:/src/a.ts", { kind: "path", path: "src/a.ts", root: "api" }],
    ['@"api:/a b.ts"', { kind: "path", path: "a b.ts", root: "api" }],
    ["@problems", { kind: "problems" }],
    ["@terminal", { kind: "terminal" }],
    ["@git-changes", { kind: "git-changes" }],
    ["@1a2b3c4", { kind: "commit", hash: "1a2b3c4" }],
    ["@https://example.com/a?b=c", { kind: "url", url: "https://example.com/a?b=c" }]
  ])("is read: %s", (text, mention) => {
    for (const words of [text, `see ${text}, please`, `(${text})`, `${text}.`]) {
      assert.deepStrictEqual(without(words), [mention as never], words)
    }
  })

  it.each(["me@example.com", "@someone", "@1a2b3c", "@problems-of-mine", "a@/b", "@ /a", "@@/a"])(
    "is not seen in %s",
    (text) => assert.deepStrictEqual(parse(text), [])
  )

  it("is given once, in order", () => {
    assert.deepStrictEqual(
      parse("@/b @/a @/b").map(({ text }) => text),
      ["@/b", "@/a"]
    )
  })

  it.prop(
    "of any path is read back as this path",
    {
      path: Schema.String.check(
        Schema.makeFilter((path: string) => !/[\n\r\u0085\u2028\u2029]|:\d+(-\d+)?$|^\//u.test(path))
      )
    },
    ({ path }) => {
      assert.deepStrictEqual(without(`see ${ofPath(path)} now`), [{ kind: "path", path }])
      assert.deepStrictEqual(without(ofPath(path, "api")), [{ kind: "path", path, root: "api" }])
    }
  )
})

describe("what is being typed", () => {
  it.each<[string, Mention.Typing | undefined]>([
    ["look at @src/pa", { kind: "mention", query: "src/pa", from: 8 }],
    ['@"/my no', { kind: "mention", query: "/my no", from: 0 }],
    ["/pl", { kind: "command", query: "pl", from: 0 }],
    ["go /pl", undefined],
    ["@/a.ts ", undefined]
  ])("is seen at the end of %s", (text, found) => assert.deepStrictEqual(typing(text), found))

  it("is completed best first: by name, then by folder, then anywhere", () => {
    const paths = ["lib/parse/x.ts", "src/parse.ts", "parse/", "a/sparse.ts", "README.md"]
    assert.deepStrictEqual(
      completions("par", { paths }).map(({ label }) => label),
      ["parse/", "src/parse.ts", "a/sparse.ts", "lib/parse/x.ts"]
    )
    assert.deepStrictEqual(
      completions("pro", { paths }).map(({ insert }) => insert),
      ["@problems"]
    )
    assert.strictEqual(completions("", { paths }, 2).length, 2)
    const commits = [
      { hash: "abc1234567", subject: "Parse numbers" },
      { hash: "1234567890", subject: "Print" }
    ]
    assert.deepStrictEqual(
      completions("par", { paths: ["parse.ts"], commits }).map(({ insert }) => insert),
      ["@/parse.ts", "@abc1234567"]
    )
    assert.deepStrictEqual(
      completions("12", { paths: ["12.ts"], commits }).map(({ insert }) => insert),
      ["@1234567890", "@/12.ts"]
    )
  })
})
