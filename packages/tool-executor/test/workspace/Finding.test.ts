import { ApprovalPolicy, Approvals } from "@belay/approval-policy"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as childProcess from "node:child_process"
import * as fs from "node:fs"
import { FileNames } from "../../src/workspace.ts"
import * as Workspace from "./fixtures/Workspace.ts"

describe("list_files", () => {
  it.effect("lists one folder, or the tree, without ignored files and .git", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      const list = (args: object) => Effect.map(Workspace.call("list_files", args, workspace), ({ text }) => text)
      workspace.write(".gitignore", "node_modules/\n*.log\n")
      workspace.write(".belayignore", "private/\n*.keepout\n")
      for (const name of [
        ".git/config",
        "node_modules/a/index.js",
        "x.log",
        "private/p",
        "src/a.ts",
        "src/b.keepout"
      ]) {
        workspace.write(name, "")
      }
      workspace.write("src/.gitignore", "!keep.log\n!b.keepout\ngen\n")
      for (const name of ["src/keep.log", "src/other.log", "src/gen/g.ts"]) workspace.write(name, "")
      assert.strictEqual(yield* list({ path: "." }), "./: .belayignore .gitignore src/")
      assert.strictEqual(
        yield* list({ path: ".", recursive: true }),
        "./: .belayignore .gitignore\nsrc/: .gitignore a.ts keep.log"
      )
      // Asked for by name, an ignored folder is listed.
      assert.strictEqual(yield* list({ path: "node_modules/a" }), "node_modules/a/: index.js")
    })
  )

  it.effect("offers the names of a workspace without ignored ones and those with control characters", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      workspace.write(".gitignore", "gen/\n")
      workspace.write(".belayignore", "private/\n")
      for (const name of ["src/a b.ts", "src/a\nb.ts", "x\u009b/y.ts", "gen/g.ts", "private/p"])
        workspace.write(name, "")
      fs.symlinkSync("..", workspace.at("src/up"))
      const names = yield* FileNames.of(workspace.at("."))
      assert.deepStrictEqual(names, [".belayignore", ".gitignore", "src/", "src/a b.ts", "src/up"])
    })
  )

  it.effect("shows links and does not follow them; spells out control characters", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      workspace.write("dir/a\nb\x1b[31m", "")
      fs.symlinkSync("..", workspace.at("dir/up"))
      const { text } = yield* Workspace.call("list_files", { path: ".", recursive: true }, workspace)
      assert.strictEqual(text, "dir/: a\\nb\\u{1b}[31m up -> ..")
    })
  )

  it.effect("shows a tree as one line a folder, and names that hold a blank in quotes", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      for (const name of ["a b.txt", "many/d0/f1.txt", "many/d0/f2.txt", "many/d1/f3.txt", "my dir/[id].tsx"]) {
        workspace.write(name, "")
      }
      fs.mkdirSync(workspace.at("many/none"))
      fs.symlinkSync("a b.txt", workspace.at("to"))
      const { text } = yield* Workspace.call("list_files", { path: ".", recursive: true }, workspace)
      assert.strictEqual(
        text,
        './: "a b.txt" to -> "a b.txt"\nmany/: none/\nmany/d0/: f1.txt f2.txt\nmany/d1/: f3.txt\n"my dir/": [id].tsx'
      )
    })
  )

  it.effect("lists what a pattern matches below the folder, of ignored files none", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      const list = (args: object) => Effect.map(Workspace.call("list_files", args, workspace), ({ text }) => text)
      workspace.write(".gitignore", "node_modules/\n")
      for (const name of [
        "a.test.ts",
        "a.ts",
        "node_modules/n/n.test.ts",
        "src/.hidden/h.test.ts",
        "src/b.test.ts",
        "src/deep/er/c.test.tsx",
        "src/deep/er/d.test.ts",
        "src/fixtures/x.json"
      ]) {
        workspace.write(name, "")
      }
      assert.strictEqual(
        yield* list({ path: ".", pattern: "**/*.test.ts" }),
        "./: a.test.ts\nsrc/: b.test.ts\nsrc/.hidden/: h.test.ts\nsrc/deep/er/: d.test.ts"
      )
      assert.strictEqual(
        yield* list({ path: "src", pattern: "*.test.{ts,tsx}" }),
        ["src/: b.test.ts", "src/.hidden/: h.test.ts", "src/deep/er/: c.test.tsx d.test.ts"].join("\n")
      )
      assert.strictEqual(yield* list({ path: "src", pattern: "deep/**/*.ts" }), "src/deep/er/: d.test.ts")
      assert.strictEqual(yield* list({ path: ".", pattern: "fixtures" }), "src/: fixtures/")
      assert.strictEqual(yield* list({ path: ".", pattern: "**/*.go" }), "[Nothing here matches.]")
    })
  )

  it.effect("shows 1,000 entries, the same number of each folder, and says how many more there are", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      const fill = (folder: string, count: number) => {
        fs.mkdirSync(workspace.at(folder))
        for (let index = 1000; index < 1000 + count; index++) fs.writeFileSync(workspace.at(`${folder}/f${index}`), "")
      }
      fill("few", 10)
      fill("many", 1100)
      fill("more", 2000)
      const names = (count: number) => Array.from({ length: count }, (_, index) => `f${1000 + index}`).join(" ")
      const { text } = yield* Workspace.call("list_files", { path: ".", recursive: true }, workspace)
      assert.strictEqual(text, `few/: ${names(10)}\nmany/: ${names(495)} [605 more]\nmore/: ${names(495)} [1,505 more]`)
      const { text: one } = yield* Workspace.call("list_files", { path: "many" }, workspace)
      assert.strictEqual(one, `many/: ${names(1000)} [100 more]`)
    })
  )

  it.effect("says how many folders it does not show, and what was not walked", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.inMemory
      for (let index = 1000; index < 2010; index++) {
        fs.mkdirSync(workspace.at(`d${index}`))
        fs.writeFileSync(workspace.at(`d${index}/a`), "")
        fs.writeFileSync(workspace.at(`d${index}/b`), "")
      }
      const list = Effect.map(Workspace.call("list_files", { path: ".", recursive: true }, workspace), ({ text }) =>
        text.split("\n")
      )
      const shown = yield* list
      assert.strictEqual(shown[0], "d1000/: a [1 more]")
      assert.deepStrictEqual(shown.slice(999), [
        "d1999/: a [1 more]",
        "[Folders that are not shown: 10, with 20 entries. List one above them.]"
      ])
      const stopped = (folders: string) =>
        `[The walk stopped after 20,000 entries; folders that were not walked to the end: ${folders}. List one of them.]`
      for (let index = 0; index < 18_980; index++) fs.writeFileSync(workspace.at(`d1000/f${index}`), "")
      assert.strictEqual((yield* list).at(-1), stopped("1,005"))
      fs.writeFileSync(workspace.at("d1004/c"), "")
      assert.strictEqual((yield* list).at(-1), stopped("1,006"))
    })
  )

  it.effect("fails for files and for what does not exist", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      workspace.write("a", "")
      assert.isTrue((yield* Workspace.call("list_files", { path: "a" }, workspace)).isError)
      assert.isTrue((yield* Workspace.call("list_files", { path: "b" }, workspace)).isError)
    })
  )
})

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

describe("a pattern in paths", () => {
  it.effect("that does not let files be read keeps them from what takes all of a folder", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      for (const name of ["src/keys/k.ts", "src/asked.ts", "src/a.ts"])
        workspace.write(name, "export const needle = () => 1\n")
      const paths = [
        { pattern: "src/keys/**", read: "deny" },
        { pattern: "**/asked.ts", read: "ask" }
      ] as const
      const context = { ...workspace.context, approvals: { ...Approvals.ask, paths } }
      const run = (name: string, args: object) => Workspace.tool(name).execute(args, context)
      const found = yield* run("search_files", { path: ".", regex: "needle" })
      assert.match(Workspace.textOf(found), /src\/a\.ts/)
      assert.notMatch(Workspace.textOf(found), /keys|asked/)
      const defined = yield* run("list_code_definition_names", { path: "src" })
      assert.notMatch(Workspace.textOf(defined), /asked/)
      // A file that is named has been judged.
      const named = yield* run("search_files", { path: "src/asked.ts", regex: "needle" })
      assert.match(Workspace.textOf(named), /asked/)
    })
  )
})

describe(".belayignore", () => {
  it.effect("is the same for every tool: what it leaves out asks by name, and lists and searches do not show it", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      workspace.write(".belayignore", "private/\n*.keepout\n")
      for (const name of ["private/p.txt", "src/b.keepout", "src/a.ts", "docs/c.md"]) workspace.write(name, "needle\n")
      fs.symlinkSync(workspace.at("private/p.txt"), workspace.at("notes.txt"))
      const rules = {
        ...Approvals.all,
        commands: { allow: ["cat", "grep", "rg", "ls", "npm test"], deny: [], other: "ask" }
      } as const
      const decide = Effect.fnUntraced(function* (tool: string, args: object) {
        const { category, facts, name, readOnly } = Workspace.tool(tool)
        const found = yield* facts(args, workspace.context)
        const { decision, rule } = ApprovalPolicy.decide({
          tool: name,
          category,
          args,
          readOnly,
          mode: "act",
          approvals: rules,
          workspace: workspace.root,
          known: true,
          facts: { paths: found.paths, ...(found.command === undefined ? {} : { command: found.command }) }
        })
        return decision === "allow" ? "allow" : rule
      })
      for (const file of ["private/p.txt", "src/b.keepout", "notes.txt"]) {
        assert.strictEqual(yield* decide("read_file", { path: file }), "path.ignored", file)
        assert.strictEqual(yield* decide("write_to_file", { path: file, content: "" }), "path.ignored", file)
        assert.strictEqual(yield* decide("search_files", { path: file, regex: "x" }), "path.ignored", file)
        for (const command of [`cat ${file}`, `cat < ${file}`, `cat ${file[0]}*/* *.txt src/*`, `npm test ${file}`]) {
          assert.strictEqual(yield* decide("execute_command", { command }), "path.ignored", command)
        }
      }
      assert.strictEqual(yield* decide("list_files", { path: "private" }), "path.ignored")
      for (const command of [
        "grep -r needle .",
        "grep -r needle",
        "rg needle",
        "rg needle src",
        "find . -exec cat {} +"
      ]) {
        assert.strictEqual(yield* decide("execute_command", { command }), "path.ignored", command)
      }
      for (const command of ["cat src/a.ts", "grep -r needle docs", "rg needle docs", "ls -R"]) {
        assert.strictEqual(yield* decide("execute_command", { command }), "allow", command)
      }
      assert.strictEqual(yield* decide("read_file", { path: "src/a.ts" }), "allow")
      fs.rmSync(workspace.at(".belayignore"))
      assert.strictEqual(yield* decide("read_file", { path: "private/p.txt" }), "allow")
    })
  )
})
