/**
 * The view as it was built, in a browser without an editor around it: its own document, script and style sheet, and a
 * theme. Its host is the test.
 */
import type { View as Protocol } from "@belay/interaction"
import { randomUUID } from "node:crypto"
import { readFileSync } from "node:fs"
import * as path from "node:path"
import type { Browser, Page } from "playwright-core"
import * as Document from "../../src/conversation/page/Document.ts"
import type { Kept } from "../../src/webview/state/host.ts"
import { launch } from "./Installation.ts"
import { type Theme, themes } from "./Looks.ts"
import { dist } from "./Package.ts"
import * as View from "./View.ts"

const css = readFileSync(path.join(dist, "webview", "chat.css"), "utf8")

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
  /** As the host does; until the view has heard it. */
  readonly tell: (message: Protocol.ToView) => Promise<unknown>
  /** All that the view has sent of a kind so far. */
  readonly sent: <T extends Type>(type: T) => Promise<ReadonlyArray<Sent<T>>>
  /** The one of this place of its kind, from 0, once it was sent. */
  readonly next: <T extends Type>(type: T, at: number) => Promise<Sent<T>>
  /** Waits until what the editor keeps of the view fits what is given, which goes into the document with the question. */
  readonly kept: <A = undefined>(fits: (kept: Kept, given: A) => boolean, given?: A) => Promise<unknown>
  /** Its document is thrown away and begins anew with what the editor kept, as when it was hidden. */
  readonly reload: () => Promise<void>
  /**
   * Another view, of which the editor has kept nothing. What the document before has kept until its very end, even while
   * this one is asked for, is not of it.
   */
  readonly anew: () => Promise<void>
  readonly close: () => Promise<void>
}

const sentOf = (type: Type): string => `globalThis.sent.filter((one) => one.type === "${type}")`

const address = "http://localhost/"

/** The document as an editor is given it, by the policy that it has there. */
const serve = (tab: Page): Promise<unknown> =>
  tab.route(`${address}**`, (route) => {
    const name = new URL(route.request().url()).pathname.slice(1)
    if (name !== "") return route.fulfill({ path: path.join(dist, "webview", name) })
    const body = Document.html({ source: address, script: "/chat.js", styles: "/chat.css" }, randomUUID())
    return route.fulfill({ contentType: "text/html; charset=utf-8", body })
  })

/** The way to the host, which is there before the document begins. */
const host = `
  globalThis.sent = []
  const waiting = new Set()
  const happened = () => waiting.forEach((look) => look())
  globalThis.until = (found) =>
    new Promise((resolve) => {
      const look = () => {
        if (!found()) return
        waiting.delete(look)
        resolve(found())
      }
      waiting.add(look)
      look()
    })
  // Of each view its own.
  globalThis.kept = () => JSON.parse(sessionStorage.getItem(location.search)) ?? undefined
  globalThis.acquireVsCodeApi = () => ({
    postMessage: (one) => {
      sent.push(one)
      happened()
    },
    setState: (state) => {
      sessionStorage.setItem(location.search, JSON.stringify(state))
      happened()
    },
    getState: kept
  })`

/** One for all: it ends with this process. */
let browser: Promise<Browser> | undefined

export const open = async (width: number, height: number): Promise<PlainView> => {
  const values: Readonly<Record<Theme, Readonly<Record<string, string>>>> = JSON.parse(readFileSync(file, "utf8"))
  browser ??= launch()
  const tab = await (await browser).newPage({ viewport: { width, height } })
  await tab.addInitScript(host)
  await serve(tab)
  let views = 0
  const load = async (): Promise<void> => {
    await tab.goto(`${address}?${views}`)
  }
  const anew = (): Promise<void> => {
    views += 1
    return load()
  }
  await anew()
  return {
    page: tab,
    view: View.of(tab.locator("html"), tab.mainFrame()),
    wear: async (theme) => {
      const style = Object.entries(values[theme]).map(([name, value]) => `${name}: ${value}`)
      const kinds = `${themes[theme][2]} vscode-reduce-motion`
      await tab.evaluate(
        `document.documentElement.style.cssText = ${JSON.stringify(style.join("; "))}; document.body.className = "${kinds}"`
      )
    },
    tell: (message) =>
      tab.evaluate(`new Promise((resolve) => {
        addEventListener("message", resolve, { once: true })
        postMessage(${JSON.stringify(message)}, "*")
      }).then(() => undefined)`),
    sent: (type) => tab.evaluate(sentOf(type)),
    next: (type, at) => tab.evaluate(`until(() => ${sentOf(type)}[${at}])`),
    kept: (fits, given) =>
      tab.evaluate(`until(() => kept() !== undefined && (${String(fits)})(kept(), ${JSON.stringify(given)}))`),
    reload: load,
    anew,
    close: () => tab.close()
  }
}
