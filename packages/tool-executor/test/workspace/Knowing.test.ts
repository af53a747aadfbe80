import { assert, describe, expect, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as fs from "node:fs"
import * as KnownLines from "../../src/tool/KnownLines.ts"
import * as Knowing from "./fixtures/Knowing.ts"
import * as Workspace from "./fixtures/Workspace.ts"

const { diff } = Knowing

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `line ${index + 1}`)
const big = numbered(2600)
const text = (lines: ReadonlyArray<string>) => lines.map((line) => `${line}\n`).join("")

/** Each step with what the model reads, as one text to look at. */
const story = (steps: ReadonlyArray<readonly [title: string, told: string]>): string =>
  steps.map(([title, told]) => `## ${title}\n\n${told.trimEnd()}\n`).join("\n")

const golden = (name: string, steps: ReadonlyArray<readonly [string, string]>) =>
  Effect.promise(() => expect(story(steps)).toMatchFileSnapshot(`fixtures/told/${name}.md`))

const patch = (...lines: ReadonlyArray<string>) => ["*** Begin Patch", ...lines, "*** End Patch"].join("\n")

describe("an edit of a file that has changed since it was read", () => {
  it.effect("is made where its blocks still match, and says which lines are not as they were", () =>
    Effect.gen(function* () {
      const { call, known, workspace } = yield* Knowing.session
      workspace.write("src/big.js", text(big))
      yield* call("read_file", { path: "src/big.js", start_line: 1990, end_line: 2010 })
      workspace.write("src/big.js", text(big.with(4, "theirs")))
      const replace = (search: string, to: string) =>
        call("replace_in_file", { path: "src/big.js", diff: diff(search, to) })
      const first = yield* replace("line 2000", "two\nthousand")
      assert.strictEqual(
        first,
        "Replaced 1 block in src/big.js. The file had changed since you read it (line 5); the rest is as you know it."
      )
      const again = yield* replace("line 2001", "one more")
      const theirs = workspace.read("src/big.js").split("\n")
      workspace.write("src/big.js", text([...theirs.slice(0, 9), ...theirs.slice(12, -1).with(100, "more")]))
      const below = yield* replace("line 3\n", "three\nand a half\n")
      const deleted = workspace.read("src/big.js").replace("line 2005\n", "changed\n")
      workspace.write("src/big.js", deleted)
      const own = yield* replace("changed", "ours")
      workspace.write("src/big.js", workspace.read("src/big.js").replaceAll("\n", "\r\n"))
      const breaks = yield* replace("ours", "theirs")
      const refused = yield* call("write_to_file", { path: "src/big.js", content: "new" })
      yield* golden("changed-and-applied", [
        ["line 5 was changed, line 2000 is replaced", first],
        ["what it was told of is no news", again],
        ["3 lines went, one was changed; the edit makes one more before them", below],
        ["the edit is of the changed line", own],
        ["other line breaks", breaks],
        ["what it has not seen by all this", refused]
      ])
      // The unread lines are counted in what is there now.
      assert.strictEqual(workspace.read("src/big.js").split("\n").length - 1, 2600 + 1 - 3 + 1)
      assert.isDefined(known.get(workspace.at("src/big.js"))?.lines)
    })
  )

  it.effect("is refused with the changed lines alone where a block does not match once, or all is replaced", () =>
    Effect.gen(function* () {
      const { call, known, workspace } = yield* Knowing.session
      const steps: Array<readonly [string, string]> = []
      const tell = (title: string, name: string, args: object) =>
        Effect.map(call(name, args), (told) => {
          steps.push([title, told])
          return told
        })
      workspace.write("a", text(numbered(300)))
      yield* call("read_file", { path: "a" })
      workspace.write("a", text(numbered(300).with(199, "theirs").with(200, "and theirs").toSpliced(249, 2)))
      const before = workspace.read("a")
      const stale = yield* tell("a whole file", "write_to_file", { path: "a", content: "new" })
      assert.notInclude(stale, "line 1\n")
      assert.strictEqual(workspace.read("a"), before)
      assert.strictEqual(
        yield* tell("the same again", "write_to_file", { path: "a", content: "new" }),
        "Wrote 1 line to a; it had 298."
      )
      workspace.write("b", "one {\n  two\n}\n")
      yield* call("read_file", { path: "b" })
      workspace.write("b", "one {\n  three\n}\n")
      yield* tell("a block of a line that is no more", "replace_in_file", { path: "b", diff: diff("  two", "  2") })
      workspace.write("b", "one {\n  four\n}\n")
      yield* tell("a block of which the first and the last line are left", "replace_in_file", {
        path: "b",
        diff: diff("one {\n  three\n}", "one")
      })
      workspace.write("b", "one {\n  four\n}\none {\n")
      yield* tell("a block that matches twice by now", "replace_in_file", { path: "b", diff: diff("one {", "1 {") })
      assert.strictEqual(workspace.read("b"), "one {\n  four\n}\none {\n")
      workspace.write("b", text(big))
      yield* tell("another file in its place", "write_to_file", { path: "b", content: "new" })
      yield* tell("of which not all was shown", "write_to_file", { path: "b", content: "new" })
      fs.rmSync(workspace.at("b"))
      yield* tell("a file that is gone", "write_to_file", { path: "b", content: "new" })
      yield* tell("once more", "write_to_file", { path: "b", content: "new" })
      workspace.write("c", "new\n")
      known.set(workspace.at("c"), { hash: "of an older history" })
      yield* tell("a file of which only a hash is known", "write_to_file", { path: "c", content: "x" })
      yield* tell("and one place of it", "replace_in_file", { path: "c", diff: diff("new", "x") })
      yield* golden("changed-and-refused", steps)
    })
  )

  it.effect("by a patch is made where every hunk still fits at one place, with the lines it has made", () =>
    Effect.gen(function* () {
      const { call, workspace } = yield* Knowing.session
      const steps: Array<readonly [string, string]> = []
      const tell = (title: string, ...lines: ReadonlyArray<string>) =>
        Effect.map(call("apply_patch", { patch: patch(...lines) }), (told) => steps.push([title, told]))
      for (const name of ["a", "b", "c"]) {
        workspace.write(name, text(numbered(30)))
        yield* call("read_file", { path: name })
      }
      workspace.write("a", text(numbered(30).with(2, "theirs")))
      yield* tell(
        "one file has changed, one is new, one is moved",
        "*** Update File: a",
        "@@",
        "-line 20",
        ...Array.from({ length: 12 }, (_, index) => `+new ${index + 1}`),
        "*** Add File: d",
        "+whole",
        "*** Update File: b",
        "*** Move to: e",
        "@@",
        " line 4",
        "-line 5",
        "+five"
      )
      assert.include(workspace.read("a"), "theirs\nline 4\n")
      yield* tell("with numbers that were copied", "*** Update File: c", "@@", " 9\tline 9", "-10\tline 10", "+ten")
      assert.include(workspace.read("c"), "line 9\nten\nline 11\n")
      workspace.write("c", text([...numbered(30).with(10, "theirs"), "line 9"]))
      yield* tell("a hunk that has no line any more", "*** Update File: c", "@@", "-ten", "+TEN")
      workspace.write("c", text([...numbered(30), "line 9", "line 12"]))
      yield* tell("a hunk with two places behind its line of @@", "*** Update File: c", "@@ line 8", "-line 9", "+nine")
      workspace.write("c", text(numbered(3)))
      yield* tell("a file to remove", "*** Delete File: c", "*** Delete File: d")
      assert.isTrue(fs.existsSync(workspace.at("d")))
      yield* golden("changed-and-patched", steps)
    })
  )

  it.effect("is shown to a person against what the file holds now, and an approval holds for that", () =>
    Effect.gen(function* () {
      const { call, context, workspace } = yield* Knowing.session
      workspace.write("a", "one\ntwo\n")
      yield* call("read_file", { path: "a" })
      workspace.write("a", "theirs\ntwo\n")
      const args = { path: "a", diff: diff("two", "2") }
      const tool = Workspace.tool("replace_in_file")
      assert.isUndefined(yield* tool.refuses?.(args, context) ?? Effect.void)
      const [shown] = yield* tool.proposes?.(args, context) ?? Effect.succeed([])
      assert.deepStrictEqual(shown?.contents, { base: "theirs\ntwo\n", proposed: "theirs\n2\n" })
      yield* tool.identity?.(args, context) ?? Effect.void
      workspace.write("a", "theirs again\ntwo\n")
      const output = yield* tool.execute(args, context)
      assert.isTrue(output.isError)
      assert.match(Workspace.textOf(output), /^a changed in the meantime/)
      assert.strictEqual(workspace.read("a"), "theirs again\ntwo\n")
    })
  )
})

describe("a whole file is replaced", () => {
  it.effect("where the model has read or written all of it, in this task", () =>
    Effect.gen(function* () {
      const { call, workspace } = yield* Knowing.session
      const steps: Array<readonly [string, string]> = []
      const write = (title: string, path: string, content: string) =>
        Effect.map(call("write_to_file", { path, content }), (told) => steps.push([title, told]))
      workspace.write("src/big.js", text(big))
      yield* write("a file that was not read", "src/big.js", "new\n")
      assert.strictEqual(
        steps[0]?.[1],
        "src/big.js exists (2,600 lines) and you have not read it. Read it, or use replace_in_file."
      )
      yield* call("read_file", { path: "src/big.js", end_line: 60 })
      yield* call("read_file", { path: "src/big.js", start_line: 1990, end_line: 2010 })
      yield* write("one that was read in part", "src/big.js", "new\n")
      yield* call("replace_in_file", { path: "src/big.js", diff: diff("line 1985", "line 1985\nand a half") })
      yield* write("an edit makes known what it writes", "src/big.js", "new\n")
      assert.strictEqual(workspace.read("src/big.js").split("\n").length, 2602)
      yield* call("read_file", { path: "src/big.js" })
      yield* call("read_file", { path: "src/big.js", start_line: 2001, end_line: 2600 })
      yield* write("all but its last line", "src/big.js", "new\n")
      yield* call("read_file", { path: "src/big.js", start_line: 2601 })
      yield* write("the rest was read", "src/big.js", "new\n")
      yield* write("what it has written itself", "src/big.js", "newer\n")
      workspace.write("empty", "")
      yield* write("an empty file", "empty", "x\n")
      yield* write("a new one", "new", "y\n")
      yield* call("apply_patch", {
        patch: patch("*** Add File: added", "+a", "*** Update File: new", "*** Move to: moved", "@@", "-y", "+z")
      })
      yield* write("what a patch has added", "added", "b\n")
      yield* write("and moved", "moved", "b\n")
      yield* golden("whole-files", steps)
    })
  )

  it.effect("with a content that leaves nothing out: no line of it stands for others", () =>
    Effect.gen(function* () {
      const { call, workspace } = yield* Knowing.session
      const standIns = [
        "// ... rest of the file unchanged",
        "    # ... existing code ...",
        "/* ... remaining functions ... */",
        "<!-- rest of the file stays the same -->",
        "-- … unchanged",
        "{/* ... other components remain the same ... */}",
        "; ... (same as before)",
        "// rest of the code remains unchanged",
        '"... rest of init.vim"',
        "% ... rest of the content here"
      ]
      workspace.write("a", "one\n// ... existing code of theirs\n")
      yield* call("read_file", { path: "a" })
      const told: Array<readonly [string, string]> = []
      for (const line of standIns) {
        const said = yield* call("write_to_file", { path: "a", content: `first\n${line}\n` })
        assert.match(said, /^Line 2 of the content, .* stands for text that you left out\./, line)
        told.push([line.trim(), said])
      }
      assert.strictEqual(workspace.read("a"), "one\n// ... existing code of theirs\n")
      yield* golden("stand-ins", told.slice(0, 2))
      const content = [
        "// The rest is up to the caller.",
        "const rest = [...existing]",
        "// keep the existing code path for old browsers",
        "# Wait ...",
        "* the same as before, but faster",
        "// ... existing code of theirs",
        ""
      ].join("\n")
      assert.strictEqual(yield* call("write_to_file", { path: "a", content }), "Wrote 6 lines to a; it had 2.")
      const made = yield* call("write_to_file", { path: "new", content: `${standIns[0]}\n` })
      assert.strictEqual(made, "Wrote 1 line to new (created).")
    })
  )
})

describe("replace_all", () => {
  it.effect("replaces every match of each block, and says how many there were", () =>
    Effect.gen(function* () {
      const { call, workspace } = yield* Knowing.session
      const steps: Array<readonly [string, string]> = []
      const tell = (title: string, args: object) =>
        Effect.map(call("replace_in_file", { path: "a", replace_all: true, ...args }), (told) =>
          steps.push([title, told])
        )
      workspace.write("a", "use(old)\n".repeat(40))
      yield* tell("40 uses of a name", { diff: diff("old", "fresh") })
      assert.strictEqual(workspace.read("a"), "use(fresh)\n".repeat(40))
      workspace.write("a", "\tone\n\ttwo\nend\n  one\n  two\n")
      yield* tell("lines with other blanks, and more lines before them", {
        diff: `${diff("one\ntwo", "  1\n  2")}\n${diff("end", "the\nend")}`
      })
      assert.strictEqual(workspace.read("a"), "  1\n  2\nthe\nend\n  1\n  2\n")
      yield* tell("no match", { diff: diff("nowhere", "x") })
      yield* tell("one match", { diff: diff("the", "The") })
      const many = { diff: diff("  1", "x"), replace_all: false }
      yield* tell("without it", many)
      yield* golden("replace-all", steps)
    })
  )
})

describe("what is known of lines", () => {
  const Line = Schema.Literals(["a", "b", "c", ""])
  const Lines = Arbitrary.array(Arbitrary.schema(Line), { maxLength: 12 })

  it.prop(
    "is never more than what was shown or stayed: a line that is known has the text that was shown",
    { before: Lines, after: Lines, shown: Arbitrary.array(Arbitrary.schema(Schema.Boolean), { maxLength: 12 }) },
    ({ after, before, shown }) => {
      const ranges = before.flatMap((_, at) => (shown[at] ? [[at + 1, at + 1] as const] : []))
      const known = { hash: "1", lines: KnownLines.of(text(before), ranges) }
      const now = { hash: "2", lines: KnownLines.of(text(after), []) }
      const merged = KnownLines.merged(known, now)
      const unknown = KnownLines.unknown(merged).flatMap(([from, to]) =>
        after.slice(from - 1, to).map((_, at) => from + at)
      )
      const texts = new Set(ranges.map(([at]) => before[at - 1]))
      for (const [at, line] of after.entries()) {
        if (!unknown.includes(at + 1)) assert.isTrue(texts.has(line))
      }
      const same = KnownLines.merged(known, { hash: "1", lines: KnownLines.of(text(before), []) })
      assert.strictEqual(same, KnownLines.merged(undefined, known))
    }
  )
})
