/** Commands of the interface itself, which are said to no task; and what is said of commands: which there are, and may be meant. */
import { Completions } from "@belay/interaction/unstable/feed"
import * as Effect from "effect/Effect"
import { suggestion } from "../../cli/Arguments.ts"
import * as Help from "../../cli/Help.ts"
import * as Slash from "../../terminal/Slash.ts"
import { keyHelp } from "../screen/KeyHelp.ts"
import type { Around } from "./Around.ts"
import * as Checklists from "./Checklists.ts"
import * as Choosing from "./Choosing.ts"
import * as Copying from "./Copying.ts"
import * as Exporting from "./Exporting.ts"
import * as GoingBack from "./GoingBack.ts"
import * as Looking from "./Looking.ts"
import * as ModelChoice from "./ModelChoice.ts"
import * as Ourselves from "./Ourselves.ts"
import * as ReleasingSubtask from "./ReleasingSubtask.ts"

/** What may be meant. */
const mostOffered = 6

/** What is around a command, with what changes the task that is shown. */
export interface Given extends Around {
  /** What is sent next begins a task. */
  readonly begin: () => void
  readonly open: (reference: string) => void
  readonly rewind: () => void
  readonly answer: () => void
  readonly goOn: () => void
  readonly stop: () => void
  readonly leave: () => void
}

type Command = readonly [description: string, run: (given: Given, rest: string) => void]

/** By their names, in the order in which they are shown. */
const own: Readonly<Record<string, Command>> = {
  new: ["What you send next begins a new task", ({ begin }) => begin()],
  tasks: ["Choose among the tasks, as Ctrl+T", (given) => Choosing.open(given, "")],
  history: ["Search all that was ever said: /history WORDS", Choosing.open],
  open: ["Show a task: /open, or /open ID", ({ open }, rest) => open(rest)],
  answer: ["Turn to what waits for you, as Tab", ({ answer }) => answer()],
  tree: ["All of the tree: each task with its state, steps, time and cost", (given) => Looking.tree(given)],
  checklist: ["The checklist; with a number that item is checked", Checklists.checklist],
  transcript: ["All that was said and done, as Ctrl+O", (given) => Looking.transcript(given)],
  diff: ["What this task has changed in the files", (given) => Looking.changes(given)],
  copy: ["Copy the last answer; with a number an earlier one", Copying.answer],
  export: ["Write the conversation into a file: /export, or /export FILE", Exporting.task],
  cost: ["What this task has used, and its subtasks", (given) => Looking.cost(given)],
  model: ["Choose the model, as Alt+P; or /model NAME", ModelChoice.choose],
  allowed: ["What is always allowed in this folder", (given) => Ourselves.command(given, "allowed")],
  trust: ["See what this folder brings for tasks, and trust it", (given) => Ourselves.command(given, "trust")],
  rewind: ["Go back to before something was said: files, conversation, or both", ({ rewind }) => rewind()],
  undo: ["Take the last /rewind back", (given) => GoingBack.undo(given)],
  resume: ["Go on with the task that is shown, where it was stopped", ({ goOn }) => goOn()],
  stop: ["Stop the task that is shown", ({ stop }) => stop()],
  abandon: ["Give up a stopped subtask: its parent goes on without it", (given) => ReleasingSubtask.abandon(given)],
  restart: ["Replace a stopped subtask by a fresh one; with words: its instructions", ReleasingSubtask.restart],
  keys: ["What keys do, as ?", ({ ui }) => ui.tell(["", ...keyHelp.map((line) => `  ${line}`), ""])],
  "screen-reader": [
    "How all of it is had by lines that can be spoken",
    ({ ui }) => ui.tell(["By lines that can be spoken: leave with /quit, then belay -c --screen-reader."])
  ],
  quit: ["Leave", ({ leave }) => leave()],
  help: ["Show the commands", (given) => help(given)]
}

const described = Object.entries(own).map(([name, [description]]) => ({ name, description }))

/** Of the interface alone; `/help` is every host's. */
const ofTerminal = described.filter(({ name }) => name !== "help")

/** Does it; false for what goes to the task. */
export const run = (given: Given, name: string, rest: string): boolean => {
  const command = Object.hasOwn(own, name) ? own[name] : undefined
  command?.[1](given, rest)
  return command !== undefined
}

/** Those of the interface, and those that can be said to a task of this folder. */
const help = ({ ground, perform, ui }: Around): void => {
  const rows = Help.table(ofTerminal.map(({ description, name }) => [`/${name}`, description] as const))
  const wish = Effect.map(Slash.helpOf(ground.workspace), (text) =>
    ui.commit(["", "Of this terminal", ...rows, "", ...text.trimEnd().split("\n"), ""])
  )
  perform(wish)
}

/** What is said of a command that nobody knows, which is sent to no task. */
export const unknown = (name: string, workspace: string) =>
  Effect.map(Slash.commandsIn(workspace), (commands) => {
    const names = [...commands, ...described].map((known) => known.name)
    if (names.includes(name)) return undefined
    const close = suggestion(name, names)
    return `No command "/${name}": nothing was sent.${close === undefined ? "" : ` Did you mean /${close}?`}`
  })

/** What may be meant by what stands before the caret. */
export const complete = ({ entry, ground, perform, ui }: Around, line: string, isFirst: boolean): void => {
  const workspace = entry()?.node.row.meta.workspace ?? ground.workspace
  const wish = Effect.gen(function* () {
    const { from, items } = yield* (yield* Completions.Completions).of(workspace, line, isFirst)
    const begun =
      isFirst && /^\/[\w-]*$/u.test(line) ? ofTerminal.filter(({ name }) => name.startsWith(line.slice(1))) : []
    const ours = begun.map(({ description, name }) => ({ insert: `/${name}`, label: `/${name}`, detail: description }))
    ui.offer(line, from, [...ours, ...items].slice(0, mostOffered))
  })
  perform(wish)
}
