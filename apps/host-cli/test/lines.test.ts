/** Lines end at line feeds alone, wherever the pieces are cut in which they come. */
import { assert, describe, it } from "vitest"
import { PassThrough, Readable } from "node:stream"
import * as Lines from "../src/terminal/Lines.ts"

const text = 'a\u2028b\n\n{"c":"\u2029\u0085\v\f d"}\r\nß\re\nlast'
const expected = ["a\u2028b", "", '{"c":"\u2029\u0085\v\f d"}', "ß\re", "last"]

describe("lines", () => {
  it("end at a line feed and nowhere else, in pieces of any size", async () => {
    const bytes = Buffer.from(text)
    for (let size = 1; size <= bytes.length; size++) {
      const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
        bytes.subarray(at * size, (at + 1) * size)
      )
      const found: Array<string> = []
      for await (const line of Lines.of(Readable.from(pieces))) found.push(line)
      assert.deepStrictEqual(found, expected, `pieces of ${size}`)
    }
  })

  it("are told until the stream ends or nobody listens any more, and the end is told once", async () => {
    const listened = async (stopAt: string) => {
      const input = new PassThrough()
      const found: Array<string> = []
      const ended = Promise.withResolvers<void>()
      let ends = 0
      const close = Lines.listen(
        input,
        (line) => {
          found.push(line)
          if (line === stopAt) close()
        },
        () => {
          ends++
          ended.resolve()
        }
      )
      input.end(text)
      await ended.promise
      close()
      return [found, ends]
    }
    assert.deepStrictEqual(await listened("none"), [expected, 1])
    assert.deepStrictEqual(await listened(""), [expected.slice(0, 2), 1])
  })
})
