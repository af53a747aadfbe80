/**
 * Bytes that a program writes, as text, piece by piece.
 *
 * Guarantee: UTF-8 is read as such, whatever the pieces. On Windows a program that writes its own code page, as older ones
 * do, is read as Windows-1252 from the first bytes on that are no UTF-8; elsewhere such bytes become replacement characters.
 */
import { Machine } from "@belay/machine"
import { StringDecoder } from "node:string_decoder"

export interface OutputDecoder {
  readonly write: (bytes: Uint8Array) => string
  /** What is left of a character that was never finished. */
  readonly end: () => string
}

const strict = (): OutputDecoder => {
  const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
  const legacy = new TextDecoder("windows-1252")
  // Without a stream Node 22 reads it as Latin-1.
  const decoded = (bytes: Uint8Array): string => legacy.decode(bytes, { stream: true })
  /** The bytes of a character that is not whole yet; undefined once the program writes something else. */
  let pending: Uint8Array | undefined = new Uint8Array()
  const read = (bytes: Uint8Array, isLast: boolean): string => {
    if (pending === undefined) return decoded(bytes)
    const all = Buffer.concat([pending, bytes])
    const whole = isLast ? all : all.subarray(0, all.length - unfinished(all))
    try {
      const text = utf8.decode(whole)
      pending = all.subarray(whole.length)
      return text
    } catch {
      pending = undefined
      return decoded(all)
    }
  }
  return { write: (bytes) => read(bytes, false), end: () => read(new Uint8Array(), true) }
}

/** How many bytes at the end begin a character that more bytes may finish. */
const unfinished = (bytes: Uint8Array): number => {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0
    if (byte >= 0xc0) {
      const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2
      return length > back ? back : 0
    }
    if (byte < 0x80) return 0
  }
  return 0
}

export const make = (machine: Machine.Machine = Machine.host): OutputDecoder => {
  if (Machine.isWindows(machine)) return strict()
  const decoder = new StringDecoder("utf8")
  return {
    write: (bytes) => decoder.write(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)),
    end: () => decoder.end()
  }
}
