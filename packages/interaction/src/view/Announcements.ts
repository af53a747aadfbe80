/** What a screen reader is told of a change: what has ended, and how the task stands; nothing of what still arrives. */
import type * as Row from "../conversation/Row.ts"
import { callStates, outcomes, tools } from "./Names.ts"
import type { State } from "./ViewState.ts"

/** Characters of a text, and entries of one change. */
const longest = 300
const most = 3

const isOver = (row: Row.Row): boolean =>
  row.kind === "call" ? row.state !== "requested" && row.state !== "running" : true

const phrase = (row: Row.Row): string => {
  switch (row.kind) {
    case "said":
      return row.by === "assistant" || row.by === "report" ? row.text.slice(0, longest) : ""
    case "result":
      return `${outcomes[row.outcome]}: ${row.text.slice(0, longest)}`
    case "call":
      return `${tools[row.name] ?? row.name} ${row.subject.slice(0, 80)}: ${callStates[row.state].toLowerCase()}.`
    case "note":
      return row.text.slice(0, longest)
    default:
      return ""
  }
}

const isResult = (row: Row.Row): boolean => row.kind === "result" || (row.kind === "said" && row.by === "report")

/** Empty when there is nothing to say. What was there when a task was shown, or came before it, is read by whoever looks. */
export const of = (before: State, now: State): string => {
  const { verbosity = "full" } = now
  if (before.n === 0 || before.task !== now.task || now.prepended || verbosity === "asksOnly") return ""
  const known = new Map(before.rows.map((row) => [row.id, row]))
  const ended = now.rows.filter((row) => {
    const was = known.get(row.id)
    return row !== was && isOver(row) && (was === undefined || !isOver(was))
  })
  const isFull = verbosity === "full"
  const state = !isFull || before.header?.label === now.header?.label ? [] : [`${now.header?.label ?? ""}.`]
  const phrases = [...state, ...ended.filter((row) => isFull || isResult(row)).map(phrase)].filter(
    (text) => text !== ""
  )
  return phrases.slice(-most).join(" ")
}

/** Gives what waits for the person, and the way there. */
export const ofAsk = ({ asks: [ask], header }: State, isMac: boolean): string =>
  ask === undefined
    ? ""
    : `Needs you: ${ask.heading}, in ${header?.title ?? ""}. Press ${isMac ? "Command" : "Ctrl"}+K A.`
