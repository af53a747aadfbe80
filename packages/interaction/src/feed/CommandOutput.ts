/**
 * What the commands of a task print while they run, as text for a terminal.
 *
 * Guarantees: nothing of it steers a terminal; at most the last 64,000 characters are kept; of calls of other tools there
 * is nothing.
 */
import type { LiveEvent } from "@belay/task-engine"
import * as Words from "../text/Words.ts"

const most = 64_000
const tool = "execute_command"

const forTerminal = (text: string): string => Words.printableLines(text).replaceAll("\n", "\r\n")

const commandOf = (args: unknown): string =>
  args instanceof Object && "command" in args && typeof args.command === "string" ? args.command : ""

/** The output of the commands of one task. */
export class CommandOutput {
  /** The commands of calls that have not ended. */
  readonly #calls = new Map<string, string>()
  readonly #listeners = new Set<(text: string) => void>()
  #text = ""

  /** Whether it has anything to show. */
  get isEmpty(): boolean {
    return this.#text === ""
  }

  /** What was printed so far; the listener gets what comes after it. */
  readonly follow = (listener: (text: string) => void): string => {
    this.#listeners.add(listener)
    return this.#text
  }

  readonly leave = (listener: (text: string) => void): void => void this.#listeners.delete(listener)

  readonly take = (event: LiveEvent.TaskEvent): void => {
    if (event.type === "tool.requested" && event.name === tool) this.#calls.set(event.callId, commandOf(event.args))
    else if (event.type === "tool.started" && event.name === tool) this.#begin(event.callId)
    else if (event.type === "tool.output" && this.#calls.has(event.callId)) this.#print(forTerminal(event.chunk))
    else if (event.type === "tool.finished" && this.#calls.delete(event.callId))
      this.#onNewLine("[The command has ended]")
  }

  readonly #begin = (callId: string): void => {
    const command = this.#calls.get(callId) ?? ""
    this.#calls.set(callId, command)
    this.#onNewLine(`$ ${command}`)
  }

  readonly #onNewLine = (line: string): void => {
    const isWithin = !this.isEmpty && !this.#text.endsWith("\r\n")
    this.#print(`${isWithin ? "\r\n" : ""}${forTerminal(line)}\r\n`)
  }

  readonly #print = (text: string): void => {
    this.#text = `${this.#text}${text}`.slice(-most)
    for (const listener of this.#listeners) listener(text)
  }
}
