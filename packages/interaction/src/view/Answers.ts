/** The five places of an answer: 1 to 3 allow, from narrow to wide; 4 and 5 refuse. Their order never changes. */
import type * as View from "../conversation/View.ts"
import { Sentences } from "@belay/task-engine/text"

/** One way to answer an ask, in its place. */
export interface Answer {
  /** Also its key. */
  readonly place: 1 | 2 | 3 | 4 | 5
  readonly title: string
  /** Nothing: it opens the line for a reason. */
  readonly verdict?: View.Verdict
  /** Why it cannot be chosen. */
  readonly refused?: string
}

const whyNot = (ask: View.Ask, scope: "task" | "always"): { readonly refused?: string } => {
  const refused = ask.grants.find((grant) => grant.scope === scope)?.refused
  return refused === undefined ? {} : { refused }
}

/** In characters; the whole is what the next step shows. */
const longest = 60

/** What a yes to it allows from then on. */
const standing = ({ grants }: View.Ask): string => {
  const { refused, rules = [] } = grants.find(({ scope }) => scope === "always") ?? {}
  const said = rules.join(", ")
  if (refused !== undefined || said === "") return "Always…"
  return `Always allow ${said.slice(0, longest)}…`
}

/** Of an approval, or of a call that repeats itself; empty for what is asked in words. */
export const of = (ask: View.Ask): ReadonlyArray<Answer> => {
  if (ask.kind === "repeat") {
    return [
      { place: 1, title: "Run it again", verdict: "once" },
      { place: 4, title: "Do not run it", verdict: "deny" },
      { place: 5, title: "Do not run it, say why…" }
    ]
  }
  if (ask.kind !== "approval") return []
  const [yes, no] = ask.isEdit ? ["Apply", "Reject"] : ["Allow once", "Deny"]
  const task = ask.isEdit ? "Apply, and allow for this task" : "Allow for this task"
  return [
    { place: 1, title: yes, verdict: "once" },
    { place: 2, title: task, verdict: "task", ...whyNot(ask, "task") },
    { place: 3, title: standing(ask), verdict: "always", ...whyNot(ask, "always") },
    { place: 4, title: no, verdict: "deny" },
    { place: 5, title: `${no}, say why…` }
  ]
}

const isHandOver = (ask: View.Ask): boolean => ask.options.includes(Sentences.handOver)

/** Says how a plan is begun: words that a person has written go with it. `words`: what is said. */
export const start = (ask: View.Ask, text: string): { readonly title: string; readonly words?: string } => {
  const words = text.trim() === "" ? {} : { words: text }
  const isWritten = text.trim() !== ""
  if (isHandOver(ask)) return { title: `${Sentences.handOver}${isWritten ? ", with your message" : ""}`, ...words }
  return { title: `Switch to Act${isWritten ? ", with your message" : " and start"}`, ...words }
}

/** Answers that a plan offers; each goes on planning. */
export const suggestions = ({ options }: View.Ask): ReadonlyArray<string> =>
  options.filter((option) => option !== Sentences.handOver)
