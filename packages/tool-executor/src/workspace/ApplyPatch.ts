/**
 * apply_patch: several files in one patch: changed, added, removed and moved.
 *
 * Guarantees: all of it or nothing; each file is judged, shown and bound to an approval by itself; a file that is not as
 * the model knows it, or a hunk that does not fit, refuses the whole before anybody is asked.
 */
import { type PathFact, SchemaAddress } from "@belay/approval-policy"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as fs from "node:fs"
import type { Proposal } from "../Proposal.ts"
import type * as Tool from "../Tool.ts"
import { failure, output } from "../Tool.ts"
import * as EditFile from "./EditFile.ts"
import * as Judged from "./Judged.ts"
import * as NearNames from "./NearNames.ts"
import * as OpenFile from "./OpenFile.ts"
import * as Patch from "./Patch.ts"
import * as PathLocks from "./PathLocks.ts"
import * as PathResolver from "./PathResolver.ts"
import * as SafeFile from "./SafeFile.ts"
import type * as SafeWrite from "./SafeWrite.ts"
import * as Stale from "./Stale.ts"
import * as TextFile from "./TextFile.ts"

const form =
  "Sections *** Update File: path (next line perhaps *** Move to: path), *** Add File: path, *** Delete File: path. An update has hunks: @@, perhaps a line of the file to look after, then lines that begin with a blank (stays), - or +. All lines of an added file begin with +."

const isPatch = Schema.makeFilter((text: string) => {
  const parsed = Patch.parse(text)
  return Result.isSuccess(parsed) ? true : parsed.failure.message
})

export const Parameters = Schema.Struct({ patch: Schema.String.annotate({ description: form }).check(isPatch) })
export type Parameters = typeof Parameters.Type

const sectionsOf = (args: Parameters): ReadonlyArray<Patch.Section> =>
  Result.getOrElse(Patch.parse(args.patch), () => [])

/** What becomes of one file. */
interface Planned {
  readonly given: string
  readonly fact: PathFact.PathFact
  readonly bytes: Uint8Array | undefined
  readonly current: Result.Result<TextFile.TextFile | undefined, string>
  /** `undefined`: it is removed. */
  readonly text: string | undefined
  readonly form: Pick<TextFile.TextFile, "encoding" | "bom">
  readonly mode?: number
  /** Of a file that is moved here: what it holds where it comes from. */
  readonly moved?: string
}

/** Stops a plan, with what the model is told. */
class Refused {
  readonly refusal: Tool.Refusal
  /** What is to be changed and is not there. */
  readonly missing: PathFact.PathFact | undefined
  constructor(refusal: Tool.Refusal, missing?: PathFact.PathFact) {
    this.refusal = refusal
    this.missing = missing
  }
}

const refused = (said: string): Tool.Refusal => ({ output: failure(`${said}\nNothing was changed.`), mistake: true })

const unfit = (said: string, missing?: PathFact.PathFact) => Effect.fail(new Refused(refused(said), missing))

interface Found {
  readonly given: string
  readonly fact: PathFact.PathFact
  readonly bytes: Uint8Array | undefined
  readonly current: Planned["current"]
}

type Resolve = (given: string) => PathFact.PathFact

const look = Effect.fnUntraced(function* (given: string, fact: PathFact.PathFact) {
  const bytes = yield* EditFile.bytesOf(fact)
  return { given, fact, bytes, current: EditFile.decode(bytes, given) } satisfies Found
})

const isLink = (file: string): boolean => fs.lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true

const must = Effect.fnUntraced(function* (found: Found, exists: boolean) {
  if (found.bytes === undefined && exists) return yield* unfit(`${found.given} does not exist.`, found.fact)
  if (found.bytes !== undefined && !exists)
    return yield* unfit(`${found.given} exists already; change it with an Update section.`)
  return found
})

const removed = Effect.fnUntraced(function* (found: Found) {
  if (isLink(found.fact.displayed)) return yield* unfit(`${found.given} is a link; remove it with a command.`)
  return { ...found, text: undefined, form: EditFile.newFile } satisfies Planned
})

const planSection = Effect.fnUntraced(function* (section: Patch.Section, files: ReadonlyMap<string, Found>) {
  const fileAt = (given: string, exists: boolean) => {
    const found = files.get(given)
    return found === undefined ? unfit(`${given} was not looked at.`) : must(found, exists)
  }
  if (section._tag === "Delete") return [yield* removed(yield* fileAt(section.path, true))]
  if (section._tag === "Add") {
    const found = yield* fileAt(section.path, false)
    return [{ ...found, text: section.text, form: EditFile.newFile } satisfies Planned]
  }
  const found = yield* fileAt(section.path, true)
  if (Result.isFailure(found.current)) return yield* unfit(found.current.failure)
  const form = found.current.success ?? EditFile.newFile
  const text = Patch.apply(found.current.success?.text ?? "", section.hunks)
  if (Result.isFailure(text)) return yield* unfit(`${section.path}: ${text.failure.message}`)
  if (section.to === undefined) return [{ ...found, text: text.success, form } satisfies Planned]
  const target = yield* fileAt(section.to, false)
  const mode = fs.statSync(found.fact.resolved).mode & 0o777
  return [
    yield* removed(found),
    { ...target, text: text.success, form, mode, moved: found.current.success?.text ?? "" } satisfies Planned
  ]
})

/** All files as they are and as they will be. Fails with why not, of all stale files at once. */
const plan = Effect.fnUntraced(function* (args: Parameters, resolve: Resolve, context: Pick<Tool.ToolContext, "seen">) {
  const sections = sectionsOf(args)
  const files = new Map<string, Found>()
  const places = new Map<string, string>()
  for (const given of sections.flatMap(Patch.pathsOf)) {
    const fact = yield* Judged.confirm(args, resolve(given))
    const other = places.get(fact.resolved)
    if (other !== undefined) return yield* unfit(`${other} and ${given} are the same file.`)
    places.set(fact.resolved, given)
    files.set(given, yield* look(given, fact))
  }
  const stale = [...files.values()].flatMap(({ bytes, fact, given }) => {
    const now = { given, resolved: fact.resolved, hash: EditFile.hashOf(bytes), bytes }
    return Stale.refusal(now, context.seen) ?? []
  })
  if (stale.length > 0) {
    const output = {
      content: stale.flatMap(({ content }) => content),
      isError: true,
      files: stale.flatMap((refusal) => refusal.files)
    }
    return yield* Effect.fail(new Refused({ output, mistake: false }))
  }
  const planned: Array<Planned> = []
  for (const section of sections) planned.push(...(yield* planSection(section, files)))
  return planned
})

const schemasOf = ({ current, moved, text = "" }: Planned): ReadonlyArray<string> =>
  SchemaAddress.added(moved ?? (Result.isSuccess(current) ? current.success?.text : undefined), text)

/** What the policy is told: of each file what schemas it gets, if the patch fits. */
const judgedFacts = (args: Parameters, resolve: Resolve) =>
  Effect.suspend(() => {
    const facts = sectionsOf(args)
      .flatMap(Patch.pathsOf)
      .map((given) => Judged.remember(args, resolve(given)))
    return Effect.match(plan(args, resolve, {}), {
      onFailure: () => facts,
      onSuccess: (planned) => {
        const schemas = new Map(planned.map((one) => [one.given, schemasOf(one)]))
        return facts.map((fact) => {
          const named = schemas.get(fact.given) ?? []
          return named.length === 0 ? fact : Judged.remember(args, { ...fact, schemas: named })
        })
      }
    })
  })

const markOf = ({ bytes, text }: Planned, written: string | undefined): string =>
  written === undefined && text === undefined ? "D" : bytes === undefined ? "A" : "M"

const applyNow = Effect.fnUntraced(function* (args: Parameters, resolve: Resolve, context: Tool.ToolContext) {
  const planned = yield* plan(args, resolve, context)
  const changes: Array<SafeWrite.Change> = []
  const lines: Array<string> = []
  const files: Array<{ readonly path: string; readonly hash: string }> = []
  let told = output("")
  for (const one of planned) {
    const { bytes, fact, form, given, mode, text } = one
    const expectedHash = EditFile.hashOf(bytes)
    yield* Judged.confirmContent(args, given, expectedHash)
    yield* Judged.confirmSchemas(args, given, schemasOf(one))
    const wanted = context.edited?.find(({ resolved }) => resolved === fact.resolved)?.text
    const written = wanted ?? text
    if (wanted !== undefined) told = EditFile.changedByUser(told, given, text ?? "", wanted)
    const encoded = written === undefined ? Result.succeed(undefined) : TextFile.encode(form, written)
    if (Result.isFailure(encoded)) return yield* unfit(`${given}: ${encoded.failure}.`)
    const next = encoded.success
    lines.push(`${markOf(one, wanted)} ${given}`)
    files.push({ path: fact.resolved, hash: EditFile.hashOf(next) })
    if (bytes !== undefined && next !== undefined && Buffer.compare(bytes, next) === 0) continue
    changes.push({ fact, bytes: next, expectedHash, ...(mode === undefined ? {} : { mode }) })
  }
  const left = yield* OpenFile.writeAll(changes)
  const done = `Patched ${lines.length} ${lines.length === 1 ? "file" : "files"}:\n${lines.join("\n")}`
  const content = [{ type: "text" as const, text: done }, ...told.content.slice(1), ...OpenFile.leftText(left)]
  return { content, isError: false, files } satisfies Tool.ToolOutput
})

const refusalOf = Effect.fnUntraced(function* (
  error: Refused | SafeFile.SafeFileError,
  context: Tool.ToolContext,
  home: string
) {
  if (!(error instanceof Refused)) return { output: failure(`${error.message}. Nothing was changed.`), mistake: false }
  const { missing } = error
  const near = missing === undefined ? undefined : yield* NearNames.missing(missing, context, { home, kind: "file" })
  return near === undefined ? error.refusal : refused(near)
})

const proposalsOf = (planned: ReadonlyArray<Planned>): ReadonlyArray<Proposal> =>
  planned.map(({ bytes, current, fact, given, text }) => {
    const base = Result.isSuccess(current) ? current.success?.text : ""
    const proposal = EditFile.proposalOf(given, fact, EditFile.hashOf(bytes), { base, proposed: text })
    if (Result.isSuccess(current)) return proposal
    return { summary: { ...proposal.summary, hidden: current.failure }, baseHash: proposal.baseHash }
  })

export const make = (options: { readonly home: string }): Tool.Tool<Parameters> => {
  const resolver = (context: Tool.ToolContext): Resolve => {
    const { home } = options
    return (given) => PathResolver.resolve(given, { workspace: context.workspace, home, access: "write" })
  }
  const pathsIn = (args: Parameters) => sectionsOf(args).flatMap(Patch.pathsOf)
  return {
    name: "apply_patch",
    description: "Change, add, remove and move several files at once, or none of them if anything does not fit.",
    category: "edit",
    flow: "run",
    readOnly: false,
    parameters: Parameters,
    facts: (args, context) => Effect.map(judgedFacts(args, resolver(context)), (paths) => ({ paths })),
    identity: (args, context) =>
      Effect.map(
        Effect.forEach(pathsIn(args), (given) => EditFile.identity(args, resolver(context)(given))),
        (contents) => contents.join(" ")
      ),
    refuses: (args, context) =>
      plan(args, resolver(context), context).pipe(
        Effect.as(undefined),
        Effect.catch((error) => refusalOf(error, context, options.home))
      ),
    proposes: (args, context) =>
      plan(args, resolver(context), context).pipe(
        Effect.map(proposalsOf),
        Effect.orElseSucceed(() => [])
      ),
    execute: (args, context) =>
      Effect.suspend(() => {
        const places = pathsIn(args).map((given) => resolver(context)(given).resolved)
        return PathLocks.withPaths(
          places,
          PathLocks.userOf(context)
        )(Effect.suspend(() => applyNow(args, resolver(context), context)))
      }).pipe(Effect.catch((error) => Effect.map(refusalOf(error, context, options.home), ({ output }) => output)))
  }
}
