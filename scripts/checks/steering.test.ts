import { assert, describe, it } from "vitest"
import { checkSteering, steeringIn } from "./steering.ts"

describe("checkSteering", () => {
  it("accepts escape characters where a terminal is painted, and none elsewhere", () => {
    const text = ['const a = "plain"', 'const b = "\\u001B[2J"', 'const c = "\\x1b[H"'].join("\n")
    assert.deepStrictEqual(steeringIn("interactive/screen/Frame.ts", text), [])
    assert.deepStrictEqual(
      steeringIn("interactive/Draw.ts", text).map((violation) => violation.split(":")[0]),
      ["2", "3"]
    )
    assert.lengthOf(steeringIn("progress/Lines.ts", `const a = "\u001B[1m"`), 1)
  })

  it("finds nothing in this repository", () => {
    assert.deepStrictEqual(checkSteering(new URL("../..", import.meta.url).pathname), [])
  })
})
