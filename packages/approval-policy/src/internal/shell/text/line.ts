/** The variable of a loop: its name, and which one a line is read into. */
import type { CompoundList } from "unbash"

/** No variable of bash or of another program has such a name. */
export const ownName = /^(?!histchars$)[a-z][a-z0-9]{0,15}$/

/** The variable of `read -r name`, with or without `IFS=`, and nothing besides. */
export const lineOf = ({ commands }: CompoundList): string | undefined => {
  const [only, ...others] = commands
  const command = only?.command
  if (command?.type !== "Command" || others.length > 0 || command.redirects.length > 0) return undefined
  const isSplit = command.prefix.every(
    (node) => node.type === "Assignment" && node.name === "IFS" && /^IFS=(?:''|"")?$/.test(node.text)
  )
  const words = command.args.map((word) => word.text).filter((text) => text !== "-r")
  const [name = ""] = words
  return command.name?.text === "read" && isSplit && words.length === 1 && ownName.test(name) ? name : undefined
}
