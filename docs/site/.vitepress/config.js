// The site: what it is made of, `npm run docs` writes into `.cache/pages`, with the list beside it.
import { readFileSync } from "node:fs"
import { defineConfig } from "vitepress"
import { slugOf } from "../../../scripts/checks/markdown.ts"

const written = new URL("../.cache/contents.json", import.meta.url)
const { base, contents } = JSON.parse(readFileSync(written, "utf8"))

export default defineConfig({
  title: "Belay",
  description: "A durable task system for coding agents",
  base,
  srcDir: ".cache/pages",
  outDir: ".cache/html",
  cacheDir: ".cache/vite",
  // Texts are GitHub's Markdown: what looks like an element or like Vue is text, and headings are named as there.
  markdown: {
    html: false,
    anchor: { slugify: slugOf },
    config: (md) => {
      const { text } = md.renderer.rules
      md.renderer.rules.text = (...args) => text(...args).replaceAll("{{", "&#123;&#123;")
    }
  },
  themeConfig: {
    nav: contents.map(({ items, text }) => ({ text, link: items[0].link })),
    sidebar: contents,
    outline: [2, 3],
    search: { provider: "local" }
  }
})
