/**
 * An ask that is put to people: the first answer counts, whoever gives it, and every other one changes nothing.
 *
 * The host's person and requests from elsewhere race for it. Who is told that an answer counted is told so when it is
 * stored, never before.
 */
import type { Event, Step } from "@belay/history-store"
import { Message } from "@belay/message-state"
import { PlanResponse } from "@belay/modes"
import type { Proposal } from "@belay/tool-executor"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type { Ask } from "./UserPort.ts"
import * as Sentences from "../text/Sentences.ts"

export interface Reply {
  readonly decision?: "allow" | "deny"
  readonly text?: string
  /** What comes with the words. */
  readonly attached?: ReadonlyArray<Message.Attachment>
  /** Of an allowed edit: what the person wants in files instead of what was proposed. */
  readonly edited?: ReadonlyArray<Proposal.Edited>
  /** Allows more than this call, where the ask offers it. */
  readonly grant?: "task" | "always"
  /** Answers a plan by switching the task to act mode. */
  readonly switchToAct?: boolean
  /** Who gave it, as the history shows it. */
  readonly by: string
  /** The request of another process that it came with. */
  readonly requestId?: string
}

/** Who wrote what answers a question: a person, where it is more than that the mode was switched. */
export const writtenBy = (words: string): Pick<Step.CallResult, "from"> =>
  Message.isSaid(words) && words !== PlanResponse.PLAN_MODE_TOGGLE_RESPONSE ? { from: "user" } : {}

/** Who answers an approval when the mode of the task has become another one: it is judged again. */
export const byMode = "mode"

/** A yes or no; words; or a yes, or words that say what is missing. */
export type Wants = "decision" | "words" | "acceptance"

export const wants = ({
  callId,
  kind,
  options
}: {
  readonly kind: Event.AskKind
  readonly callId?: string | null
  readonly options?: ReadonlyArray<string>
}): Wants => {
  if (kind === "completion" || isHandOver({ kind, ...(options === undefined ? {} : { options }) })) return "acceptance"
  const decides = kind === "approval" || (kind === "mistakes" && callId !== undefined && callId !== null)
  return decides ? "decision" : "words"
}

/** What is missing for an answer: silence is none, whoever is silent and wherever it is asked. */
export const missing = (
  wanted: Wants,
  { attached, decision, switchToAct, text }: Pick<Reply, "attached" | "decision" | "switchToAct" | "text">
): "needsText" | "needsDecision" | undefined => {
  const shown = attached !== undefined && attached.length > 0 && wanted !== "decision"
  if (Message.isSaid(text) || switchToAct === true || shown) return undefined
  if (wanted === "decision") return decision === undefined ? "needsDecision" : undefined
  return wanted === "acceptance" && decision === "allow" ? undefined : "needsText"
}

/** The option that makes a result the end of the task. */
export const accept = "Accept this as the result"

/** The answer to an offered result is a yes; other words say what is missing. */
export const accepts = ({ decision, text }: Pick<Reply, "decision" | "text">): boolean =>
  decision === "allow" || text === accept

/** The option that hands a plan over. */
export const start = Sentences.handOver

/** The ask is whether a plan is carried out; a switch to act mode is a yes. */
export const isHandOver = ({ kind, options }: { readonly kind: string; readonly options?: ReadonlyArray<string> }) =>
  kind === "plan" && options?.includes(start) === true

export const agrees = ({ decision, switchToAct, text }: Pick<Reply, "decision" | "switchToAct" | "text">): boolean =>
  decision === "allow" || switchToAct === true || text === start

export interface OpenAsk {
  readonly ask: Ask
  /** What the call would write. */
  readonly proposals: ReadonlyArray<Proposal.Proposal>
  /** `undefined`: nobody is there any more. */
  readonly reply: Deferred.Deferred<Reply | undefined>
  /** False when the task stopped before the answer was stored. */
  readonly stored: Deferred.Deferred<boolean>
}

/** Those that a task waits with. Only this module changes it. */
export type OpenAsks = ReadonlyMap<string, OpenAsk>

const own = (asks: OpenAsks): Map<string, OpenAsk> => asks as Map<string, OpenAsk>

/** It can be answered from now on. */
export const open = (asks: OpenAsks, ask: Ask, proposals: OpenAsk["proposals"] = []): OpenAsk => {
  const made = {
    ask,
    proposals,
    reply: Deferred.makeUnsafe<Reply | undefined>(),
    stored: Deferred.makeUnsafe<boolean>()
  }
  own(asks).set(ask.askId, made)
  return made
}

/** Waits for the first answer; silence is asked again, and nobody is asked any longer when another answer came first. */
export const reply = (
  asks: OpenAsks,
  { ask, reply: first }: OpenAsk,
  person: Effect.Effect<Reply | undefined>
): Effect.Effect<Reply | undefined> =>
  Effect.gen(function* () {
    const said: Effect.Effect<unknown> = Effect.flatMap(person, (given) =>
      given === undefined || missing(wants(ask), given) === undefined ? Deferred.succeed(first, given) : said
    )
    yield* Effect.raceFirst(Effect.asVoid(Deferred.await(first)), Effect.asVoid(said))
    const answered = yield* Deferred.await(first)
    if (answered === undefined) withdraw(asks, ask.askId)
    return answered
  })

/** Another text is taken only for a file whose contents were shown, with a yes. */
export const canEdit = (
  { proposals }: OpenAsk,
  { decision, edited = [] }: Pick<Reply, "decision" | "edited">
): boolean =>
  edited.length === 0 ||
  (decision === "allow" &&
    edited.every(({ resolved }) =>
      proposals.some(({ contents, summary }) => contents !== undefined && summary.resolved === resolved)
    ))

/** More than this call is allowed only as the ask offers it, with a yes. */
export const canGrant = ({ ask }: OpenAsk, { decision, grant }: Pick<Reply, "decision" | "grant">): boolean =>
  grant === undefined || (decision === "allow" && ask.grants.some(({ allowed, scope }) => allowed && scope === grant))

/** Nobody can answer it any more. */
export const withdraw = (asks: OpenAsks, askId: string): void => void own(asks).delete(askId)

/** Its answer is stored. */
export const stored = (asks: OpenAsks, askId: string): void => {
  const found = asks.get(askId)
  withdraw(asks, askId)
  if (found !== undefined) Deferred.doneUnsafe(found.stored, Effect.succeed(true))
}

/** The task stops: answers that are not stored yet never are. */
export const abandon = (asks: OpenAsks): void => {
  for (const found of asks.values()) Deferred.doneUnsafe(found.stored, Effect.succeed(false))
  own(asks).clear()
}

/** The step that marks the request of an answer as carried out, for the commit that stores the answer. */
export const applied = (requestId: string | undefined): ReadonlyArray<Step.Step> =>
  requestId === undefined ? [] : [{ _tag: "RequestApplied", requestId }]
