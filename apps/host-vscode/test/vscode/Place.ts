/**
 * Where windows are opened: a server of the editor, and a browser with a profile.
 *
 * The files of a worker share one, whose caches hold what the editor loads: a window that is not the first opens in half
 * the time. Nothing else stays: what a window kept goes with it.
 */
import { mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { type Browser, type BrowserContext, chromium } from "playwright-core"
import { launch } from "./Installation.ts"
import * as Server from "./Server.ts"

export interface Place {
  readonly server: Server.Server
  readonly browser: Browser
  readonly context: BrowserContext
  /** Closes its windows, and forgets all that they kept. */
  readonly leave: () => Promise<void>
}

/** The variable in which workers are told of theirs: `Shared` for each, as JSON. */
export const variable = "BELAY_TEST_PLACES"

export interface Shared {
  /** Where the browser is spoken to. */
  readonly browser: string
  readonly server: Server.Server
}

/** Of one person: windows share what is kept. */
export const profile = (browser: Browser): Promise<BrowserContext> =>
  browser.newContext({ viewport: { width: 1280, height: 1400 } })

/** Forgets what windows kept: settings of the person, what is open where. The caches stay. */
const forget = async (browser: Browser, context: BrowserContext): Promise<void> => {
  for (const other of browser.contexts()) if (other !== context) await other.close()
  const page = await context.newPage()
  const session = await context.newCDPSession(page)
  for (const old of context.pages()) if (old !== page) await old.close()
  const { origins } = await context.storageState()
  for (const { origin } of origins) {
    await session.send("Storage.clearDataForOrigin", { origin, storageTypes: "local_storage,indexeddb" })
  }
  await context.clearCookies()
  await page.close()
}

const sharedBy = async (places: ReadonlyArray<Shared>): Promise<Place> => {
  const place = places[Number(process.env["VITEST_POOL_ID"]) - 1]
  if (place === undefined) throw new Error("there is no place for this worker")
  const browser = await chromium.connect(place.browser)
  const context = await profile(browser)
  return { server: place.server, browser, context, leave: () => forget(browser, context) }
}

/** A server and a browser of its own, which end with it. */
const alone = async (kind: Server.Kind): Promise<Place> => {
  const data = realpathSync(mkdtempSync(path.join(tmpdir(), "belay-server-")))
  const [server, browser] = await Promise.all([Server.start(data, kind), launch()])
  return {
    server,
    browser,
    context: await profile(browser),
    leave: async () => {
      await Promise.all([browser.close(), server.stop()])
      rmSync(data, { recursive: true, force: true, maxRetries: 5 })
    }
  }
}

let shared: Promise<Place> | undefined

/** The one that the files of this worker share, where there is one and it is of that kind; else one of its own. */
export const take = (kind: Server.Kind): Promise<Place> => {
  const told = process.env[variable]
  if (told === undefined || Object.keys(kind).length > 0) return alone(kind)
  return (shared ??= sharedBy(JSON.parse(told)))
}
