import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as SearchPlaces from "../../src/workspace/text/SearchPlaces.ts"
import * as SearchReplace from "../../src/workspace/text/SearchReplace.ts"

const blocks = (...pairs: ReadonlyArray<readonly [string, string]>) =>
  pairs.map(([search, replace]) => ({ search, replace }))

const applied = (raw: string, ...pairs: ReadonlyArray<readonly [string, string]>) =>
  Result.map(SearchReplace.apply(raw, blocks(...pairs)), ({ text }) => text)

const failureOf = <A>(result: Result.Result<A, SearchReplace.SearchReplaceError>) =>
  Result.isFailure(result) ? result.failure : undefined

const Line = Schema.Literals(["", "a", "b", "  a", "\tb", "a b", "c", "======", "x ======="])
const Text = Arbitrary.map(Arbitrary.array(Arbitrary.schema(Line), { maxLength: 6 }), (lines) => lines.join("\n"))

describe("SearchReplace.parse", () => {
  it.prop(
    "gives back what render wrote",
    { search: Arbitrary.array(Text, { minLength: 1, maxLength: 4 }), replace: Text },
    ({ replace, search }) => {
      const given = search.map((text) => ({ search: text, replace }))
      assert.deepStrictEqual(SearchReplace.parse(SearchReplace.render(given)), Result.succeed(given))
    }
  )

  it("reads both spellings, CRLF, fences, and an end without a line break", () => {
    const diff =
      "```\r\n<<<<<<< SEARCH\r\na\r\n=======\r\n>>>>>>> REPLACE\r\n\r\n------- SEARCH\nb\n=======\nc\n\n+++++++ REPLACE"
    assert.deepStrictEqual(SearchReplace.parse(diff), Result.succeed(blocks(["a", ""], ["b", "c\n"])))
  })

  it("takes markers of the other spelling as text", () => {
    const diff = "------- SEARCH\n<<<<<<< SEARCH\n>>>>>>> REPLACE\n=======\nx\n+++++++ REPLACE"
    assert.deepStrictEqual(SearchReplace.parse(diff), Result.succeed(blocks(["<<<<<<< SEARCH\n>>>>>>> REPLACE", "x"])))
  })

  it("names the block and what is wrong with it", () => {
    const good = "------- SEARCH\na\n=======\nb\n+++++++ REPLACE\n"
    const errors = [
      "",
      `${good}some words`,
      `${good}------- SEARCH\na\n=======\nb\n`,
      `${good}------- SEARCH\na\n+++++++ REPLACE`,
      `------- SEARCH\na\n=======\nb\n${good}`,
      "------- SEARCH\na\n=======\nb\n=======\nc\n+++++++ REPLACE"
    ].map((diff) => {
      const error = failureOf(SearchReplace.parse(diff))
      return `${error?.block} ${error?.reason}`
    })
    assert.deepStrictEqual(errors, ["0 noBlocks", "2 outside", "2 unclosed", "2 unclosed", "1 unclosed", "1 divider"])
  })

  it("shows how a block is written when one is not", () => {
    const block = "A block is:\n------- SEARCH\ntext as it is in the file\n=======\nnew text\n+++++++ REPLACE"
    const told = [
      ["SEARCH\na\nREPLACE\nb", `Block 1: line 1 lies outside of a block: SEARCH\n${block}`],
      ["", `The diff has no block. ${block}`],
      ["<<<<<<< SEARCH\na\n=======\nb", `Block 1: the line >>>>>>> REPLACE is missing. ${block}`],
      ["------- SEARCH\na\n+++++++ REPLACE", `Block 1: the line ======= is missing. ${block}`]
    ] as const
    for (const [diff, message] of told) {
      assert.strictEqual(failureOf(SearchReplace.parse(diff))?.message, message)
    }
  })
})

describe("SearchReplace.apply", () => {
  it("matches parts of a line, deletes, and applies blocks in order", () => {
    assert.deepStrictEqual(
      applied("let a = 1\n", ["a = 1", "b = 2"], ["b = 2", "c = 3"]),
      Result.succeed("let c = 3\n")
    )
    assert.deepStrictEqual(applied("one two\n", [" two", ""]), Result.succeed("one\n"))
    assert.deepStrictEqual(applied("", ["", "new\n"]), Result.succeed("new\n"))
  })

  it("falls back to whole lines without outer blanks, then to the outer lines of three or more", () => {
    const text = "if (x) {\n    call()\n}\nend\n"
    const match = (how: SearchPlaces.Match) => ({ block: 0, how, line: 1, numbered: false })
    const given = blocks(["if (x) {\n  call()\n}", "y"])
    const lines = SearchReplace.apply(text, given)
    assert.deepStrictEqual(lines, Result.succeed({ text: "y\nend\n", matches: [match("lines")], blocks: given }))
    const outer = blocks(["if (x) {\n  other()\n}", "y"])
    const anchors = SearchReplace.apply(text, outer)
    assert.deepStrictEqual(anchors, Result.succeed({ text: "y\nend\n", matches: [match("anchors")], blocks: outer }))
    for (const way of [{ strict: true }, { all: true }]) {
      assert.strictEqual(failureOf(SearchReplace.apply(text, outer, way))?.reason, "noMatch")
    }
    assert.strictEqual(failureOf(applied(text, ["if (x) {\n  other()", "y"]))?.reason, "noMatch")
    assert.strictEqual(failureOf(applied("{\n1\n}\n{\n2\n}", ["{\n3\n}", "y"]))?.reason, "manyMatches")
  })

  it("replaces every match that overlaps no other where it is told to, also of lines that are told apart by blanks", () => {
    const all = (raw: string, ...given: ReadonlyArray<readonly [string, string]>) =>
      Result.map(SearchReplace.apply(raw, blocks(...given), { all: true }), ({ matches, text }) => [
        text,
        matches.map(({ block, line }) => [block, line])
      ])
    assert.deepStrictEqual(
      all("aaa a\r\nb\r\naa", ["aa", "x"]),
      Result.succeed([
        "xa a\r\nb\r\nx",
        [
          [0, 1],
          [0, 3]
        ]
      ])
    )
    assert.deepStrictEqual(
      all("a\n b\na\n  b\n", ["a\nb", "c"], ["c", "d"]),
      Result.succeed([
        "d\nd\n",
        [
          [0, 1],
          [0, 3],
          [1, 1],
          [1, 2]
        ]
      ])
    )
    assert.strictEqual(failureOf(SearchReplace.apply("a", blocks(["b", "c"]), { all: true }))?.reason, "noMatch")
  })

  it("names the failing block: how often it matches, or the closest lines", () => {
    const many = failureOf(applied("a\nb\na\na\n", ["b", "x"], ["a", "y"]))
    assert.include(many?.message, "Block 2: the SEARCH part matches 3 times (at lines 1, 3, 4)")
    const none = failureOf(applied("const alpha = 1\nconst beta = 2\n", ["const betta = 2", "y"]))
    assert.include(
      none?.message,
      "Block 1: the SEARCH part was not found. The closest lines (2-2) are:\nconst beta = 2"
    )
    assert.strictEqual(failureOf(applied("aaa", ["aa", "b"]))?.reason, "manyMatches")
    assert.strictEqual(failureOf(applied("a", ["", "b"]))?.reason, "emptySearch")
  })

  it("writes CRLF files back as they were, mixed ones outside of the change too", () => {
    assert.deepStrictEqual(applied("a\r\nb\r\nc\r\n", ["a\nb", "x\ny\nz"]), Result.succeed("x\r\ny\r\nz\r\nc\r\n"))
    assert.deepStrictEqual(applied("a\r\nb\nc\nd\n", ["c\n", ""]), Result.succeed("a\r\nb\nd\n"))
    assert.deepStrictEqual(applied("a\r\r\nb\r\n", ["b", "c"]), Result.succeed("a\r\r\nc\r\n"))
  })

  const Break = Schema.Literals(["\n", "\r\n"])
  const Raw = Arbitrary.map(Arbitrary.array(Arbitrary.schema(Schema.Tuple([Line, Break])), { maxLength: 8 }), (lines) =>
    lines.map(([line, ending]) => line + ending).join("")
  )
  it.prop(
    "keeps all before and after the one match, byte by byte",
    { before: Raw, after: Raw },
    ({ after, before }) => {
      const result = applied(`${before}NEEDLE${after}`, ["NEEDLE", "thread"])
      assert.deepStrictEqual(result, Result.succeed(`${before}thread${after}`))
    }
  )

  it.prop(
    "is all or nothing: a result only when every block matched, else the error of one block",
    { raw: Raw, search: Arbitrary.array(Text, { minLength: 1, maxLength: 3 }) },
    ({ raw, search }) => {
      const given = search.map((text) => ({ search: text, replace: "R" }))
      const all = SearchReplace.apply(raw, given)
      let step: Result.Result<string, SearchReplace.SearchReplaceError> = Result.succeed(raw)
      for (const block of given) {
        step = Result.flatMap(step, (text) => Result.map(SearchReplace.apply(text, [block]), (one) => one.text))
      }
      assert.strictEqual(Result.isSuccess(all), Result.isSuccess(step))
      if (Result.isSuccess(all) && Result.isSuccess(step)) assert.strictEqual(all.success.text, step.success)
      else assert.isAtLeast(failureOf(all)?.block ?? 0, 1)
    }
  )
})
