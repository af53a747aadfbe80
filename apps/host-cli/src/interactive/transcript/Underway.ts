/** What goes on in one task at this moment: calls that run, the request that is waited for, and why it is asked again. */
import { Words } from "@belay/interaction"
import type { LiveEvent } from "@belay/task-engine"
import * as CallText from "../../progress/CallText.ts"
import * as OutputTail from "../../progress/OutputTail.ts"
import type * as UnderwayLines from "../../progress/Underway.ts"

/** What is under way. */
export type Live = Pick<UnderwayLines.Underway, "open" | "running" | "waits">

/** Nothing is under way. */
export const idle: Live = { open: [], running: [], waits: [] }

interface Call {
  readonly text: string
  readonly tail: OutputTail.OutputTail
  since?: number
}

/** The calls, requests and waits of one task that have begun and not ended. */
export class Underway {
  readonly #calls = new Map<string, Call>()
  #waits: number | undefined
  #progress: Live["waits"] = []

  readonly clear = (): void => {
    this.#calls.clear()
    this.#waits = undefined
    this.#progress = []
  }

  readonly take = (event: LiveEvent.TaskEvent): void => {
    if (event.type !== "progress") this.#progress = []
    switch (event.type) {
      case "tool.requested":
        this.#calls.set(event.callId, { text: CallText.begun(event.name, event.args), tail: OutputTail.make() })
        return
      case "tool.started": {
        const call = this.#calls.get(event.callId)
        if (call !== undefined) call.since = event.ts
        return
      }
      case "tool.output":
        return this.#calls.get(event.callId)?.tail.push(event.chunk)
      case "tool.finished":
        return void this.#calls.delete(event.callId)
      case "answer":
        this.#waits = event.state === "waiting" ? event.ts : undefined
        return
      case "progress":
        this.#progress = [{ head: Words.printable(event.text), since: event.ts }]
        return
      case "task.status":
        if (event.to === "interrupted" || event.to === "completed") this.clear()
        return
      default:
    }
  }

  readonly now = (): Pick<Live, "running" | "waits"> => ({
    running: [...this.#calls.values()].flatMap(({ since, tail, text }) =>
      since === undefined ? [] : [{ head: text, since, output: tail.lines() }]
    ),
    waits:
      this.#progress.length > 0 || this.#waits === undefined
        ? this.#progress
        : [{ head: "Waiting for the model", since: this.#waits }]
  })
}
