import { assert, describe, it } from "vitest"
import { docViolation } from "./documented.ts"
import { exportsOf } from "./exports.ts"

/** The exports that `index.ts` of these sources lets out, those without a doc comment with a question mark. */
const found = (sources: Readonly<Record<string, string>>): ReadonlyArray<string> =>
  exportsOf(["index.ts"], (file) => sources[file]).map(
    ({ doc, file, line, name }) => `${file}:${line} ${name}${doc === undefined ? "?" : ""}`
  )

describe("checkDocumented", () => {
  it("accepts a doc comment before each form of declaration", () => {
    const text = [
      "/** A. */",
      "export const a = 1",
      "/** B. */",
      "export class B {}",
      "/** C. */",
      "export type C = string",
      "/** D. */",
      "export function d() {}",
      "/** E. */",
      "export default 1"
    ].join("\n")
    assert.deepStrictEqual(
      found({ "index.ts": text }).filter((one) => one.endsWith("?")),
      []
    )
  })

  it("catches what has none, an ordinary comment, or one that another statement is between", () => {
    const text = [
      "/** A. */",
      'import "x"',
      "export const a = 1",
      "// B.",
      "export interface B {}",
      "/* C. */",
      "export const c = 1"
    ]
    assert.deepStrictEqual(found({ "index.ts": text.join("\n") }), ["index.ts:3 a?", "index.ts:5 B?", "index.ts:7 c?"])
  })

  it("catches a doc that opens with a pronoun or a question, and no other", () => {
    assert.deepStrictEqual(
      docViolation("\n What a task asks."),
      'with a doc that opens with "What": say what it is or does'
    )
    assert.deepStrictEqual(docViolation("It is gone."), 'with a doc that opens with "It": say what it is or does')
    assert.deepStrictEqual(["Says whether it is gone.", "Items of a list."].map(docViolation), [undefined, undefined])
  })

  it("takes a value and a type of one name, and overloads, as one", () => {
    const text = [
      "/** A. */",
      "export const A = 1",
      "export type A = typeof A",
      "/** F. */",
      "export function f(a: 1): 1",
      "export function f(a: unknown): unknown { return a }"
    ]
    assert.deepStrictEqual(found({ "index.ts": text.join("\n") }), ["index.ts:2 A", "index.ts:5 f"])
  })

  it("follows re-exports of every form to the declaration, and there only what is let out", () => {
    const sources = {
      "index.ts": [
        'export * from "./in/all.ts"',
        'export * as Space from "./in/space.ts"',
        'export { one as other } from "./in/named.ts"',
        'import { local } from "./in/named.ts"',
        "export { local }",
        'export { outside } from "another-package"'
      ].join("\n"),
      "in/all.ts": 'export const { a, b: [c] } = x\nexport * from "./named.ts"',
      "in/space.ts": "const inside = 1\nexport { inside as b }\nconst kept = 1",
      "in/named.ts": "export const one = 1\nexport const local = 1\n/** Two. */\nexport const two = 2"
    }
    assert.sameMembers(
      [...found(sources)],
      [
        "in/all.ts:1 a?",
        "in/all.ts:1 c?",
        "in/named.ts:1 one?",
        "in/named.ts:2 local?",
        "in/named.ts:4 two",
        "in/space.ts:1 inside?"
      ]
    )
  })
})
