/**
 * A cautious reading of a command's text, for rules that only ever make a decision stricter.
 *
 * It is no shell grammar: it splits too often rather than too seldom, quotes included, so that a program inside a
 * quoted script is seen as well. Nothing is allowed because of what is found here.
 */
export interface Redirection {
  readonly target: string
}

export interface Segment {
  readonly words: ReadonlyArray<string>
  /** Index in `words` of the program, after assignments and keywords; -1 when there is none. */
  readonly program: number
}

/** A word without quotes and escapes, as a shell would join its parts. */
export const dequote = (word: string): string => word.replace(/['"\\]/g, "")

const redirection = /(?:\d+|&)?(?:>>|>\||>&|<>|>)(?!\()[ \t]*((?:"[^"]*"|'[^']*'|\\.|[^\s;|&()<>"'])*["']?)/gs

const joined = (text: string): string => text.replace(/\\\r?\n/g, "")

/** The targets that the text writes by redirection; copies of a descriptor (`2>&1`) are none. */
export const redirections = (text: string): ReadonlyArray<Redirection> =>
  Array.from(joined(text).matchAll(redirection), (found) => ({ operator: found[0], target: found[1] ?? "" }))
    .filter(({ operator, target }) => !(operator.includes(">&") && /^(?:\d+-?|-)$/.test(target)))
    .map(({ target }) => ({ target }))

const keyword =
  /^(?:if|then|else|elif|fi|for|while|until|do|done|case|esac|in|select|function|time|coproc|!|\{|\}|\[\[)$/
const assignment = /^[A-Za-z_][A-Za-z0-9_]*\+?=/

const segment = (text: string): Segment => {
  const raw = text.split(/\s+/).filter((word) => word !== "")
  const program = raw.findIndex((word) => !keyword.test(word) && !assignment.test(word))
  return { words: raw, program }
}

const backticks = /`([^`]*)`?/g

/** The `$` of a substitution stays in the part before it, so that the part is seen to depend on it. */
const split = (text: string): ReadonlyArray<Segment> =>
  text
    .replace(backticks, "$$($1)")
    .split(/[\n;|&()]/)
    .map(segment)
    .filter(({ words }) => words.length > 0)

/** The simple commands that the text may hold, read with and without its redirections. */
export const segments = (text: string): ReadonlyArray<Segment> => {
  const whole = joined(text)
  const without = whole.replace(redirection, " ")
  return without === whole ? split(whole) : [...split(whole), ...split(without)]
}

/** Every piece of the text that could be the name of a file. */
export const pieces = (text: string): ReadonlyArray<string> => [
  ...joined(text)
    .split(/[\s;|&()<>`]+/)
    .map(dequote),
  ...joined(text)
    .split(/[\s;|&()<>`'"=:,@{}$]+/)
    .map(dequote)
]

export const baseName = (word: string): string =>
  (dequote(word).split("/").at(-1) ?? "").toLowerCase().replace(/\.exe$/, "")
