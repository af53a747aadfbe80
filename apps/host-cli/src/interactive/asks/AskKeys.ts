/**
 * Which ask has the keys, and which place of its answer was chosen.
 *
 * An ask has keys only once somebody turned to it. For a moment after that nothing counts, and a key that was typed before
 * the ask stood on the screen with its places is none of its: so nothing is answered by what was meant for something else.
 */
import type { AnswerInput } from "@belay/task-engine"
import * as AskFrame from "./AskFrame.ts"
import type { Key } from "../screen/Keys.ts"

/** What a key does to the ask that has them. */
export type Done =
  /** The key is none of its. */
  | { readonly _tag: "Other" }
  /** It was taken, or does not count. */
  | { readonly _tag: "Taken" }
  /** The keys are the composer's again, and nothing is answered. */
  | { readonly _tag: "Left" }
  /** `starts`: a plan is begun. */
  | { readonly _tag: "Answer"; readonly asked: AskFrame.Asked; readonly given: AnswerInput | "starts" }
  /** All that is known of it is to be shown. */
  | { readonly _tag: "Details"; readonly asked: AskFrame.Asked }
  /** What it would write is edited first. */
  | { readonly _tag: "Edit"; readonly asked: AskFrame.Asked }
  /** The rules by which it asks are to be shown. */
  | { readonly _tag: "Why"; readonly asked: AskFrame.Asked }
  /** Words are still to be written. */
  | { readonly _tag: "Words"; readonly asked: AskFrame.Asked }

/** How long nothing counts once an ask has the keys, in ms. */
const deadTime = 400

const other: Done = { _tag: "Other" }
const taken: Done = { _tag: "Taken" }

const answerOf = (asked: AskFrame.Asked, place: number | undefined): Done => {
  const choice = AskFrame.choices(asked.ask).find((one) => one.place === place)
  if (choice === undefined || choice.refused !== undefined || asked.ask.blocked !== undefined) return taken
  if ("needsWords" in choice) return { _tag: "Words", asked }
  return { _tag: "Answer", asked, given: AskFrame.given(choice) }
}

/** The keys of asks. */
export class AskKeys {
  #at:
    | { readonly askId: string; readonly place: number | undefined; readonly since: number; readonly shown: number }
    | undefined

  /** The ask that has the keys, of those that are open, and the place that was chosen. */
  readonly of = (
    open: ReadonlyArray<AskFrame.Asked>
  ): { ask: AskFrame.Asked; place: number | undefined } | undefined => {
    const ask = open.find((one) => one.ask.askId === this.#at?.askId)
    return ask === undefined || this.#at === undefined ? undefined : { ask, place: this.#at.place }
  }

  /** The oldest gets the keys, once the frame after the one that was seen is there; false where none is open. */
  readonly turnTo = ([oldest]: ReadonlyArray<AskFrame.Asked>, key: Key, now: number): boolean => {
    if (oldest === undefined) return false
    this.#at = { askId: oldest.ask.askId, place: undefined, since: now, shown: key.seen + 1 }
    return true
  }

  readonly leave = (): void => {
    this.#at = undefined
  }

  readonly press = (key: Key, open: ReadonlyArray<AskFrame.Asked>, now: number): Done => {
    const [at, asked] = [this.#at, this.of(open)?.ask]
    if (at === undefined || asked === undefined) {
      this.leave()
      return other
    }
    if (key.name === "escape" || key.name === "tab") {
      this.leave()
      return { _tag: "Left" }
    }
    const isUnseen = key.seen < at.shown
    if (key.name === "enter") {
      if (isUnseen || now - at.since < deadTime) return taken
      const done = answerOf(asked, at.place)
      if (done !== taken) this.leave()
      return done
    }
    if (key.name === "d" && !isUnseen) return { _tag: "Details", asked }
    if (key.name === "w" && asked.ask.kind === "approval" && !isUnseen) return { _tag: "Why", asked }
    if (key.name === "e" && asked.ask.isEdit && asked.ask.blocked === undefined && !isUnseen) {
      this.leave()
      return { _tag: "Edit", asked }
    }
    // What was typed in one go with the key that turned here is text.
    if (!/^\d$/u.test(key.name) || isUnseen) {
      this.leave()
      return other
    }
    if (now - at.since >= deadTime) this.#at = { ...at, place: Number(key.name) }
    return taken
  }
}
