/**
 * The name that a TLS client asks for, in the first bytes that it sends.
 *
 * Guarantees: bytes that a server could read in another way are `Wrong`: a second name, a name that is encrypted, a length
 * that does not fit. A hello in several records or pieces is put together first.
 * https://www.rfc-editor.org/rfc/rfc8446#section-4.1.2, https://www.rfc-editor.org/rfc/rfc6066#section-3
 */
export type ClientHello =
  /** More bytes are wanted. */
  | { readonly _tag: "More" }
  | { readonly _tag: "Wrong" }
  /** In lower case; nothing where it asks for no name. */
  | { readonly _tag: "Hello"; readonly name: string | undefined }

const more: ClientHello = { _tag: "More" }
const wrong: ClientHello = { _tag: "Wrong" }

const handshake = 22
const clientHello = 1
const serverName = 0
const encryptedHello = 0xfe0d
/** A hello with keys for the time after quantum computers has 2,000 bytes. */
const largest = 32_768

/** Reads forward and throws `RangeError` behind the end. */
class Cursor {
  readonly bytes: Buffer
  at = 0
  constructor(bytes: Buffer) {
    this.bytes = bytes
  }
  number(size: 1 | 2 | 3): number {
    const value = this.bytes.readUIntBE(this.at, size)
    this.at += size
    return value
  }
  /** What a length of `size` bytes stands before. */
  field(size: 1 | 2 | 3): Cursor {
    const length = this.number(size)
    if (this.at + length > this.bytes.length) throw new RangeError("behind the end")
    this.at += length
    return new Cursor(this.bytes.subarray(this.at - length, this.at))
  }
  get isAtEnd(): boolean {
    return this.at === this.bytes.length
  }
}

/** What the records hold, as far as they have come; undefined for what is no record of a handshake. */
const messageOf = (bytes: Buffer): Buffer | undefined => {
  const found: Array<Buffer> = []
  for (let at = 0; at < bytes.length;) {
    if (bytes[at] !== handshake || (bytes[at + 1] ?? 3) !== 3) return undefined
    const length = at + 5 > bytes.length ? 1 : bytes.readUInt16BE(at + 3)
    if (length === 0) return undefined
    found.push(bytes.subarray(at + 5, at + 5 + length))
    at += 5 + length
  }
  return Buffer.concat(found)
}

const namesOf = (extension: Cursor): ReadonlyArray<string> => {
  const list = extension.field(2)
  const names: Array<string> = []
  while (!list.isAtEnd) {
    const type = list.number(1)
    const name = list.field(2).bytes.toString("latin1").toLowerCase()
    names.push(type === 0 ? name : "")
  }
  return extension.isAtEnd ? names : [...names, ""]
}

const read = (hello: Cursor): ClientHello => {
  // Version and random.
  hello.at = 34
  hello.field(1)
  hello.field(2)
  hello.field(1)
  if (hello.isAtEnd) return { _tag: "Hello", name: undefined }
  const extensions = hello.field(2)
  const names: Array<string> = []
  while (!extensions.isAtEnd) {
    const type = extensions.number(2)
    const value = extensions.field(2)
    if (type === encryptedHello) return wrong
    if (type === serverName) names.push(...namesOf(value))
  }
  return names.length > 1 || !hello.isAtEnd ? wrong : { _tag: "Hello", name: names[0] }
}

/** Of the first bytes of a connection, at least one. */
export const of = (bytes: Buffer): ClientHello => {
  const message = messageOf(bytes)
  if (message === undefined || (message.length > 0 && message[0] !== clientHello)) return wrong
  const length = message.length < 4 ? undefined : message.readUIntBE(1, 3)
  if (length === undefined || message.length < 4 + length) return bytes.length > largest ? wrong : more
  try {
    return read(new Cursor(message.subarray(4, 4 + length)))
  } catch {
    return wrong
  }
}
