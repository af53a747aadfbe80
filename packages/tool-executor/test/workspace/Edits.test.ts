import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { createHash } from "node:crypto"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import * as SeenFile from "../../src/tool/SeenFile.ts"
import * as TextFile from "../../src/workspace/text/TextFile.ts"
import * as Workspace from "./fixtures/Workspace.ts"

const diff = (search: string, replace: string) => `------- SEARCH\n${search}\n=======\n${replace}\n+++++++ REPLACE`

describe("write_to_file", () => {
  it.effect("creates with folders, changes, and says when there is nothing to change", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      const write = (content: string) => Workspace.call("write_to_file", { path: "a/b/c.ts", content }, workspace)
      assert.deepStrictEqual(yield* write("x\ny\n"), { text: "Wrote 2 lines to a/b/c.ts (created).", isError: false })
      assert.deepStrictEqual(yield* write("x"), { text: "Wrote 1 line to a/b/c.ts; it had 2.", isError: false })
      const same = "a/b/c.ts already has this content. Nothing was changed."
      assert.deepStrictEqual(yield* write("x"), { text: same, isError: false })
      assert.strictEqual(workspace.read("a/b/c.ts"), "x")
    })
  )

  it.effect("says how much the file held that it replaces", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      workspace.write("src/big.js", "x\n".repeat(2600))
      const write = (content: string) => Workspace.call("write_to_file", { path: "src/big.js", content }, workspace)
      assert.strictEqual((yield* write("new")).text, "Wrote 1 line to src/big.js; it had 2,600.")
      assert.strictEqual((yield* write("y\n".repeat(1200))).text, "Wrote 1,200 lines to src/big.js; it had 1.")
    })
  )

  it.effect("keeps CRLF and the byte order mark of the file", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      workspace.write("a", "\uFEFFone\r\ntwo\r\n")
      yield* Workspace.call("write_to_file", { path: "a", content: "three\nfour\n" }, workspace)
      assert.strictEqual(workspace.read("a"), "\uFEFFthree\r\nfour\r\n")
    })
  )

  it.effect("goes to the target of a link, refuses folders and binary files", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      workspace.write("real", "old")
      fs.symlinkSync("real", workspace.at("link"))
      yield* Workspace.call("write_to_file", { path: "link", content: "new" }, workspace)
      assert.strictEqual(workspace.read("real"), "new")
      assert.isTrue(fs.lstatSync(workspace.at("link")).isSymbolicLink())
      workspace.write("bin", Buffer.from([0, 1]))
      for (const name of [".", "bin", "real/x", "a\0b"]) {
        assert.isTrue((yield* Workspace.call("write_to_file", { path: name, content: "x" }, workspace)).isError)
      }
      assert.deepStrictEqual(fs.readFileSync(workspace.at("bin")), Buffer.from([0, 1]))
    })
  )

  it.effect("states a write, also for a link that leads outside", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      fs.symlinkSync(workspace.outside, workspace.at("out"))
      const facts = yield* Workspace.tool("write_to_file").facts({ path: "out/x", content: "" }, workspace.context)
      assert.include(facts.paths[0], {
        access: "write",
        inside: false,
        kind: "absent",
        resolved: path.join(workspace.outside, "x")
      })
    })
  )
})

describe("replace_in_file", () => {
  it.effect("changes all blocks or nothing", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      const replace = (text: string) => Workspace.call("replace_in_file", { path: "a", diff: text }, workspace)
      workspace.write("a", "one\r\ntwo\r\nthree\r\n")
      const good = yield* replace(`${diff("one", "1")}\n${diff("two\nthree", "2\n3")}`)
      assert.deepStrictEqual(good, { text: "Replaced 2 blocks in a.", isError: false })
      assert.strictEqual(workspace.read("a"), "1\r\n2\r\n3\r\n")
      const bad = yield* replace(`${diff("1", "x")}\n${diff("nowhere", "y")}`)
      assert.isTrue(bad.isError)
      assert.isTrue(bad.text.startsWith("Block 2: the SEARCH part was not found."))
      assert.isTrue(bad.text.endsWith("\nNothing was changed."))
      assert.strictEqual(workspace.read("a"), "1\r\n2\r\n3\r\n")
    })
  )

  it.effect("says when a block matched loosely, and what to do about an absent file", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      workspace.write("a", "\tone\n\t\ttwo\n")
      const loose = yield* Workspace.call("replace_in_file", { path: "a", diff: diff("one\ntwo", "x") }, workspace)
      const said = "Block 1 matched at line 1 ignoring leading and trailing blanks; check the result:\n1\tx"
      assert.strictEqual(loose.text, `Replaced 1 block in a.\n${said}`)
      workspace.write("long", "top\n\tone\n\t\ttwo\nend\n")
      const twelve = Array.from({ length: 12 }, (_, index) => `  n${index}`).join("\n")
      const both = `${diff("one\ntwo", twelve)}\n${diff("top", "new\ntop")}`
      const shown = yield* Workspace.call("replace_in_file", { path: "long", diff: both }, workspace)
      const lines = Array.from({ length: 10 }, (_, index) => `${index + 3}\t  n${index}`)
      assert.strictEqual(
        shown.text,
        [
          "Replaced 2 blocks in long.",
          "Block 1 matched at line 2 ignoring leading and trailing blanks; check the result:",
          ...lines,
          "(2 more)"
        ].join("\n")
      )
      assert.strictEqual(workspace.read("long"), `new\ntop\n${twelve}\nend\n`)
      const absent = yield* Workspace.call("replace_in_file", { path: "b", diff: diff("x", "y") }, workspace)
      assert.include(absent.text, "b does not exist. Create it with write_to_file.")
    })
  )

  it.effect("loses no change of edits that run at once", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      const words = Array.from({ length: 20 }, (_, index) => `word-${index}.`)
      workspace.write("a", words.join("\n"))
      const edits = words.map((word) =>
        Workspace.call("replace_in_file", { path: "a", diff: diff(word, word.toUpperCase()) }, workspace)
      )
      const results = yield* Effect.all(edits, { concurrency: "unbounded" })
      assert.isFalse(results.some(({ isError }) => isError))
      assert.strictEqual(workspace.read("a"), words.join("\n").toUpperCase())
    })
  )

  const Byte = Schema.Literals([0x09, 0x0a, 0x0d, 0x20, 0x41, 0x80, 0x81, 0x9f, 0xc3, 0xa9, 0xe4, 0xfe, 0xff, 0x00])
  const Bytes = Arbitrary.map(Arbitrary.array(Arbitrary.schema(Byte), { maxLength: 12 }), (list) =>
    Uint8Array.from(list)
  )
  it.effect("leaves every byte beside the change alone, whatever the encoding is", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      const latin1 = (text: string) => Buffer.from(text, "latin1")
      const utf16 = (text: string) => Buffer.from(`\uFEFF${text}`, "utf16le")
      const cases = [
        [latin1("caf\xe9 x\r\n\x80\x81\xff"), latin1("caf\xe9 \xfc\x80\r\n\x80\x81\xff"), "ü€"],
        [utf16("é x\r\n𝄞"), utf16("é ü中\r\n𝄞"), "ü中"],
        [utf16("é x\r\n𝄞").swap16(), utf16("é ü中\r\n𝄞").swap16(), "ü中"],
        // Cyrillic in its own old encoding: shown wrong, written back right.
        [Buffer.from([0xcf, 0xf0, 0x20, 0x78]), Buffer.from([0xcf, 0xf0, 0x20, 0x79]), "y"]
      ] as const
      for (const [before, after, to] of cases) {
        workspace.write("a", before)
        const result = yield* Workspace.call("replace_in_file", { path: "a", diff: diff("x", to) }, workspace)
        assert.deepStrictEqual(result, { text: "Replaced 1 block in a.", isError: false })
        assert.strictEqual(fs.readFileSync(workspace.at("a")).toString("hex"), after.toString("hex"))
      }
    })
  )

  it.effect("says what the encoding of a file cannot hold, and changes nothing", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      const bytes = Buffer.from("caf\xe9", "latin1")
      workspace.write("a", bytes)
      const result = yield* Workspace.call("replace_in_file", { path: "a", diff: diff("caf", "中") }, workspace)
      assert.strictEqual(
        result.text,
        "The file is not UTF-8 but Windows-1252, which has no 中 (U+4E2D). Nothing was changed."
      )
      assert.deepStrictEqual(fs.readFileSync(workspace.at("a")), bytes)
    })
  )

  it.prop("decodes any bytes to a text that gives the same bytes, or to none", { bytes: Bytes }, ({ bytes }) => {
    const decoded = TextFile.decode(bytes)
    if (Result.isFailure(decoded)) return
    const encoded = TextFile.encode(decoded.success, decoded.success.text)
    assert.deepStrictEqual(
      Result.map(encoded, (back) => Buffer.from(back).toString("hex")),
      Result.succeed(Buffer.from(bytes).toString("hex"))
    )
  })
})

describe("SeenFile", () => {
  const hash = (text: string) => createHash("sha256").update(text).digest("hex")

  it("notices another content at once, also of the same size and time", () => {
    const file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), "belay-seen-")), "a")
    assert.deepStrictEqual(SeenFile.look(file), { path: file, hash: "absent" })
    fs.writeFileSync(file, "one")
    const before = SeenFile.look(file)
    fs.writeFileSync(file, "two")
    const now = SeenFile.look(file, before)
    assert.deepStrictEqual([before.hash, now.hash], [hash("one"), hash("two")])
    fs.rmSync(path.dirname(file), { recursive: true })
  })
})

describe("what an edit proposes", () => {
  const propose = (name: string, args: object, workspace: Workspace.TestWorkspace) =>
    Workspace.tool(name).proposes?.(args, workspace.context) ?? Effect.succeed([])

  it.effect("is both sides as they are and would be, with the lines that differ, and nothing is written", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      workspace.write("a", "\uFEFFone\r\ntwo\r\n")
      const [edit] = yield* propose("replace_in_file", { path: "a", diff: diff("two", "2\n3") }, workspace)
      assert.deepStrictEqual(edit?.summary, {
        path: "a",
        resolved: workspace.at("a"),
        exists: true,
        added: 2,
        removed: 1
      })
      assert.deepStrictEqual(edit?.contents, { base: "one\r\ntwo\r\n", proposed: "one\r\n2\r\n3\r\n" })
      const [created] = yield* propose("write_to_file", { path: "b/c", content: "x\ny\n" }, workspace)
      assert.deepStrictEqual([created?.summary.added, created?.summary.exists], [2, false])
      assert.deepStrictEqual(
        [created?.contents, created?.baseHash],
        [{ base: undefined, proposed: "x\ny\n" }, "absent"]
      )
      assert.strictEqual(workspace.read("a"), "\uFEFFone\r\ntwo\r\n")
      assert.isFalse(fs.existsSync(workspace.at("b")))
    })
  )

  it.effect("names where a link leads, and says why contents are not shown", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      fs.symlinkSync(path.join(workspace.outside, "real"), workspace.at("link"))
      fs.writeFileSync(path.join(workspace.outside, "real"), "old")
      workspace.write("bin", Buffer.from([0, 1]))
      const of = (name: string, args: object) => Effect.map(propose(name, args, workspace), ([only]) => only)
      const link = yield* of("write_to_file", { path: "link", content: "new" })
      assert.strictEqual(link?.summary.resolved, fs.realpathSync(path.join(workspace.outside, "real")))
      const hidden = [
        [yield* of("write_to_file", { path: "bin", content: "x" }), /binary/],
        [yield* of("replace_in_file", { path: "link", diff: diff("nowhere", "x") }), /cannot be applied: .*not found/],
        [yield* of("write_to_file", { path: "big", content: "x".repeat(16_000_001) }), /too large .*16\.0 MB/]
      ] as const
      for (const [proposal, why] of hidden) {
        assert.match(proposal?.summary.hidden ?? "", why)
        assert.isUndefined(proposal?.contents)
      }
      const long = yield* of("write_to_file", { path: "long", content: "x\n".repeat(600_000) })
      assert.strictEqual(long?.summary.added, 600_000)
      assert.lengthOf(long?.contents?.proposed ?? "", 1_200_000)
    })
  )

  it.effect("gives way to exactly the text that a person wants, and the model is told with a diff", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      workspace.write("a", "one\r\ntwo\r\n")
      const args = { path: "a", diff: diff("two", "2") }
      const edited = (resolved: string) => ({ ...workspace.context, edited: [{ resolved, text: "one\r\nmine\r\n" }] })
      const other = yield* Workspace.tool("replace_in_file").execute({ ...args }, edited(workspace.at("b")))
      assert.strictEqual(other.content.length, 1)
      workspace.write("a", "one\r\ntwo\r\n")
      const told = yield* Workspace.tool("replace_in_file").execute(args, edited(workspace.at("a")))
      assert.strictEqual(workspace.read("a"), "one\r\nmine\r\n")
      const [done, said] = told.content.map((block) => (block.type === "text" ? block.text : ""))
      assert.strictEqual(done, "Replaced 1 block in a.")
      assert.include(said, "The user changed this before it was written.")
      assert.include(said, "--- a\n+++ a\n@@ -1,2 +1,2 @@\n one\r\n-2\r\n+mine\r\n")
    })
  )

  it.effect("is refused with the person's text, too, when the file is another one by then", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      workspace.write("a", "approved")
      const args = { path: "a", content: "new" }
      const tool = Workspace.tool("write_to_file")
      yield* tool.facts(args, workspace.context)
      yield* tool.identity?.(args, workspace.context) ?? Effect.void
      workspace.write("a", "changed")
      const edited = [{ resolved: workspace.at("a"), text: "mine" }]
      const told = yield* tool.execute(args, { ...workspace.context, edited })
      assert.isTrue(told.isError)
      assert.strictEqual(workspace.read("a"), "changed")
    })
  )
})
