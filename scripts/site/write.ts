// Writes the pages of the documentation site: the project's own texts, with links that lead to other pages.
//
// A link to a file that is no page leads to the repository where its address is known, as in a workflow, and is text elsewhere.
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import { linksOf } from "../checks/markdown.ts"
import { groupsOf, type Page } from "./contents.ts"

/** What a link of a text becomes: another target, or nothing for no link at all. */
type Target = (target: string) => string | undefined

/** A text with its links led elsewhere. */
const withLinks = (text: string, to: Target): string => {
  let [done, written] = [0, ""]
  for (const { at, target } of linksOf(text)) {
    const now = to(target)
    if (now === target) continue
    if (now !== undefined) {
      written += text.slice(done, at) + now
      done = at + target.length
      continue
    }
    const [before, opening] = [text.slice(done, at), text.slice(done, at).lastIndexOf("[")]
    const [, ending = ""] = /^([^)]*\))/.exec(text.slice(at)) ?? []
    written += before.slice(0, opening) + before.slice(opening + 1).replace(/\]\(<?$/, "")
    done = at + ending.length
  }
  return written + text.slice(done)
}

const picture = /<picture>.*?<img alt="([^"]*)" src="([^"]*)"[^>]*>.*?<\/picture>/gs

/** A source as a page: its first comment, then all of it. */
const pageOfSource = (name: string, source: string): string => {
  const [, head = ""] = /^\/\*\* (.*?) \*\/$/m.exec(source) ?? []
  return `# ${path.basename(name, ".ts")}\n\n${head}\n\n\`\`\`ts\n${source}\`\`\`\n`
}

const titleOf = (text: string): string => /^# (.*)$/m.exec(text)?.[1]?.replaceAll("`", "") ?? ""

/** The repository's address, where it is known. */
const repository = ({ GITHUB_REPOSITORY: name, GITHUB_SERVER_URL: server }: NodeJS.ProcessEnv): string | undefined =>
  name === undefined || server === undefined ? undefined : `${server}/${name}/blob/main`

export interface Site {
  /** Where the site is served: "/" or the folder of a project's pages. */
  readonly base: string
}

/** Writes `pages` and `contents.json` into a folder, and gives how many pages there are. */
export const writePages = (root: string, to: string, { base }: Site): number => {
  const groups = groupsOf(root)
  const pages = new Map(groups.flatMap((group) => group.pages.map((page) => [page.file, page] as const)))
  const address = repository(process.env)
  const targetFrom =
    ({ file }: Page): Target =>
    (target) => {
      if (/^(?:[a-z][a-z0-9+.-]*:|#)/i.test(target)) return target
      const [where = "", anchor] = target.split("#")
      const named = path.posix.join(path.posix.dirname(file), where).replace(/\/$/, "")
      const page = pages.get(named) ?? pages.get(`${named}/README.md`)
      if (page !== undefined) return `/${page.to}.md${anchor === undefined ? "" : `#${anchor}`}`
      if (/\.(?:svg|webp|png|gif)$/.test(named)) {
        cpSync(path.join(root, named), path.join(to, "pages", "public", "files", named))
        return `/files/${named}`
      }
      return address === undefined ? undefined : `${address}/${named}`
    }
  const textOf = (page: Page): string => {
    const source = readFileSync(path.join(root, page.file), "utf8").replaceAll("\r\n", "\n")
    if (page.file.endsWith(".ts")) return pageOfSource(page.file, source)
    const head = page.isList === true ? "---\nsearch: false\n---\n\n" : ""
    return head + withLinks(source.replaceAll(picture, "![$1]($2)"), targetFrom(page))
  }
  rmSync(path.join(to, "pages"), { recursive: true, force: true })
  const contents = groups.map(({ pages: some, text }) => ({
    text,
    collapsed: some.length > 10,
    items: some.map((page) => {
      const written = textOf(page)
      const file = path.join(to, "pages", `${page.to}.md`)
      if (existsSync(file)) throw new Error(`two pages are ${page.to}`)
      mkdirSync(path.dirname(file), { recursive: true })
      writeFileSync(file, written)
      return { text: titleOf(written), link: `/${page.to.replace(/(^|\/)index$/, "$1")}` }
    })
  }))
  writeFileSync(path.join(to, "contents.json"), JSON.stringify({ base, contents }))
  return pages.size
}
