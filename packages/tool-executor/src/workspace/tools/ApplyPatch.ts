/**
 * apply_patch: several files in one patch: changed, added, removed and moved.
 *
 * Guarantees: all of it or nothing; each file is judged, shown and bound to an approval by itself; a hunk that does not fit,
 * or a file to remove that is not as the model knows it, refuses the whole before anybody is asked.
 */
import { PathResolver } from "@belay/approval-policy/facts"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as KnownLines from "../../tool/KnownLines.ts"
import type { Proposal } from "../../tool/Proposal.ts"
import type { SeenFile } from "../../tool/SeenFile.ts"
import type * as Tool from "../../tool/Tool.ts"
import { failure, output } from "../../tool/Tool.ts"
import * as EditFile from "../files/EditFile.ts"
import * as GitLogins from "../files/GitLogins.ts"
import * as ApprovalBinding from "../paths/ApprovalBinding.ts"
import * as LineDiff from "../text/LineDiff.ts"
import * as NearNames from "../paths/NearNames.ts"
import * as NumberedLines from "../text/NumberedLines.ts"
import * as OpenFile from "../files/OpenFile.ts"
import * as Patch from "../text/Patch.ts"
import * as PatchPlan from "../files/PatchPlan.ts"
import * as PathLocks from "../paths/PathLocks.ts"
import * as SafeFile from "../paths/SafeFile.ts"
import type * as SafeWrite from "../paths/SafeWrite.ts"
import * as StaleEdit from "../files/StaleEdit.ts"
import * as TextFile from "../text/TextFile.ts"

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

const planOf = (args: Parameters, resolve: PatchPlan.Resolve, context: Pick<Tool.ToolContext, "seen">) =>
  PatchPlan.plan(args, sectionsOf(args), resolve, context)

/** What the policy is told: of each file what schemas it gets, if the patch fits. */
const judgedFacts = (args: Parameters, resolve: PatchPlan.Resolve) =>
  Effect.suspend(() => {
    const facts = sectionsOf(args)
      .flatMap(Patch.pathsOf)
      .map((given) => ApprovalBinding.remember(args, resolve(given)))
    return Effect.match(planOf(args, resolve, {}), {
      onFailure: () => facts,
      onSuccess: (planned) => {
        const schemas = new Map(planned.map((one) => [one.given, PatchPlan.schemasOf(one)]))
        return facts.map((fact) => {
          const named = schemas.get(fact.given) ?? []
          return named.length === 0 ? fact : ApprovalBinding.remember(args, { ...fact, schemas: named })
        })
      }
    })
  })

const markOf = ({ bytes, text }: PatchPlan.Planned, written: string | undefined): string =>
  written === undefined && text === undefined ? "D" : bytes === undefined ? "A" : "M"

/** What became of one file, with the lines that have changed. */
const saidOf = (one: PatchPlan.Planned, wanted: string | undefined): ReadonlyArray<string> => {
  const base = PatchPlan.baseOf(one)
  const head = `${markOf(one, wanted)} ${one.given}`
  if (base === undefined || one.text === undefined) return [head]
  const edit = LineDiff.between(base, one.text)
  return [
    one.since === undefined ? head : `${head} - ${StaleEdit.note(one.since, edit)}`,
    ...(wanted === undefined ? NumberedLines.changed(TextFile.linesOf(one.text), edit) : [])
  ]
}

/** What the model knows of a file that was written. */
const contentOf = (one: PatchPlan.Planned, bytes: Uint8Array | undefined, written: string | undefined): SeenFile => {
  const file = { path: one.fact.resolved, hash: EditFile.hashOf(bytes) }
  if (written === undefined) return file
  const lines = EditFile.madeLines(PatchPlan.baseOf(one), written, false)
  const known = KnownLines.merged(one.moved?.known, { hash: file.hash, lines })
  return known === undefined ? file : { ...file, lines: known }
}

const applyNow = Effect.fnUntraced(function* (args: Parameters, resolve: PatchPlan.Resolve, context: Tool.ToolContext) {
  const planned = yield* planOf(args, resolve, context)
  const changes: Array<SafeWrite.Change> = []
  const lines: Array<string> = []
  const files: Array<SeenFile> = []
  let told = output("")
  for (const one of planned) {
    const { bytes, fact, form, given, mode, text } = one
    const expectedHash = EditFile.hashOf(bytes)
    yield* ApprovalBinding.confirmContent(args, given, expectedHash)
    yield* ApprovalBinding.confirmSchemas(args, given, PatchPlan.schemasOf(one))
    const wanted = context.edited?.find(({ resolved }) => resolved === fact.resolved)?.text
    const written = wanted ?? text
    if (wanted !== undefined) told = EditFile.changedByUser(told, given, text ?? "", wanted)
    const encoded = written === undefined ? Result.succeed(undefined) : TextFile.encode(form, written)
    if (Result.isFailure(encoded)) return yield* PatchPlan.unfit(`${given}: ${encoded.failure.message}.`)
    const next = encoded.success
    lines.push(...saidOf(one, wanted))
    files.push(contentOf(one, next, written))
    if (bytes !== undefined && next !== undefined && Buffer.compare(bytes, next) === 0) continue
    changes.push({ fact, bytes: next, expectedHash, ...(mode === undefined ? {} : { mode }) })
  }
  const left = yield* OpenFile.writeAll(changes)
  const done = `Patched ${files.length} ${files.length === 1 ? "file" : "files"}:\n${lines.join("\n")}`
  const content = [{ type: "text" as const, text: done }, ...told.content.slice(1), ...OpenFile.leftText(left)]
  return { content, isError: false, files } satisfies Tool.ToolOutput
})

const refusalOf = Effect.fnUntraced(function* (
  error: PatchPlan.Refused | SafeFile.SafeFileError,
  context: Tool.ToolContext,
  home: string
) {
  if (!(error instanceof PatchPlan.Refused))
    return { output: failure(`${error.message}. Nothing was changed.`), mistake: false }
  const { missing } = error
  const near = missing === undefined ? undefined : yield* NearNames.missing(missing, context, { home, kind: "file" })
  return near === undefined ? error.refusal : PatchPlan.refused(near)
})

const already = "Every file already has this content. Nothing was changed."

/** Nothing of the file would be another: neither its bytes nor its place nor its mode. */
const isSame = ({ bytes, form, mode, moved, text }: PatchPlan.Planned): boolean =>
  text !== undefined && mode === undefined && moved === undefined && EditFile.isSame(bytes, form, text)

const proposalsOf = (planned: ReadonlyArray<PatchPlan.Planned>): ReadonlyArray<Proposal> =>
  planned.map(({ bytes, current, fact, given, text }) => {
    const base = Result.isSuccess(current) ? current.success?.text : ""
    const proposal = EditFile.proposalOf(given, fact, EditFile.hashOf(bytes), { base, proposed: text })
    if (Result.isSuccess(current)) return proposal
    return { summary: { ...proposal.summary, hidden: current.failure.message }, baseHash: proposal.baseHash }
  })

export const make = (options: { readonly home: string }): Tool.Tool<Parameters> => {
  const resolver = (context: Tool.ToolContext): PatchPlan.Resolve => {
    const { home } = options
    return (given) => PathResolver.resolve(given, { workspace: context.workspace, home, access: "write" })
  }
  const pathsIn = (args: Parameters) => sectionsOf(args).flatMap(Patch.pathsOf)
  const tool: Tool.Tool<Parameters> = {
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
      planOf(args, resolver(context), context).pipe(
        Effect.map((planned) => (planned.every(isSame) ? { output: output(already), mistake: false } : undefined)),
        Effect.catch((error) => refusalOf(error, context, options.home))
      ),
    proposes: (args, context) =>
      planOf(args, resolver(context), context).pipe(
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
  return GitLogins.hiding(tool, (args, context) => pathsIn(args).map((given) => resolver(context)(given).resolved))
}
