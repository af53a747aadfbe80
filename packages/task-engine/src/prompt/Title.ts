/** What is pointed at before anything is said of it. */
const mentions = /^(?:@(?:"[^"]*"\S*|\S+)\s+)+(?=\S)/u

/** The title of a task: the first line of its prompt without the mentions that it begins with, at most 80 characters. */
export const of = (message: string): string => {
  const [first = ""] = message.trim().split("\n")
  const said = first.replace(mentions, "")
  const line = said.startsWith("@") ? first : said
  return line.length > 80 ? `${line.slice(0, 79)}…` : line
}
