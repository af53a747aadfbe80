import { assert, describe, it } from "vitest"
import { functionsOf, functionViolations } from "./functions.ts"

const lines = (count: number): string => Array.from({ length: count }, (_, at) => `  step(${at})`).join("\n")

const violations = (text: string) => functionViolations("a/A.ts", text)

describe("checkFunctions", () => {
  it("accepts a function of 120 lines, and tables and schemas of any length", () => {
    const table = `export const table = {\n${Array.from({ length: 200 }, (_, at) => `  row${at}: ${at}`).join(",\n")}\n}`
    assert.deepStrictEqual(violations(`export function whole() {\n${lines(118)}\n}\n${table}`), [])
  })

  it("catches a longer one by its name, whether it is declared, assigned, a method or an argument of a call", () => {
    const found = (text: string) => functionsOf("A.ts", text).map(({ name }) => name)
    assert.deepStrictEqual(violations(`\nfunction long() {\n${lines(119)}\n}`), [
      "a/A.ts:2: long has 121 lines, more than 120: part it by what it does."
    ])
    assert.deepStrictEqual(found("const assigned = () => 1"), ["assigned"])
    assert.deepStrictEqual(found('const named = Effect.fn("A.named")(function* () {})'), ["named"])
    assert.deepStrictEqual(found("class A { method() {} static readonly layer = effect(A, gen(function* () {})) }"), [
      "method",
      "layer"
    ])
  })

  it("counts what a function holds with it", () => {
    const [outer, inner] = functionsOf("A.ts", "const outer = () => {\n  const inner = () => {\n    step()\n  }\n}")
    assert.deepInclude(outer, { name: "outer", lines: 5 })
    assert.deepInclude(inner, { name: "inner", lines: 3 })
  })
})
