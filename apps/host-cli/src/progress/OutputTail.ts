/** The last lines of what a command has printed so far, printable, without its colours; what a line was before a return is gone. */
import { Words } from "@belay/interaction"

export interface OutputTail {
  readonly push: (chunk: string) => void
  readonly lines: () => ReadonlyArray<string>
}

const most = 5
/** Characters of a line that are kept: no terminal is wider. */
const longest = 2000

// oxlint-disable-next-line no-control-regex
const colours = /\u001B\[[\d;]*m/g

export const make = (): OutputTail => {
  let kept: ReadonlyArray<string> = []
  let open = ""

  const shown = (line: string): string => {
    const text = line.replace(/\r+$/u, "")
    return Words.printable(text.slice(text.lastIndexOf("\r") + 1).replaceAll(colours, "")).trimEnd()
  }

  return {
    push: (chunk) => {
      const lines = `${open}${chunk}`.split("\n")
      open = (lines.pop() ?? "").slice(-longest)
      if (lines.length > 0) kept = [...kept, ...lines.slice(-most)].slice(-most)
    },
    lines: () => [...kept, ...(open === "" ? [] : [open])].slice(-most).map(shown)
  }
}
