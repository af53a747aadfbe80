/**
 * What the tools share that read, or edit, what their one path leads to.
 *
 * Guarantees: the path is stated to the policy as it is resolved; a call runs only while it leads where it led when it
 * was judged; what fails is one line for the model.
 */
import { PathResolver } from "@belay/approval-policy/facts"
import type { PathFact } from "@belay/approval-policy"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type * as Tool from "../../tool/Tool.ts"
import { failure } from "../../tool/Tool.ts"
import * as EditFile from "./EditFile.ts"
import * as GitLogins from "./GitLogins.ts"
import * as Identity from "../paths/Identity.ts"
import * as ApprovalBinding from "../paths/ApprovalBinding.ts"
import * as NearNames from "../paths/NearNames.ts"

interface OfOnePath {
  readonly path: string
}

interface Spec<Args> {
  readonly name: string
  readonly description: string
  readonly parameters: Schema.Codec<Args, any>
  /** What `~` stands for. */
  readonly home: string
}

type Resolve<Args> = (args: Args, context: Pick<Tool.ToolContext, "workspace">) => PathFact.PathFact

const resolving =
  <Args extends OfOnePath>(home: string, access: "read" | "write"): Resolve<Args> =>
  ({ path }, { workspace }) =>
    PathResolver.resolve(path, { workspace, home, access })

const facts =
  <Args extends OfOnePath>(resolve: Resolve<Args>): Tool.Tool<Args>["facts"] =>
  (args, context) =>
    Effect.sync(() => ({ paths: [ApprovalBinding.remember(args, resolve(args, context))] }))

/** A tool that changes nothing; `run` gets where the path leads. `kind` is what it reads. */
export const reading = <Args extends OfOnePath>({
  home,
  kind,
  run,
  ...spec
}: Spec<Args> & {
  readonly kind: NearNames.Kind
  readonly run: (
    args: Args,
    fact: PathFact.PathFact,
    context: Tool.ToolContext
  ) => Effect.Effect<Tool.ToolOutput, { readonly message: string }>
}): Tool.Tool<Args> => {
  const resolve = resolving<Args>(home, "read")
  const tool: Tool.Tool<Args> = {
    ...spec,
    category: "read",
    flow: "run",
    readOnly: true,
    facts: facts(resolve),
    identity: (args, context) => Effect.suspend(() => Identity.place(resolve(args, context))),
    execute: (args, context) =>
      Effect.suspend(() => ApprovalBinding.confirm(args, resolve(args, context))).pipe(
        Effect.flatMap((fact) =>
          Effect.flatMap(NearNames.missing(fact, context, { home, kind }), (missing) =>
            missing === undefined ? run(args, fact, context) : Effect.succeed(failure(missing))
          )
        ),
        Effect.catch(({ message }) => Effect.succeed(failure(message)))
      )
  }
  return GitLogins.hiding(tool, (args, context) => [resolve(args, context).resolved])
}

/** A tool that writes the one file: `whole` when it gives all of its content, so that it may be new. */
export const editing = <Args extends OfOnePath>({
  change,
  home,
  whole,
  ...spec
}: Spec<Args> & {
  readonly whole: boolean
  readonly change: (args: Args) => EditFile.EditOptions["change"]
}): Tool.Tool<Args> => {
  const resolve = resolving<Args>(home, "write")
  const of = (args: Args, context: Tool.ToolContext) => ({
    given: args.path,
    resolve: () => resolve(args, context),
    change: change(args),
    whole
  })
  const missing = (args: Args, context: Tool.ToolContext) =>
    Effect.suspend(() =>
      whole ? Effect.succeed(undefined) : NearNames.missing(resolve(args, context), context, { home, kind: "file" })
    ).pipe(Effect.map((text) => (text === undefined ? undefined : failure(`${text}\nNothing was changed.`))))
  const tool: Tool.Tool<Args> = {
    ...spec,
    category: "edit",
    flow: "run",
    readOnly: false,
    facts: (args, context) =>
      Effect.suspend(() => EditFile.withSchemas(resolve(args, context), change(args))).pipe(
        Effect.map((fact) => ({ paths: [ApprovalBinding.remember(args, fact)] }))
      ),
    identity: (args, context) => Effect.suspend(() => EditFile.identity(args, resolve(args, context))),
    refuses: (args, context) =>
      Effect.flatMap(missing(args, context), (output): Effect.Effect<Tool.Refusal | undefined> =>
        output === undefined
          ? EditFile.refuses({ ...of(args, context), context })
          : Effect.succeed({ output, mistake: true })
      ),
    proposes: (args, context) => EditFile.propose(of(args, context)),
    execute: (args, context) =>
      Effect.flatMap(missing(args, context), (output) =>
        output === undefined ? EditFile.edit({ ...of(args, context), args, context }) : Effect.succeed(output)
      )
  }
  return GitLogins.hiding(tool, (args, context) => [resolve(args, context).resolved])
}
