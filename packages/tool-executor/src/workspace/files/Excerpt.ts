/** What is shown of a line that was found: at most 400 characters, around its first match. */
import type { Line } from "./Ripgrep.ts"

const longest = 400

export const of = ({ column, text }: Line): string => {
  if (text.length <= longest) return text
  const from = Math.max(0, Math.min(column, text.length) - longest / 4)
  const shown = text.slice(from, from + longest)
  return `${from > 0 ? "[...]" : ""}${shown}${from + shown.length < text.length ? "[...]" : ""}`
}
