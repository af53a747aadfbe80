/** One line of a person that nobody sees: typed into a terminal without an echo. */
import * as Effect from "effect/Effect"
import type { Sink } from "../output/Sink.ts"

const ETX = "\u0003"
const EOT = "\u0004"
const erase = new Set(["\u007F", "\b"])

/** `undefined` when it was given up with Ctrl+C or Ctrl+D. Bytes of pasted escape sequences are part of the line. */
export const read = (sink: Sink, prompt: string): Effect.Effect<string | undefined> =>
  Effect.callback((resume) => {
    const { stdin } = process
    let line = ""
    const end = (result: string | undefined): void => {
      stdin.off("data", take)
      stdin.setRawMode(false)
      stdin.pause()
      stdin.unref()
      sink.err("\n")
      resume(Effect.succeed(result))
    }
    const take = (chunk: Buffer | string): void => {
      for (const character of chunk.toString()) {
        if (character === "\r" || character === "\n") return end(line)
        if (character === ETX || character === EOT) return end(undefined)
        line = erase.has(character) ? Array.from(line).slice(0, -1).join("") : line + character
      }
    }
    const listen = (): void => {
      stdin.on("data", take)
      stdin.ref()
      stdin.resume()
    }
    // Nothing is shown once the prompt is there, and nothing is read before.
    stdin.setRawMode(true)
    sink.err(prompt)
    void sink.flush().then(listen)
  })
