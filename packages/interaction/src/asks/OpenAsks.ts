/** What waits for a person, of every task and process: where it belongs, and whether it can be answered as it stands. */
import { type History, TaskHistory } from "@belay/history-store"
import { Message } from "@belay/message-state"
import { TaskNode } from "@belay/task-engine/remote"
import * as Effect from "effect/Effect"
import * as AskFacts from "./AskFacts.ts"
import * as TaskText from "../tasks/TaskText.ts"
import * as TaskTrees from "../tasks/TaskTrees.ts"

/** An ask that is open, and its task. */
export interface Open {
  readonly ask: History.Ask
  readonly entry: TaskTrees.Entry
}

/** Asks for something: the end of a turn waits for nobody. */
const needs = ({ kind }: History.Ask): boolean => kind !== "completion"

/** Lists what a person has to answer. Ids grow with time, so their order is the order in which people were asked. */
export const all = ({ entries }: TaskTrees.Snapshot): ReadonlyArray<Open> =>
  [...entries.values()]
    .flatMap((entry) => entry.node.openAsks.filter(needs).map((ask) => ({ ask, entry })))
    .sort((left, right) => (left.ask.askId < right.ask.askId ? -1 : 1))

/** Somebody runs its task, so it can be told yes or no. */
export const isLive = ({ entry }: Open): boolean => TaskNode.isAlive(entry.node)

/** Says whether an ask is for changes of files that can be reviewed. */
export const isEdit = ({ ask }: Open): boolean => ask.kind === "approval" && ask.payload.edits !== undefined

/** Gives what the view of a task asks: its own, and the limit of a task above that has stopped it. */
export const shownIn = (entry: TaskTrees.Entry): ReadonlyArray<Open> => {
  const own = entry.node.openAsks.filter(needs).map((ask) => ({ ask, entry }))
  const { record } = entry.node.row
  if (record.status !== "interrupted" || record.interruption.reason !== "budget" || own.length > 0) return own
  for (let up = entry.parent; up !== undefined; up = up.parent) {
    const ask = up.node.openAsks.find(({ kind }) => kind === "budget")
    if (ask !== undefined) return [{ ask, entry: up }]
  }
  return own
}

/** ` (subtask of Release 2.0 › Wire the CLI)`; nothing for a root. */
export const pathOf = (entry: TaskTrees.Entry): string => {
  const above: Array<string> = []
  for (let up = entry.parent; up !== undefined; up = up.parent) above.unshift(TaskText.titleOf(up))
  return above.length === 0 ? "" : ` (subtask of ${above.join(" › ")})`
}

/** What the model said when it asked. */
const said = ({ ask, entry }: Open) =>
  Effect.gen(function* () {
    if (ask.callId === null) return ""
    const messages = yield* (yield* TaskHistory).messages(entry.node.row.record.id)
    const asked = messages.findLast(({ content }) =>
      content.some((block) => block.type === "tool_use" && block.id === ask.callId)
    )
    return asked === undefined ? "" : Message.textOf(asked)
  }).pipe(Effect.orElseSucceed(() => ""))

/** Everything that is known of it. */
export const factsOf = (open: Open) =>
  Effect.map(said(open), (words) => AskFacts.of(open.ask, open.entry.node.row.meta.workspace, words))

/** `"Wire the CLI" (subtask of Release 2.0)` without the quotes. */
export const placeOf = ({ entry }: Open): string => `${TaskText.titleOf(entry)}${pathOf(entry)}`
