import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import * as KnownLines from "../../src/tool/KnownLines.ts"
import * as OpenTexts from "../../src/tool/OpenTexts.ts"
import * as SafeFile from "../../src/workspace/paths/SafeFile.ts"
import * as Workspace from "./fixtures/Workspace.ts"

const diff = (search: string, replace: string) => `------- SEARCH\n${search}\n=======\n${replace}\n+++++++ REPLACE`

/** An editor with texts that are not saved, by the names of their files. */
const editor = (workspace: Workspace.TestWorkspace, texts: Readonly<Record<string, string>>, { saves = true } = {}) => {
  const dirty = new Map(Object.entries(texts).map(([name, text]) => [workspace.at(name), text]))
  const steps: Array<ReadonlyArray<OpenTexts.Change>> = []
  const port: OpenTexts.OpenTexts = {
    unsaved: (path) => dirty.get(path),
    replace: (changes) =>
      Effect.sync(() => {
        if (changes.some(({ expected, path }) => dirty.get(path) !== expected)) return false
        for (const { path, text } of changes) dirty.set(path, text)
        steps.push(changes)
        return true
      }),
    save: (path) =>
      Effect.sync(() => {
        if (!saves) return false
        fs.writeFileSync(path, dirty.get(path) ?? "")
        return dirty.delete(path)
      })
  }
  return { dirty, steps, port, open: Effect.provideService(OpenTexts.OpenTexts, port) }
}

describe("a file with unsaved changes", () => {
  it.effect("is read as it stands in the editor, and known by that", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      workspace.write("a", "saved\n")
      const { open } = editor(workspace, { a: "typed\n" })
      const { content, files } = yield* open(Workspace.tool("read_file").execute({ path: "a" }, workspace.context))
      assert.include(JSON.stringify(content), "not saved all of this yet")
      assert.include(JSON.stringify(content), "typed")
      const lines = KnownLines.of("typed\n")
      assert.deepStrictEqual(files, [{ path: workspace.at("a"), hash: SafeFile.hash(Buffer.from("typed\n")), lines }])
    })
  )

  it.effect("is edited in the editor, and saved there with what was typed", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      workspace.write("a", "\uFEFFone\r\n")
      const { open, steps } = editor(workspace, { a: "typed\r\none\r\n" })
      const args = { path: "a", diff: diff("one", "two") }
      const { content, files } = yield* open(Workspace.tool("replace_in_file").execute(args, workspace.context))
      assert.deepStrictEqual(content, [{ type: "text", text: "Replaced 1 block in a." }])
      const [[step]] = steps as [[OpenTexts.Change]]
      assert.deepInclude(step, { expected: "typed\r\none\r\n", text: "typed\r\ntwo\r\n" })
      // As an editor saves it: with its byte order mark.
      const hash = SafeFile.hash(Buffer.from("\uFEFFtyped\r\ntwo\r\n"))
      // The model knows the line that it has made, and no other.
      const lines = KnownLines.of("typed\ntwo\n", [[2, 2]])
      assert.deepStrictEqual(files, [{ path: workspace.at("a"), hash, lines }])
      assert.strictEqual(workspace.read("a"), "typed\r\ntwo\r\n")
    })
  )

  it.effect("is not edited when the model knows it otherwise, and is shown as it is", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      workspace.write("a", "one\n")
      const { open, steps } = editor(workspace, { a: "typed\n" })
      const context = {
        ...workspace.context,
        seen: () => ({ hash: SafeFile.hash(Buffer.from("one\n")), lines: KnownLines.of("one\n") })
      }
      const write = Workspace.tool("write_to_file")
      const { content, files, isError } = yield* open(write.execute({ path: "a", content: "two\n" }, context))
      assert.isTrue(isError)
      assert.include(JSON.stringify(content), "typed")
      const lines = KnownLines.of("typed\n")
      assert.deepStrictEqual(files, [{ path: workspace.at("a"), hash: SafeFile.hash(Buffer.from("typed\n")), lines }])
      assert.deepStrictEqual([steps.length, workspace.read("a")], [0, "one\n"])
    })
  )

  it.effect("is not edited when more was typed after it was approved", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      workspace.write("a", "one\n")
      const { dirty, open, steps } = editor(workspace, { a: "typed\n" })
      const write = Workspace.tool("write_to_file")
      const args = { path: "a", content: "two\n" }
      const judged = () => open(write.identity?.(args, workspace.context) ?? Effect.succeed(""))
      const before = yield* judged()
      assert.strictEqual(before, SafeFile.hash(Buffer.from("typed\n")))
      dirty.set(workspace.at("a"), "typed on\n")
      const { isError } = yield* open(write.execute(args, workspace.context))
      assert.deepStrictEqual([isError, steps.length, workspace.read("a")], [true, 0, "one\n"])
      assert.notStrictEqual(yield* judged(), before)
    })
  )

  it.effect("stays in the editor when it cannot be saved, which the model is told", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      workspace.write("a", "one\n")
      const { dirty, open } = editor(workspace, { a: "typed\n" }, { saves: false })
      const { isError, text } = yield* open(Workspace.call("write_to_file", { path: "a", content: "two\n" }, workspace))
      assert.isFalse(isError)
      assert.include(text, "could not be saved: commands do not see the change yet")
      assert.deepStrictEqual([dirty.get(workspace.at("a")), workspace.read("a")], ["two\n", "one\n"])
    })
  )
})

describe("a patch of files with unsaved changes", () => {
  const update = (name: string) => `*** Update File: ${name}\n@@\n-one\n+two\n`
  const patch = (...sections: ReadonlyArray<string>) => ({
    patch: `*** Begin Patch\n${sections.join("")}*** End Patch`
  })

  it.effect("changes editors and disk together", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      for (const name of ["a", "b", "c"]) workspace.write(name, "one\n")
      const { open, steps } = editor(workspace, { a: "one\nA\n", b: "one\nB\n" })
      yield* open(Workspace.call("apply_patch", patch(update("a"), update("b"), update("c")), workspace))
      assert.deepStrictEqual(["a", "b", "c"].map(workspace.read), ["two\nA\n", "two\nB\n", "two\n"])
      assert.strictEqual(steps.length, 1)
    })
  )

  it.effect("leaves the editors as they were when the disk refuses, and removes no such file", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      for (const name of ["a", "b"]) workspace.write(name, "one\n")
      const { dirty, open, port } = editor(workspace, { a: "one\nA\n" })
      // Somebody writes the other file at the last moment.
      const racing = {
        unsaved: port.unsaved,
        save: port.save,
        replace: (changes: ReadonlyArray<OpenTexts.Change>) => {
          if (workspace.read("b") === "one\n") workspace.write("b", "theirs\n")
          return port.replace(changes)
        }
      }
      const refused = yield* Workspace.call("apply_patch", patch(update("a"), update("b")), workspace).pipe(
        Effect.provideService(OpenTexts.OpenTexts, racing)
      )
      assert.isTrue(refused.isError)
      assert.deepStrictEqual(
        [dirty.get(workspace.at("a")), workspace.read("a"), workspace.read("b")],
        ["one\nA\n", "one\n", "theirs\n"]
      )
      const removal = yield* open(Workspace.call("apply_patch", patch("*** Delete File: a\n"), workspace))
      assert.isTrue(removal.isError)
      assert.include(removal.text, "is not removed before they are saved")
      assert.strictEqual(dirty.get(workspace.at("a")), "one\nA\n")
    })
  )
})
