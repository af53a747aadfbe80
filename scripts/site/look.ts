// The built site in a real browser: it is read without a word of complaint, asks nobody else, and is searched.
import { once } from "node:events"
import { existsSync, readFileSync, statSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import * as path from "node:path"
import { chromium } from "playwright-core"

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
  ".webp": "image/webp",
  ".woff2": "font/woff2"
}

const serve = async (folder: string, base: string) => {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost")
    const named = path.join(folder, decodeURIComponent(pathname).slice(base.length))
    const file = existsSync(named) && statSync(named).isDirectory() ? path.join(named, "index.html") : named
    if (!file.startsWith(folder) || !existsSync(file)) return void response.writeHead(404).end()
    response.setHeader("content-type", types[path.extname(file)] ?? "application/octet-stream")
    response.end(readFileSync(file))
  })
  await once(server.listen(0, "127.0.0.1"), "listening")
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${base}` }
}

const browsers = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]

/** A browser on PATH; undefined where there is none. */
export const browserHere = (): string | undefined =>
  (process.env["PATH"] ?? "")
    .split(path.delimiter)
    .flatMap((folder) => browsers.map((name) => path.join(folder, name)))
    .find((file) => existsSync(file))

/** What is searched for, and the page that a result of it opens. */
const question = { words: "kill -9 recover", page: /guides\/crash-and-resume/ }

/** One sentence for each thing that is wrong with the site in a browser; a picture of its first page goes to a file. */
export const seen = async (
  { base, folder, picture }: { readonly folder: string; readonly base: string; readonly picture: string },
  executablePath: string
): Promise<ReadonlyArray<string>> => {
  const { server, url } = await serve(folder, base)
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] })
  const found: Array<string> = []
  try {
    const page = await browser.newPage()
    page.on("console", (message) => void (message.type() === "error" && found.push(`it says: ${message.text()}`)))
    page.on("pageerror", (error) => void found.push(`it fails: ${error.message}`))
    page.on(
      "request",
      (request) =>
        void (
          request.url().startsWith("http://127.0.0.1:") ||
          request.url().startsWith("data:") ||
          found.push(`it asks ${request.url()}.`)
        )
    )
    await page.goto(url, { waitUntil: "networkidle" })
    await page.screenshot({ path: picture })
    await page.getByRole("button", { name: "Search" }).first().click()
    await page.locator("#localsearch-input").fill(question.words)
    await page.locator("#localsearch-list a").first().waitFor()
    const results = await page
      .locator("#localsearch-list a")
      .evaluateAll((links) => links.map((link) => (link as unknown as { href: string }).href))
    const result = results.findIndex((href) => question.page.test(href))
    if (result === -1) found.push(`a search for "${question.words}" finds ${results.join(", ") || "nothing"}.`)
    else {
      await page.locator("#localsearch-list a").nth(result).click()
      await page.waitForURL(question.page)
      await page.locator("main h1").waitFor()
    }
  } catch (cause) {
    found.push(cause instanceof Error ? cause.message : String(cause))
  } finally {
    await browser.close()
    server.close()
  }
  return found
}
