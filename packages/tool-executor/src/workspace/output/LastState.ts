/**
 * Output of programs that write over their own line, as a progress bar does: of each line its last state.
 *
 * Guarantees: what stands before a carriage return is dropped once something else follows it on the line; text without
 * one passes unchanged, whatever its pieces; memory is bounded: of a line longer than 4,000 characters the states are lines.
 */
const longest = 4000

export interface LastState {
  /** What is settled of the text so far. */
  readonly push: (text: string) => string
  /** The line that has not ended, as it is now. */
  readonly held: () => string
  /** The line that has not ended. */
  readonly end: () => string
}

const lastOf = (line: string): string => {
  const text = line.replace(/\r+$/, "")
  return text.slice(text.lastIndexOf("\r") + 1)
}

export const make = (): LastState => {
  let held = ""
  /** Some of the line is given away. */
  let begun = false

  const settled = (line: string): string => {
    const text = lastOf(line)
    const overwrites = begun && line.includes("\r") && text.length < line.replace(/\r+$/, "").length
    begun = false
    return overwrites ? `\n${text}` : text
  }

  const push = (piece: string): string => {
    const lines = (held + piece).split("\n")
    const rest = lines.pop() ?? ""
    let text = ""
    for (const line of lines) text += `${settled(line)}\n`
    held = rest.includes("\r") && !begun ? lastOf(rest) + (rest.endsWith("\r") ? "\r" : "") : rest
    if (held.length <= longest) return text
    const open = held.endsWith("\r") ? "\r" : ""
    text += settled(held)
    held = open
    begun = true
    return text
  }

  return {
    push,
    held: () => lastOf(held),
    end: () => {
      const text = settled(held)
      held = ""
      return text
    }
  }
}
