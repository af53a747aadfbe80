import { assert, describe, it } from "vitest"
import { stringErrors } from "./typedErrors.ts"

const found = (text: string) => stringErrors("A.ts", text).map((violation) => violation.replace(/;.*/, ""))

describe("checkTypedErrors", () => {
  it("accepts tagged errors, and strings that are no errors", () => {
    assert.deepStrictEqual(
      found(`
        type A = Effect.Effect<string, A.Failed>
        type B = Result.Result<string, Failed | Other>
        const a = Effect.fail(new Failed({ message: "no" }))
        const b = other.fail("no")
        const c: Map<number, string> = new Map()
      `),
      []
    )
  })

  it("catches a type that fails with a string, alone or beside others", () => {
    assert.deepStrictEqual(
      found("type A = Effect.Effect<void, string>\n\ntype B = Result.Result<void, Failed | string>"),
      ["1: it fails with a string", "3: it fails with a string"]
    )
    assert.deepStrictEqual(found("const a = (): Stream.Stream<number, string, R> => made"), [
      "1: it fails with a string"
    ])
    assert.deepStrictEqual(found("type A = ReadonlyArray<Effect.Effect<Effect.Effect<void, string>>>"), [
      "1: it fails with a string"
    ])
  })

  it("catches a failure with a text", () => {
    assert.deepStrictEqual(found('const a = Effect.fail("not yet")\nconst b = Result.fail(`no ${name}`)'), [
      "1: it fails with a text",
      "2: it fails with a text"
    ])
  })
})
