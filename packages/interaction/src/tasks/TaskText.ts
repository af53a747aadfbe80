/** A task in one line of a list, and as it is read aloud. */
import { TaskNode } from "@belay/task-engine/remote"
import type * as View from "../conversation/View.ts"
import * as Words from "../text/Words.ts"
import type { Entry } from "./TaskTrees.ts"

/** As people gave it, printable. */
export const titleOf = ({ node }: Entry): string => Words.printable(node.row.meta.title)

/** `Needs you: run npm publish`, `Waiting for 2 · subtask needs you`. */
export const stateOf = ({ text }: Entry): string => Words.sentence(text, text.detail)

const costOf = (entry: Entry) => TaskNode.usage(entry.node).costUsd

/** What is seen of a request to the model. */
const answers: Readonly<Record<View.Answering, string>> = {
  waiting: "waiting for the model",
  streaming: "the model answers"
}

/** Describes what a row shows beside its entry. */
export interface Beside {
  /** Where it stands in line. */
  readonly place?: number | undefined
  readonly answer?: View.Answering | undefined
  /** The name of the folder that it works in, where there is more than one. */
  readonly folder?: string | undefined
}

/** `Needs you: run npm publish · 3/5 · $0.42`, in one line. */
export const descriptionOf = (entry: Entry, { answer, folder, place }: Beside): string => {
  const { checklist } = entry.node.row
  const parts = [
    place === undefined ? stateOf(entry) : `${entry.text.label}, ${Words.inLine(place)}`,
    ...(checklist === null ? [] : [`${checklist.done}/${checklist.total}`]),
    Words.money(costOf(entry)),
    ...(answer === undefined || entry.text.state !== "running" ? [] : [answers[answer]]),
    ...(folder === undefined ? [] : [Words.printable(folder)])
  ]
  return parts.join(" · ")
}

/** `Wire the CLI, needs you, subtask of Release 2.0, 3 of 5 done, 8 cents`. */
export const spoken = (entry: Entry): string => {
  const { node, parent, text } = entry
  const { checklist } = node.row
  return [
    titleOf(entry),
    text.label.toLowerCase(),
    ...(text.subtaskNeedsYou ? [Words.subtaskNeedsYou] : []),
    ...(parent === undefined ? [] : [`subtask of ${titleOf(parent)}`]),
    ...(checklist === null ? [] : [`${checklist.done} of ${checklist.total} done`]),
    Words.spokenMoney(costOf(entry))
  ].join(", ")
}
