/**
 * What a test that fails leaves behind, in `.cache/failed/<its name>`: of each window that is open a picture, what it said
 * to its console, which folders and settings its extension host has, and the logs of the editor's server.
 */
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import { setTimeout } from "node:timers/promises"
import type { Page } from "playwright-core"
import { afterEach } from "vitest"
import type * as Host from "./Host.ts"

interface Window {
  readonly page: Page
  readonly host: Host.Run
  /** The folder with the logs of the editor's server. */
  readonly logs: string
}

const kept = path.resolve(import.meta.dirname, "../../.cache/failed")

/** Ms: a window that does not answer is told of as one. */
const patience = 10_000

const open = new Map<Window, Array<string>>()

/** From now on the window is looked at when a test fails, until it closes. */
export const of = (window: Window): void => {
  const said: Array<string> = []
  const note = (line: string): void => void said.push(`${new Date().toISOString()} ${line}`)
  open.set(window, said)
  window.page.on("console", (message) => note(`${message.type()} ${message.text()}`))
  window.page.on("pageerror", (error) => note(error.stack ?? error.message))
  window.page.on("framenavigated", (frame) => {
    if (frame === window.page.mainFrame()) note(`opened ${frame.url()}`)
  })
  window.page.once("close", () => open.delete(window))
}

const focusOf = "[document.hasFocus(), document.hidden, document.activeElement?.cloneNode().outerHTML]"

const stateOf = (host: Host.Run): Promise<unknown> =>
  host((vscode) => ({
    pid: process.pid,
    isFocused: vscode.window.state.focused,
    folders: vscode.workspace.workspaceFolders?.map(({ uri }) => String(uri)),
    active: String(vscode.window.activeTextEditor?.document.uri),
    tabs: vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs.map(({ label }) => label)),
    isActive: vscode.extensions.getExtension("belay.belay")?.isActive,
    settings: vscode.workspace.getConfiguration("belay")
  }))

const inTime = <A>(work: Promise<A>): Promise<A | string> =>
  Promise.race([work.catch(String), setTimeout(patience, `no answer in ${patience} ms`, { ref: false })])

const keepWindow = async ({ host, logs, page }: Window, place: string): Promise<void> => {
  mkdirSync(place, { recursive: true })
  const shot = page.screenshot({ path: path.join(place, "window.png"), animations: "disabled" })
  const [picture, focus, state] = await Promise.all([
    inTime(shot.then(() => "taken")),
    inTime(page.evaluate(focusOf)),
    inTime(stateOf(host))
  ])
  writeFileSync(path.join(place, "state.json"), JSON.stringify({ picture, focus, state }, null, 2))
  if (existsSync(logs)) cpSync(logs, path.join(place, "logs"), { recursive: true })
}

/** Keeps what there is to see of a failure now. */
export const keep = async (name: string, failure: string): Promise<void> => {
  const place = path.join(kept, name.replaceAll(/[^\w-]+/gu, "-").slice(0, 100))
  rmSync(place, { recursive: true, force: true })
  mkdirSync(place, { recursive: true })
  writeFileSync(path.join(place, "failure.txt"), failure)
  await Promise.all(
    [...open].map(async ([window, said], number) => {
      const folder = path.join(place, String(number))
      await keepWindow(window, folder)
      writeFileSync(path.join(folder, "console.txt"), said.join("\n"))
    })
  )
}

/** Looks at each test of a file. */
export const watch = (): void =>
  afterEach(async ({ task: { name, result } }) => {
    if (result?.state !== "fail" || open.size === 0) return
    await keep(name, (result.errors ?? []).map(({ message, stack }) => `${message}\n${stack}`).join("\n\n"))
  })
