/** What waits for a person, as the tree of the extension gives it, and the commands that answer it. */
import type { OpenWindow } from "./VSCode.ts"

export interface Row {
  readonly id: string
  readonly label: string
  readonly contextValue: string
  /** The rows below it, in their order. */
  readonly facts: ReadonlyArray<readonly [label: string, text: string]>
}

/** Every ask, the oldest first. */
export const rows = (vs: OpenWindow): Promise<ReadonlyArray<Row>> =>
  vs.host(async (vscode) => {
    const { contributions } = vscode.extensions.getExtension("belay.belay")?.exports ?? {}
    const tree = (await contributions()).tree("belay.needsYou")
    const found = []
    for (const id of await tree.getChildren()) {
      const { contextValue, label } = tree.getTreeItem(id)
      const facts = (await tree.getChildren(id)).map((fact: string) => {
        const item = tree.getTreeItem(fact)
        return [item.label, item.description]
      })
      found.push({ id, label, contextValue, facts })
    }
    return found
  })

/** The ask whose row shows a text, once it is there; `not`: and is another one. */
export const waiting = async (vs: OpenWindow, text: string, not?: string): Promise<Row> => {
  for (;;) {
    await vs.tree("Needs you").row(text).waitFor()
    const found = (await rows(vs)).find(({ id, label }) => id !== not && label.includes(text))
    if (found !== undefined) return found
  }
}

/** Starts a task and gives its id. */
export const begin = (vs: OpenWindow, prompt: string): Promise<string> =>
  vs.host(async (vscode, text) => vscode.commands.executeCommand<string>("belay.newTask", text), prompt)

/** Runs a command of the extension with an argument, as a row's action does, and waits for its end. */
export const run = (vs: OpenWindow, command: string, argument: string): Promise<void> =>
  vs.host(
    async (vscode, id, given) => void (await vscode.commands.executeCommand(`belay.${id}`, given)),
    command,
    argument
  )

export const ended = (vs: OpenWindow, title: string, state = "Done"): Promise<void> =>
  vs.tree("Tasks").row(title).filter({ hasText: state }).waitFor()
