/**
 * The part that both edit tools share: one file from its bytes to its new bytes.
 *
 * Guarantees: two edits of one path never overlap in this process; the path is resolved inside that section; what is
 * replaced are exactly the bytes that `change` saw; encoding and byte order mark stay.
 */
import type { PathFact } from "@belay/approval-policy"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { ToolOutput } from "../Tool.ts"
import { failure, output as unchanged } from "../Tool.ts"
import * as Judged from "./Judged.ts"
import * as PathLocks from "./PathLocks.ts"
import * as SafeFile from "./SafeFile.ts"
import * as TextFile from "./TextFile.ts"

/** Larger files are refused: they are read into memory whole. */
export const limit = 16_000_000

/** The new text and what the model is told, or why nothing is changed. */
export type Change = Result.Result<{ readonly text: string; readonly output: ToolOutput }, string>

export interface EditOptions {
  readonly args: object
  readonly given: string
  readonly resolve: () => PathFact.PathFact
  /** `undefined`: there is no such file. */
  readonly change: (current: TextFile.TextFile | undefined) => Change
}

const newFile = { encoding: "utf-8", bom: false } as const

const editNow = Effect.fnUntraced(function* (options: EditOptions, fact: PathFact.PathFact) {
  const bytes = fact.kind === "absent" ? undefined : yield* SafeFile.readAll(fact, limit)
  const decoded = bytes === undefined ? undefined : TextFile.decode(bytes)
  if (decoded !== undefined && Result.isFailure(decoded)) {
    return failure(`${options.given} is ${decoded.failure} and cannot be edited as text. Nothing was changed.`)
  }
  const current = decoded?.success
  const changed = options.change(current)
  if (Result.isFailure(changed)) return failure(`${changed.failure}\nNothing was changed.`)
  const { output, text } = changed.success
  const next = TextFile.encode(current ?? newFile, text)
  if (Result.isFailure(next)) return failure(`${next.failure}. Nothing was changed.`)
  if (bytes !== undefined && Buffer.compare(bytes, next.success) === 0) {
    return unchanged(`${options.given} already has this content. Nothing was changed.`)
  }
  const expectedHash = bytes === undefined ? "absent" : SafeFile.hash(bytes)
  yield* SafeFile.write(fact, next.success, { expectedHash })
  return output
})

export const edit = (options: EditOptions): Effect.Effect<ToolOutput> =>
  Effect.suspend(() =>
    PathLocks.withPath(options.resolve().resolved)(
      Effect.suspend(() => Judged.confirm(options.args, options.resolve())).pipe(
        Effect.flatMap((fact) => editNow(options, fact))
      )
    )
  ).pipe(Effect.catchTag("SafeFileError", (error) => Effect.succeed(failure(error.message))))
