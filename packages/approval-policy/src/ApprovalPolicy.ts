/**
 * May this tool call run? A pure, total function of its input: the same input gives the same decision, nothing else is
 * read, and a check that fails denies.
 *
 * Every step states its verdicts on its own and the strictest of all holds, so no step can undo another one.
 */
import * as Context from "effect/Context"
import * as Layer from "effect/Layer"
import * as CategoryRule from "./CategoryRule.ts"
import * as CommandRule from "./CommandRule.ts"
import * as Decision from "./Decision.ts"
import * as FetchRule from "./FetchRule.ts"
import { quote } from "./internal/quote.ts"
import * as ModeRule from "./ModeRule.ts"
import * as PathRule from "./PathRule.ts"
import { isPolicyInput, type PolicyInput } from "./PolicyInput.ts"
import * as SchemaAddress from "./SchemaAddress.ts"
import { isConversation } from "./ToolCategory.ts"

const some = (verdict: Decision.Verdict | undefined): ReadonlyArray<Decision.Verdict> =>
  verdict === undefined ? [] : [verdict]

/** 1. A tool that is not in the catalogue asks. */
const unknownTool = (input: PolicyInput): Decision.Verdict | undefined =>
  input.known ? undefined : Decision.ask("unknown", `Tool ${quote(input.tool)} is not known.`)

/** 2. The mode of the task. */
const mode = ModeRule.judge

/** 3. Every path of the call. */
const paths = (input: PolicyInput): ReadonlyArray<Decision.Verdict> =>
  input.facts.paths.flatMap((fact) => PathRule.judge(fact, input.approvals, input))

/** 4. The command of the call. */
const command = (input: PolicyInput): ReadonlyArray<Decision.Verdict> =>
  input.facts.command === undefined ? [] : CommandRule.judge(input.facts.command, input.approvals, input)

/** The schemas that a command may write into files: its text is all that is known of what it writes. */
const schemas = ({ facts: { command: fact } }: PolicyInput): Decision.Verdict | undefined =>
  fact !== undefined && fact.files.flat().some(({ access }) => access === "write")
    ? PathRule.fetching(SchemaAddress.found(fact.text), "a file that the command writes")
    : undefined

/** The address of the call. */
const address = ({ facts }: PolicyInput): ReadonlyArray<Decision.Verdict> =>
  facts.fetch === undefined ? [] : some(FetchRule.judge(facts.fetch))

/** 5. The general setting of the category, and 6. the master switch, which a conversation with the user ignores. */
const settings = (input: PolicyInput): ReadonlyArray<Decision.Verdict> => [
  ...some(CategoryRule.judge(input)),
  ...(isConversation(input.tool, input.category) ? [] : some(CategoryRule.enabled(input)))
]

const unique = (items: ReadonlyArray<string>): ReadonlyArray<string> => [...new Set(items)]

const resolve = ({ facts }: PolicyInput): Decision.Resolved => {
  const all = [...facts.paths, ...(facts.command === undefined ? [] : CommandRule.files(facts.command))]
  const targets = unique(all.map((fact) => fact.resolved))
  const writes = unique(all.filter((fact) => fact.access === "write").map((fact) => fact.resolved))
  const programs = facts.command === undefined ? [] : unique(CommandRule.programs(facts.command))
  return {
    ...(programs.length === 0 ? {} : { programs }),
    ...(targets.length === 0 ? {} : { paths: targets }),
    ...(writes.length === 0 ? {} : { writes })
  }
}

const failed = (reason: string): Decision.Decision => ({ ...Decision.deny("invalid", reason), resolved: {} })

/** The plan mode's own allow only says that it does not object; it never decides while a rule has something to say. */
const lastly = (input: PolicyInput): ReadonlyArray<Decision.Verdict> => {
  const judged = some(mode(input))
  const others = [
    ...some(unknownTool(input)),
    ...paths(input),
    ...command(input),
    ...some(schemas(input)),
    ...address(input),
    ...settings(input)
  ]
  return judged[0]?.decision === "allow" ? [...others, ...judged] : [...judged, ...others]
}

/** Never throws, also for an input that is not of its type: that is denied. */
export const decide = (input: PolicyInput): Decision.Decision => {
  try {
    if (!isPolicyInput(input)) return failed("The call could not be read.")
    return { ...Decision.combine(lastly(input)), resolved: resolve(input) }
  } catch {
    return failed("A check of the call failed.")
  }
}

/** The same decision when nobody is there to answer: an ask becomes a denial under the same rule. */
export const unattended = Decision.unattended

/** `decide` and `unattended` as a service, so that a host can replace the policy as a whole. */
export class ApprovalPolicy extends Context.Service<
  ApprovalPolicy,
  {
    readonly decide: (input: PolicyInput) => Decision.Decision
    readonly unattended: (decision: Decision.Decision) => Decision.Decision
  }
>()("@belay/approval-policy/ApprovalPolicy") {
  static readonly layer: Layer.Layer<ApprovalPolicy> = Layer.succeed(ApprovalPolicy, { decide, unattended })
}
