/** Files that their program has compressed with Zstandard: what is whole of one that is torn off is read. */
import * as Result from "effect/Result"
import * as zlib from "node:zlib"
import * as Files from "./files.ts"

/** Bytes. What is longer when it is unpacked is not read: a small file can hold any amount. */
const longest = 1024 * 1024 * 1024

/** Gives what a compressed file holds. */
export const pieces = (file: string, take: (bytes: Uint8Array) => void): Files.Seen => {
  const seen = Files.seen(file)
  if (seen._tag !== "File") return seen
  const parts: Array<Uint8Array> = []
  const stored = Files.pieces(file, (bytes) => void parts.push(new Uint8Array(bytes)))
  if (stored._tag !== "File") return stored
  const unpacked = (finishFlush: number) =>
    Result.try(() => zlib.zstdDecompressSync(Buffer.concat(parts), { maxOutputLength: longest, finishFlush }))
  const whole = unpacked(zlib.constants.ZSTD_e_end)
  const kept = Result.isSuccess(whole) ? whole : unpacked(zlib.constants.ZSTD_e_flush)
  if (Result.isFailure(kept)) return { _tag: "Unreadable", reason: "it cannot be unpacked" }
  take(kept.success)
  return Result.isSuccess(whole) ? seen : { _tag: "Unreadable", reason: "it is not whole" }
}
