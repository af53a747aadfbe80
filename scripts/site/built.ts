// The site as it was built: every link in its pages leads to a file of it, and to a heading that is there.
import { existsSync, readdirSync, readFileSync } from "node:fs"
import * as path from "node:path"

const text = (escaped: string): string => escaped.replaceAll("&amp;", "&").replaceAll("&#39;", "'")

const idsOf = (html: string): ReadonlySet<string> =>
  new Set([...html.matchAll(/\sid="([^"]+)"/g)].map(([, id = ""]) => text(id)))

/** One sentence for each link, picture or script of a built page that leads nowhere. */
export const deadInSite = (folder: string, base: string): ReadonlyArray<string> => {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".html"))
  const pages = new Map(names.map((name) => [path.join(folder, name), readFileSync(path.join(folder, name), "utf8")]))
  const ids = new Map([...pages].map(([file, html]) => [file, idsOf(html)]))
  const found = new Set<string>()
  for (const [file, html] of pages) {
    for (const [, written = ""] of html.matchAll(/\s(?:href|src)="([^"]*)"/g)) {
      if (/^(?:[a-z][a-z0-9+.-]*:|\/\/)/i.test(written)) continue
      const [where = "", anchor] = decodeURIComponent(text(written)).split("#")
      const isOfRoot = where.startsWith(base)
      const from = isOfRoot ? path.join(folder, where.slice(base.length)) : path.join(path.dirname(file), where)
      const to = where === "" ? file : /\.\w+$/.test(where) ? from : path.join(from, "index.html")
      const said = `${path.relative(folder, file)} links to ${written}`
      if (where.startsWith("/") && !isOfRoot) found.add(`${said}, which is outside of the site.`)
      else if (!existsSync(to)) found.add(`${said}, which is not there.`)
      else if (anchor !== undefined && anchor !== "" && ids.get(to)?.has(anchor) !== true)
        found.add(`${said}, which has no such heading.`)
    }
  }
  return [...found]
}
