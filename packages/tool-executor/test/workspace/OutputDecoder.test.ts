import { Machine } from "@belay/machine"
import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as OutputDecoder from "../../src/workspace/process/OutputDecoder.ts"

const windows = { ...Machine.host, platform: "win32" } as const
const linux = { ...Machine.host, platform: "linux" } as const

/** The text of the bytes, written in pieces of these lengths. */
const read = (bytes: Uint8Array, lengths: ReadonlyArray<number>, machine: Machine.Machine): string => {
  const decoder = OutputDecoder.make(machine)
  let text = ""
  let at = 0
  for (const length of [...lengths, bytes.length]) {
    text += decoder.write(bytes.subarray(at, at + length))
    at += length
  }
  return text + decoder.end()
}

describe("the output of a program", () => {
  it.prop(
    "is the same text on each platform, whatever the pieces in which it comes",
    [Schema.String, Schema.Array(Schema.Literals([0, 1, 2, 3, 5]))],
    ([given, lengths]) => {
      const text = `${given.toWellFormed()}é€😀`
      for (const machine of [windows, linux]) {
        assert.strictEqual(read(Buffer.from(text), lengths, machine), text)
      }
    }
  )

  it("in the code page of an older program of Windows is read as that, from there on", () => {
    const bytes = Buffer.from([0x47, 0x72, 0xfc, 0xdf, 0x65, 0x20, 0x80, 0x0a, 0xe4])
    for (const lengths of [[], [1, 1, 1, 1], [3], [2, 1]]) {
      assert.strictEqual(read(bytes, lengths, windows), "Grüße €\nä")
    }
    assert.strictEqual(read(bytes, [], linux), "Gr\ufffd\ufffde \ufffd\n\ufffd")
  })

  it("keeps what was UTF-8 before, and an end in the middle of a character", () => {
    const mixed = Buffer.concat([Buffer.from("für "), Buffer.from([0xfc, 0x62, 0x65, 0x72])])
    assert.strictEqual(read(mixed, [4], windows), "für über")
    assert.strictEqual(read(Buffer.from([0x61, 0xe2, 0x82]), [2], windows), "aâ\u201a")
  })
})
