/** The first line of what others wrote, printable and at most so many characters long. */
import { Words } from "@belay/interaction"

export const firstLine = (text: string, limit: number): string => {
  const [line = ""] = text.trim().split("\n")
  const clean = Words.printable(line)
  return clean.length > limit ? `${clean.slice(0, limit - 1)}…` : clean
}
