/**
 * The part that both edit tools share: one file from its bytes to its new bytes.
 *
 * Guarantees: two edits of one path never overlap in this process; the path is resolved inside that section; what is
 * replaced are exactly the bytes that `change` saw; a whole file is replaced only where the model knows all of it;
 * encoding and byte order mark stay; what a person has not saved yet is part of the file.
 */
import { type PathFact, SchemaAddress } from "@belay/approval-policy"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Proposal, Summary } from "../../tool/Proposal.ts"
import * as KnownLines from "../../tool/KnownLines.ts"
import type { Refusal, ToolContext, ToolOutput } from "../../tool/Tool.ts"
import { failure, output } from "../../tool/Tool.ts"
import * as Identity from "../paths/Identity.ts"
import * as ApprovalBinding from "../paths/ApprovalBinding.ts"
import * as LineDiff from "../text/LineDiff.ts"
import * as OpenFile from "./OpenFile.ts"
import * as PathLocks from "../paths/PathLocks.ts"
import * as SafeFile from "../paths/SafeFile.ts"
import * as StaleEdit from "./StaleEdit.ts"
import * as TextFile from "../text/TextFile.ts"
import * as Unread from "./Unread.ts"

/** Larger files are refused: they are read into memory whole. */
const limit = 16_000_000

/** The new text and what the model is told: a sentence, and lines after it. */
interface Changed {
  readonly text: string
  readonly said: string
  readonly lines?: ReadonlyArray<string>
}

/** An edit does not fit its file; the message says why and what to do, the first line for people. */
export class EditRefused extends Schema.TaggedError<EditRefused>()("EditRefused", { message: Schema.String }) {}

export type Change = Result.Result<Changed, EditRefused>

export const refused = (message: string) => Result.fail(new EditRefused({ message }))

export interface EditOptions {
  readonly args: object
  readonly given: string
  readonly resolve: () => PathFact.PathFact
  /** The change gives all of the content. */
  readonly whole: boolean
  /** `undefined`: there is no such file. `strict`: it is not as the model knows it. */
  readonly change: (current: TextFile.TextFile | undefined, strict: boolean) => Change
  readonly context: Pick<ToolContext, "edited" | "seen" | "taskId" | "waits" | "workspace">
}

export const newFile = { encoding: "utf-8", bom: false } as const

export const hashOf = (bytes: Uint8Array | undefined): string => (bytes === undefined ? "absent" : SafeFile.hash(bytes))

export const bytesOf = (fact: PathFact.PathFact) =>
  fact.kind === "absent" ? Effect.succeed(undefined) : OpenFile.readAll(fact, limit)

export const decode = (
  bytes: Uint8Array | undefined,
  given: string
): Result.Result<TextFile.TextFile | undefined, EditRefused> =>
  bytes === undefined
    ? Result.succeed(undefined)
    : Result.mapError(
        TextFile.decode(bytes),
        ({ what }) => new EditRefused({ message: `${given} is ${what} and cannot be edited as text.` })
      )

/** What the model is told when the person who approved the edit wrote something else. */
export const changedByUser = (told: ToolOutput, given: string, proposed: string, written: string): ToolOutput => {
  const diff = LineDiff.unified(given, proposed, written)
  if (diff === "") return told
  const said = `The user changed this before it was written. The file holds their text now, which differs from yours:\n${diff}`
  return { ...told, content: [...told.content, { type: "text", text: said }] }
}

interface Planned extends Changed {
  readonly current: TextFile.TextFile | undefined
}

/** What the edit makes of these bytes, by what the model knows of them; or what it is told instead. */
const plan = (
  { change, context, given, whole }: Omit<EditOptions, "args" | "resolve">,
  { resolved }: PathFact.PathFact,
  bytes: Uint8Array | undefined
): Result.Result<Planned, ToolOutput> => {
  const decoded = decode(bytes, given)
  if (Result.isFailure(decoded)) return Result.fail(failure(`${decoded.failure.message} Nothing was changed.`))
  const current = decoded.success
  const known = context.seen?.(resolved)
  const now = { given, resolved, hash: hashOf(bytes), text: current?.text }
  const since = StaleEdit.since(known, now)
  if (since !== undefined && (whole || current === undefined) && known?.hash !== "absent") {
    return Result.fail(StaleEdit.refusal(now, since))
  }
  const isAsked = whole && context.seen !== undefined && current !== undefined && current.text !== ""
  const unread = isAsked ? Unread.refusal(given, current.text, known) : undefined
  if (unread !== undefined) return Result.fail(failure(unread))
  const changed = change(current, since !== undefined)
  if (Result.isFailure(changed)) {
    const why = `${changed.failure.message}\nNothing was changed.`
    return Result.fail(since === undefined ? failure(why) : StaleEdit.refusal(now, since, changed.failure.message))
  }
  if (since === undefined) return Result.succeed({ ...changed.success, current })
  const edit = LineDiff.between(current?.text ?? "", changed.success.text)
  const said = `${changed.success.said} ${StaleEdit.note(since, edit)}`
  return Result.succeed({ ...changed.success, said, current })
}

/** What the model knows of the lines that an edit has made; those that it left alone are known as they were. */
export const madeLines = (before: string | undefined, text: string, whole: boolean): string =>
  KnownLines.of(
    text,
    whole || before === undefined
      ? undefined
      : LineDiff.between(before, text).flatMap(({ to, toEnd }) => (to === toEnd ? [] : [[to + 1, toEnd] as const]))
  )

const editNow = Effect.fnUntraced(function* (options: EditOptions, fact: PathFact.PathFact) {
  const bytes = yield* bytesOf(fact)
  const expectedHash = hashOf(bytes)
  const { resolved } = fact
  yield* ApprovalBinding.confirmContent(options.args, options.given, expectedHash)
  const planned = plan(options, fact, bytes)
  if (Result.isFailure(planned)) return planned.failure
  const { current, lines = [], said, text: proposed } = planned.success
  yield* ApprovalBinding.confirmSchemas(options.args, options.given, SchemaAddress.added(current?.text, proposed))
  const text = options.context.edited?.find((one) => one.resolved === resolved)?.text ?? proposed
  const told = changedByUser(output([said, ...lines].join("\n")), options.given, proposed, text)
  const next = TextFile.encode(current ?? newFile, text)
  if (Result.isFailure(next)) return failure(`${next.failure.message}. Nothing was changed.`)
  const made = madeLines(current?.text, text, options.whole)
  if (bytes !== undefined && Buffer.compare(bytes, next.success) === 0) {
    const same = already(options.given)
    const files = [{ path: resolved, hash: expectedHash, lines: made }]
    return { ...told, content: [...same.content, ...told.content.slice(1)], files }
  }
  const left = yield* OpenFile.writeAll([{ fact, bytes: next.success, expectedHash }])
  const content = [...told.content, ...OpenFile.leftText(left)]
  return { ...told, content, files: [{ path: resolved, hash: SafeFile.hash(next.success), lines: made }] }
})

/** Whatever can be edited can be looked at. */
const hiddenWhy = (base: string, proposed: string): string | undefined => {
  if (proposed.includes("\0")) return "a binary file"
  const size = Math.max(Buffer.byteLength(base), Buffer.byteLength(proposed))
  return size > limit ? `too large to be shown (${TextFile.sizeOf(size)})` : undefined
}

const isText = ({ failure, kind }: PathFact.PathFact): boolean =>
  failure === undefined && (kind === "file" || kind === "absent")

/** The fact with the schemas that the change adds; what cannot be changed adds none. */
export const withSchemas = (
  fact: PathFact.PathFact,
  change: EditOptions["change"]
): Effect.Effect<PathFact.PathFact> => {
  if (!isText(fact)) return Effect.succeed(fact)
  return Effect.match(bytesOf(fact), {
    onFailure: () => fact,
    onSuccess: (bytes) => {
      const schemas = Result.flatMap(decode(bytes, fact.given), (current) =>
        Result.map(change(current, false), ({ text }) => SchemaAddress.added(current?.text, text))
      )
      return Result.isSuccess(schemas) && schemas.success.length > 0 ? { ...fact, schemas: schemas.success } : fact
    }
  })
}

type Proposing = Pick<EditOptions, "change" | "given" | "resolve">

/** Both sides of a change of one file; `undefined` where there is none. */
export interface Sides {
  readonly base: string | undefined
  readonly proposed: string | undefined
}

/** The change as it is shown. */
export const proposalOf = (given: string, fact: PathFact.PathFact, baseHash: string, sides: Sides): Proposal => {
  const { base, proposed = "" } = sides
  const counts = LineDiff.count(base ?? "", proposed)
  const why = hiddenWhy(base ?? "", proposed)
  const summary = {
    ...summaryOf(given, fact, why),
    ...counts,
    ...(sides.proposed === undefined ? { deletes: true as const } : {})
  }
  return why === undefined ? { summary, baseHash, contents: { base, proposed } } : { summary, baseHash }
}

const proposeNow = Effect.fnUntraced(function* (options: Proposing, fact: PathFact.PathFact) {
  const bytes = yield* bytesOf(fact)
  const baseHash = hashOf(bytes)
  const changed = Result.flatMap(decode(bytes, options.given), (current) =>
    Result.map(options.change(current, false), ({ text }) => ({ base: current?.text, proposed: text }))
  )
  if (Result.isSuccess(changed)) return proposalOf(options.given, fact, baseHash, changed.success)
  const why = `it cannot be applied: ${changed.failure.message.split("\n")[0] ?? ""}`
  return { summary: summaryOf(options.given, fact, why), baseHash }
})

const summaryOf = (given: string, { kind, resolved }: PathFact.PathFact, hidden?: string): Summary => ({
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
        : Effect.succeed({ summary: summaryOf(options.given, fact, fact.failure), baseHash: "" })
    return Effect.catchTag(proposal, "SafeFileError", ({ message }) =>
      Effect.succeed<Proposal>({ summary: summaryOf(options.given, fact, message), baseHash: "" })
    ).pipe(Effect.map((one) => [one]))
  })

/** The content that an approval of the edit binds to; the edit itself holds to it as well. */
export const identity = (args: object, fact: PathFact.PathFact): Effect.Effect<string> =>
  OpenFile.unsavedBytes(fact, limit).pipe(
    Effect.orElseSucceed(() => undefined),
    Effect.flatMap((bytes) => (bytes === undefined ? Identity.content(fact, limit) : Effect.succeed(hashOf(bytes)))),
    Effect.map((content) => ApprovalBinding.bind(args, fact.given, content))
  )

/** What is told of an edit that leaves the file as it is. */
const already = (given: string): ToolOutput => output(`${given} already has this content. Nothing was changed.`)

/** The file would be the same, to the byte. */
export const isSame = (
  bytes: Uint8Array | undefined,
  form: Pick<TextFile.TextFile, "encoding" | "bom"> | undefined,
  text: string
): boolean => {
  if (bytes === undefined) return false
  const next = TextFile.encode(form ?? newFile, text)
  return Result.isSuccess(next) && Buffer.compare(bytes, next.success) === 0
}

/** Before anybody is asked: what cannot be done to the file as it is, and what would change nothing in it. */
export const refuses = (options: Omit<EditOptions, "args">) =>
  Effect.suspend(() => {
    const fact = options.resolve()
    return Effect.map(bytesOf(fact), (bytes): Refusal | undefined => {
      const planned = plan(options, fact, bytes)
      if (Result.isSuccess(planned)) {
        const { current, text } = planned.success
        return isSame(bytes, current, text) ? { output: already(options.given), mistake: false } : undefined
      }
      const known = options.context.seen?.(fact.resolved)
      return { output: planned.failure, mistake: known === undefined || known.hash === hashOf(bytes) }
    })
  }).pipe(Effect.catchTag("SafeFileError", () => Effect.succeed(undefined)))

export const edit = (options: EditOptions): Effect.Effect<ToolOutput> =>
  Effect.suspend(() =>
    PathLocks.withPath(
      options.resolve().resolved,
      PathLocks.userOf(options.context)
    )(
      Effect.suspend(() => ApprovalBinding.confirm(options.args, options.resolve())).pipe(
        Effect.flatMap((fact) => editNow(options, fact))
      )
    )
  ).pipe(Effect.catchTag("SafeFileError", (error) => Effect.succeed(failure(error.message))))
