/**
 * What a patch makes of its files, before anything is written: each as it is and as it will be.
 *
 * Guarantees: a hunk that does not fit, a file that is not there or is there already, and one to remove that is not as the
 * model knows it stop the whole. A file that is not as the model knows it is changed where its hunks fit at one place each.
 */
import { type PathFact, SchemaAddress } from "@belay/approval-policy"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as fs from "node:fs"
import type * as KnownLines from "../../tool/KnownLines.ts"
import type * as Tool from "../../tool/Tool.ts"
import { failure } from "../../tool/Tool.ts"
import * as EditFile from "./EditFile.ts"
import * as ApprovalBinding from "../paths/ApprovalBinding.ts"
import * as Patch from "../text/Patch.ts"
import * as PatchedText from "../text/PatchedText.ts"
import * as StaleEdit from "./StaleEdit.ts"
import type * as TextFile from "../text/TextFile.ts"

/** What becomes of one file. */
export interface Planned {
  readonly given: string
  readonly fact: PathFact.PathFact
  readonly bytes: Uint8Array | undefined
  readonly current: Result.Result<TextFile.TextFile | undefined, EditFile.EditRefused>
  /** `undefined`: it is removed. */
  readonly text: string | undefined
  readonly form: Pick<TextFile.TextFile, "encoding" | "bom">
  readonly mode?: number
  /** Of a file that is moved here: what it holds where it comes from, and what the model knows of it there. */
  readonly moved?: { readonly text: string; readonly known: KnownLines.Content | undefined }
  /** What it had become before, where it is not as the model knew it. */
  readonly since?: StaleEdit.Since
}

/** Stops a plan, with what the model is told. */
export class Refused {
  readonly refusal: Tool.Refusal
  /** What is to be changed and is not there. */
  readonly missing: PathFact.PathFact | undefined
  constructor(refusal: Tool.Refusal, missing?: PathFact.PathFact) {
    this.refusal = refusal
    this.missing = missing
  }
}

/** A patch that cannot be carried out. */
export const refused = (said: string): Tool.Refusal => ({
  output: failure(`${said}\nNothing was changed.`),
  mistake: true
})

export const unfit = (said: string, missing?: PathFact.PathFact) => Effect.fail(new Refused(refused(said), missing))

interface Found {
  readonly given: string
  readonly fact: PathFact.PathFact
  readonly bytes: Uint8Array | undefined
  readonly current: Planned["current"]
  readonly known: KnownLines.Content | undefined
  readonly since: StaleEdit.Since | undefined
}

type Context = Pick<Tool.ToolContext, "seen">

export type Resolve = (given: string) => PathFact.PathFact

const textOf = ({ current }: Pick<Planned, "current">): string | undefined =>
  Result.isSuccess(current) ? current.success?.text : undefined

const nowOf = (found: Pick<Found, "bytes" | "current" | "fact" | "given">): StaleEdit.Now => ({
  given: found.given,
  resolved: found.fact.resolved,
  hash: EditFile.hashOf(found.bytes),
  text: textOf(found)
})

const look = Effect.fnUntraced(function* (given: string, fact: PathFact.PathFact, context: Context) {
  const bytes = yield* EditFile.bytesOf(fact)
  const known = context.seen?.(fact.resolved)
  const found = { given, fact, bytes, current: EditFile.decode(bytes, given), known }
  return { ...found, since: StaleEdit.since(known, nowOf(found)) } satisfies Found
})

/** Stops the plan for a file that is not as the model knows it; `why` is what does not fit. */
const stale = (found: Found, since: StaleEdit.Since, why?: string) =>
  Effect.fail(new Refused({ output: StaleEdit.refusal(nowOf(found), since, why), mistake: false }))

const isLink = (file: string): boolean => fs.lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true

const must = Effect.fnUntraced(function* (found: Found, exists: boolean) {
  const { since } = found
  if (found.bytes === undefined && since !== undefined) return yield* stale(found, since)
  if (found.bytes === undefined && exists) return yield* unfit(`${found.given} does not exist.`, found.fact)
  if (found.bytes !== undefined && !exists)
    return yield* unfit(`${found.given} exists already; change it with an Update section.`)
  return found
})

const removed = Effect.fnUntraced(function* (found: Found) {
  if (isLink(found.fact.displayed)) return yield* unfit(`${found.given} is a link; remove it with a command.`)
  const { current, fact, given, bytes } = found
  return { bytes, current, fact, given, text: undefined, form: EditFile.newFile } satisfies Planned
})

const planSection = Effect.fnUntraced(function* (section: Patch.Section, files: ReadonlyMap<string, Found>) {
  const fileAt = (given: string, exists: boolean) => {
    const found = files.get(given)
    return found === undefined ? unfit(`${given} was not looked at.`) : must(found, exists)
  }
  if (section._tag === "Delete") {
    const found = yield* fileAt(section.path, true)
    return [found.since === undefined ? yield* removed(found) : yield* stale(found, found.since)]
  }
  if (section._tag === "Add") {
    const { bytes, current, fact, given } = yield* fileAt(section.path, false)
    return [{ bytes, current, fact, given, text: section.text, form: EditFile.newFile } satisfies Planned]
  }
  const found = yield* fileAt(section.path, true)
  if (Result.isFailure(found.current)) return yield* unfit(found.current.failure.message)
  const form = found.current.success ?? EditFile.newFile
  const before = found.current.success?.text ?? ""
  const { since } = found
  const text = PatchedText.apply(before, section.hunks, since !== undefined)
  if (Result.isFailure(text)) {
    const why = `${section.path}: ${text.failure.message}`
    return yield* since === undefined ? unfit(why) : stale(found, since, why)
  }
  const change = { text: text.success, form, ...(since === undefined ? {} : { since }) }
  if (section.to === undefined) {
    const { bytes, current, fact, given } = found
    return [{ bytes, current, fact, given, ...change } satisfies Planned]
  }
  const { bytes, current, fact, given } = yield* fileAt(section.to, false)
  const mode = fs.statSync(found.fact.resolved).mode & 0o777
  const moved = { text: before, known: found.known }
  return [yield* removed(found), { bytes, current, fact, given, ...change, mode, moved } satisfies Planned]
})

/** All files as they are and as they will be. Fails with why not, of all stale files at once. */
export const plan = Effect.fnUntraced(function* (
  args: object,
  sections: ReadonlyArray<Patch.Section>,
  resolve: Resolve,
  context: Context
) {
  const files = new Map<string, Found>()
  const places = new Map<string, string>()
  for (const given of sections.flatMap(Patch.pathsOf)) {
    const fact = yield* ApprovalBinding.confirm(args, resolve(given))
    const other = places.get(fact.resolved)
    if (other !== undefined) return yield* unfit(`${other} and ${given} are the same file.`)
    places.set(fact.resolved, given)
    files.set(given, yield* look(given, fact, context))
  }
  const planned: Array<Planned> = []
  const outputs: Array<Tool.ToolOutput> = []
  for (const section of sections) {
    const one = yield* Effect.result(planSection(section, files))
    if (Result.isSuccess(one)) planned.push(...one.success)
    else if (one.failure.refusal.mistake) return yield* Effect.fail(one.failure)
    else outputs.push(one.failure.refusal.output)
  }
  if (outputs.length === 0) return planned
  const content = outputs.flatMap(({ content }) => content)
  const output = { content, isError: true, files: outputs.flatMap(({ files = [] }) => files) }
  return yield* Effect.fail(new Refused({ output, mistake: false }))
})

/** What a file held before, wherever that was. */
export const baseOf = (planned: Planned): string | undefined => planned.moved?.text ?? textOf(planned)

/** The addresses of schemas that a file gets. */
export const schemasOf = (planned: Planned): ReadonlyArray<string> =>
  SchemaAddress.added(baseOf(planned), planned.text ?? "")
