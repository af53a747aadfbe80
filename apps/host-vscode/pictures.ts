/**
 * `node pictures.ts`: the pictures of the README, from those that `test/pictures.story.ts` took, and the icon from its
 * drawing. Each has less than 150 kB.
 */
import { copyFileSync, readFileSync, statSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { chromium } from "playwright-core"
import { browser } from "./test/vscode/Installation.ts"

const here = (file: string): string => fileURLToPath(new URL(file, import.meta.url))
const media = (name: string): string => here(`extension/media/${name}`)

const taken = ["tasks", "approval", "review", "search"].map((name) => [`${name}.png`, `${name}-dark.png`] as const)

const icon = async (): Promise<void> => {
  const executablePath = browser()
  if (executablePath === undefined) throw new Error("belay: there is no Chromium. Install it and try again.")
  const opened = await chromium.launch({ executablePath, args: ["--no-sandbox"] })
  const page = await opened.newPage({ viewport: { width: 128, height: 128 } })
  const drawing = readFileSync(media("belay.svg"), "utf8").replace("#000", "#fff")
  const style = "svg { width: 104px; height: 104px; margin: 12px } body { margin: 0; background: #1f4e79 }"
  await page.setContent(`<style>${style}</style>${drawing}`)
  await page.screenshot({ path: media("icon.png") })
  await opened.close()
}

for (const [name, from] of taken) copyFileSync(here(`.cache/pictures/themes/${from}`), media(name))
await icon()
for (const name of ["icon.png", ...taken.map(([name]) => name)]) {
  const { size } = statSync(media(name))
  if (size > 150_000) throw new Error(`belay: ${name} has ${size} bytes, at most 150,000 are good. Make it smaller.`)
  process.stdout.write(`${name}: ${(size / 1000).toFixed(0)} kB\n`)
}
