import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { HeaderMap } from "../src/internal/HeaderMap.ts"

const Name = Schema.Literals(["accept", "Accept", "x-a", "X-A", "x-b"])
const Value = Schema.Literals(["1", "2", " spaced ", "", "a, b"])
const Change = Schema.Union([
  Schema.Tuple([Schema.Literals(["append", "set"]), Name, Value]),
  Schema.Tuple([Schema.Literal("delete"), Name])
])

describe("HeaderMap", () => {
  it.prop("holds what the built-in headers hold after the same changes", [Schema.Array(Change)], ([changes]) => {
    const ours = new HeaderMap()
    const builtIn = new Headers()
    for (const [what, name, value = ""] of changes) {
      if (what === "delete") {
        ours.delete(name)
        builtIn.delete(name)
        continue
      }
      ours[what](name, value)
      builtIn[what](name, value)
    }
    for (const name of Name.literals) {
      assert.strictEqual(ours.get(name), builtIn.get(name))
      assert.strictEqual(ours.has(name), builtIn.has(name))
    }
    assert.deepStrictEqual(new Map(ours), new Map(builtIn))
    assert.deepStrictEqual(new Map(new HeaderMap(Array.from(builtIn))), new Map(new Headers(Array.from(builtIn))))
  })
})
