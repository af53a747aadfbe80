/** The title of a task: the first line of its prompt, at most 80 characters. */
export const of = (message: string): string => {
  const [line = ""] = message.trim().split("\n")
  return line.length > 80 ? `${line.slice(0, 79)}…` : line
}
