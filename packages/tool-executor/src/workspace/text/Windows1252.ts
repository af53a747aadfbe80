/**
 * The encoding of most old text files: one byte a character, so every file can be read and written back in it.
 *
 * Source: https://encoding.spec.whatwg.org/index-windows-1252.txt. The five bytes that it leaves to control characters
 * stay themselves.
 */
const upper = "€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ"

const toUpper = new Map(Array.from(upper, (char, index) => [String.fromCharCode(0x80 + index), char] as const))
const toByte = new Map([...toUpper].map(([byte, char]) => [char, byte]))

// No text has these: tab, line feed, form feed, carriage return and escape may be in one.
// oxlint-disable-next-line no-control-regex
const never = /[\0-\x08\x0b\x0e-\x1a\x1c-\x1f\x7f]/

/** Nothing for bytes that are no text. */
export const decode = (bytes: Uint8Array): string | undefined => {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1")
  // oxlint-disable-next-line no-control-regex
  return never.test(text) ? undefined : text.replaceAll(/[\x80-\x9f]/g, (byte) => toUpper.get(byte) ?? byte)
}

const byteOf = (char: string): string | undefined => {
  const at = char.codePointAt(0) ?? 0
  return toByte.get(char) ?? (at < 0x80 || (at >= 0xa0 && at <= 0xff) ? char : undefined)
}

/** The first character that has no byte. */
export const foreign = (text: string): string | undefined => {
  for (const char of text) if (byteOf(char) === undefined) return char
  return undefined
}

/** Characters without a byte become `?`. */
export const encode = (text: string): Uint8Array =>
  // oxlint-disable-next-line no-control-regex
  Buffer.from(
    text.replaceAll(/[^\0-\x7f\xa0-\xff]/gu, (char) => byteOf(char) ?? "?"),
    "latin1"
  )
