import * as path from "node:path"
import { assert, describe, it } from "vitest"
import { checkBrowser } from "./browser.ts"

const root = path.resolve(import.meta.dirname, "../..")

describe("checkBrowser", () => {
  it("names the module of Node that an entry stands on, however deep", async () => {
    const found = await checkBrowser(root, { "focus-chain": ["."] })
    assert.include(found.join("\n"), "packages/focus-chain/src/internal/content.ts imports node:crypto")
  })

  it("fails for an entry that there is not", async () => {
    const failed: unknown = await checkBrowser(root, { "focus-chain": ["./nothing"] }).catch((cause: unknown) => cause)
    assert.instanceOf(failed, Error)
  })

  it("finds nothing where there is nothing", async () => {
    assert.deepStrictEqual(await checkBrowser(root, { "focus-chain": ["./checklist"] }), [])
  })
})
