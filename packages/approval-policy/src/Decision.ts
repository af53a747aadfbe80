/**
 * The answer of the policy, always with the rule that gave it and one sentence that says why.
 *
 * Of several verdicts the strictest holds: deny before ask before allow. What a prompt may offer to remember is only
 * what every rule that asks would accept, so a hard floor (no grants) is never granted away by another rule.
 */
export type Setting = "allow" | "ask" | "deny"
/** Says how long a remembered answer holds: for the task, or always in its folder. */
export type Grant = "task" | "always"

/** The answer of one rule. */
export interface Verdict {
  readonly decision: Setting
  /** Stable: callers and tests may compare it. */
  readonly rule: string
  readonly reason: string
  /** Which grants a prompt may offer; empty when nothing may be remembered. */
  readonly grants: ReadonlyArray<Grant>
}

/** Describes what the call comes down to, for the prompt: the resolved targets, not what the model wrote. */
export interface Resolved {
  readonly programs?: ReadonlyArray<string>
  readonly paths?: ReadonlyArray<string>
  readonly writes?: ReadonlyArray<string>
  /** Of a command: whether there is a sandbox for those that run without asking. The policy leaves it to the caller. */
  readonly sandbox?: "confined" | "unavailable"
}

/** The answer of the policy to one call, with the targets that it was made on. */
export interface Decision extends Verdict {
  readonly resolved: Resolved
}

const rank = (setting: Setting): number => (setting === "allow" ? 0 : setting === "ask" ? 1 : 2)

/** The stricter of two settings; anything that is no setting counts as deny. */
export const strictest = (left: Setting, right: Setting): Setting => (rank(left) >= rank(right) ? left : right)

/** True when `left` lets through something that `right` would stop. */
export const isWider = (left: Setting, right: Setting): boolean => rank(left) < rank(right)

/** Makes a verdict that lets a call run. */
export const allow = (rule: string, reason: string): Verdict => ({ decision: "allow", rule, reason, grants: [] })
/** Makes a verdict that refuses a call. */
export const deny = (rule: string, reason: string): Verdict => ({ decision: "deny", rule, reason, grants: [] })
/** Makes a verdict that asks a person, who may remember the answer as `grants` says. */
export const ask = (rule: string, reason: string, grants: ReadonlyArray<Grant> = []): Verdict => ({
  decision: "ask",
  rule,
  reason,
  grants
})

/** A verdict with the decision that a setting says; the grants apply only when it asks. */
export const verdict = (setting: Setting, rule: string, reason: string, grants: ReadonlyArray<Grant>): Verdict =>
  setting === "allow" ? allow(rule, reason) : setting === "ask" ? ask(rule, reason, grants) : deny(rule, reason)

/**
 * The strictest of all; among equals the first one that offers no grants, else the first one. No verdict at all is a
 * denial.
 */
export const combine = (verdicts: ReadonlyArray<Verdict>): Verdict => {
  const first = verdicts[0]
  if (first === undefined) return deny("invalid", "No rule judged this call.")
  const decision = verdicts.reduce((worst, next) => strictest(worst, next.decision), first.decision)
  const deciding = verdicts.filter((next) => next.decision === decision)
  const lead = deciding.find((next) => next.decision === "ask" && next.grants.length === 0) ?? deciding[0] ?? first
  return { ...lead, grants: lead.grants.filter((grant) => deciding.every((next) => next.grants.includes(grant))) }
}

/** The same decision when nobody is there to answer: an ask becomes a denial under the same rule. */
export const unattended = (decision: Decision): Decision =>
  decision.decision === "ask"
    ? { ...decision, decision: "deny", reason: `${decision.reason} Nobody is there to approve it.`, grants: [] }
    : decision
