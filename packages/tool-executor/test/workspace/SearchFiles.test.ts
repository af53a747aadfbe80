import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as childProcess from "node:child_process"
import * as fs from "node:fs"
import * as Workspace from "./fixtures/Workspace.ts"

describe("search_files", () => {
  it.effect("shows matches with the lines around them", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      const search = (args: object) => Workspace.call("search_files", args, workspace)
      workspace.write("src/a.ts", "1\n2\n3\nneedle here\n5\n6\n7\n8\n9\n10\nneedle\n")
      workspace.write("src/b.md", "needle\n")
      assert.deepStrictEqual(yield* search({ path: ".", regex: "nee+dle", file_pattern: "*.ts" }), {
        text: "2 matching lines in 1 file.\n\nsrc/a.ts\n2- 2\n3- 3\n4: needle here\n5- 5\n6- 6\n--\n9- 9\n10- 10\n11: needle",
        isError: false
      })
      assert.include((yield* search({ path: "src/b.md", regex: "needle" })).text, "src/b.md\n1: needle")
      assert.deepStrictEqual(yield* search({ path: ".", regex: "nothing" }), { text: "No matches.", isError: false })
    })
  )

  it.effect("takes a regex or a path that looks like an option as what it is", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      workspace.write("--pre=touch owned", "--hidden needle\n")
      const { text } = yield* Workspace.call(
        "search_files",
        { path: "--pre=touch owned", regex: "--hidden", file_pattern: "--no-ignore" },
        workspace
      )
      assert.include(text, "1: --hidden needle")
      assert.isFalse(fs.existsSync(workspace.at("owned")))
    })
  )

  it.effect("never shows secret or ignored files, whatever the pattern says", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      workspace.write(".gitignore", "dist/\n")
      workspace.write(".belayignore", "private/\n")
      workspace.write("sub/.gitignore", "!private/\n!dist/\n")
      const secret = [".env", ".env.local", "prod.env", "a.pem", "B.KEY", "id_ed25519", ".ssh/config", "sub/.npmrc"]
      for (const name of [...secret, "dist/a", "private/a", "hidden-by-policy.txt", ".git/a"]) {
        workspace.write(name, "needle\n")
      }
      workspace.write("open", "needle\n")
      for (const pattern of [undefined, "*", ".env*", "**/.ssh/**", "!open"]) {
        const args = { path: ".", regex: "needle", ...(pattern === undefined ? {} : { file_pattern: pattern }) }
        const { text } = yield* Workspace.call("search_files", args, workspace)
        for (const name of [...secret, "dist/a", "private/a", "hidden-by-policy.txt", ".git/a"]) {
          assert.notInclude(text, name)
        }
      }
      for (const name of [".env", ".ssh", ".ssh/config", "hidden-by-policy.txt"]) {
        const { isError, text } = yield* Workspace.call("search_files", { path: name, regex: "needle" }, workspace)
        assert.isTrue(isError)
        assert.include(text, "may hold secrets")
      }
    })
  )

  it.effect("counts what it does not show, file by file", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      const search = (args: object) => Effect.map(Workspace.call("search_files", args, workspace), ({ text }) => text)
      workspace.write("src/a.js", "const one = 1\n")
      workspace.write("src/big.js", "export const x = 1\n".repeat(2600))
      for (const name of ["b", "c", "d"]) workspace.write(`src/${name}.js`, "// first\nexport const y = 2\n")
      const shown = Array.from({ length: 20 }, (_, index) => `${index + 1}: export const x = 1`)
      const others = ["b", "c", "d"].map((name) => `src/${name}.js\n2: export const y = 2`)
      const expected = [
        "2,604 matching lines in 5 files; at most 20 a file are shown.",
        "src/a.js\n1: const one = 1",
        others[0]?.replace("\n", "\n1- // first\n"),
        `src/big.js (20 of 2,600)\n${shown.join("\n")}`,
        ...others.slice(1).map((text) => text.replace("\n", "\n1- // first\n"))
      ]
      assert.strictEqual(yield* search({ path: ".", regex: "const" }), expected.join("\n\n"))
      assert.strictEqual(
        yield* search({ path: ".", regex: "one" }),
        "1 matching line in 1 file.\n\nsrc/a.js\n1: const one = 1"
      )
    })
  )

  it.effect("shows as many lines around a match as it is asked for, or only which files match", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      const search = (args: object) =>
        Effect.map(
          Workspace.call("search_files", { path: ".", regex: "needle", ...args }, workspace),
          ({ text }) => text
        )
      workspace.write("a.ts", "1\n2\n3\nneedle\n5\n6\n7\nneedle\n")
      workspace.write("big.ts", "needle\n".repeat(1200))
      workspace.write("c.md", "needle\n")
      assert.strictEqual(
        yield* search({ file_pattern: "a.ts", context: 0 }),
        "2 matching lines in 1 file.\n\na.ts\n4: needle\n--\n8: needle"
      )
      assert.strictEqual(
        yield* search({ file_pattern: "a.ts", context: 1 }),
        "2 matching lines in 1 file.\n\na.ts\n3- 3\n4: needle\n5- 5\n--\n7- 7\n8: needle"
      )
      assert.strictEqual(
        yield* search({ files_only: true }),
        "1,203 matching lines in 3 files.\n\na.ts (2)\nbig.ts (1,200)\nc.md (1)"
      )
      assert.strictEqual(yield* search({ files_only: true, file_pattern: "*.go" }), "No matches.")
      for (let index = 1000; index < 1500; index++) workspace.write(`d/${index}`, "needle\n")
      const lines = (yield* search({ files_only: true })).split("\n")
      assert.strictEqual(lines[0], "1,703 matching lines in 503 files; 500 files are named. Narrow the search.")
      assert.deepStrictEqual([lines.length, lines.at(-1)], [502, "d/1496 (1)"])
    })
  )

  it.effect("shows the lines after the last match that is shown, up to the next match", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      workspace.write("a", `${"needle\n".repeat(20)}after\nneedle\nmore\nneedle\n`)
      const { text } = yield* Workspace.call("search_files", { path: ".", regex: "needle" }, workspace)
      assert.isTrue(text.startsWith("22 matching lines in 1 file; at most 20 a file are shown.\n\na (20 of 22)\n1: "))
      assert.isTrue(text.endsWith("\n20: needle\n21- after"))
    })
  )

  it.effect("is capped in matches, in a file and in a line, and says so", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      for (let index = 10; index < 40; index++) workspace.write(`f${index}`, "needle\n".repeat(index < 25 ? 15 : 100))
      const { text } = yield* Workspace.call("search_files", { path: ".", regex: "needle" }, workspace)
      assert.strictEqual(
        text.split("\n", 1)[0],
        "1,725 matching lines in 30 files; 200 of them are shown. Narrow the search."
      )
      assert.include(text, "\nf22\n1: ")
      assert.isTrue(text.endsWith("\nf23 (5 of 15)\n1: needle\n2: needle\n3: needle\n4: needle\n5: needle"))
      workspace.write("f10", "needle\n".repeat(21))
      const { text: both } = yield* Workspace.call("search_files", { path: ".", regex: "needle" }, workspace)
      assert.strictEqual(
        both.split("\n", 1)[0],
        "1,731 matching lines in 30 files; 200 of them are shown, at most 20 a file. Narrow the search."
      )
      workspace.write("wide", `${"x".repeat(5000)}needle${"y".repeat(5000)}\n`)
      const wide = yield* Workspace.call("search_files", { path: "wide", regex: "needle" }, workspace)
      assert.match(wide.text, /1: \[\.\.\.\]x+needley+\[\.\.\.\]$/)
      assert.isBelow(wide.text.length, 600)
    })
  )

  it.effect("ends its count at 100,000 matching lines, and says so", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      workspace.write("a", "needle\n".repeat(100_001))
      const { text } = yield* Workspace.call("search_files", { path: ".", regex: "needle" }, workspace)
      assert.strictEqual(
        text.split("\n", 3).join("\n"),
        "At least 100,000 matching lines in 1 file; at most 20 a file are shown.\n\na (20 of 100,000)"
      )
    })
  )

  it.effect("says what is wrong with a regex or a path", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      childProcess.execFileSync("mkfifo", [workspace.at("fifo")])
      workspace.write("a", "x")
      const search = (args: object) => Workspace.call("search_files", args, workspace)
      const wrong = yield* search({ path: ".", regex: "(" })
      assert.isTrue(wrong.isError)
      assert.include(wrong.text, "unclosed group")
      assert.isTrue((yield* search({ path: "fifo", regex: "x" })).isError)
      assert.isTrue((yield* search({ path: "absent", regex: "x" })).isError)
      assert.isTrue((yield* search({ path: ".", regex: "a\0" })).isError)
      // No backtracking: the classic bomb is answered at once.
      workspace.write("bomb", "a".repeat(50_000))
      assert.strictEqual((yield* search({ path: "bomb", regex: "(a+)+$b" })).text, "No matches.")
    })
  )
})
