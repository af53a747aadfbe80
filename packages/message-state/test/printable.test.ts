import { printable, printableJson, printableLines } from "@belay/message-state"
import { assert, describe, it } from "vitest"

describe("text of models and files", () => {
  it("cannot steer a terminal", () => {
    const evil = "a\u001B[2Jb\nc\td\u202Ee\u200B\u{E0041}"
    assert.strictEqual(printable(evil), String.raw`a\u{1b}[2Jb\u{a}c d\u{202e}e\u{200b}\u{e0041}`)
    assert.strictEqual(printable("Über 日本 👩"), "Über 日本 👩")
    assert.strictEqual(printable("👩‍💻 👨🏽‍🚀 ❤️‍🔥"), "👩‍💻 👨🏽‍🚀 ❤️‍🔥")
    assert.strictEqual(printable("pass\u200Dword 👩\u200Dx"), String.raw`pass\u{200d}word 👩\u{200d}x`)
    assert.strictEqual(printableLines("a\tb\r\nc\rd"), "a\tb\nc\\u{d}d")
  })

  it("says the same as JSON, in one line and in bytes that cannot steer", () => {
    const evil = ["\u001B[2J", "\u009B2J", "\u2028", "\u202E", "\u{E0041}", "👩‍💻"]
    const json = printableJson(JSON.stringify(evil))
    assert.deepStrictEqual(JSON.parse(json), evil)
    assert.notMatch(json.replaceAll("👩‍💻", ""), /[\p{Cc}\p{Cf}\u2028\u2029]/u)
  })
})
