/**
 * A conversation as text that grows: the lines of its events, each read once, and where long outputs are whole.
 */
import type { Event } from "@belay/history-store"
import * as EditLines from "../conversation/EditLines.ts"
import * as Transcript from "../conversation/Transcript.ts"
import * as Words from "../text/Words.ts"

/** A line that says how much of an output was left out. */
export interface Omission {
  readonly line: number
  /** The event that has the whole output. */
  readonly seq: number
}

/** The text, as far as events were read. */
export interface TranscriptText {
  /** Events of one task, each once, in the order of `seq`. */
  readonly add: (events: ReadonlyArray<Event.StoredEvent>) => void
  /** The next event to read. */
  readonly next: () => number
  readonly text: () => string
  readonly omissions: () => ReadonlyArray<Omission>
  /** Where a message of the conversation begins; the end when it is not there. */
  readonly lineOf: (message: number) => number
}

const leftOut = /^ {4}… \d+ lines left out …$/u

/** `facts`: what is known of a stop besides its reason. */
export const make = (title: string, facts?: Words.StopFacts): TranscriptText => {
  const transcript = Transcript.make(facts)
  const lines = [`# ${Words.printable(title)}`]
  const omissions: Array<Omission> = []
  const starts = new Map<number, number>()
  let next = 1
  return {
    add: (events) => {
      for (const event of events) {
        // A row begins with a blank line.
        if (event.type === "message") starts.set(event.index, lines.length + 1)
        for (const line of transcript.add(event)) {
          if (event.type === "tool.finished" && leftOut.test(line))
            omissions.push({ line: lines.length, seq: event.seq })
          lines.push(line)
        }
        next = event.seq + 1
      }
    },
    next: () => next,
    text: () => `${lines.join("\n")}\n`,
    omissions: () => omissions,
    lineOf: (message) => Math.min(starts.get(message) ?? lines.length, lines.length - 1)
  }
}

/** The whole output of a call, or all that an edit changes, printable. */
export const outputOf = (event: Event.StoredEvent | undefined): string =>
  event?.type === "tool.requested"
    ? EditLines.text(event.name, event.args)
    : event?.type === "tool.finished"
      ? event.result
          .map((block) => (block.type === "text" ? block.text : "(image)"))
          .join("\n")
          .split(/\r?\n/u)
          .map(Words.printable)
          .join("\n")
      : ""
