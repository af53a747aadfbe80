/**
 * What the hooks that looked at a call make of the policy's decision. Pure.
 *
 * Guarantees: the strictest holds, of the policy and of every hook; a hook that has no answer asks, or denies where its
 * settings say so. `allow` takes away an ask only where it comes from the user's own hook, no hook says otherwise, and a
 * person could have allowed it for good: never what a mode denies or asks, and never the hard floor. No hook turns a
 * denial into anything else.
 */
import { Decision } from "@belay/approval-policy"
import { type Hook, named } from "./Hook.ts"
import type { Answer } from "./HookOutput.ts"

/** A hook that has run, in the order of the settings. */
export interface Ran {
  readonly hook: Hook
  readonly answer: Answer
}

const withReason = (said: string, reason: string | undefined): string =>
  reason === undefined ? `${said}.` : `${said}: ${reason}`

const failure = ({ onFailure, ...hook }: Hook, why: string): Decision.Verdict | undefined => {
  const reason = `The check ${named(hook)} failed: ${why}.`
  if (onFailure === "allow") return undefined
  return onFailure === "block" ? Decision.deny("hook.failed", reason) : Decision.ask("hook.failed", reason)
}

const verdictOf = ({ answer, hook }: Ran): Decision.Verdict | undefined => {
  if (answer._tag === "Failed") return failure(hook, answer.why)
  if (answer.decision === "deny") {
    return Decision.deny("hook", withReason(`The check ${named(hook)} denies it`, answer.reason))
  }
  return answer.decision === "ask"
    ? Decision.ask("hook", withReason(`The check ${named(hook)} asks`, answer.reason))
    : undefined
}

/** What a person could remember the answer to, no mode and no floor in it. */
const canBeAllowed = ({ decision, grants, rule }: Decision.Decision): boolean =>
  decision === "ask" && grants.length > 0 && !rule.startsWith("mode.")

/** The reasons of all that decide so, each once: a person who is asked reads every one. */
const reasons = (lead: Decision.Verdict, verdicts: ReadonlyArray<Decision.Verdict>): string =>
  [
    ...new Set([lead, ...verdicts.filter(({ decision }) => decision === lead.decision)].map(({ reason }) => reason))
  ].join(" ")

/** Gives the decision that holds. */
export const decide = (policy: Decision.Decision, ran: ReadonlyArray<Ran>): Decision.Decision => {
  const verdicts = ran.flatMap((one) => verdictOf(one) ?? [])
  if (verdicts.length > 0) {
    const lead = Decision.combine([policy, ...verdicts])
    return { ...lead, reason: reasons(lead, [policy, ...verdicts]), resolved: policy.resolved }
  }
  const allowing = ran.find(
    ({ answer, hook }) => hook.source === "user" && answer._tag === "Answered" && answer.decision === "allow"
  )
  if (allowing === undefined || !canBeAllowed(policy)) return policy
  return { ...Decision.allow("hook", `The check ${named(allowing.hook)} allows it.`), resolved: policy.resolved }
}

const inputOf = ({ answer }: Ran) => (answer._tag === "Answered" ? answer.updatedInput : undefined)

/** Gives the arguments that the last hook wrote which wrote any. */
export const updatedInput = (ran: ReadonlyArray<Ran>): Readonly<Record<string, unknown>> | undefined =>
  ran.map(inputOf).findLast((input) => input !== undefined)

const unallowed = ({ answer, hook }: Ran): Ran => {
  if (answer._tag === "Failed" || answer.decision !== "allow") return { answer, hook }
  const { decision: _, ...others } = answer
  return { hook, answer: others }
}

/**
 * Gives what they say of the arguments that were written: `allow` was said of the call as it was, so that of who wrote them
 * counts alone, and what a project's hook writes behind the user's own, which have not seen it, asks.
 */
export const ofWritten = (ran: ReadonlyArray<Ran>): ReadonlyArray<Ran> => {
  const writer = ran.findLast((one) => inputOf(one) !== undefined)
  const isBehind = writer?.hook.source === "project" && ran.some(({ hook }) => hook.source === "user")
  return ran.map((one) => {
    if (one !== writer) return unallowed(one)
    return isBehind && one.answer._tag === "Answered" && one.answer.decision !== "deny"
      ? {
          ...one,
          answer: { ...one.answer, decision: "ask", reason: "it changed a call that a check of yours has looked at." }
        }
      : one
  })
}

/** Says of those that wrote arguments that these cannot be taken: they have no answer. */
export const spoiled = (ran: ReadonlyArray<Ran>, why: string): ReadonlyArray<Ran> =>
  ran.map((one) =>
    one.answer._tag === "Answered" && one.answer.updatedInput !== undefined
      ? { ...one, answer: { _tag: "Failed", why } }
      : one
  )

/** Gives what hooks tell the model beside the result. */
export const contexts = (ran: ReadonlyArray<Ran>): ReadonlyArray<string> =>
  ran.flatMap(({ answer }) => (answer._tag === "Answered" && answer.context !== undefined ? [answer.context] : []))
