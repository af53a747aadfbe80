/** What the extension host does with its webviews, from the moment at which it is looked at. */
import type { VSCode } from "../vscode/VSCode.ts"

/** Counts what is sent to any of them about a task, until it is undone. */
export const countMessages = async ({ host }: VSCode, task: string) => {
  await host((vscode, task) => {
    const panel = vscode.window.createWebviewPanel("story", "story", { viewColumn: 1, preserveFocus: true })
    // All have it from there.
    const all = Object.getPrototypeOf(panel.webview)
    panel.dispose()
    const { postMessage } = all
    Object.assign(globalThis, { counted: 0, undo: () => Object.assign(all, { postMessage }) })
    all.postMessage = function (message: { readonly task: string | null }) {
      ;(globalThis as any).counted += message.task === task ? 1 : 0
      return postMessage.call(this, message)
    }
  }, task)
  return {
    /** With all that the window has told the extension until now. */
    counted: (): Promise<number> =>
      host(async (vscode) => {
        await vscode.commands.executeCommand("setContext", "belay.story", true)
        return (globalThis as any).counted
      }),
    undo: () => host(() => void (globalThis as any).undo())
  }
}

/** Follows those that get a document: how many there were, and how many of them are held by anything. */
export const follow = async ({ host }: VSCode) => {
  await host((vscode) => {
    const panel = vscode.window.createWebviewPanel("story", "story", { viewColumn: 1, preserveFocus: true })
    const all = Object.getPrototypeOf(panel.webview)
    panel.dispose()
    const html = Object.getOwnPropertyDescriptor(all, "html") ?? {}
    const followed: Array<WeakRef<object>> = []
    process.getBuiltinModule("node:v8").setFlagsFromString("--expose-gc")
    const gc = process.getBuiltinModule("node:vm").runInNewContext("gc")
    Object.assign(globalThis, {
      followed: () => followed.length,
      held: () => {
        gc()
        return followed.filter((one) => one.deref() !== undefined).length
      },
      undo: () => Object.defineProperty(all, "html", html)
    })
    Object.defineProperty(all, "html", {
      ...html,
      set(this: object, value) {
        followed.push(new WeakRef(this))
        html.set?.call(this, value)
      }
    })
  })
  return {
    followed: (): Promise<number> => host(() => (globalThis as any).followed()),
    held: (): Promise<number> => host(() => (globalThis as any).held()),
    undo: () => host(() => void (globalThis as any).undo())
  }
}
