/**
 * What happens to a tool call before it may run: known tool, decoded parameters, mode, policy, hooks; one function a step.
 *
 * Preparing runs the hooks of the task, reads, and changes nothing else. A prepared call states the decision with its rule, and the hash that an
 * approval binds to; a call that is prepared again with another hash is another call.
 */
import { ApprovalPolicy as Policy, type Decision, Fingerprint } from "@belay/approval-policy"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Confinement from "./tool/Confinement.ts"
import { isObject } from "./internal/argumentNames.ts"
import { decodeArguments, shortName } from "./tool/decodeArguments.ts"
import * as foreignTools from "./internal/foreignTools.ts"
import { type Call, type Decode, judge, sha256, type TaskContext } from "./pipeline/Judging.ts"
import type { Edited, Proposal } from "./tool/Proposal.ts"
import { failure, type Tool, type ToolContext, type ToolFacts, type ToolOutput } from "./tool/Tool.ts"
import { ToolCatalog } from "./tool/ToolCatalog.ts"
import * as Manifests from "./workspace/command/Manifests.ts"

export { judgedFacts, sha256 } from "./pipeline/Judging.ts"
export type { Call, Judged, TaskContext } from "./pipeline/Judging.ts"

/** Says what happens to a call: it is ready with a decision, or refused with the text for the model. */
export type Prepared =
  | {
      readonly _tag: "Ready"
      readonly call: Call
      readonly tool: Tool
      readonly args: any
      readonly decision: Decision.Decision
      /** What the decision was made on. */
      readonly facts: ToolFacts
      /** SHA-256 of the tool, its arguments, its resolved targets and, for a call that asks, their identity; hexadecimal. */
      readonly hash: string
      /** What hooks have to say to the model, beside the result. */
      readonly told?: ReadonlyArray<string>
      /** Of a call that a person allowed: the ask that was answered. */
      readonly approvedBy?: string
      /** Of an approved call: what the person wants in files instead of what was proposed. */
      readonly edited?: ReadonlyArray<Edited>
    }
  | {
      readonly _tag: "Refused"
      readonly call: Call
      readonly output: ToolOutput
      /** The model made it wrong, as opposed to: it may not. */
      readonly mistake: boolean
      readonly decision?: Decision.Decision
    }

/** A call that may run once its decision allows it, or a person does. */
export type Ready = Extract<Prepared, { readonly _tag: "Ready" }>

/** What is left to a model whose call is denied. */
const instead = "Go on without it, or say what is missing."

/** The same where the mode denies it; it is pointed to a tool that it has. */
const insteadOf = ({ rule }: Decision.Decision, { offered = [] }: TaskContext): string =>
  rule !== "mode.plan"
    ? instead
    : offered.includes("switch_mode")
      ? "Plan without it, or ask for act mode with switch_mode."
      : "Plan without it; the user switches to act mode."

const refuse = (call: Call, text: string, mistake: boolean, decision?: Decision.Decision): Prepared => ({
  _tag: "Refused",
  call,
  output: failure(text),
  mistake,
  ...(decision === undefined ? {} : { decision })
})

/** The hash of a call before anything is known of it, for the log. */
export const argsHash = (call: Call): string => sha256(Fingerprint.canonicalArguments(call.input))

/** The checklist that a call carries besides its own arguments. */
export const taskProgress = (call: Call): string | undefined => {
  const value = isObject(call.input) ? call.input["task_progress"] : undefined
  return typeof value === "string" && value.trim() !== "" ? value : undefined
}

/** With what the policy says of further reads. */
const reading = (
  context: TaskContext,
  policy: Policy.ApprovalPolicy["Service"]
): TaskContext & Required<Pick<TaskContext, "mayRead">> => {
  const { approvals, home, mode, workspace } = context
  const read = {
    tool: "read_file",
    category: "read",
    args: {},
    mode,
    readOnly: true,
    approvals,
    workspace,
    home
  } as const
  return {
    ...context,
    mayRead: (fact) => policy.decide({ ...read, facts: { paths: [fact] }, known: true }).decision === "allow"
  }
}

const judged = (
  call: Call,
  tool: Tool,
  asked: unknown,
  context: TaskContext,
  parts: { readonly decode: Decode; readonly policy: Policy.ApprovalPolicy["Service"] }
) =>
  Effect.gen(function* () {
    const ofCall = { ...reading(context, parts.policy), callId: call.callId }
    const { args, facts, input, told, ...by } = yield* judge(call, tool, asked, ofCall, parts)
    const decision = Confinement.judge(by.decision, facts.sandbox, context.sandbox)
    if (decision.decision === "deny") {
      return refuse(
        call,
        `Not run: ${decision.reason} (rule: ${decision.rule}). ${insteadOf(decision, context)}`,
        false,
        decision
      )
    }
    // Why an edit does not fit shows lines of its files: of those that may not be read a person decides first.
    const isOpen = facts.paths.every((fact) => fact.kind === "absent" || ofCall.mayRead({ ...fact, access: "read" }))
    const refusal =
      decision.decision === "ask" && isOpen && tool.refuses !== undefined
        ? yield* tool.refuses(args, ofCall)
        : undefined
    if (refusal !== undefined) return { _tag: "Refused", call, ...refusal } satisfies Prepared
    const asks = decision.decision === "ask" && tool.identity !== undefined
    const identity = asks ? yield* tool.identity(args, ofCall) : undefined
    const hash = sha256(Fingerprint.fingerprint({ ...input, identity }))
    const said = told.length === 0 ? {} : { told }
    return { _tag: "Ready", call, tool, args, decision, facts, hash, ...said } satisfies Prepared
  })

/** Says what happens to a call, and runs it. */
export class ToolExecutor extends Context.Service<
  ToolExecutor,
  {
    /** Never fails: what cannot run is `Refused` with the text for the model. A check that dies refuses. */
    readonly prepare: (call: Call, context: TaskContext) => Effect.Effect<Prepared>
    /**
     * Runs a prepared call; a defect of a tool becomes an error for the model. Whether somebody has approved a call whose
     * decision is `ask` is the caller's to know: prepare it again and compare the hash first.
     */
    readonly run: (ready: Ready, context: TaskContext) => Effect.Effect<ToolOutput>
  }
>()("@belay/tool-executor/ToolExecutor") {
  /** Judges with the policy of its context what the catalogue offers. */
  static readonly layer: Layer.Layer<ToolExecutor, never, ToolCatalog | Policy.ApprovalPolicy> = Layer.effect(
    ToolExecutor,
    Effect.gen(function* () {
      const catalog = yield* ToolCatalog
      const policy = yield* Policy.ApprovalPolicy
      return ToolExecutor.of({
        prepare: prepareWith(catalog, policy),
        run: (ready, context) =>
          watched(
            ready,
            context,
            Effect.suspend(() => ready.tool.execute(ready.args, ofCall(ready, reading(context, policy))))
          ).pipe(
            Effect.catchDefect((defect) => Effect.succeed(failure(`${ready.tool.name} failed: ${describe(defect)}`))),
            Effect.map((given) => withTold(given, ready))
          )
      })
    })
  )
}

/** The result with what hooks tell the model. */
const withTold = (given: ToolOutput, { told = [] }: Ready): ToolOutput =>
  told.length === 0
    ? given
    : { ...given, content: [...given.content, ...told.map((text) => ({ type: "text" as const, text }))] }

const prepareWith = (catalog: ToolCatalog["Service"], policy: Policy.ApprovalPolicy["Service"]) => {
  const unknown = (call: Call, context: TaskContext): string => {
    const names = context.offered ?? catalog.tools.map(({ name }) => name)
    const use = foreignTools.instead(call.name, call.input, (name) => names.includes(name))
    return `There is no tool ${shortName(call.name)} here. ${use ?? `Use one of: ${names.join(", ")}.`}`
  }
  const decode: Decode = (tool, input) => decodeArguments(tool, input, catalog.define(tool).input_schema)
  const prepare = (call: Call, context: TaskContext): Effect.Effect<Prepared> => {
    const tool = catalog.get(call.name)
    if (tool === undefined) return Effect.succeed(refuse(call, unknown(call, context), true))
    const decoded = decode(tool, call.input)
    if (Result.isFailure(decoded)) return Effect.succeed(refuse(call, decoded.failure.message, true))
    const { args, ignored } = decoded.success
    const noted =
      ignored.length === 0 ? Effect.void : Effect.logDebug(`${tool.name} takes no ${ignored.join(", ")}: passed over`)
    return Effect.andThen(noted, judged(call, tool, args, context, { decode, policy }))
  }
  return (call: Call, context: TaskContext): Effect.Effect<Prepared> =>
    Effect.suspend(() => prepare(call, context)).pipe(
      Effect.catchDefect(() =>
        Effect.succeed(refuse(call, `Not run: a check of this call failed (rule: invalid). ${instead}`, false))
      )
    )
}

const ofCall = ({ call, decision, edited }: Ready, context: TaskContext): ToolContext => ({
  ...context,
  callId: call.callId,
  // A person has seen the command: it runs as it was asked.
  sandbox: decision.decision === "allow" ? (context.sandbox ?? Confinement.defaultSetting) : "off",
  ...(edited === undefined ? {} : { edited })
})

/** The call with another decision, such as one that a grant made: confinement is judged again. */
export const decidedAs = (ready: Ready, decision: Decision.Decision, context: TaskContext): Ready => ({
  ...ready,
  decision: Confinement.judge(decision, ready.facts.sandbox, context.sandbox)
})

/** Says how the command of a prepared call runs; nothing for a call that runs none. */
export const confinement = (ready: Ready, context: TaskContext): Confinement.Confinement | undefined =>
  Confinement.of(ready.decision, ready.facts.sandbox, context.sandbox)

/** Gives what a prepared call would write; nothing where the tool does not say, or fails to. */
export const proposals = (ready: Ready, context: TaskContext): Effect.Effect<ReadonlyArray<Proposal>> =>
  Effect.suspend(() => ready.tool.proposes?.(ready.args, ofCall(ready, context)) ?? Effect.succeed([])).pipe(
    Effect.catchDefect(() => Effect.succeed([]))
  )

/** Whoever may change a manifest of the project is watched, where its checks run without asking. */
const watched = <A>(
  { tool }: Ready,
  { approvals, manifests, taskId, workspace }: TaskContext,
  call: Effect.Effect<A>
): Effect.Effect<A> =>
  tool.readOnly || approvals.commands.checks !== "allow"
    ? call
    : Manifests.around({ manifests, taskId, workspace }, call)

const describe = (defect: unknown): string =>
  defect instanceof Error ? defect.message : typeof defect === "string" ? defect : "an unexpected error"
