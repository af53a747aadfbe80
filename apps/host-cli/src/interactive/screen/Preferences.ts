/** What a person has set for the terminal, for all that they do there. */
import type { Document } from "@belay/settings/file"

export interface Preferences {
  /** The keys of vim count. */
  readonly hasVim: boolean
  /** The first Escape stops the task, and not the second. */
  readonly stopsAtOnce: boolean
  /** The desktop tells what waits, and what is over, while the person looks elsewhere. */
  readonly notifies: boolean
  /** Paragraphs are lines that the terminal wraps. */
  readonly isUnwrapped: boolean
  /** The terminal has the title of the task that is shown. */
  readonly titles: boolean
  /** Keys that have one code are told apart; by what is known of the terminal where nothing is said. */
  readonly tellsKeysApart: boolean | undefined
  /** How long an Escape may be the beginning of a key, in ms. */
  readonly escapeMs: number | undefined
}

/** As the settings of the user have it. */
export const of = ({ keys = {}, notify = {}, terminal = {} }: Document): Preferences => ({
  hasVim: keys.editor === "vim",
  stopsAtOnce: keys.escape === "once",
  notifies: notify.osc === true,
  isUnwrapped: terminal.wrap === "terminal",
  titles: terminal.title === true,
  tellsKeysApart: terminal.keys === undefined ? undefined : terminal.keys === "enhanced",
  escapeMs: terminal.escapeMs
})
