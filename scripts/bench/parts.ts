/** The parts of the bench, each of which can be measured alone. */
import * as Checkpoints from "./checkpoints.ts"
import * as Commands from "./commands.ts"
import * as Conversation from "./conversation.ts"
import { measureDisk } from "./disk.ts"
import * as Editor from "./editor/editor.ts"
import * as View from "./editor/view.ts"
import type { Figure, Measured } from "./figures/figure.ts"
import { measureLongHistory } from "./history/longHistory.ts"
import { measureMany } from "./many/many.ts"
import type { Options } from "./programs/programs.ts"
import * as Sandbox from "./sandbox.ts"
import * as Beside from "./terminal/beside.ts"
import * as Budgets from "./terminal/budgets.ts"
import { measureStarts } from "./starts.ts"
import { measureTasks } from "./tasks.ts"
import { measureTurns } from "./turns.ts"

type Part = (options: Options) => Promise<Measured>

const figures =
  (measure: (options: Options) => Promise<ReadonlyArray<Figure>>): Part =>
  async (options) => ({ figures: await measure(options), skipped: [] })

/** Where there is a VS Code. */
const inEditor =
  (what: string, measure: () => Promise<Measured>): Part =>
  async () => {
    const missing = Editor.missing()
    return missing === undefined ? measure() : { figures: [], skipped: [`Nothing of the ${what}: ${missing}`] }
  }

export const parts: Readonly<Record<string, Part>> = {
  turns: measureTurns,
  starts: figures(measureStarts),
  disk: figures(measureDisk),
  everyday: figures(measureTasks),
  conversation: figures(Conversation.measureConversation),
  checkpoints: figures(Checkpoints.measureCheckpoints),
  sandbox: figures(Sandbox.measureSandbox),
  commands: figures(Commands.measureCommands),
  history: figures(measureLongHistory),
  many: figures(measureMany),
  terminal: figures(Budgets.measure),
  peers: Beside.measure,
  editor: inEditor("editor", Editor.measureEditor),
  view: inEditor("view", View.measureView)
}

/** The parts of these names, one after another. */
export const measure = async (names: ReadonlyArray<string>, options: Options): Promise<Measured> => {
  const all: Array<Measured> = []
  for (const name of names) {
    const part = parts[name]
    if (part !== undefined) all.push(await part(options))
  }
  return { figures: all.flatMap((one) => one.figures), skipped: all.flatMap((one) => one.skipped) }
}
