/**
 * Text line by line. A line ends at a line feed and nowhere else, with a carriage return before it or without: U+2028 and
 * a lone carriage return, which `node:readline` takes for ends, are characters of the text.
 */
import { StringDecoder } from "node:string_decoder"

interface Splitter {
  /** The lines that end in this piece, without their ends. Characters may be cut anywhere. */
  readonly push: (piece: Buffer | string) => ReadonlyArray<string>
  /** The last line, where it has no end. */
  readonly end: () => ReadonlyArray<string>
}

const splitter = (): Splitter => {
  const decoder = new StringDecoder("utf8")
  let pieces: Array<string> = []
  const whole = (): string => {
    const text = pieces.join("")
    pieces = []
    return text.endsWith("\r") ? text.slice(0, -1) : text
  }
  return {
    push: (piece) => {
      const [first = "", ...others] = (typeof piece === "string" ? piece : decoder.write(piece)).split("\n")
      const found: Array<string> = []
      pieces.push(first)
      for (const text of others) {
        found.push(whole())
        pieces.push(text)
      }
      return found
    },
    end: () => {
      pieces.push(decoder.end())
      const text = whole()
      return text === "" ? [] : [text]
    }
  }
}

/** Tells each line of a stream, and once that there are no more; the function that it gives ends it before. */
export const listen = (
  input: NodeJS.ReadableStream,
  onLine: (line: string) => void,
  onEnd: () => void
): (() => void) => {
  const lines = splitter()
  let isOpen = true
  const tell = (found: ReadonlyArray<string>) => {
    for (const line of found) if (isOpen) onLine(line)
  }
  const data = (piece: Buffer | string) => tell(lines.push(piece))
  const close = () => {
    if (!isOpen) return
    isOpen = false
    input.removeListener("data", data).removeListener("end", end).removeListener("error", close)
    input.pause()
    onEnd()
  }
  const end = () => {
    tell(lines.end())
    close()
  }
  input.on("data", data).on("end", end).on("error", close)
  input.resume()
  return close
}

/** Every line of a stream, read as fast as they are taken. */
export const of = async function* (input: AsyncIterable<Buffer | string>): AsyncGenerator<string, undefined> {
  const lines = splitter()
  for await (const piece of input) yield* lines.push(piece)
  yield* lines.end()
}
