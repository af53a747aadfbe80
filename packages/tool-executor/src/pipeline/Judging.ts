/**
 * The decision on a call: the policy's, and what the hooks of its task make of that.
 *
 * What a hook writes into a call is decoded and judged as the call itself was; what cannot be is no answer of the hook.
 */
import { GitFolders } from "@belay/approval-policy/facts"
import { type ApprovalPolicy as Policy, type Decision, Fingerprint, type PolicyInput } from "@belay/approval-policy"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { createHash } from "node:crypto"
import * as HookCall from "../hooks/HookCall.ts"
import * as HookCombination from "../hooks/HookCombination.ts"
import type { decodeArguments } from "../tool/decodeArguments.ts"
import type { Tool, ToolContext, ToolFacts } from "../tool/Tool.ts"

/** A call as the model made it. */
export interface Call {
  readonly callId: string
  readonly name: string
  readonly input: unknown
}

/** A call that the policy does not deny, as it is before a person is asked. */
export interface Judged {
  readonly call: Call
  readonly tool: Tool
  readonly args: unknown
  /** SHA-256 of the tool, its arguments and its resolved targets; hexadecimal. */
  readonly hash: string
}

/** Describes what a task adds to the context of each of its calls. */
export interface TaskContext extends Omit<ToolContext, "callId"> {
  readonly strictPlanMode: boolean
  /** The folder of our own data, absolute and resolved: always protected. */
  readonly home: string
  /** The names of the tools that the model can call now; those of the catalogue by default. */
  readonly offered?: ReadonlyArray<string>
  /** Asks the hooks that look at a call; their answers in the order of the settings. */
  readonly hooks?: (judged: Judged) => Effect.Effect<ReadonlyArray<HookCombination.Ran>>
}

/** Returns the SHA-256 of a text in UTF-8, hexadecimal. */
export const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex")

/** The facts as the policy takes them: all but the state of the sandbox. */
export const judgedFacts = ({ sandbox: _, ...facts }: ToolFacts): PolicyInput.PolicyInput["facts"] => facts

/** Only what is written can change what git does. */
const gitFolders = ({ command, paths }: ToolFacts, { looked, workspace }: TaskContext): ReadonlyArray<string> => {
  const facts = [...paths, ...(command?.files.flat() ?? [])]
  return facts.some(({ access }) => access === "write") ? GitFolders.of(workspace, facts, looked) : []
}

const policyInput = (tool: Tool, args: unknown, facts: ToolFacts, context: TaskContext): PolicyInput.PolicyInput => ({
  tool: tool.name,
  category: tool.category,
  args,
  mode: context.mode,
  readOnly: tool.readOnly,
  approvals: context.approvals,
  facts: judgedFacts(facts),
  workspace: context.workspace,
  known: true,
  strictPlanMode: context.strictPlanMode,
  home: context.home,
  gitFolders: gitFolders(facts, context)
})

/** The policy's word on arguments, and what it was made on. */
interface Stated {
  readonly args: any
  readonly facts: ToolFacts
  readonly input: PolicyInput.PolicyInput
  readonly decision: Decision.Decision
}

/** The call as it may run, what it was judged on, and what hooks tell the model. */
export interface Looked extends Stated {
  readonly told: ReadonlyArray<string>
}

/** The policy's word on a call, and what it was made on. */
const byPolicy = Effect.fnUntraced(function* (
  tool: Tool,
  args: any,
  context: ToolContext & TaskContext,
  policy: Policy.ApprovalPolicy["Service"]
): Effect.fn.Return<Stated> {
  const facts = yield* tool.facts(args, context)
  const input = policyInput(tool, args, facts, context)
  return { args, facts, input, decision: policy.decide(input) }
})

/** Decodes the arguments of a tool. */
export type Decode = (tool: Tool, input: unknown) => ReturnType<typeof decodeArguments>

/** The content of a file that a hook wrote is not told once more. */
const beginningOf = (args: unknown): string => {
  const text = JSON.stringify(args)
  return text.length <= 2000 ? text : `${text.slice(0, 2000).toWellFormed()}…`
}

/** The same with what hooks say of a call that is not denied. What they write in it is decoded and judged as the call was. */
const byHooks = Effect.fnUntraced(function* (
  call: Call,
  tool: Tool,
  first: Stated,
  context: ToolContext & TaskContext,
  { decode, policy }: { readonly decode: Decode; readonly policy: Policy.ApprovalPolicy["Service"] }
): Effect.fn.Return<Looked> {
  const { args, decision, input } = first
  if (context.hooks === undefined || decision.decision === "deny") return { ...first, told: [] }
  const ran = yield* context.hooks({ call, tool, args, hash: sha256(Fingerprint.fingerprint(input)) })
  const withAnswers = (looked: Stated, all: typeof ran): Looked => ({
    ...looked,
    decision: HookCombination.decide(looked.decision, all),
    told: HookCombination.contexts(all)
  })
  const written = HookCombination.updatedInput(ran)
  const judged = withAnswers(first, ran)
  if (written === undefined || judged.decision.decision === "deny") return judged
  const next = HookCall.updated(tool.name, args, context.workspace, written)
  if (typeof next === "string") return withAnswers(first, HookCombination.spoiled(ran, next))
  const decoded = decode(tool, next)
  if (Result.isFailure(decoded)) return withAnswers(first, HookCombination.spoiled(ran, decoded.failure.message))
  const stated = yield* byPolicy(tool, decoded.success.args, context, policy)
  const again = withAnswers(stated, HookCombination.ofWritten(ran))
  return { ...again, told: [`A check changed this call to ${beginningOf(again.args)}.`, ...again.told] }
})

/** Judges a call whose arguments are decoded. Runs the hooks of the context, and changes nothing else. */
export const judge = (
  call: Call,
  tool: Tool,
  args: unknown,
  context: ToolContext & TaskContext,
  parts: { readonly decode: Decode; readonly policy: Policy.ApprovalPolicy["Service"] }
): Effect.Effect<Looked> =>
  Effect.flatMap(byPolicy(tool, args, context, parts.policy), (first) => byHooks(call, tool, first, context, parts))
