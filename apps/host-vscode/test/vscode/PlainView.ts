/**
 * The view as it was built, in a browser without an editor around it: its own script and style sheet, and a theme. Its
 * host is the test.
 */
import type { View as Protocol } from "@belay/task-engine/protocol"
import { readFileSync } from "node:fs"
import * as path from "node:path"
import type { Page } from "playwright-core"
import * as Begin from "../../src/webview/begin.ts"
import { launch } from "./Installation.ts"
import { type Theme, themes } from "./Looks.ts"
import { dist } from "./Package.ts"
import * as View from "./View.ts"

export const css = readFileSync(path.join(dist, "webview", "chat.css"), "utf8")
const script = readFileSync(path.join(dist, "webview", "chat.js"), "utf8")

/** What the style sheet takes from a theme. */
export const variables: ReadonlyArray<string> = [...new Set(css.match(/--vscode-[\w-]+/gu))]

/** The values of these in VS Code, by theme; the pictures are taken with the same ones. */
export const file = path.join(import.meta.dirname, "themes.json")

type Type = Protocol.FromView["type"]
type Sent<T extends Type> = Extract<Protocol.FromView, { readonly type: T }>

export interface PlainView {
  readonly page: Page
  readonly view: View.View
  readonly wear: (theme: Theme) => Promise<void>
  /** As the host does. */
  readonly tell: (message: Protocol.ToView) => Promise<unknown>
  /** All that the view has sent of a kind so far. */
  readonly sent: <T extends Type>(type: T) => Promise<ReadonlyArray<Sent<T>>>
  /** The one of this place of its kind, from 0, once it was sent. */
  readonly next: <T extends Type>(type: T, at: number) => Promise<Sent<T>>
  /** Its document is thrown away and begins anew with what the editor kept, as when it was hidden. */
  readonly reload: () => Promise<void>
  readonly close: () => Promise<void>
}

const sentOf = (type: Type): string => `globalThis.sent.filter((one) => one.type === "${type}")`

const address = "http://localhost/"

const page = `<!DOCTYPE html><html lang="en"><head><title>Belay task</title><style>${css}</style></head>
<body><div id="root"></div></body></html>`

export const open = async (width: number, height: number): Promise<PlainView> => {
  const values: Readonly<Record<Theme, Readonly<Record<string, string>>>> = JSON.parse(readFileSync(file, "utf8"))
  const browser = await launch()
  const tab = await browser.newPage({ viewport: { width, height } })
  // Images are named at random, which only a secure page can do.
  await tab.route(address, (route) => route.fulfill({ contentType: "text/html; charset=utf-8", body: page }))
  const load = async (): Promise<void> => {
    await tab.goto(address)
    await tab.evaluate(`
      globalThis.sent = []
      globalThis.acquireVsCodeApi = () => ({
        postMessage: (one) => sent.push(one),
        setState: (state) => sessionStorage.setItem("kept", JSON.stringify(state)),
        getState: () => JSON.parse(sessionStorage.getItem("kept")) ?? undefined
      })`)
    await tab.addScriptTag({ content: Begin.script })
    await tab.addScriptTag({ content: script })
  }
  await load()
  return {
    page: tab,
    view: View.of(tab.mainFrame()),
    wear: async (theme) => {
      const style = Object.entries(values[theme]).map(([name, value]) => `${name}: ${value}`)
      const kinds = `${themes[theme][2]} vscode-reduce-motion`
      await tab.evaluate(
        `document.documentElement.style.cssText = ${JSON.stringify(style.join("; "))}; document.body.className = "${kinds}"`
      )
    },
    tell: (message) => tab.evaluate(`postMessage(${JSON.stringify(message)}, "*")`),
    sent: (type) => tab.evaluate(sentOf(type)),
    next: async <T extends Type>(type: T, at: number) =>
      (await tab.waitForFunction(`${sentOf(type)}[${at}]`)).jsonValue() as Promise<Sent<T>>,
    reload: load,
    close: () => browser.close()
  }
}
