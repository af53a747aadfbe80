import { Package } from "@arethetypeswrong/core"
import { assert, describe, it } from "vitest"
import { typeProblems } from "./published.ts"

const problems = (entry: Readonly<Record<string, string>>) =>
  typeProblems(
    new Package(
      {
        "/node_modules/a/package.json": JSON.stringify({
          name: "a",
          version: "1.0.0",
          type: "module",
          exports: { ".": entry }
        }),
        "/node_modules/a/dist/index.js": "export const a = 1\n",
        "/node_modules/a/dist/index.d.ts": "export declare const a: number\n",
        "/node_modules/a/dist/index.d.cts": "export declare const a: number\n"
      },
      "a",
      "1.0.0"
    )
  )

describe("checkPublished", () => {
  it("accepts an ES module with its types", async () => {
    assert.deepStrictEqual(await problems({ types: "./dist/index.d.ts", default: "./dist/index.js" }), [])
  })

  it("catches types of another kind of module, and an entry that leads nowhere", async () => {
    assert.notDeepEqual(await problems({ types: "./dist/index.d.cts", default: "./dist/index.js" }), [])
    assert.notDeepEqual(await problems({ default: "./dist/gone.js" }), [])
  })
})
