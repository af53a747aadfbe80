import { assert, describe, it } from "vitest"
import { folderViolations, roomsOf } from "./folders.ts"

const violations = (sources: Readonly<Record<string, string>>) =>
  folderViolations(roomsOf(new Map(Object.entries(sources))))

describe("checkFolders", () => {
  it("accepts folders that import one way, and a face that imports every room", () => {
    const sources = {
      "index.ts": 'export * from "./a/A.ts"\nexport * from "./b/B.ts"',
      "a/A.ts": 'import "../b/B.ts"\nimport "./Other.ts"',
      "a/Other.ts": 'import "./A.ts"',
      "b/B.ts": 'import "effect/Effect"'
    }
    assert.deepStrictEqual(violations(sources), [])
  })

  it("accepts a room that uses the face", () => {
    assert.deepStrictEqual(
      violations({ "Face.ts": 'import "./a/A.ts"', "a/A.ts": 'import type {} from "../Face.ts"' }),
      []
    )
  })

  it("catches a circle of three folders once, with the imports that make it, types too", () => {
    const found = violations({
      "a/A.ts": 'import "../b/B.ts"',
      "b/B.ts": 'export type { C } from "../c/C.ts"',
      "c/C.ts": 'import type { A } from "../a/A.ts"'
    })
    assert.deepStrictEqual(found, [
      "a circle of folders: a/A.ts imports b/B.ts; b/B.ts imports c/C.ts; c/C.ts imports a/A.ts."
    ])
  })

  it("catches a circle of a folder and one inside it", () => {
    const sources = { "a/A.ts": 'import "./in/B.ts"', "a/in/B.ts": 'import "../A.ts"' }
    assert.lengthOf(violations(sources), 1)
  })

  it("catches a pile", () => {
    const pile = Object.fromEntries(Array.from({ length: 23 }, (_, at) => [`a/F${at}.ts`, ""]))
    assert.deepStrictEqual(violations(pile), ["a has 23 files, more than 22: part it by concept."])
  })
})
