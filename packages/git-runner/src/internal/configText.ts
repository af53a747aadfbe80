/**
 * A configuration file as git reads it, character by character: sections on one line, continued lines, quotes, comments.
 * https://git-scm.com/docs/git-config#_syntax, and `git_parse_source` of its config.c
 */

export interface Setting {
  /** `section.subsection.name`; section and name in lower case. */
  readonly name: string
  /** Undefined for a name without a value, which means true. */
  readonly value: string | undefined
}

class Unreadable extends Error {}

const isSpace = (char: string): boolean => " \t\n\r".includes(char)
const isLetter = (char: string): boolean => /^[A-Za-z]$/.test(char)
const isKey = (char: string): boolean => /^[A-Za-z0-9-]$/.test(char)

const escapes: Readonly<Record<string, string>> = { t: "\t", b: "\b", n: "\n", "\\": "\\", '"': '"' }

interface Reader {
  /** A line break at the end of the text, too. */
  readonly next: () => string
  readonly isOver: () => boolean
}

const readerOf = (text: string): Reader => {
  let at = 0
  return {
    next: () => {
      if (at >= text.length) {
        at = text.length + 1
        return "\n"
      }
      if (text.startsWith("\r\n", at)) at++
      return text.charAt(at++)
    },
    isOver: () => at > text.length
  }
}

/** What stands behind the blank in `[section "sub"]`. */
const subsection = ({ next }: Reader): string => {
  let char = next()
  while (char !== "\n" && isSpace(char)) char = next()
  if (char !== '"') throw new Unreadable()
  let found = ""
  for (char = next(); char !== '"'; char = next()) {
    if (char === "\\") char = next()
    if (char === "\n") throw new Unreadable()
    found += char
  }
  if (next() !== "]") throw new Unreadable()
  return found
}

const sectionOf = (reader: Reader): string => {
  let found = ""
  for (;;) {
    const char = reader.next()
    if (char === "]") return found
    if (char === " " || char === "\t") return `${found}.${subsection(reader)}`
    if (!isKey(char) && char !== ".") throw new Unreadable()
    found += char.toLowerCase()
  }
}

const valueOf = ({ next }: Reader): string => {
  let found = ""
  let blanks = ""
  let quoted = false
  for (let comment = false; ;) {
    let char = next()
    if (char === "\n") {
      if (quoted) throw new Unreadable()
      return found
    }
    if (comment) continue
    if (!quoted && isSpace(char)) {
      if (found !== "") blanks += char
      continue
    }
    if (!quoted && (char === ";" || char === "#")) {
      comment = true
      continue
    }
    found += blanks
    blanks = ""
    if (char === '"') quoted = !quoted
    else if (char === "\\") {
      char = next()
      if (char === "\n") continue
      const escaped = escapes[char]
      if (escaped === undefined) throw new Unreadable()
      found += escaped
    } else found += char
  }
}

const entry = (reader: Reader, first: string): Setting => {
  let name = first.toLowerCase()
  let char = reader.next()
  while (isKey(char)) {
    name += char.toLowerCase()
    char = reader.next()
  }
  while (char === " " || char === "\t") char = reader.next()
  if (char === "\n") return { name, value: undefined }
  if (char !== "=") throw new Unreadable()
  return { name, value: valueOf(reader) }
}

const all = (text: string): ReadonlyArray<Setting> => {
  const found: Array<Setting> = []
  const reader = readerOf(text)
  let section = ""
  for (let comment = false; ;) {
    const char = reader.next()
    if (char === "\n") {
      if (reader.isOver()) return found
      comment = false
    } else if (comment || isSpace(char)) continue
    else if (char === "#" || char === ";") comment = true
    else if (char === "[") section = `${sectionOf(reader)}.`
    else if (isLetter(char)) {
      const { name, value } = entry(reader, char)
      found.push({ name: `${section}${name}`, value })
    } else throw new Unreadable()
  }
}

/** Every setting in the order of the text; nothing where git would refuse the file. */
export const parse = (text: string): ReadonlyArray<Setting> | undefined => {
  try {
    return all(text.replace(/^\uFEFF/, ""))
  } catch (cause) {
    if (cause instanceof Unreadable) return undefined
    throw cause
  }
}
