/** What is said of an answer that a limit cut off, to the model and to people. */
import { Message } from "@belay/message-state"

const head = "[Your answer was cut off at "

/** For people. */
export const mistake = "An answer that was cut off at the output limit."

export const outputLimit = (tokens: number): string => `the output limit of ${tokens} tokens`

export const context = "the end of your context"

/** Of an answer without a call; `cutAt` follows "at". */
export const ofText = (cutAt: string): Message.TextBlock =>
  Message.text(`${head}${cutAt}. Go on from there, in smaller steps.]`)

const named = /"(?:path|file_path|filePath|target_file)"\s*:\s*"((?:[^"\\]|\\.)+)"/u
const patched = /\*\*\* (?:Add|Update) File: ((?:[^"\\]|\\[^n])+)\\n/u

/** The file that a call was for, as its JSON has it, as far as that had come. */
const fileIn = (received: string): string | undefined => (named.exec(received) ?? patched.exec(received))?.[1]

/** The lines that were whole in the strings of what came. */
const linesIn = (received: string): number => received.match(/\\(?:n|[^n])/gu)?.filter((it) => it === "\\n").length ?? 0

const inParts: { readonly [name: string]: string } = {
  write_to_file: "Write the file in parts: the first part with write_to_file, each further one with apply_patch.",
  apply_patch: "Make the change in parts, each with an apply_patch of its own.",
  replace_in_file: "Make the change in parts, each with a replace_in_file of its own."
}

/** A call that was cut off. */
export interface CutCall {
  readonly name: string
  /** What came of its arguments' JSON. */
  readonly received: string
  /** What cut the answer off, in words that follow "at". */
  readonly cutAt: string
  /** No other call of the answer was before it. */
  readonly isFirst: boolean
}

/** What the model reads of it: one line. */
export const ofCall = ({ cutAt, isFirst, name, received }: CutCall): string => {
  const file = fileIn(received)
  const lines = linesIn(received)
  const after = lines === 0 ? "" : ` after ${lines} ${lines === 1 ? "line" : "lines"}`
  const article = /^[aeiou]/u.test(name) ? "an" : "a"
  const where = `in ${article} ${name} call${file === undefined ? "" : ` for ${file}`}${after}`
  const rest = isFirst ? "" : "; the calls before it ran"
  return `${head}${cutAt}, ${where}. That call was dropped${rest}. ${inParts[name] ?? "Go on in smaller steps."}]`
}
