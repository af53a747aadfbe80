/**
 * One real VS Code for a story: a scripted model, a data folder, a workspace, and a window on it.
 *
 * `host` runs a function in the extension host, `page` is the window in Chromium; `command` uses the palette as a
 * person does. Nothing here waits for a time: `until` waits for a condition and says what it waited for.
 */
import { type Scenario, ScriptedServer } from "@belay/testkit"
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { setTimeout } from "node:timers/promises"
import type { BrowserContext, Page } from "playwright-core"
import * as Evidence from "./Evidence.ts"
import * as Host from "./Host.ts"
import * as Place from "./Place.ts"
import * as Server from "./Server.ts"
import * as Window from "./Window.ts"

export interface Options extends Server.Kind {
  /** What the model says, by the task's prompt. */
  readonly tasks?: Scenario.Scenario["tasks"]
  /** The files of the workspace. */
  readonly files?: { readonly [file: string]: string }
  /** What is in the data folder before anything is opened. */
  readonly home?: { readonly [file: string]: string }
  /** Settings of this machine. */
  readonly settings?: { readonly [name: string]: unknown }
  /** `null`: there is none. */
  readonly key?: string | null
  /** More of the environment that the editor is started in. */
  readonly env?: { readonly [name: string]: string }
  /** Folders beside the workspace, by their names, that the window has as well. */
  readonly roots?: ReadonlyArray<string>
}

/** One window on the workspace with an extension host of its own. */
export interface OpenWindow extends Window.Window {
  readonly host: Host.Run
  /** Opens the conversation beside the editors, and the side bar's container with the trees. */
  readonly showTrees: () => Promise<void>
  /** Asks the extension host until it gives something; fails with what was waited for. */
  readonly until: <A>(what: string, body: (api: Host.Api) => A | undefined | Promise<A | undefined>) => Promise<A>
  /** A message in the notification centre: under the test driver VS Code shows no toasts. */
  readonly notification: (text: string) => Promise<unknown>
  /** Whether such a message is there now. */
  readonly isTold: (text: string) => Promise<boolean>
  /** Keeps a picture of the window for people, `.cache/pictures/<name>.png`. */
  readonly picture: (name: string) => Promise<unknown>
  /** Reloads the window: the extension host ends and a new one starts. */
  readonly reload: () => Promise<void>
  /** Kills the extension host (SIGKILL) and reloads the window. */
  readonly killHost: () => Promise<void>
  /** Closes the window, whose extension host is killed. */
  readonly close: () => Promise<void>
}

export interface VSCode extends OpenWindow {
  readonly model: ScriptedServer.ScriptedServer
  readonly workspace: string
  /** The folder of the editor's server. */
  readonly serverFolder: string
  /** What a `belay` started beside the editor needs to share its tasks and its model. */
  readonly env: { readonly [name: string]: string }
  /** One more window on the same folder, as of another person; its trees are shown. */
  readonly secondWindow: () => Promise<OpenWindow>
  /** Installs a package over what is there; the window has it after a reload. */
  readonly update: (vsix: string) => void
  /** Takes the extension away; the window is without it after a reload. */
  readonly remove: () => void
  readonly close: () => Promise<void>
}

/** Ms: a story whose condition does not come says so before its test is over, also on a machine that is held up. */
export const patience = 45_000

/** Ms between two looks at something that nobody tells of. */
const soon = () => setTimeout(50)

const eventually = async <A>(what: string, look: () => Promise<A | undefined>): Promise<A> => {
  const deadline = performance.now() + patience
  while (performance.now() < deadline) {
    const found = await look()
    if (found !== undefined && found !== null) return found
    await soon()
  }
  throw new Error(`waited for ${what} in vain`)
}

const pictures = path.resolve(import.meta.dirname, "../../.cache/pictures")

/** A key from the environment and the scripted server, as one source; nothing of the machine's own. */
const environment = (folder: string, url: string, key: string | null) => ({
  BELAY_HOME: path.join(folder, "home"),
  ANTHROPIC_BASE_URL: url,
  ...(key === null ? {} : { ANTHROPIC_API_KEY: key })
})

/** What the window opens: the workspace, or a file that names it and the folders beside it. */
const opened = (folder: string, workspace: string, roots: ReadonlyArray<string> = []): string => {
  if (roots.length === 0) return workspace
  for (const root of roots) mkdirSync(path.join(folder, root))
  const file = path.join(folder, "all.code-workspace")
  writeFileSync(
    file,
    JSON.stringify({ folders: [workspace, ...roots.map((root) => path.join(folder, root))].map((path) => ({ path })) })
  )
  return file
}

/** The process of an extension host, and whether the extension, where there is one, has begun in it. */
const began = (api: Host.Api) => {
  const belay = api.extensions.getExtension("belay.belay")
  return { pid: process.pid, isReady: belay === undefined || belay.isActive }
}

/**
 * The editor misses extensions of its own that no story needs, and says so. The list shows ten messages at most, so
 * these are closed.
 */
const dismissNoise = `for (const item of document.querySelectorAll(".notification-list-item")) {
  if (item.textContent.includes("Activating extension")) item.querySelector(".codicon-notifications-clear")?.click()
}`

const kill = (pid: number): void => {
  try {
    process.kill(pid, "SIGKILL")
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error
  }
}

/** Opens a window and waits for its extension host; for the extension, too, unless its folder is not trusted yet. */
const openWindow = async (page: Page, host: Host.Host, url: string, isTrusted: boolean): Promise<OpenWindow> => {
  page.setDefaultTimeout(patience)
  const until: OpenWindow["until"] = (what, body) => eventually(what, () => host.run(body))
  const window = Window.of(page)
  const shown = () => page.locator(".monaco-workbench .part.statusbar").waitFor()
  let pid = 0
  const ready = async () => {
    await shown()
    pid = await eventually("the extension host and the extension", async () => {
      // One that was on its way when the window closed may come first, and goes, whatever it was asked.
      const found = await host.run(began).catch(() => undefined)
      return found !== undefined && (found.isReady || !isTrusted) ? found.pid : undefined
    })
  }
  // The centre closes itself while there is nothing in it.
  const isTold = async (text: string): Promise<boolean> => {
    await host.run(async (api) => void (await api.commands.executeCommand("notifications.showList")))
    await page.evaluate(dismissNoise)
    return page.locator(".notifications-center .notification-list-item", { hasText: text }).first().isVisible()
  }
  // A reload, and no other way to the same address, shows what was shown before.
  const reopen = async () => {
    host.forget()
    await page.reload()
  }
  const reload = async () => {
    await reopen()
    await ready()
  }
  // The editor itself is read for the first time: that takes as long as the machine is busy.
  await page.goto(url, { timeout: 120_000 })
  await ready()
  return {
    ...window,
    host: host.run,
    until,
    // A key that is pressed while a view's frame loads may be heard by nobody: the focus is in a tree of the window.
    showTrees: async () => {
      await host.run(async (api) => {
        await api.commands.executeCommand("belay.task.focus", { preserveFocus: true })
        await api.commands.executeCommand("workbench.view.extension.belay")
        await api.commands.executeCommand("belay.tasks.focus")
      })
    },
    isTold,
    notification: (text) => eventually(`the message "${text}"`, async () => ((await isTold(text)) ? true : undefined)),
    picture: (name) => page.screenshot({ path: path.join(pictures, `${name}.png`), animations: "disabled" }),
    reload,
    // VS Code does not always start another one by itself: a person reloads the window then.
    killHost: async () => {
      // It may be another one by now than when the window opened.
      process.kill(await host.run(() => process.pid), "SIGKILL")
      await reload()
    },
    close: async () => {
      host.forget()
      await page.close()
      kill(pid)
    }
  }
}

/** Opens everything; `close` ends all of it. */
export const open = async (options: Options = {}): Promise<VSCode> => {
  const { beside, files, home, key, ownOrigins, roots, settings, tasks, trust, vsix } = options
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "belay-vscode-")))
  const workspace = path.join(folder, "workspace")
  mkdirSync(workspace)
  Server.write(workspace, files ?? {})
  Server.write(path.join(folder, "home"), home ?? {})
  const model = await ScriptedServer.startServer({ tasks: tasks ?? [] })
  const hosts = await Host.listen()
  const env = environment(folder, model.url, key === undefined ? "test-key" : key)
  const kind = Object.entries({ beside, ownOrigins, trust, vsix }).filter(([, value]) => value !== undefined)
  const { browser, context, leave, server } = await Place.take(Object.fromEntries(kind))
  Server.configure(server.data, settings ?? {})
  const url = Server.urlOf(server, {
    workspace: opened(folder, workspace, roots),
    env: { ...env, ...options.env, BELAY_TEST_PORT: String(hosts.port) }
  })
  const windows: Array<OpenWindow> = []
  const newWindow = async (profile: BrowserContext): Promise<OpenWindow> => {
    const page = await profile.newPage()
    const host = hosts.next()
    Evidence.of({ page, host: host.run, logs: path.join(server.data, "data", "logs") })
    const window = await openWindow(page, host, url, trust === undefined).catch(async (error: Error) => {
      await Evidence.keep("opening a window", error.stack ?? error.message)
      throw error
    })
    windows.push(window)
    return window
  }
  const window = await newWindow(context)
  // An editor that reads for the first time which folders there are reads it in two places, and shows none when both
  // answers come together. What it has kept of it is there before them.
  if (roots !== undefined) {
    await eventually("the folders that are kept", async () => Server.hasKept(server.data, workspace) || undefined)
    await window.reload()
  }
  return {
    ...window,
    model,
    workspace,
    serverFolder: server.data,
    env,
    secondWindow: async () => {
      const second = await newWindow(await Place.profile(browser))
      await second.showTrees()
      await second.tree("Tasks").root.waitFor()
      return second
    },
    update: (vsix) => Server.install(server.data, vsix),
    remove: () => Server.uninstall(server.data),
    close: async () => {
      for (const window of windows) await window.close()
      hosts.close()
      await Promise.all([leave(), model.close()])
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    }
  }
}
