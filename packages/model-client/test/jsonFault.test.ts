import { assert, describe, it } from "@effect/vitest"
import { jsonFault } from "../src/internal/jsonFault.ts"

const isObject = (text: string): boolean => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}

describe("the fault of a text that should be the JSON of an object", () => {
  it("is told with its place and cause in plain words", () => {
    const expected: { readonly [text: string]: string } = {
      '{"command": "echo "broken""}': "character 19: a comma or } is missing",
      '{"a": "one\ntwo"}': "character 10: a line break in a string is not escaped",
      '{"a": "\t"}': "character 7: a tab in a string is not escaped",
      '{"a": "\u0001"}': "character 7: a control character in a string is not escaped",
      '{"a": "\\d"}': "character 7: a \\ in a string is not escaped",
      '{"a": "one': "character 10: they end inside a string",
      '{"a": [1': "character 8: they end too early",
      '{"a": 1,}': "character 8: a name in double quotes is missing",
      "{a: 1}": "character 1: a name in double quotes or } is missing",
      '{"a" 1}': "character 5: a colon is missing",
      '{"a": }': "character 6: a value is missing",
      '{"a": True}': "character 6: a value is missing",
      '{"a": [,]}': "character 7: a value or ] is missing",
      '{"a": [1 2]}': "character 9: a comma or ] is missing",
      '{"a": 1}}': "character 8: there is more behind the last }",
      "[1]": "character 0: they have to begin with {",
      " ": "character 1: they have to begin with {"
    }
    for (const [text, fault] of Object.entries(expected)) assert.strictEqual(jsonFault(text), fault, text)
  })

  it("is found in every text that is none, and in no text that is one", () => {
    const whole = JSON.stringify({ a: [1, -2.5e-3, true, null, { b: 'ü\u2028"\\\n' }, [], {}], "": { c: [[]] } })
    assert.strictEqual(jsonFault(whole), undefined)
    const pieces = ["", '"', "\\", "{", "}", "[", "]", ",", ":", "1", " ", "\n", "x", "tru", "-", "\\u12"]
    for (let at = 0; at <= whole.length; at++) {
      for (const piece of pieces) {
        for (const text of [
          whole.slice(0, at) + piece + whole.slice(at),
          whole.slice(0, at) + piece + whole.slice(at + 1)
        ]) {
          assert.strictEqual(jsonFault(text) === undefined, isObject(text), text)
        }
      }
    }
  })

  it("is found at any depth", () => {
    assert.strictEqual(jsonFault('{"a":'.repeat(100_000)), "character 500000: they end too early")
  })
})
