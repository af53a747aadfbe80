/**
 * A part of a text file that may grow: whole characters only, and whole lines where half of the part has a line's end.
 */
import * as fs from "node:fs"

export interface Page {
  readonly text: string
  /** In bytes, as it begins and ends. */
  readonly from: number
  readonly to: number
  readonly size: number
}

/** Bytes at the beginning that end a character. */
const skipped = (bytes: Buffer): number => {
  let skip = 0
  while (skip < 3 && ((bytes[skip] ?? 0) & 0xc0) === 0x80) skip++
  return skip
}

const trimmed = (bytes: Buffer, isLast: boolean): { readonly skip: number; readonly end: number } => {
  const skip = skipped(bytes)
  if (isLast) return { skip, end: bytes.length }
  const line = bytes.lastIndexOf(10) + 1
  if (line > bytes.length / 2) return { skip, end: line }
  let end = bytes.length
  while (end > bytes.length - 3 && ((bytes[end - 1] ?? 0) & 0xc0) === 0x80) end--
  return { skip, end: (bytes[end - 1] ?? 0) >= 0xc0 ? end - 1 : bytes.length }
}

interface Part {
  readonly bytes: Buffer
  readonly offset: number
  readonly size: number
}

/** Nothing when there is no such file. */
const part = (name: string, place: (size: number) => { offset: number; length: number }): Part | undefined => {
  const noFollow = fs.constants.O_NOFOLLOW ?? 0
  let descriptor: number
  try {
    descriptor = fs.openSync(name, fs.constants.O_RDONLY | noFollow)
  } catch {
    return undefined
  }
  try {
    const { size } = fs.fstatSync(descriptor)
    const { length, offset } = place(size)
    const buffer = Buffer.alloc(Math.max(0, Math.min(length, size - offset)))
    return { bytes: buffer.subarray(0, fs.readSync(descriptor, buffer, 0, buffer.length, offset)), offset, size }
  } finally {
    fs.closeSync(descriptor)
  }
}

/** At most `length` bytes from `offset`. */
export const read = (name: string, offset: number, length: number): Page | undefined => {
  const found = part(name, () => ({ offset, length }))
  if (found === undefined) return undefined
  const { bytes, size } = found
  const { end, skip } = trimmed(bytes, offset + bytes.length >= size)
  return { text: bytes.toString("utf8", skip, end), from: offset + skip, to: offset + end, size }
}

/** At most the last `length` bytes. */
export const last = (name: string, length: number): Page | undefined => {
  const found = part(name, (size) => ({ offset: Math.max(0, size - length), length }))
  if (found === undefined) return undefined
  const { bytes, offset, size } = found
  const line = offset === 0 ? 0 : bytes.indexOf(10) + 1
  const skip = line > 0 && line < bytes.length / 2 ? line : offset === 0 ? 0 : skipped(bytes)
  return { text: bytes.toString("utf8", skip), from: offset + skip, to: offset + bytes.length, size }
}
