/** Typing in an editor of the window, beside a task that streams and without one: the frames that are lost meanwhile. */
import * as Asks from "../../../apps/host-vscode/test/vscode/Asks.ts"
import type * as VSCode from "../../../apps/host-vscode/test/vscode/VSCode.ts"
import type { Figure } from "../figures/figure.ts"
import { spread } from "../figures/spread.ts"

export const RUNS = 3
const KEYS = 100
/** Ms from one key to the next. */
const PACE = 20
/** Ms between two pictures of which one between them was lost, at 60 a second. */
const lost = 25

export const promptOf = (run: number): string => `Type ${run}`
export const gateOf = (run: number): string => `type-${run}`

const source = `(() => {
  const frames = { lost: 0, last: undefined, on: true }
  globalThis.belayFrames = frames
  const next = (at) => {
    if (frames.last !== undefined && at - frames.last > ${lost}) frames.lost += Math.round((at - frames.last) * 60 / 1000) - 1
    frames.last = at
    if (frames.on) requestAnimationFrame(next)
  }
  requestAnimationFrame(next)
})()`

/** Frames that are lost of those while keys are typed. */
const typed = async (vs: VSCode.VSCode): Promise<number> => {
  await vs.host(async (vscode) => {
    const document = await vscode.workspace.openTextDocument({ content: "" })
    await vscode.window.showTextDocument(document)
  })
  await vs.page.evaluate(source)
  await vs.page.keyboard.type("words of a person ".repeat(KEYS).slice(0, KEYS), { delay: PACE })
  const found = Number(await vs.page.evaluate("(belayFrames.on = false, belayFrames.lost)"))
  await vs.host(async (vscode) => {
    await vscode.commands.executeCommand("workbench.action.revertAndCloseActiveEditor")
  })
  return found
}

/** The window has the view of a conversation, and scripts for the prompts of so many runs that stream long enough. */
export const typing = async (vs: VSCode.VSCode): Promise<ReadonlyArray<Figure>> => {
  const beside: Array<number> = []
  const alone: Array<number> = []
  for (let run = 0; run < RUNS; run++) {
    alone.push(await typed(vs))
    await Asks.begin(vs, promptOf(run))
    vs.model.release(gateOf(run))
    beside.push(await typed(vs))
  }
  const name = "view: frames lost while one types in an editor beside a task that streams (floor: without)"
  return [{ name, belay: spread(beside), floor: spread(alone), limit: { beyond: 0 }, digits: 0 }]
}
