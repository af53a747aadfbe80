/** Add to task, Start a task with this, Fix with Belay: what a person points at becomes the beginning of a message. */
import { TaskStore, TaskText } from "@belay/interaction/tasks"
import * as Effect from "effect/Effect"
import * as vscode from "vscode"
import { command, Refusal } from "../../vscode/Bridge.ts"
import * as Attaching from "../../conversation/Attaching.ts"
import { Drafts } from "../../conversation/Drafts.ts"
import * as Material from "../../editor/Material.ts"
import { ShownTask } from "../../tasks/ShownTask.ts"
import * as TaskChoice from "../../tasks/TaskChoice.ts"
import { begin } from "../../tasks/NewTask.ts"

const isOpen = ({ node }: TaskStore.Entry): boolean => node.row.record.status !== "completed"

/** The only open task, else one that is picked; the shown one comes first. */
const taskOf = Effect.gen(function* () {
  const board = yield* TaskStore.TaskStore
  const shown = (yield* ShownTask).id()
  const open = [...board.now().entries.values()].filter(isOpen)
  const [only, second] = open
  if (only !== undefined && second === undefined) return only
  const none = 'No task is open. Start one with "Belay: New task".'
  return yield* TaskChoice.pick({ title: "Add to which task?", none, fits: isOpen, first: shown })
})

interface Added {
  readonly text: string
  readonly images?: ReadonlyArray<vscode.Uri>
}

/** Into the composer of the task, where the person goes on writing when they want to; the focus stays where it is. */
const add = ({ images = [], text }: Added) =>
  Effect.gen(function* () {
    const entry = yield* taskOf
    const { add: put } = yield* Drafts
    const [refused] = yield* Attaching.attachFiles(TaskStore.idOf(entry), images)
    if (text !== "") put(TaskStore.idOf(entry), text.includes("\n") ? `${text}\n` : `${text} `)
    const { refresh } = yield* TaskStore.TaskStore
    if (images.length > 0) yield* refresh
    if (refused !== undefined) return yield* new Refusal({ line: refused })
    vscode.window.setStatusBarMessage(`Added to the message to "${TaskText.titleOf(entry)}".`, 10_000)
  })

/** Images go with the message as such, other files and folders are named in it. */
const addFiles = (args: ReadonlyArray<unknown>) =>
  Effect.gen(function* () {
    const all = yield* Material.named(args)
    const text = yield* Material.mentions(all.filter((file) => !Attaching.isNamedSo(file)))
    yield* add({ text, images: all.filter(Attaching.isNamedSo) })
  })

const isText = (value: unknown): value is string => typeof value === "string"

export const addToTask = command("belay.addToTask", (...args) =>
  isText(args[0]) ? add({ text: args[0] }) : addFiles(args)
)

export const addSelectionToTask = command("belay.addSelectionToTask", () => Effect.flatMap(Material.selection, add))

export const addTerminalSelection = command("belay.addTerminalSelection", () =>
  Effect.flatMap(Material.terminalSelection, add)
)

export const addLastOutput = command("belay.addLastOutput", () => Effect.flatMap(Material.lastOutput, add))

export const startTaskWith = command("belay.startTaskWith", (...args) =>
  Effect.flatMap(Material.files(args), ({ near, text }) =>
    begin({ draft: `${text} `, ...(near === undefined ? {} : { near }) })
  )
)

/** `given`: the problem in words; without it, those of the line that the cursor is in. */
export const fixWithBelay = command("belay.fixProblem", (given, address) =>
  Effect.gen(function* () {
    const near = address instanceof vscode.Uri ? address : vscode.window.activeTextEditor?.document.uri
    const text = isText(given) ? given : problemsAtCursor().join("\n")
    if (text === "")
      return yield* new Refusal({ line: "There is no problem here. Put the cursor on one and run it again." })
    yield* begin({ draft: `Fix ${text}`, ...(near === undefined ? {} : { near }) })
  })
)

const problemsAtCursor = (): ReadonlyArray<string> => {
  const { activeTextEditor: editor } = vscode.window
  if (editor === undefined) return []
  const { uri } = editor.document
  return vscode.languages
    .getDiagnostics(uri)
    .filter(({ range }) => range.contains(editor.selection.active))
    .map((diagnostic) => Material.problem(uri, diagnostic))
}
