/** The texts of rows: printable, and cut where they are long. */
import type { Message } from "@belay/message-state"
import * as Transcript from "./Transcript.ts"
import * as Words from "../text/Words.ts"

/** Characters of one text, and of the ends of an output. */
const longest = 30_000
const outputLongest = 4000
const head = 20
const tail = 10

/** What a call is about, in one line. */
export const subjectOf = (args: unknown): string => {
  const subject = Transcript.subjectOf(args)
  return Words.printable(subject.length <= 400 ? subject : `${subject.slice(0, 300)} … ${subject.slice(-80)}`)
}

export const cutText = (text: string): { readonly text: string; readonly cut?: number } => {
  const shown = Words.printableLines(text.trim())
  return shown.length <= longest ? { text: shown } : { text: shown.slice(0, longest), cut: shown.length - longest }
}

/** First and last lines, and how many were left out. */
export const ends = (
  blocks: Message.ToolResultBlock["content"]
): { readonly output: string; readonly left: number } => {
  const whole = blocks.map((block) => (block.type === "text" ? block.text : "(image)")).join("\n")
  const lines = Words.printableLines(whole.replace(/\s+$/u, "")).split("\n")
  const left = Math.max(0, lines.length - head - tail)
  const shown = left <= 1 ? lines : [...lines.slice(0, head), `… ${left} lines left out …`, ...lines.slice(-tail)]
  const text = shown.join("\n")
  if (text.length <= outputLongest) return { output: text, left: left <= 1 ? 0 : left }
  const half = outputLongest / 2
  return { output: `${text.slice(0, half)}\n… left out …\n${text.slice(-half)}`, left: Math.max(1, left) }
}

export const capital = (text: string): string => `${text[0]?.toUpperCase() ?? ""}${text.slice(1)}`
