/**
 * Which steps of the walkthrough were taken, wherever that was done: each is then ticked off, and once all were, it is no
 * longer offered.
 */
import { commands, type ExtensionContext } from "vscode"
import { steps } from "./WalkthroughSteps.ts"

const name = "walkthrough"

/** What was run of these, without the prefix of all commands. */
const taken = ({ globalState }: ExtensionContext): ReadonlyArray<string> => globalState.get(name, [])

const tell = (key: string, value: boolean): void => void commands.executeCommand("setContext", key, value)

/** Tells the manifest's conditions. */
export const show = (context: ExtensionContext): void => {
  const done = taken(context)
  const all = Object.entries(steps).map(([step, ways]) => {
    const isTaken = ways.some((way) => done.includes(way))
    tell(`belay.walkthrough.${step}`, isTaken)
    return isTaken
  })
  tell("belay.walkthroughDone", all.every(Boolean))
}

/** Remembers a command that was run, or what is the same in a view. */
export const note = (context: ExtensionContext, command: string): void => {
  const way = command.replace(/^belay\./u, "")
  const done = taken(context)
  if (done.includes(way) || !Object.values(steps).flat().includes(way)) return
  void context.globalState.update(name, [...done, way]).then(() => show(context))
}
