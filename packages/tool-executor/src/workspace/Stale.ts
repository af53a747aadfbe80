/**
 * An edit of a file that has another content than the model knows: refused, with what it holds now.
 *
 * What the model has not read may have been changed by anybody; only a content that it knows by its hash counts.
 */
import * as Result from "effect/Result"
import { failure, type ToolOutput } from "../Tool.ts"
import * as LineWindow from "./LineWindow.ts"
import * as TextFile from "./TextFile.ts"

export interface Now {
  /** As the model wrote it. */
  readonly given: string
  readonly resolved: string
  /** `"absent"` when there is none. */
  readonly hash: string
  readonly bytes: Uint8Array | undefined
}

const shown = (bytes: Uint8Array): string => {
  const decoded = TextFile.decode(bytes)
  if (Result.isFailure(decoded)) return `It is ${decoded.failure} now.`
  const window = LineWindow.make(1, Number.POSITIVE_INFINITY)
  window.push(Buffer.from(decoded.success.text, "utf8"))
  const { last, limited, seen, text } = window.finish()
  const more = limited ? ` (lines 1-${last} of ${seen}; use read_file for more)` : ""
  return `This is its content now${more}:\n${text}`
}

/** Nothing when the model knows this content, or none. With the refusal it knows what is there now. */
export const refusal = (now: Now, seen: ((resolved: string) => string | undefined) | undefined) => {
  const known = seen?.(now.resolved)
  if (known === undefined || known === now.hash) return undefined
  const said =
    now.bytes === undefined
      ? `${now.given} was deleted since you saw it. Nothing was written: repeat the call if it should exist again.`
      : `${now.given} was changed since you saw it, by a command or by somebody else. Nothing was written. ${shown(now.bytes)}`
  return { ...failure(said), files: [{ path: now.resolved, hash: now.hash }] } satisfies ToolOutput
}
