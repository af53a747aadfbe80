import { assert, describe, it } from "vitest"
import { make, mask, shortest, valuesOf } from "../src/Redaction.ts"

const canary = 'sk-canary/+"4711\\key='

/** Numbers below a limit, always the same ones for a seed: https://en.wikipedia.org/wiki/Linear_congruential_generator */
const numbers = (seed: number) => {
  let state = seed
  return (limit: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * limit)
  }
}

describe("Redaction", () => {
  it("takes a value out as it is, as JSON, in a URL and in base64 at any alignment", () => {
    const redaction = make([canary])
    const forms = [
      canary,
      JSON.stringify({ key: canary }),
      `https://x/?k=${encodeURIComponent(canary)}`,
      ...["", "a", "ab", "abc"].flatMap((before) => [
        Buffer.from(`${before}${canary} and more`).toString("base64"),
        Buffer.from(`${before}${canary}`).toString("base64url")
      ])
    ]
    for (const form of forms) {
      const clean = redaction.text(`before ${form} after`)
      assert.include(clean, mask, form)
      assert.notInclude(clean, "canary")
      assert.notInclude(Buffer.from(clean.replace(mask, ""), "base64").toString(), "canary")
    }
  })

  it("leaves everything else as it is, the very same value", () => {
    const redaction = make([canary])
    const value = { a: ["text", { b: null, c: 1, d: new Uint8Array(2) }], e: "<redacted>" }
    assert.strictEqual(redaction.deep(value), value)
    assert.strictEqual(make().deep(value), value)
    assert.isTrue(make().isEmpty())
  })

  it("takes a value out of names and texts at any depth, and leaves what it was given", () => {
    const redaction = make([canary])
    const value = { [canary]: [{ text: `x${canary}y` }], other: { kept: true } }
    assert.deepStrictEqual(redaction.deep(value), { [mask]: [{ text: `x${mask}y` }], other: { kept: true } } as never)
    assert.strictEqual(redaction.deep(value).other, value.other)
    assert.property(value, canary)
  })

  it("looks at what never changes once, and again when another value has to be taken out", () => {
    const redaction = make([canary])
    let looks = 0
    const text = (said: string) => ({
      get text() {
        looks++
        return said
      }
    })
    const first = text(canary)
    const later = text("a value that comes later")
    assert.deepStrictEqual([first, later].map(redaction.lasting), [{ text: mask }, { text: later.text }] as never)
    looks = 0
    assert.deepStrictEqual([first].map(redaction.lasting), [{ text: mask }] as never)
    assert.strictEqual(redaction.lasting(later), later)
    assert.strictEqual(looks, 0)
    redaction.add("a value that comes later")
    assert.deepStrictEqual([first, later].map(redaction.lasting), [{ text: mask }, { text: mask }] as never)
  })

  it("never takes out short values, or the mask itself", () => {
    const redaction = make(["x", "local", "redacted", "<redacted>"])
    assert.isTrue(redaction.isEmpty())
    assert.strictEqual(redaction.text("x local <redacted>"), "x local <redacted>")
    assert.strictEqual(shortest, 8)
  })

  it("takes the longer of two values that begin alike", () => {
    const redaction = make(["secret-1234", "secret-1234-5678"])
    assert.strictEqual(redaction.text("a secret-1234-5678 b secret-1234"), `a ${mask} b ${mask}`)
  })

  it("redacts a text in pieces as it would in one, wherever it is cut", () => {
    for (let seed = 1; seed <= 4000; seed++) {
      const below = numbers(seed)
      const word = (least: number, most: number) =>
        Array.from({ length: least + below(most - least + 1) }, () => "ab"[below(2)]).join("")
      const secrets = Array.from({ length: 1 + below(3) }, () => word(8, 12))
      const whole = secrets.map((secret) => `${word(0, 9)}${secret.slice(0, below(13))}${secret}`).join("") + word(0, 9)
      const redaction = make(secrets)
      const pieces = redaction.pieces()
      let shown = ""
      for (let at = 0, size = 0; at < whole.length; at += size) {
        size = 1 + below(9)
        shown += pieces.push(whole.slice(at, at + size))
      }
      assert.strictEqual(shown + pieces.end(), redaction.text(whole), `seed ${seed}`)
    }
  })

  it("holds back nothing but the possible beginning of a value", () => {
    const pieces = make([canary]).pieces()
    assert.strictEqual(pieces.push("nothing here"), "nothing here")
    assert.strictEqual(pieces.push("begin sk-can"), "begin ")
    assert.strictEqual(pieces.push("dle"), "sk-candle")
    assert.strictEqual(pieces.end(), "")
  })

  it("knows secrets of an environment by their names, and logins in its URLs", () => {
    const found = valuesOf({
      ANTHROPIC_API_KEY: "one",
      GITHUB_TOKEN: "two",
      CLIENT_SECRET_V2: "three",
      DbPassword: "four",
      PATH: "/usr/bin",
      KEYBOARD: "us",
      TOKENIZER: "fast",
      ANTHROPIC_BASE_URL: "https://user:p%40ss@host",
      HTTPS_PROXY: "somebody:letmein@proxy:8080"
    })
    for (const value of ["one", "two", "three", "four", "p%40ss", "p@ss", "somebody", "letmein"])
      assert.include(found, value)
    for (const value of ["/usr/bin", "us", "fast"]) assert.notInclude(found, value)
  })
})
