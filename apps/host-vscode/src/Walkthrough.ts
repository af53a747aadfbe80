/** Which steps of the walkthrough were taken: once all were, it is no longer offered. */
import { commands, type ExtensionContext } from "vscode"

const name = "walkthrough"

/** The commands that take each step; any one of them does. */
export const steps: ReadonlyArray<ReadonlyArray<string>> = [
  ["belay.demo"],
  ["belay.setKey"],
  ["belay.newTask"],
  ["belay.allowOnce", "belay.deny", "belay.answer"],
  ["belay.resume"]
]

const taken = ({ globalState }: ExtensionContext): ReadonlyArray<string> => globalState.get(name, [])

/** Tells the manifest's `when`. */
export const show = (context: ExtensionContext): void => {
  const done = taken(context)
  const all = steps.every((step) => step.some((command) => done.includes(command)))
  void commands.executeCommand("setContext", "belay.walkthroughDone", all)
}

/** Remembers a command that was run. */
export const note = (context: ExtensionContext, command: string): void => {
  const done = taken(context)
  if (done.includes(command) || !steps.flat().includes(command)) return
  void context.globalState.update(name, [...done, command]).then(() => show(context))
}
