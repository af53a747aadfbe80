/**
 * `node pictures.ts`: the pictures of the README, from those that `test/pictures.story.ts` took, its recording from those
 * of `test/recording.story.ts`, and the icon from its drawing. Each picture has less than 150 kB.
 */
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import type { Browser } from "playwright-core"
import * as MovingPicture from "./movingPicture.ts"
import { launch } from "./test/vscode/Installation.ts"

const here = (file: string): string => fileURLToPath(new URL(file, import.meta.url))
const media = (name: string): string => here(`extension/media/${name}`)

const taken = [
  ...["tasks", "approval", "review", "search"].map((name) => [`${name}.webp`, `${name}-dark.png`] as const),
  ["conversation.webp", "view-streaming-dark-1200.png"] as const
]

const icon = async (opened: Browser): Promise<void> => {
  const page = await opened.newPage({ viewport: { width: 128, height: 128 } })
  const drawing = readFileSync(media("belay.svg"), "utf8").replace("#000", "#fff")
  const style = "svg { width: 104px; height: 104px; margin: 12px } body { margin: 0; background: #1f4e79 }"
  await page.setContent(`<style>${style}</style>${drawing}`)
  await page.screenshot({ path: media("icon.png") })
}

/** Each picture's name says how long it is shown. */
const recording = async (opened: Browser): Promise<void> => {
  const folder = here(".cache/pictures/recording/")
  const frames = readdirSync(folder)
    .toSorted()
    .map((name) => ({ png: readFileSync(`${folder}${name}`), ms: Number(/-(\d+)\./u.exec(name)?.[1]) }))
  const made = await MovingPicture.make(await opened.newPage(), frames)
  writeFileSync(here("recording.webp"), made)
  const seconds = frames.reduce((sum, { ms }) => sum + ms, 0) / 1000
  process.stdout.write(`recording.webp: ${(made.length / 1000).toFixed(0)} kB, ${seconds.toFixed(0)} s\n`)
}

const opened = await launch()
await icon(opened)
await recording(opened)
for (const [name, from] of taken) {
  const png = readFileSync(here(`.cache/pictures/themes/${from}`))
  writeFileSync(media(name), await MovingPicture.still(await opened.newPage(), png))
}
await opened.close()
for (const name of ["icon.png", ...taken.map(([name]) => name)]) {
  const { size } = statSync(media(name))
  if (size > 150_000) throw new Error(`belay: ${name} has ${size} bytes, at most 150,000 are good. Make it smaller.`)
  process.stdout.write(`${name}: ${(size / 1000).toFixed(0)} kB\n`)
}
