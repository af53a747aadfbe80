import { assert, describe, it } from "vitest"
import * as DeadTime from "../src/webview/state/deadTime.ts"

describe("the dead time", () => {
  it("is over 400 ms after the last thing that began it", () => {
    let now = 0
    const dead = DeadTime.make(() => now)
    now = 399
    assert.equal(dead.left(), 1)
    dead.restart()
    now = 798
    assert.equal(dead.left(), 1)
    dead.focused()
    now = 1197
    assert.equal(dead.left(), 1)
    now = 1198
    assert.equal(dead.left(), 0)
  })

  it("is over for a press that gave the view the focus, and not before what is pressed was there for its time", () => {
    let now = 0
    const dead = DeadTime.make(() => now)
    now = 399
    dead.focused()
    dead.pressed()
    assert.equal(dead.left(), 1)
    now = 500
    dead.focused()
    assert.equal(dead.left(), 400)
    dead.pressed()
    assert.equal(dead.left(), 0)
  })
})
