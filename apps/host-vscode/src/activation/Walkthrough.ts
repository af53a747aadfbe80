/**
 * Which steps of the walkthrough were taken, wherever that was done: each is then ticked off, and once all were, it is no
 * longer offered.
 */
import { commands, type ExtensionContext } from "vscode"
import { steps } from "./WalkthroughSteps.ts"

const name = "walkthrough"

/** What was run of these, without the prefix of all commands. */
const taken = ({ globalState }: ExtensionContext): ReadonlyArray<string> => globalState.get(name, [])

const tell = (key: string): void => void commands.executeCommand("setContext", key, true)

/** Tells the manifest's conditions: those that hold, since none of them ever ends. */
export const show = (context: ExtensionContext): void => {
  const done = taken(context)
  const all = Object.entries(steps)
  const found = all.filter(([, ways]) => ways.some((way) => done.includes(way)))
  for (const [step] of found) tell(`belay.walkthrough.${step}`)
  if (found.length === all.length) tell("belay.walkthroughDone")
}

/** Remembers a command that was run, or what is the same in a view. */
export const note = (context: ExtensionContext, command: string): void => {
  const way = command.replace(/^belay\./u, "")
  const done = taken(context)
  if (done.includes(way) || !Object.values(steps).flat().includes(way)) return
  void context.globalState.update(name, [...done, way]).then(() => show(context))
}
