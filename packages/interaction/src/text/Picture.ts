/** Images that a person may send with a message: what they are is told by their bytes, never by their names. */
import { printable } from "@belay/message-state"

/** Bytes of one image, as model services take them. */
export const largest = 5_000_000

/** Images of one message. */
export const most = 10

const ascii = (head: Uint8Array, from: number, to: number): string => String.fromCharCode(...head.subarray(from, to))

/** The media type of a PNG, JPEG, GIF or WebP file, by its first twelve bytes. */
export const typeOf = (head: Uint8Array): string | undefined => {
  if (ascii(head, 0, 8) === "\x89PNG\r\n\x1a\n") return "image/png"
  if (ascii(head, 0, 3) === "\xff\xd8\xff") return "image/jpeg"
  if (/^GIF8[79]a$/u.test(ascii(head, 0, 6))) return "image/gif"
  if (ascii(head, 0, 4) === "RIFF" && ascii(head, 8, 12) === "WEBP") return "image/webp"
  return undefined
}

const megabytes = (size: number): string => `${(size / 1_000_000).toFixed(1)} MB`

const attached = (name: string): string => `"${printable(name).slice(0, 80)}" was not attached`

/** Says that an image is too large. */
export const tooLarge = (name: string, size: number): string =>
  `${attached(name)}: it has ${megabytes(size)}, and ${largest / 1_000_000} MB is the most.`

/** Says why a file is not attached to a message that has `count` images, in one sentence; nothing when it may be. */
export const refusal = (of: {
  readonly name: string
  readonly size: number
  readonly head: Uint8Array
  readonly count: number
}): string | undefined => {
  if (typeOf(of.head) === undefined) return `${attached(of.name)}: it is not a PNG, JPEG, GIF or WebP image.`
  if (of.size > largest) return tooLarge(of.name, of.size)
  return of.count >= most ? `${attached(of.name)}: a message takes ${most} images at most.` : undefined
}
