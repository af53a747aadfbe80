/**
 * A page of HTML as Markdown: its article where it has one, else its whole text.
 *
 * Pure and synchronous, and as slow as the page is large: it runs in a thread of its own. No script runs, nothing is
 * loaded; links are absolute and lead to http, https or mail, and of an image its description is left.
 */
import { Readability } from "@mozilla/readability"
import { parseHTML } from "linkedom"
import TurndownService from "turndown"

export interface Page {
  readonly title: string
  readonly markdown: string
}

/** The little of the DOM that is used. */
interface Element {
  readonly textContent: string | null
  readonly children: ArrayLike<Element>
  readonly parentNode: { readonly firstElementChild?: Element | null } | null
  getAttribute(name: string): string | null
  setAttribute(name: string, value: string): void
  removeAttribute(name: string): void
  querySelectorAll(selector: string): Iterable<Element>
  remove(): void
}

interface Document extends Element {
  toString(): string
  readonly body: Element
  querySelector(selector: string): Element | null
}

const notText = "head, title, script, style, noscript, template, svg, iframe, object, embed, form, nav, dialog"

const linked = new Set(["http:", "https:", "mailto:"])

/** Links as they are to be followed from anywhere; others lose their target. */
const absolute = (document: Document, url: string): void => {
  for (const link of document.querySelectorAll("a[href]")) {
    const target = URL.parse(link.getAttribute("href") ?? "", url)
    if (target !== null && linked.has(target.protocol)) link.setAttribute("href", target.href)
    else link.removeAttribute("href")
  }
}

const cell = (content: string): string =>
  ` ${content
    .trim()
    .replaceAll(/\s*\n\s*/g, " ")
    .replaceAll("|", "\\|")} |`

const converter = (): TurndownService => {
  const service = new TurndownService({ headingStyle: "atx", codeBlockStyle: "fenced", bulletListMarker: "-" })
  const columns = (row: unknown) => (row as Element).children.length
  service.addRule("image", {
    filter: "img",
    replacement: (_content, node) => {
      const about = ((node as unknown as Element).getAttribute("alt") ?? "").trim()
      return about === "" ? "" : `[image: ${about}]`
    }
  })
  service.addRule("cell", { filter: ["th", "td"], replacement: cell })
  service.addRule("row", {
    filter: "tr",
    replacement: (content, node) => {
      const row = node
      const body = row.parentNode
      const isFirst = body?.firstElementChild === row
      return `\n|${content}${isFirst ? `\n|${" --- |".repeat(columns(row))}` : ""}`
    }
  })
  service.addRule("table", { filter: "table", replacement: (content) => `\n\n${content.trim()}\n\n` })
  return service
}

const plain = (element: Element): number => (element.textContent ?? "").trim().length

/** A parser of documents, which takes a fragment for nothing at all. */
const documentOf = (html: string) =>
  parseHTML(/<body[\s>]/i.test(html) ? html : `<html><body>${html}</body></html>`).document

/** `url` is where the page is from. */
export const markdownOf = (html: string, url: string): Page => {
  const document = documentOf(html) as Document
  const title = (document.querySelector("title")?.textContent ?? "").trim()
  absolute(document, url)
  // It takes apart what it reads.
  const reader = new Readability<Element>(documentOf(document.toString()), {
    serializer: (node) => node
  })
  const article = reader.parse()
  for (const element of document.querySelectorAll(notText)) element.remove()
  const found = article?.content ?? undefined
  // A page that is a list or a form has no article; most of its text would be lost.
  const isArticle = found !== undefined && plain(found) * 4 > plain(document.body)
  const source = isArticle ? found : document.body
  const markdown = converter().turndown(source)
  return { title: (article?.title ?? "").trim() || title, markdown: markdown.replaceAll(/\n{3,}/g, "\n\n").trim() }
}
