/**
 * The text of a command that is given as a program with its arguments: what a prompt shows, a rule of the exact text
 * compares and an approval binds to.
 *
 * Guarantee: bash would read exactly these words in it, so that two lists of words never have the same text.
 */
const bare = /^[A-Za-z0-9_./@%+,:-]+$/

/** Words with a meaning of their own where a program stands. */
const reserved = new Set(
  "if then else elif fi case esac for select while until do done in function time coproc".split(" ")
)

const word = (text: string, index: number): string =>
  bare.test(text) && !(index === 0 && reserved.has(text)) ? text : `'${text.replaceAll("'", "'\\''")}'`

/** Joins a program and its arguments to the command line that bash splits into exactly these words. */
export const ofWords = (words: ReadonlyArray<string>): string => words.map(word).join(" ")

const field = (args: unknown, name: string): unknown =>
  typeof args === "object" && args !== null ? Object.getOwnPropertyDescriptor(args, name)?.value : undefined

const isWord = (value: unknown): value is string => typeof value === "string"

/** Of a call of `execute_command` in either form, one text for a list of one; undefined for arguments of neither. */
export const ofArguments = (args: unknown): string | undefined => {
  const [command, program, given = []] = [field(args, "command"), field(args, "program"), field(args, "args")]
  const words: unknown = isWord(given) ? [given] : given
  if (typeof command === "string") return command
  return typeof program === "string" && Array.isArray(words) && words.every(isWord)
    ? ofWords([program, ...words])
    : undefined
}
