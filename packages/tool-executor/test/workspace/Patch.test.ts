import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { createHash } from "node:crypto"
import * as fs from "node:fs"
import * as Patch from "../../src/workspace/text/Patch.ts"
import * as PatchedText from "../../src/workspace/text/PatchedText.ts"
import type * as Tool from "../../src/tool/Tool.ts"
import * as Workspace from "./fixtures/Workspace.ts"

const patch = (...lines: ReadonlyArray<string>): string => ["*** Begin Patch", ...lines, "*** End Patch"].join("\n")

const hunks = (...lines: ReadonlyArray<string>): ReadonlyArray<Patch.Hunk> => {
  const [section] = Result.getOrThrow(Patch.parse(patch("*** Update File: a", ...lines)))
  return section?._tag === "Update" ? section.hunks : []
}

const applied = (raw: string, ...lines: ReadonlyArray<string>): string => {
  const result = PatchedText.apply(raw, hunks(...lines))
  return Result.isSuccess(result) ? result.success : `error: ${result.failure.message}`
}

describe("Patch", () => {
  it("reads files that are changed, moved, added and removed", () => {
    const text = patch(
      "*** Update File: a b.ts",
      "*** Move to: c.ts",
      "@@ class A",
      " one",
      "",
      "-two",
      "+2",
      "*** End of File",
      "",
      "*** Add File: d",
      "+x",
      "+",
      "*** Delete File: e"
    )
    const sections: ReadonlyArray<Patch.Section> = [
      {
        _tag: "Update",
        path: "a b.ts",
        to: "c.ts",
        hunks: [
          {
            anchors: ["class A"],
            lines: [
              { op: " ", text: "one" },
              { op: " ", text: "" },
              { op: "-", text: "two" },
              { op: "+", text: "2" }
            ],
            atEnd: true
          }
        ]
      },
      { _tag: "Add", path: "d", text: "x\n\n" },
      { _tag: "Delete", path: "e" }
    ]
    assert.deepStrictEqual(Patch.parse(text), Result.succeed(sections))
    assert.deepStrictEqual(Patch.parse(text.replaceAll("\n", "\r\n")), Result.succeed(sections))
    assert.deepStrictEqual(Patch.parse(`\`\`\`\n${text}\n\`\`\``), Result.succeed(sections))
  })

  it("says which line is wrong, and what stands in the way", () => {
    const errors = [
      "",
      "hello",
      patch("*** Update File: a"),
      patch("*** Update File: a", "@@", " x"),
      patch("*** Update File: a", "@@", "x"),
      patch("*** Add File: a", "x"),
      patch("*** Delete File: a", "-x"),
      patch("*** Delete File: a", "*** Update File: a", "-x"),
      patch("*** Delete File:  ")
    ].map((text) => {
      const parsed = Patch.parse(text)
      return Result.isFailure(parsed) ? parsed.failure.message : "read"
    })
    const expected = [
      /^The patch names no file/,
      /^Line 1 is outside of a section/,
      /^The section of a has no hunk/,
      /^Hunk 1 of a changes nothing/,
      /^Line 4: a line of a hunk begins with/,
      /^Line 3: every line of a new file begins with \+/,
      /^Line 3: nothing may follow/,
      /^a is named twice/,
      /^Line 2 names no file/
    ]
    for (const [index, error] of errors.entries()) assert.match(error, expected[index] ?? /^$/)
  })

  it("tells how to write what comes as a unified diff", () => {
    const failureOf = (...lines: ReadonlyArray<string>) => {
      const parsed = Patch.parse(lines.join("\n"))
      return Result.isFailure(parsed) ? parsed.failure.message : "read"
    }
    const told = (file: string) =>
      `This is a unified diff. Begin each file with "*** Update File: ${file}" and each hunk with "@@", without ---, +++ and line numbers.`
    const hunk = ["@@ -1,2 +1,2 @@", " a", "-b", "+c"]
    const git = ["diff --git a/src/tax.js b/src/tax.js", "index 1..2 100644"]
    assert.strictEqual(failureOf(...git, "--- a/src/tax.js", "+++ b/src/tax.js", ...hunk), told("src/tax.js"))
    assert.strictEqual(failureOf("*** Begin Patch", "--- tax.js\t2026", "+++ tax.js\t2026", ...hunk), told("tax.js"))
    assert.strictEqual(failureOf("--- a/gone.js", "+++ /dev/null", ...hunk), told("gone.js"))
    assert.match(failureOf("--- a", "no diff"), /^Line 1 is outside of a section/)
  })

  it("shows the lines that are most like those that were not found", () => {
    const text = "const alpha = 1\nconst beta = 2\nconst gamma = 3\n"
    assert.strictEqual(
      applied(text, "@@", "-const bta = 2", "+x"),
      "error: Hunk 1: its old lines were not found. The closest lines (2-2) are:\nconst beta = 2"
    )
  })

  it("matches once, in order, after the lines of @@, exactly before loosely", () => {
    const text = "class A\n  run()\nclass B\n  run()\n"
    assert.strictEqual(applied(text, "@@ class B", "-  run()", "+  go()"), "class A\n  run()\nclass B\n  go()\n")
    assert.match(
      applied(text, "@@", "-  run()", "+  go()"),
      /^error: Hunk 1: its old lines are at lines 2, 4; add more/
    )
    assert.strictEqual(
      applied(text, "@@", " class A", "-run()", "+  go()", "@@", " class B", "+  // b", " run()"),
      "class A\n  go()\nclass B\n  // b\n  run()\n"
    )
    assert.match(applied(text, "@@", "-class B", "@@", "-class A"), /^error: Hunk 2: .*keep the order/)
    assert.match(applied(text, "@@ class C", "-  run()"), /^error: Hunk 1: the line of @@ class C was not found/)
    assert.match(applied(text, "@@", "-nowhere"), /^error: Hunk 1: its old lines were not found. No similar lines/)
    assert.match(applied(text, "@@", "+x"), /^error: Hunk 1: it has no old line/)
    assert.strictEqual(applied(text, "@@ class B", "+  // b"), "class A\n  run()\nclass B\n  // b\n  run()\n")
    assert.strictEqual(applied(text, "@@", "-  run()", "*** End of File"), "class A\n  run()\nclass B\n")
    assert.strictEqual(applied(text, "@@", "+end", "*** End of File"), `${text}end\n`)
    assert.strictEqual(applied(text, "@@ -1,2 +1,2 @@", " class A", "-  run()"), "class A\nclass B\n  run()\n")
  })

  it("keeps line breaks, and whether the last line has one", () => {
    assert.strictEqual(applied("a\r\nb\r\n", "-a", "+x", "+y"), "x\r\ny\r\nb\r\n")
    assert.strictEqual(applied("a\nb", "-b", "+c"), "a\nc")
    assert.strictEqual(applied("a\nb", " b", "+c"), "a\nb\nc")
    assert.strictEqual(applied("a\nb", "-a", "-b"), "")
  })

  const Text = Schema.Literals(["a", "b", "", "  a", "c"])
  const Op = Schema.Literals([" ", "-", "+"])
  const Script = Arbitrary.array(Arbitrary.schema(Schema.Tuple([Op, Text])), { maxLength: 12 })
  const Break = Schema.Literals(["\n", "\r\n"])
  it.prop(
    "makes of the old text the new one, whatever stays, goes and comes",
    { script: Script, ending: Arbitrary.schema(Break) },
    ({ ending, script }) => {
      if (!script.some(([op]) => op !== " ") || !script.some(([op]) => op !== "+")) return
      const side = (out: string) => script.flatMap(([op, text]) => (op === out ? [] : [text + ending])).join("")
      const result = PatchedText.apply(side("+"), [
        { anchors: [], atEnd: true, lines: script.map(([op, text]) => ({ op, text })) }
      ])
      assert.deepStrictEqual(result, Result.succeed(side("-")))
    }
  )
})

describe("apply_patch", () => {
  const tool = Workspace.tool("apply_patch")
  const whole = patch(
    "*** Update File: a",
    "-one",
    "+1",
    "*** Add File: new/b",
    "+b",
    "*** Delete File: c",
    "*** Update File: d",
    "*** Move to: e/d",
    "-four",
    "+4"
  )
  const files = Effect.map(Workspace.make, (workspace) => {
    workspace.write("a", "\uFEFFone\r\n")
    workspace.write("c", "three\n")
    workspace.write("d", "four\n")
    fs.chmodSync(workspace.at("d"), 0o755)
    return workspace
  })

  it.effect("changes, adds, removes and moves", () =>
    Effect.gen(function* () {
      const workspace = yield* files
      const done = yield* Workspace.call("apply_patch", { patch: whole }, workspace)
      assert.deepStrictEqual(done, {
        text: "Patched 5 files:\nM a\n1\t1\nA new/b\nD c\nD d\nA e/d\n1\t4",
        isError: false
      })
      assert.deepStrictEqual(
        ["a", "new/b", "e/d"].map((name) => workspace.read(name)),
        ["\uFEFF1\r\n", "b\n", "4\n"]
      )
      assert.deepStrictEqual(fs.readdirSync(workspace.root).toSorted(), ["a", "e", "new"])
      assert.strictEqual(fs.statSync(workspace.at("e/d")).mode & 0o777, 0o755)
    })
  )

  it.effect("does nothing when one of the files cannot be changed, and leaves nothing beside them", () =>
    Effect.gen(function* () {
      const workspace = yield* files
      const before = fs.readdirSync(workspace.root)
      // Found when it is planned, when it is written, and when it takes its place.
      workspace.write("file", "x")
      const cases = [
        [
          whole.replace("-four", "-five"),
          /^d: Hunk 1: its old lines were not found\. No similar lines are in the file: read it again\.\nNothing/
        ],
        [whole.replace("new/b", "c/b"), /c\/b .*not a folder.*Nothing was changed\.$/],
        [whole.replace("new/b", "a"), /^a exists already|a is named twice/],
        [whole.replace("e/d", "file"), /^file exists already/]
      ] as const
      for (const [text, why] of cases) {
        if (Result.isFailure(Patch.parse(text))) continue
        const { isError, text: said } = yield* Workspace.call("apply_patch", { patch: text }, workspace)
        assert.isTrue(isError)
        assert.match(said, why)
        assert.deepStrictEqual(
          fs.readdirSync(workspace.root).filter((name) => name !== "file"),
          before
        )
        assert.deepStrictEqual([workspace.read("a"), workspace.read("c")], ["\uFEFFone\r\n", "three\n"])
      }
    })
  )

  it.effect("states each file, shows each, and binds to the content of each", () =>
    Effect.gen(function* () {
      const workspace = yield* files
      const args = { patch: whole }
      const facts = yield* tool.facts(args, workspace.context)
      assert.deepStrictEqual(
        facts.paths.map(({ access, kind, relative }) => [relative, access, kind]),
        [
          ["a", "write", "file"],
          ["new/b", "write", "absent"],
          ["c", "write", "file"],
          ["d", "write", "file"],
          ["e/d", "write", "absent"]
        ]
      )
      const shown = yield* tool.proposes?.(args, workspace.context) ?? Effect.succeed([])
      assert.deepStrictEqual(
        shown.map(({ contents, summary }) => [
          summary.path,
          summary.deletes === true,
          contents?.base,
          contents?.proposed
        ]),
        [
          ["a", false, "one\r\n", "1\r\n"],
          ["new/b", false, undefined, "b\n"],
          ["c", true, "three\n", ""],
          ["d", true, "four\n", ""],
          ["e/d", false, undefined, "4\n"]
        ]
      )
      const identity = () => tool.identity?.(args, workspace.context) ?? Effect.succeed("")
      const before = yield* identity()
      workspace.write("c", "other\n")
      assert.notStrictEqual(yield* identity(), before)
      // Bound to what it is by now; then it changes once more.
      workspace.write("c", "again\n")
      assert.match(Workspace.textOf(yield* tool.execute(args, workspace.context)), /^c changed in the meantime/)
      assert.isTrue(fs.existsSync(workspace.at("d")))
    })
  )

  it.effect("writes what a person wants instead, also of a file that was to go", () =>
    Effect.gen(function* () {
      const workspace = yield* files
      const edited = [
        { resolved: workspace.at("a"), text: "mine\r\n" },
        { resolved: workspace.at("c"), text: "kept\n" }
      ]
      const told = Workspace.textOf(yield* tool.execute({ patch: whole }, { ...workspace.context, edited }))
      assert.deepStrictEqual([workspace.read("a"), workspace.read("c")], ["\uFEFFmine\r\n", "kept\n"])
      assert.include(told, "M c\n")
      assert.include(told, "-1\r\n+mine\r\n")
    })
  )

  it.effect(
    "refuses before anybody is asked: what does not fit, and every file that is not as the model knows it",
    () =>
      Effect.gen(function* () {
        const workspace = yield* files
        const refuses = (text: string, seen?: Tool.ToolContext["seen"]) =>
          tool.refuses?.({ patch: text }, { ...workspace.context, ...(seen === undefined ? {} : { seen }) }) ??
          Effect.succeed(undefined)
        assert.isUndefined(yield* refuses(whole))
        assert.strictEqual((yield* refuses(whole.replace("-one", "-two")))?.mistake, true)
        const known = { hash: createHash("sha256").update("before").digest("hex") }
        const both = whole.replace("*** Update File: a\n-one\n+1", "*** Delete File: a")
        const stale = yield* refuses(both, (file) => (/[ac]$/.test(file) ? known : undefined))
        assert.strictEqual(stale?.mistake, false)
        const said = Workspace.textOf(stale?.output ?? { content: [], isError: true })
        assert.include(said, "a was changed since you saw it")
        assert.include(said, "c was changed since you saw it")
      })
  )
})
