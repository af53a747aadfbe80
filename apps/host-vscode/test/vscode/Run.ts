/** vitest's global set-up: installs the editor and the browser, and starts what the files of the run share. */
import { mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { chromium } from "playwright-core"
import * as Installation from "./Installation.ts"
import * as Place from "./Place.ts"
import * as Server from "./Server.ts"

/** ms: far below the five minutes after which a server without a window ends by itself, as one without a run should. */
const awake = 60_000

export default async ({
  config
}: {
  readonly config: { readonly maxWorkers: number }
}): Promise<() => Promise<void>> => {
  Installation.setup()
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "belay-servers-")))
  const places = await Promise.all(
    Array.from({ length: config.maxWorkers }, async (_, worker) => ({
      browser: await chromium.launchServer(Installation.browserOptions()),
      server: await Server.start(path.join(folder, String(worker)))
    }))
  )
  const told: ReadonlyArray<Place.Shared> = places.map(({ browser, server }) => ({
    browser: browser.wsEndpoint(),
    server
  }))
  process.env[Place.variable] = JSON.stringify(told)
  // For that long a run may read files that open no window.
  const staying = setInterval(() => {
    for (const { server } of places) {
      void fetch(`http://127.0.0.1:${server.port}/delay-shutdown`).catch((error: unknown) => {
        process.stderr.write(`VS Code's server of port ${server.port} does not answer: ${String(error)}\n`)
      })
    }
  }, awake)
  return async () => {
    clearInterval(staying)
    await Promise.all(places.flatMap(({ browser, server }) => [browser.close(), server.stop()]))
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}
