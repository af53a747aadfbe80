/**
 * What waits for the person: in one line, and when they turn to it, with all that is known and the places of an answer.
 *
 * The double line stands in the first column, where nothing of a model or a tool ever does.
 */
import type { View } from "@belay/interaction"
import { Words } from "@belay/interaction"
import { Answers } from "@belay/interaction/unstable/view"
import type { AnswerInput } from "@belay/task-engine"
import { type Appearance, bold, glyph, tinted } from "../../output/Appearance.ts"
import * as DiffText from "../../output/DiffText.ts"
import { displayWidth, truncate } from "../../output/DisplayWidth.ts"
import { broken, rows } from "../../output/Wrapped.ts"

export interface Asked {
  readonly ask: View.Ask
  /** All of what would happen: the command, the change of each file. */
  readonly body: ReadonlyArray<DiffText.Line>
  /** The task that asks, and those above it. */
  readonly place: string
}

/** One way to answer: by its number, in words, or with words that are still to be written. */
export type Choice = {
  readonly place: number
  readonly title: string
  /** Why it cannot be chosen. */
  readonly refused?: string
} & (
  | { readonly verdict: Exclude<View.Verdict, "review"> }
  | { readonly option: string }
  | { readonly starts: true }
  | { readonly needsWords: true }
)

const approval = ({ place, refused, title, verdict }: Answers.Answer): ReadonlyArray<Choice> => {
  const said = { place, title, ...(refused === undefined ? {} : { refused }) }
  if (verdict === "review") return []
  return [verdict === undefined ? { ...said, needsWords: true } : { ...said, verdict }]
}

/** The places of an answer. */
export const choices = (ask: View.Ask): ReadonlyArray<Choice> => {
  if (ask.kind === "approval" || ask.kind === "repeat") return Answers.of(ask).flatMap(approval)
  if (ask.kind === "plan") {
    const others = Answers.suggestions(ask).map((option, index): Choice => ({
      place: index + 2,
      title: option,
      option
    }))
    return [{ place: 1, title: Answers.start(ask, "").title, starts: true }, ...others]
  }
  return ask.options.map((option, index) => ({ place: index + 1, title: option, option }))
}

/** What is answered with it. */
export const given = (choice: Exclude<Choice, { readonly needsWords: true }>): AnswerInput | "starts" => {
  if ("starts" in choice) return "starts"
  if ("option" in choice) return { text: choice.option }
  const { verdict } = choice
  if (verdict === "deny") return { decision: "deny" }
  return { decision: "allow", ...(verdict === "once" ? {} : { grant: verdict }) }
}

const count = (asked: Asked, all: ReadonlyArray<Asked>): string => {
  const at = all.findIndex(({ ask }) => ask.askId === asked.ask.askId)
  return all.length < 2 ? "" : ` · ${at + 1} of ${all.length}`
}

/** Columns of who asks: what is asked says more. */
const widestPlace = 26

/** The oldest, in one line; none where nothing waits. */
export const line = (all: ReadonlyArray<Asked>, look: Appearance, columns: number): ReadonlyArray<string> => {
  const [first] = all
  if (first === undefined) return []
  const end = `${count(first, all)}   Tab answers`
  const mark = `${tinted(look, "yellow", glyph(look, Words.signs.needsYou))} `
  const what = `Needs you · "${truncate(first.place, widestPlace)}": ${first.ask.heading}`
  return [`${mark}${bold(look, truncate(what, columns - 2 - displayWidth(end)))}${end}`]
}

/** Lines of what would happen, and of what else is known. */
const mostBody = 8
const mostFacts = 5

/** The beginning and the end, and how much is between them. */
const ends = <A>(all: ReadonlyArray<A>, most: number, cut: (left: number) => A): ReadonlyArray<A> =>
  all.length <= most ? all : [...all.slice(0, most - 2), cut(all.length - most + 1), ...all.slice(-1)]

const left = (n: number): string => `… ${n} more lines: d shows all`

/** Columns of what a fact is about. */
const labelled = 15

/** Whole, each line in as many rows as it needs. */
const factsOf = ({ facts }: View.Ask, look: Appearance, columns: number): ReadonlyArray<string> =>
  facts.flatMap(({ label, text }) =>
    text
      .split("\n")
      .flatMap((one) => rows(look, [{ text: Words.printable(one) }], Math.max(10, columns - labelled)))
      .map((one, index) => `${(index === 0 ? label : "").padEnd(labelled - 1)} ${one}`.trimEnd())
  )

/** A line is broken where a row ends: what would happen is seen whole, whatever blanks stand in it. */
const brokenIn = (body: Asked["body"], columns: number): ReadonlyArray<DiffText.Line> =>
  body.flatMap((line) => broken(line.text, Math.max(10, columns)).map((text) => ({ ...line, text })))

/** What is known of it, whole, as a page of its own. */
export const details = ({ ask, body, place }: Asked, look: Appearance, columns: number): ReadonlyArray<string> => [
  bold(look, `${ask.heading} · "${place}"`),
  ...brokenIn(body, columns - 2).map((line) => `  ${DiffText.coloured(look, line)}`),
  ...factsOf(ask, look, columns - 2).map((line) => `  ${line}`),
  ...ask.grants.flatMap(({ rules, scope }) =>
    scope === "always" ? rules.map((rule) => `  Always allows: ${rule}`) : []
  )
]

/** All of each fact where there is room for that, else the beginning of each. */
const briefly = (ask: View.Ask, look: Appearance, columns: number): ReadonlyArray<string> => {
  const whole = factsOf(ask, look, columns)
  return whole.length <= mostFacts ? whole : ends(factsOf(ask, look, Infinity), mostFacts, left)
}

const bodyOf = ({ ask, body }: Asked, look: Appearance, columns: number): ReadonlyArray<string> => [
  ...ends(brokenIn(body, columns), mostBody, (n) => ({ text: left(n) })).map((line) =>
    DiffText.coloured(look, { ...line, text: truncate(line.text, columns) })
  ),
  ...briefly(ask, look, columns).map((one) => truncate(one, columns))
]

const placed = (choice: Choice, place: number | undefined): string =>
  `${choice.place === place ? ">" : " "}${choice.place} ${choice.title}${choice.refused === undefined ? "" : " (not offered)"}`

/** Columns in which two lists have a place beside each other. */
const narrowest = 12

/** Those that allow, and beside them those that refuse; below each other where there is no room for that. */
const places = (ask: View.Ask, place: number | undefined, columns: number): ReadonlyArray<string> => {
  const all = choices(ask)
  const isParted = ask.kind === "approval" || ask.kind === "repeat"
  const left = all.filter((one) => !isParted || one.place <= 3).map((one) => placed(one, place))
  const right = all.filter((one) => isParted && one.place > 3).map((one) => placed(one, place))
  const room = columns - Math.max(0, ...right.map(displayWidth)) - (right.length === 0 ? 0 : 3)
  if (room < narrowest) return [...left, ...right].map((one) => truncate(one, columns))
  const width = Math.min(room, Math.max(24, ...left.map(displayWidth)))
  return Array.from({ length: Math.max(left.length, right.length) }, (_, index) => {
    const first = truncate(left[index] ?? "", width)
    return `${first}${" ".repeat(width - displayWidth(first))}   ${right[index] ?? ""}`.trimEnd()
  })
}

const told = (ask: View.Ask, place: number | undefined): string => {
  if (ask.blocked !== undefined) return ask.blocked
  const chosen = choices(ask).find((one) => one.place === place)
  if (chosen?.refused !== undefined) return chosen.refused
  return chosen === undefined
    ? `number, then Enter · d details${ask.kind === "approval" ? " · w why" : ""}${ask.isEdit ? " · e edits" : ""} · Esc: it stays open`
    : `Enter: ${chosen.title} · Esc goes back`
}

/** All that is known of one, and the places of an answer. */
export const frame = (
  asked: Asked,
  place: number | undefined,
  all: ReadonlyArray<Asked>,
  look: Appearance,
  columns: number
): ReadonlyArray<string> => {
  const [top, side, bottom] = look.ascii ? ["#", "#", "#"] : ["╔", "║", "╚"]
  const room = columns - 2
  const head = truncate(`${asked.ask.heading} · "${asked.place}"${count(asked, all)}`, room)
  return [
    `${top} ${bold(look, head)}`,
    ...bodyOf(asked, look, room).map((one) => `${side} ${one}`.trimEnd()),
    ...places(asked.ask, place, room).map((one) => `${side} ${one}`.trimEnd()),
    `${bottom} ${truncate(told(asked.ask, place), room)}`
  ]
}
