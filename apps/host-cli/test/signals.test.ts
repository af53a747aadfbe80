import { assert, describe, it } from "vitest"
import * as Signals from "../src/terminal/Signals.ts"

describe("what ends a run", () => {
  it("is each way in which a person or the system ends a program of a terminal", () => {
    assert.deepStrictEqual(Signals.ending("linux"), ["SIGINT", "SIGTERM", "SIGHUP"])
    assert.deepStrictEqual(Signals.ending("darwin"), ["SIGINT", "SIGTERM", "SIGHUP"])
    // A console that is closed, and Ctrl+Break.
    assert.deepStrictEqual(Signals.ending("win32"), ["SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK"])
  })
})
