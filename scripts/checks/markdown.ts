// Links and headings of Markdown, as far as this repository uses it. Names of headings are those of GitHub.

/** Its text with code and comments blanked out, so that offsets stay those of the text. */
const withoutCode = (text: string): string =>
  text
    .replaceAll(/^( *)(`{3,}|~{3,})[^\n]*\n.*?^\1\2[ \t]*$/gms, (code) => code.replaceAll(/[^\n]/g, " "))
    .replaceAll(/<!--.*?-->/gs, (comment) => comment.replaceAll(/[^\n]/g, " "))
    .replaceAll(/(`+)(?!`).+?(?<!`)\1(?!`)/gs, (code) => code.replaceAll(/[^\n]/g, "x"))

export interface Link {
  /** As written: a relative path with or without an anchor, an anchor, or an address. */
  readonly target: string
  /** Where the target begins in the text. */
  readonly at: number
  /** From 1. */
  readonly line: number
}

const links = [/\]\(<?([^)\s>]+)>?(?: "[^"]*")?\)/g, /^\[[^\]]+\]: +(\S+)/gm, /\s(?:href|src|srcset)="([^"\s]+)"/g]

/** Every link and picture of a text, in their order. */
export const linksOf = (text: string): ReadonlyArray<Link> => {
  const prose = withoutCode(text)
  return links
    .flatMap((pattern) =>
      [...prose.matchAll(pattern)].map(({ 0: whole, 1: target = "", index }) => {
        const at = index + whole.indexOf(target, whole.startsWith("](") ? 2 : 0)
        return { target, at, line: prose.slice(0, at).split("\n").length }
      })
    )
    .toSorted((a, b) => a.at - b.at)
}

/** What GitHub makes of the text of a heading. */
export const slugOf = (heading: string): string =>
  heading
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}_ -]/gu, "")
    .trim()
    .replaceAll(" ", "-")

/** What can be linked to in a text: its headings, each a second time with a number behind it. */
export const anchorsOf = (text: string): ReadonlySet<string> => {
  const prose = withoutCode(text)
  const found = new Set<string>()
  for (const { 0: whole, 1: marks = "", index } of prose.matchAll(/^(#{1,6}) .*$/gm)) {
    const slug = slugOf(text.slice(index + marks.length + 1, index + whole.length).replace(/ #+ *$/, ""))
    let anchor = slug
    for (let times = 1; found.has(anchor); times++) anchor = `${slug}-${times}`
    found.add(anchor)
  }
  for (const [, id = ""] of prose.matchAll(/\s(?:id|name)="([^"]+)"/g)) found.add(id)
  return found
}
