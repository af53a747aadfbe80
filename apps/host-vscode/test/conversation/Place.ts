/** The window that the stories of the conversation share, and what they do in it. */
import { assert, vi } from "vitest"
import * as Axe from "../vscode/Axe.ts"
import * as View from "../vscode/View.ts"
import * as VSCode from "../vscode/VSCode.ts"

/** Stories about one subject, and what they need of the window. */
export interface Part {
  readonly tasks: NonNullable<VSCode.Options["tasks"]>
  readonly files?: NonNullable<VSCode.Options["files"]>
  readonly stories: (place: Place) => void
}

export interface Place {
  readonly vs: VSCode.VSCode
  /** The one of the side bar. */
  readonly view: View.View
  /** All addresses that the window has asked for. */
  readonly requested: ReadonlyArray<string>
  /** Begins a task and shows it; gives its id. */
  readonly begin: (prompt: string) => Promise<string>
  /** Waits until the list of tasks says so of some, whatever is shown. */
  readonly listed: (words: string, count?: number) => Promise<unknown>
  /** Waits until a task is shown. */
  readonly title: (text: string) => Promise<unknown>
  /** Goes to what asks, and waits until it takes an answer. */
  readonly armed: () => Promise<void>
  readonly wellFormed: (frame?: View.Inside) => Promise<void>
  /** A task in an editor of its own. */
  readonly inEditor: (id: string) => Promise<View.View>
}

/** Fills in the place, which the stories have from the beginning. */
export const open = async (place: Place, parts: ReadonlyArray<Part>): Promise<void> => {
  const vs = await VSCode.open({
    files: Object.assign({}, ...parts.map(({ files = {} }) => files)),
    tasks: parts.flatMap(({ tasks }) => tasks)
  })
  const requested: Array<string> = []
  vs.page.on("request", (request) => requested.push(request.url()))
  await vs.showTrees()
  Object.assign(place, {
    vs,
    view: await View.find(vs.page),
    requested,
    begin: async (prompt) =>
      vs.host(async (vscode, given) => String(await vscode.commands.executeCommand("belay.newTask", given)), prompt),
    listed: async (words, count = 1) => {
      const said = () =>
        vs.host(async (vscode, given) => {
          const { contributions } = vscode.extensions.getExtension("belay.belay")?.exports ?? {}
          const tree = (await contributions()).tree("belay.tasks")
          const groups = await tree.getChildren()
          const ids = (await Promise.all(groups.map((group: string) => tree.getChildren(group)))).flat()
          return ids.filter((id) => String(tree.getTreeItem(id).description).includes(given)).length
        }, words)
      await vi.waitFor(async () => assert.equal(await said(), count), VSCode.patience)
    },
    title: (text) => place.view.frame.locator("h1", { hasText: text }).waitFor(),
    armed: async () => {
      await place.view.dock.locator("h2").focus()
      await place.view.frame.locator(".dock:not(.waits)").waitFor()
    },
    wellFormed: async (frame = place.view.frame) => assert.deepEqual(await Axe.check(frame), []),
    inEditor: async (id) => {
      await vs.host((vscode, given) => vscode.commands.executeCommand("belay.openConversationInEditor", given), id)
      return View.inEditor(vs.page, ({ frame }) => frame.locator(`[data-task="${id}"]`).isVisible())
    }
  } satisfies Place)
  await place.view.frame.evaluate(
    "globalThis.violations = []; addEventListener('securitypolicyviolation', (e) => violations.push(e.violatedDirective))"
  )
}
