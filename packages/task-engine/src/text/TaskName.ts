/** What a task is called: the title that a person gives it, and the short form of its id. */

const visible = /[^\p{C}\p{Z}]/u

/** A title as a person gave it: one line, at most 80 characters; `undefined` when there is nothing to see in it. */
export const title = (text: string): string | undefined => {
  const line = text.replaceAll(/[\s\p{Cc}]+/gu, " ").trim()
  return visible.test(line) ? Array.from(line).slice(0, 80).join("") : undefined
}

/**
 * A short name of a task: the end of its id, since new ids begin with their time. Commands take it as it is printed.
 */
export const shortId = (id: string): string => (id.length > 12 ? id.slice(-6) : id)
