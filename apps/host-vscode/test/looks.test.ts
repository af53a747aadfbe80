import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as Looks from "./vscode/Looks.ts"
import * as PlainView from "./vscode/PlainView.ts"

describe("the view of a conversation", () => {
  let plain: PlainView.PlainView

  beforeAll(async () => {
    plain = await PlainView.open(300, 900)
  })
  afterAll(() => plain.close())

  it("is well formed in each state and theme, can be used by the keyboard alone, and fits where there is little room", async () => {
    assert.deepEqual(await Looks.faults(plain.page, plain.view, plain.wear), [])
  })
})
