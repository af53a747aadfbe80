/**
 * An ask that is put to people: the first answer counts, whoever gives it, and every other one changes nothing.
 *
 * The host's person and requests from elsewhere race for it. Who is told that an answer counted is told so when it is
 * stored, never before.
 */
import type { Step } from "@belay/history-store"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type { Ask } from "./Person.ts"

export interface Reply {
  readonly decision?: "allow" | "deny"
  readonly text?: string
  /** Answers a plan by switching the task to act mode. */
  readonly switchToAct?: boolean
  /** Who gave it, as the history shows it. */
  readonly by: string
  /** The request of another process that it came with. */
  readonly requestId?: string
}

export interface OpenAsk {
  readonly ask: Ask
  /** A yes or no, or words. */
  readonly wants: "decision" | "text"
  /** `undefined`: nobody is there any more. */
  readonly reply: Deferred.Deferred<Reply | undefined>
  /** False when the task stopped before the answer was stored. */
  readonly stored: Deferred.Deferred<boolean>
}

export type OpenAsks = Map<string, OpenAsk>

/** It can be answered from now on. */
export const open = (asks: OpenAsks, ask: Ask, wants: OpenAsk["wants"]): OpenAsk => {
  const made = { ask, wants, reply: Deferred.makeUnsafe<Reply | undefined>(), stored: Deferred.makeUnsafe<boolean>() }
  asks.set(ask.askId, made)
  return made
}

/** Waits for the first answer; the person is not asked any longer when another one came first. */
export const reply = (
  asks: OpenAsks,
  { ask, reply: first }: OpenAsk,
  person: Effect.Effect<Reply | undefined>
): Effect.Effect<Reply | undefined> =>
  Effect.gen(function* () {
    const said = Effect.flatMap(person, (given) => Deferred.succeed(first, given))
    yield* Effect.raceFirst(Effect.asVoid(Deferred.await(first)), Effect.asVoid(said))
    const answered = yield* Deferred.await(first)
    if (answered === undefined) asks.delete(ask.askId)
    return answered
  })

/** Its answer is stored. */
export const stored = (asks: OpenAsks, askId: string): void => {
  const found = asks.get(askId)
  asks.delete(askId)
  if (found !== undefined) Deferred.doneUnsafe(found.stored, Effect.succeed(true))
}

/** The task stops: answers that are not stored yet never are. */
export const abandon = (asks: OpenAsks): void => {
  for (const found of asks.values()) Deferred.doneUnsafe(found.stored, Effect.succeed(false))
  asks.clear()
}

/** The step that marks the request of an answer as carried out, for the commit that stores the answer. */
export const applied = (requestId: string | undefined): ReadonlyArray<Step.Step> =>
  requestId === undefined ? [] : [{ _tag: "RequestApplied", requestId }]
