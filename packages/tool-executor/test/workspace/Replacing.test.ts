import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import * as path from "node:path"
import * as Workspace from "./fixtures/Workspace.ts"

const folder = path.join(import.meta.dirname, "fixtures", "replace")
const names = fs.readdirSync(folder).toSorted()

/** Made visible in the fixtures: CR, a byte order mark, and the end of a text without a line break. */
const bytesOf = (text: string): string => text.replaceAll("␍", "\r").replaceAll("␟", "\uFEFF").replace(/␄\n$/u, "")

const read = (name: string) => {
  const text = fs.readFileSync(path.join(folder, name), "utf8")
  const parts = new Map<string, string>()
  for (const part of text.split(/^#### /mu).slice(1)) {
    const end = part.indexOf("\n")
    parts.set(part.slice(0, end), bytesOf(part.slice(end + 1)))
  }
  return parts
}

describe("replace_in_file does to a file what its blocks say", () => {
  it("in at least 40 numbered cases, each of one line break, one result", () => {
    assert.isAtLeast(names.length, 40)
    assert.deepStrictEqual(
      names.map((name) => Number(name.slice(0, 2))),
      names.map((_, index) => index + 1)
    )
  })

  for (const name of names) {
    it.effect(name.replace(/\.txt$/u, "").replaceAll("-", " "), () =>
      Effect.gen(function* () {
        const workspace = yield* Workspace.make
        const parts = read(name)
        const before = parts.get("before") ?? ""
        workspace.write("file", before)
        const call = { path: "file", diff: parts.get("diff") ?? "" }
        const { isError, text } = yield* Workspace.call("replace_in_file", call, workspace)
        const error = parts.get("error")?.trimEnd()
        assert.strictEqual(workspace.read("file"), parts.get("after") ?? before)
        if (error === undefined) return assert.isFalse(isError, text)
        assert.isTrue(text.startsWith(error), text)
        assert.isTrue(text.endsWith("\nNothing was changed."))
      })
    )
  }
})
