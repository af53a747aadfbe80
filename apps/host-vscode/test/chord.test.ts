import { assert, describe, it } from "vitest"
import { Chord, type Pressed } from "../src/webview/state/chord.ts"

const key = (name: string, ctrlKey = false): Pressed => ({ key: name, ctrlKey, metaKey: false })

describe("a chord that begins in the composer", () => {
  it("leaves its second key to the window, whatever it is held with, and nothing that comes after", () => {
    const chord = new Chord()
    const told = [key("a"), key("Control", true), key("k", true), key("Shift"), key("a"), key("a")]
    assert.deepEqual(
      told.map((pressed, at) => chord.takes(pressed, at)),
      [false, false, false, false, true, false]
    )
    assert.isFalse(chord.takes({ key: "K", ctrlKey: false, metaKey: true }, 0))
    assert.isTrue(chord.takes(key("k", true), 1), "Ctrl+K Ctrl+K is one chord")
    assert.isFalse(chord.takes(key("b"), 2))
    assert.isFalse(chord.takes(key("k", true), 3))
    assert.isFalse(chord.takes(key("b"), 6000), "the window waits no longer")
  })
})
