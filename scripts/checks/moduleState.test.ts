import { assert, describe, it } from "vitest"
import { stateOf, stateViolations } from "./moduleState.ts"

const namesOf = (text: string) => stateOf("A.ts", text).map(({ name }) => name)

describe("checkModuleState", () => {
  it("accepts what never changes, and what a function keeps", () => {
    assert.deepStrictEqual(
      namesOf(`
        const table = new Map([["a", 1]])
        export const none: ReadonlySet<string> = new Set()
        const empty: ReadonlyArray<string> = []
        export const make = () => { let count = 0; const seen = new Set<string>(); return () => seen.add(String(count++)) }
      `),
      []
    )
  })

  it("catches variables that change, and collections that are filled later", () => {
    assert.deepStrictEqual(
      namesOf(
        "let a = 0\nexport let b: string\nconst c = new Map<string, number>()\nexport const d = new WeakSet()\nconst e: Array<string> = []"
      ),
      ["a", "b", "c", "d", "e"]
    )
  })

  it("takes what is named, and asks to take out of the list what is not there any more", () => {
    const found = stateOf("A.ts", "\nlet known: string | undefined")
    assert.deepStrictEqual(stateViolations("a/A.ts", found, ["known"]), [])
    assert.deepStrictEqual(stateViolations("a/A.ts", found, []), [
      "a/A.ts:2: the module keeps known: make it a part of a service."
    ])
    assert.deepStrictEqual(stateViolations("a/A.ts", [], ["known"]), [
      "a/A.ts: the module keeps no known any more: take it out of the list."
    ])
  })
})
