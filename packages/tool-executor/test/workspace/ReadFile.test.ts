import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as childProcess from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import * as TextFile from "../../src/workspace/text/TextFile.ts"
import { pdf } from "./fixtures/Pdf.ts"
import * as Workspace from "./fixtures/Workspace.ts"

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join("")
const shown = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => `${from + index}\tline ${from + index}\n`).join("")

describe("read_file", () => {
  it.effect("gives the text of a PDF page by page, and says why there is none", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      const read = (args: object) => Workspace.call("read_file", args, workspace)
      workspace.write("a.pdf", pdf("Hello there", "Second page"))
      assert.deepStrictEqual(yield* read({ path: "a.pdf" }), {
        text: "1\t[Page 1 of 2]\n2\tHello there\n3\t\n4\t[Page 2 of 2]\n5\tSecond page\n",
        isError: false
      })
      assert.strictEqual(
        (yield* read({ path: "a.pdf", start_line: 5, end_line: 5 })).text,
        "[Lines 5-5 of 5]\n5\tSecond page\n"
      )
      workspace.write("scanned.pdf", pdf("", ""))
      workspace.write("broken.pdf", "%PDF-1.7\nnothing")
      assert.match((yield* read({ path: "scanned.pdf" })).text, /2 pages without text/)
      assert.match((yield* read({ path: "broken.pdf" })).text, /cannot be read: it is damaged/)
    })
  )

  it.effect("gives lines with their numbers, and says which they are where that is not the whole file", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      const read = (args: object) => Workspace.call("read_file", args, workspace)
      workspace.write("a.ts", "one\n\ttwo\n")
      workspace.write("crlf", "\uFEFFone\r\ntwo")
      workspace.write("empty", "")
      assert.deepStrictEqual(yield* read({ path: "a.ts" }), { text: "1\tone\n2\t\ttwo\n", isError: false })
      assert.strictEqual((yield* read({ path: "crlf" })).text, "1\tone\n2\ttwo")
      assert.strictEqual((yield* read({ path: "empty" })).text, "[The file is empty.]")
      assert.strictEqual(
        (yield* read({ path: "a.ts", start_line: 2, end_line: 2 })).text,
        "[Lines 2-2 of 2]\n2\t\ttwo\n"
      )
      assert.strictEqual((yield* read({ path: "a.ts", end_line: 1 })).text, "[Lines 1-1 of 2]\n1\tone\n")
      assert.strictEqual((yield* read({ path: "a.ts", start_line: 1, end_line: 9 })).text, "1\tone\n2\t\ttwo\n")
      workspace.write("blank", "\n")
      assert.strictEqual((yield* read({ path: "blank" })).text, "1\t\n")
      workspace.write("big", numbered(2600))
      assert.strictEqual(
        (yield* read({ path: "big", start_line: 2590, end_line: 2700 })).text,
        `[Lines 2590-2600 of 2600]\n${shown(2590, 2600)}`
      )
      assert.deepStrictEqual(yield* read({ path: "a.ts", start_line: 5 }), {
        text: "a.ts has 2 lines; line 5 does not exist.",
        isError: true
      })
    })
  )

  it.effect("cuts at 2,000 lines, 2,000 characters a line and 48,000 in all, and says how to read on", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      const read = (args: object) => Effect.map(Workspace.call("read_file", args, workspace), ({ text }) => text)
      workspace.write("lines", numbered(2500))
      const first = yield* read({ path: "lines" })
      assert.isTrue(first.startsWith("[Lines 1-2000 of 2500. Read on with start_line 2001.]\n1\tline 1\n"))
      assert.isTrue(first.endsWith("\n2000\tline 2000\n"))
      assert.strictEqual(
        yield* read({ path: "lines", start_line: 2001 }),
        `[Lines 2001-2500 of 2500]\n${shown(2001, 2500)}`
      )
      workspace.write("wide", `${"ä".repeat(3000)}\nend\n`)
      const wide = yield* read({ path: "wide" })
      const note = "[Only the first 2000 characters are shown of line 1 (6000 bytes).]"
      assert.strictEqual(wide, `${note}\n1\t${"ä".repeat(2000)}\n2\tend\n`)
      workspace.write("big", `${"x".repeat(999)}\n`.repeat(100))
      const big = yield* read({ path: "big" })
      const head = "[Lines 1-47 of 100. Read on with start_line 48.]\n"
      assert.isTrue(big.startsWith(`${head}1\tx`))
      assert.strictEqual(big.length, head.length + 47 * 1002 + 38)
    })
  )

  it.effect("shows the start of a file of 20 GB without reading it", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      workspace.write("huge", numbered(3000))
      fs.truncateSync(workspace.at("huge"), 20e9)
      const { text } = yield* Workspace.call("read_file", { path: "huge" }, workspace)
      assert.isTrue(text.startsWith("[Lines 1-2000 of a file of 20.0 GB. Read on with start_line 2001.]\n1\tline 1\n"))
    })
  )

  it.effect("returns images as images, refuses binary with kind and size", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      const read = (name: string) => Workspace.call("read_file", { path: name }, workspace)
      const images: Record<string, string> = {
        png: "\x89PNG\r\n\x1a\n0",
        jpeg: "\xff\xd8\xff\xe0",
        gif: "GIF89a0",
        webp: "RIFF\0\0\0\0WEBP"
      }
      for (const [name, magic] of Object.entries(images)) {
        workspace.write(name, Buffer.from(magic, "latin1"))
        assert.deepStrictEqual(yield* read(name), { text: `<image/${name}>`, isError: false })
      }
      fs.truncateSync(workspace.at("png"), 5_000_001)
      assert.deepStrictEqual(yield* read("png"), {
        text: "png is an image of 5.0 MB; the limit is 5.0 MB.",
        isError: true
      })
      workspace.write("bin", Buffer.from([1, 0, 2]))
      assert.strictEqual(
        (yield* read("bin")).text,
        "bin is a binary file of 3 bytes; it cannot be shown as text. Look at it with a command, where one can."
      )
      workspace.write("latin1", Buffer.from("caf\xe9\n", "latin1"))
      assert.match(
        (yield* read("latin1")).text,
        /^\[The file is not UTF-8; it is shown as Windows-1252.*\]\n1\tcafé\n$/
      )
      workspace.write("utf16", Buffer.from("\uFEFFone\r\ntwo", "utf16le"))
      assert.strictEqual((yield* read("utf16")).text, "1\tone\n2\ttwo")
    })
  )

  it.effect("fails in one line for folders, FIFOs, loops, long and impossible paths", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      childProcess.execFileSync("mkfifo", [workspace.at("fifo")])
      fs.symlinkSync("loop", workspace.at("loop"))
      fs.symlinkSync("/dev/zero", workspace.at("zero"))
      for (const given of [".", "fifo", "loop", "zero", "nothing", "a\0b", "x/".repeat(2500), "a".repeat(5000), ""]) {
        const { isError, text } = yield* Workspace.call("read_file", { path: given }, workspace)
        assert.isTrue(isError)
        assert.notInclude(text, "\n")
      }
    })
  )

  it.effect("refuses a path that leads elsewhere than when it was judged", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      workspace.write("dir/a", "inside")
      fs.writeFileSync(path.join(workspace.outside, "a"), "outside")
      const read = Workspace.tool("read_file")
      const args = { path: "dir/a" }
      const facts = yield* read.facts(args, workspace.context)
      assert.isTrue(facts.paths[0]?.inside)
      fs.renameSync(workspace.at("dir"), workspace.at("before"))
      fs.symlinkSync(workspace.outside, workspace.at("dir"))
      const output = yield* read.execute(args, workspace.context)
      assert.isTrue(output.isError)
      assert.notInclude(Workspace.textOf(output), "outside")
    })
  )
})

describe("TextFile", () => {
  const Piece = Schema.Literals(["a", "ä", "\n", "\r\n", "\r", "😀", "\uFEFF", "\t"])
  const Text = Arbitrary.map(Arbitrary.array(Arbitrary.schema(Piece), { maxLength: 12 }), (pieces) => pieces.join(""))
  it.prop("writes back the bytes that it read", { text: Text, wide: Schema.Boolean }, ({ text, wide }) => {
    const bytes = wide ? Buffer.from(`\uFEFF${text}`, "utf16le") : Buffer.from(text)
    const decoded = TextFile.decode(bytes)
    if (Result.isFailure(decoded)) throw decoded.failure
    const encoded = TextFile.encode(decoded.success, decoded.success.text)
    assert.deepStrictEqual(
      Result.map(encoded, (result) => Buffer.from(result).toString("hex")),
      Result.succeed(bytes.toString("hex"))
    )
  })
})
