/**
 * Contents out of a store, one after another, in pieces: as much memory as a pipe holds.
 */
import type { GitFailed } from "@belay/git-runner"
import * as Effect from "effect/Effect"
import type { Store } from "./store.ts"

export interface Reader {
  /** Each content in the order that was asked for. */
  readonly begin: (at: number) => void
  readonly chunk: (bytes: Buffer) => void
  readonly end: () => void
}

/** `<id> blob <size>`, a line end, the content, a line end. https://git-scm.com/docs/git-cat-file#_batch_output */
const parser = (reader: Reader): ((chunk: Buffer) => void) => {
  let header = ""
  let left = -1
  let at = 0
  return (bytes) => {
    let rest = bytes
    while (rest.length > 0) {
      if (left < 0) {
        const stop = rest.indexOf(10)
        header += rest.subarray(0, stop < 0 ? rest.length : stop).toString("latin1")
        rest = stop < 0 ? Buffer.alloc(0) : rest.subarray(stop + 1)
        if (stop < 0) return
        const [, type, size] = header.split(" ")
        header = ""
        const current = at++
        if (type !== "blob") continue
        left = Number(size) + 1
        reader.begin(current)
      }
      const piece = rest.subarray(0, left)
      left -= piece.length
      const content = left === 0 ? piece.subarray(0, -1) : piece
      if (content.length > 0) reader.chunk(content)
      if (left === 0) {
        left = -1
        reader.end()
      }
      rest = rest.subarray(piece.length)
    }
  }
}

/** One that is missing is passed over. */
export const read = (store: Store, ids: ReadonlyArray<string>, reader: Reader): Effect.Effect<void, GitFailed> =>
  ids.length === 0
    ? Effect.void
    : Effect.asVoid(
        store.git({
          args: ["cat-file", "--batch"],
          stdin: Buffer.from(ids.map((id) => `${id}\n`).join("")),
          onOutput: parser(reader)
        })
      )

/** One content whole. */
export const content = (store: Store, id: string): Effect.Effect<Uint8Array, GitFailed> =>
  Effect.map(store.git({ args: ["cat-file", "blob", id] }), ({ stdout }) => new Uint8Array(stdout))
