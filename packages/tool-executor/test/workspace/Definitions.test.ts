import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import { createRequire } from "node:module"
import * as path from "node:path"
import * as WorkspaceTools from "../../src/workspace.ts"
import { languages } from "../../src/workspace/files/Languages.ts"
import * as Workspace from "./fixtures/Workspace.ts"

/** A file of each language, and what it defines. */
const samples: Readonly<Record<string, readonly [text: string, definitions: string]>> = {
  "a.ts": [
    `import x from "x"
@decorated
export class A<T> {
  constructor() {}
  run(): void {
    const inner = () => 1
  }
}
export interface B {
  b: string
}
type C = string
enum D { One }
export const e = async (a: number) => {
  function hidden() {}
}
const notOne = 1
namespace N {
  export function f() {}
}
export const limit = 10,
  most = { of: 2 }
export class F { run() {} }
export const table = {
  row() {}
}
export default { no: 1 }
`,
    `  3-8: export class A<T> {
    4-4: constructor() {}
    5-7: run(): void {
  9-11: export interface B {
  12-12: type C = string
  13-13: enum D { One }
  14-16: export const e = async (a: number) => {
  18-20: namespace N {
    19-19: export function f() {}
  21-21: export const limit = 10,
  22-22: most = { of: 2 }
  23-23: export class F { run() {} }
  24-26: export const table = {
    25-25: row() {}`
  ],
  "b.tsx": ["export const View = () => <div>{1}</div>\n", "  1-1: export const View = () => <div>{1}</div>"],
  "c.mjs": [
    "class A {\n  go() {}\n}\nfunction* g() {}\n",
    "  1-3: class A {\n    2-2: go() {}\n  4-4: function* g() {}"
  ],
  "d.py": [
    "class A(B):\n    @property\n    def x(self):\n        def y(): pass\n\ndef f(): pass\n",
    "  1-4: class A(B):\n    3-4: def x(self):\n  6-6: def f(): pass"
  ],
  "e.go": [
    "package e\ntype T struct{}\nfunc (t T) M() {}\nfunc F() {}\n",
    "  2-2: type T struct{}\n  3-3: func (t T) M() {}\n  4-4: func F() {}"
  ],
  "f.rs": [
    "pub struct S;\nimpl S {\n  pub fn new() -> S { S }\n}\ntrait T { fn t(&self); }\n",
    "  1-1: pub struct S;\n  2-4: impl S {\n    3-3: pub fn new() -> S { S }\n  5-5: trait T { fn t(&self); }"
  ],
  "g.java": [
    "class A {\n  A() {}\n  void m() {}\n}\nrecord R(int a) {}\n",
    "  1-4: class A {\n    2-2: A() {}\n    3-3: void m() {}\n  5-5: record R(int a) {}"
  ],
  "h.cpp": [
    "struct S;\nnamespace n {\nclass C {\n  void m() {}\n};\n}\nint main() { return 0; }\n",
    "  2-6: namespace n {\n    3-5: class C {\n      4-4: void m() {}\n  7-7: int main() { return 0; }"
  ],
  "i.cs": [
    "namespace N {\n  class A {\n    void M() {}\n  }\n}\n",
    "  1-5: namespace N {\n    2-4: class A {\n      3-3: void M() {}"
  ],
  "j.rb": [
    "module M\n  class A\n    def m; end\n    def self.s; end\n  end\nend\n",
    "  1-6: module M\n    2-5: class A\n      3-3: def m; end\n      4-4: def self.s; end"
  ],
  "k.php": [
    "<?php\nclass A {\n  function m() {}\n}\nfunction f() {}\n",
    "  2-4: class A {\n    3-3: function m() {}\n  5-5: function f() {}"
  ]
}

const list = (given: string, workspace: Workspace.TestWorkspace) =>
  Workspace.call("list_code_definition_names", { path: given }, workspace)

describe("list_code_definition_names", () => {
  it.effect("gives the definitions of each language, nested as they are, with their lines", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      for (const [name, [text]] of Object.entries(samples)) workspace.write(name, text)
      const { isError, text } = yield* list(".", workspace)
      const expected = Object.entries(samples).map(([name, [, definitions]]) => `${name}\n${definitions}`)
      assert.deepStrictEqual(text.split(/\n(?=\S)/), expected)
      assert.isFalse(isError)
      const known = Object.values(languages).map(({ endings }) => endings)
      const shown = Object.keys(samples).map((name) => name.split(".")[1] ?? "")
      assert.isTrue(known.every((endings) => endings.some((ending) => shown.includes(ending))))
    })
  )

  it.effect("leaves out what is ignored, secret, linked, further down or no source, and reads what it can", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      workspace.write(".gitignore", "made.ts")
      for (const name of ["made.ts", "sub/b.ts", "id_rsa.ts", "text.md"]) workspace.write(name, "class Hidden {}")
      fs.symlinkSync("sub/b.ts", workspace.at("link.ts"))
      workspace.write("binary.ts", Buffer.from([0, 1, 2]))
      workspace.write("broken.ts", "class A { }}} function (")
      workspace.write("none.ts", "")
      const { text } = yield* list(".", workspace)
      assert.notInclude(text, "Hidden")
      assert.include(text, "broken.ts\n  1-1: class A {")
      assert.include(text, "none.ts\n  (no definitions)")
      assert.include(text, "[2 more files are not shown; name one.]")
      assert.strictEqual(
        (yield* list("text.md", workspace)).text,
        "text.md is in no language whose definitions are known."
      )
      assert.strictEqual((yield* list("nothing.ts", workspace)).text, "nothing.ts does not exist")
      assert.isTrue((yield* list("binary.ts", workspace)).isError)
    })
  )

  it.effect("takes the grammars of a host, and says what else to do when they are not there", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      workspace.write("a.ts", "class A {}")
      const { resolve } = createRequire(import.meta.url)
      const own = path.join(workspace.root, "grammars")
      const answer = Effect.suspend(() => {
        const tools = WorkspaceTools.make({ runner: WorkspaceTools.CommandRunner.make(), grammars: own })
        const tool = tools.find(({ name }) => name === "list_code_definition_names")
        return tool?.execute({ path: "a.ts" }, workspace.context) ?? Effect.die("no tool")
      })
      assert.include(Workspace.textOf(yield* answer), "could not be told. Use search_files or read_file.")
      fs.mkdirSync(own)
      fs.copyFileSync(resolve("web-tree-sitter/web-tree-sitter.wasm"), path.join(own, "web-tree-sitter.wasm"))
      const from = path.dirname(resolve("@vscode/tree-sitter-wasm"))
      fs.copyFileSync(path.join(from, "tree-sitter-typescript.wasm"), path.join(own, "tree-sitter-typescript.wasm"))
      assert.strictEqual(Workspace.textOf(yield* answer), "a.ts\n  1-1: class A {}")
    })
  )
})
