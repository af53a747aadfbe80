/**
 * The part that both edit tools share: one file from its bytes to its new bytes.
 *
 * Guarantees: two edits of one path never overlap in this process; the path is resolved inside that section; what is
 * replaced are exactly the bytes that `change` saw; encoding and byte order mark stay.
 */
import type { PathFact } from "@belay/approval-policy"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Edited, Proposal, Summary } from "../Proposal.ts"
import type { ToolOutput } from "../Tool.ts"
import { failure, output as unchanged } from "../Tool.ts"
import * as Identity from "./Identity.ts"
import * as Judged from "./Judged.ts"
import * as LineDiff from "./LineDiff.ts"
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
  /** What the person who approved it wants instead. */
  readonly edited?: ReadonlyArray<Edited> | undefined
}

const newFile = { encoding: "utf-8", bom: false } as const

const hashOf = (bytes: Uint8Array | undefined): string => (bytes === undefined ? "absent" : SafeFile.hash(bytes))

const bytesOf = (fact: PathFact.PathFact) =>
  fact.kind === "absent" ? Effect.succeed(undefined) : SafeFile.readAll(fact, limit)

const decode = (bytes: Uint8Array | undefined, given: string): Result.Result<TextFile.TextFile | undefined, string> =>
  bytes === undefined
    ? Result.succeed(undefined)
    : Result.mapError(TextFile.decode(bytes), (what) => `${given} is ${what} and cannot be edited as text.`)

/** What the model is told when the person who approved the edit wrote something else. */
const changedByUser = (told: ToolOutput, given: string, proposed: string, written: string): ToolOutput => {
  const diff = LineDiff.unified(given, proposed, written)
  if (diff === "") return told
  const said = `The user changed this before it was written. The file holds their text now, which differs from yours:\n${diff}`
  return { ...told, content: [...told.content, { type: "text", text: said }] }
}

const editNow = Effect.fnUntraced(function* (options: EditOptions, fact: PathFact.PathFact) {
  const bytes = yield* bytesOf(fact)
  const expectedHash = hashOf(bytes)
  yield* Judged.confirmContent(options.args, options.given, expectedHash)
  const decoded = decode(bytes, options.given)
  if (Result.isFailure(decoded)) return failure(`${decoded.failure} Nothing was changed.`)
  const current = decoded.success
  const changed = options.change(current)
  if (Result.isFailure(changed)) return failure(`${changed.failure}\nNothing was changed.`)
  const proposed = changed.success
  const text = options.edited?.find(({ resolved }) => resolved === fact.resolved)?.text ?? proposed.text
  const told = changedByUser(proposed.output, options.given, proposed.text, text)
  const next = TextFile.encode(current ?? newFile, text)
  if (Result.isFailure(next)) return failure(`${next.failure}. Nothing was changed.`)
  if (bytes !== undefined && Buffer.compare(bytes, next.success) === 0) {
    const same = unchanged(`${options.given} already has this content. Nothing was changed.`)
    return text === proposed.text ? same : { ...told, content: [...same.content, ...told.content.slice(1)] }
  }
  yield* SafeFile.write(fact, next.success, { expectedHash })
  return told
})

/** More than this is not shown: bytes of either side, lines that differ. */
const shownBytes = 1_000_000
const shownLines = 5000

const hiddenWhy = (base: string, proposed: string, { added, removed }: LineDiff.Counts): string | undefined => {
  const size = Math.max(Buffer.byteLength(base), Buffer.byteLength(proposed))
  if (size > shownBytes) return `too large to be shown (${TextFile.sizeOf(size)})`
  return added + removed > shownLines ? `too much differs to be shown (${added + removed} lines)` : undefined
}

type Proposing = Omit<EditOptions, "args" | "edited">

const proposeNow = Effect.fnUntraced(function* (options: Proposing, fact: PathFact.PathFact) {
  const bytes = yield* bytesOf(fact)
  const baseHash = hashOf(bytes)
  const changed = Result.flatMap(decode(bytes, options.given), (current) =>
    Result.map(options.change(current), ({ text }) => ({ base: current?.text, proposed: text }))
  )
  if (Result.isFailure(changed)) {
    const why = `it cannot be applied: ${changed.failure.split("\n")[0] ?? ""}`
    return { summary: summaryOf(options, fact, why), baseHash }
  }
  const contents = changed.success
  const counts = LineDiff.count(contents.base ?? "", contents.proposed)
  const why = hiddenWhy(contents.base ?? "", contents.proposed, counts)
  const summary = { ...summaryOf(options, fact, why), ...counts }
  return why === undefined ? { summary, baseHash, contents } : { summary, baseHash }
})

const summaryOf = ({ given }: Proposing, { kind, resolved }: PathFact.PathFact, hidden?: string): Summary => ({
  path: given,
  resolved,
  exists: kind !== "absent",
  added: 0,
  removed: 0,
  ...(hidden === undefined ? {} : { hidden })
})

/** What the edit would write now; a file that cannot be read is a summary that says so. */
export const propose = (options: Proposing): Effect.Effect<ReadonlyArray<Proposal>> =>
  Effect.suspend(() => {
    const fact = options.resolve()
    const proposal: Effect.Effect<Proposal, SafeFile.SafeFileError> =
      fact.failure === undefined
        ? proposeNow(options, fact)
        : Effect.succeed({ summary: summaryOf(options, fact, fact.failure), baseHash: "" })
    return Effect.catchTag(proposal, "SafeFileError", ({ message }) =>
      Effect.succeed<Proposal>({ summary: summaryOf(options, fact, message), baseHash: "" })
    ).pipe(Effect.map((one) => [one]))
  })

/** The content that an approval of the edit binds to; the edit itself holds to it as well. */
export const identity = (args: object, fact: PathFact.PathFact): Effect.Effect<string> =>
  Effect.map(Identity.content(fact, limit), (content) => Judged.bind(args, content))

export const edit = (options: EditOptions): Effect.Effect<ToolOutput> =>
  Effect.suspend(() =>
    PathLocks.withPath(options.resolve().resolved)(
      Effect.suspend(() => Judged.confirm(options.args, options.resolve())).pipe(
        Effect.flatMap((fact) => editNow(options, fact))
      )
    )
  ).pipe(Effect.catchTag("SafeFileError", (error) => Effect.succeed(failure(error.message))))
