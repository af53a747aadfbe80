import { assert, describe, it } from "vitest"
import { provisions } from "./providing.ts"

const linesOf = (text: string) => provisions("A.ts", text).map((violation) => violation.split(":")[0])

describe("checkProviding", () => {
  it("accepts layers that are put together, and one service of a value", () => {
    assert.deepStrictEqual(
      linesOf(
        'const a = one.pipe(Layer.provide(two))\nconst b = Effect.provideService(c, Clock, clock)\nconst d = "Effect.provide"'
      ),
      []
    )
  })

  it("catches an effect that is provided with a layer, before its arguments or in a pipe", () => {
    assert.deepStrictEqual(linesOf("const a = Effect.provide(b, layer)\nconst c = d.pipe(Effect.provide(layer))"), [
      "1",
      "2"
    ])
    assert.deepStrictEqual(linesOf("const given = Effect.provide"), ["1"])
  })
})
