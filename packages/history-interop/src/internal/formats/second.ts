/**
 * A message of opencode 2 in the shape of its older versions: a record and its parts. There each message is one row, which
 * has its parts inside; a result stands in the part of its call.
 */
import { type Fields, fieldsOf, listOf, text } from "../fields.ts"

export interface Message {
  readonly info: Fields
  readonly parts: ReadonlyArray<Fields>
}

/** The words of what a tool has given back. */
const saidIn = (content: unknown): string =>
  listOf(content)
    .map((part) => text(fieldsOf(part)["text"]) ?? "")
    .filter((words) => words !== "")
    .join("\n")

const stateOf = (state: Fields): Fields => {
  const { content, error, input, metadata, result, status, structured } = state
  const said = saidIn(content)
  return {
    status,
    input: fieldsOf(input),
    output: said === "" && result !== undefined ? JSON.stringify(result) : said,
    error: text(fieldsOf(error)["message"]) ?? said,
    metadata: { ...fieldsOf(structured), ...fieldsOf(metadata) }
  }
}

const partOf = (part: Fields): Fields =>
  part["type"] === "tool"
    ? { type: "tool", callID: part["id"], tool: part["name"], state: stateOf(fieldsOf(part["state"])) }
    : { type: part["type"], text: part["text"] }

const fileOf = (file: Fields): Fields => ({
  type: "file",
  url: file["uri"] ?? file["url"],
  filename: file["name"] ?? file["filename"]
})

/** What a row says, and whose it is; marks of its program say nothing. */
const readOf = (row: Fields): readonly [more: Fields, parts: ReadonlyArray<Fields>] | undefined => {
  const say = (words: unknown): Fields => ({ type: "text", text: words })
  switch (row["type"]) {
    case "user":
      return [{ role: "user" }, [say(row["text"]), ...listOf(row["files"]).map(fieldsOf).map(fileOf)]]
    case "synthetic":
      return [{ role: "user" }, [say(row["text"])]]
    case "shell":
      return [{ role: "user" }, [say(`$ ${text(row["command"]) ?? ""}\n${text(row["output"]) ?? ""}`)]]
    case "assistant": {
      const { agent, cost, error, finish, tokens } = row
      return [
        { role: "assistant", agent, cost, error, finish, tokens },
        listOf(row["content"]).map(fieldsOf).map(partOf)
      ]
    }
    case "compaction": {
      const words = [row["summary"], row["recent"]].flatMap((one) => text(one) ?? []).filter((one) => one !== "")
      return words.length === 0
        ? undefined
        : [{ role: "user", summary: true, finish: "stop" }, [say(words.join("\n\n"))]]
    }
    default:
      return undefined
  }
}

/** The message of a row, with an id for each of its parts; none of a row that says nothing. */
export const messageOf = (row: Fields): ReadonlyArray<Message> => {
  const read = readOf(row)
  if (read === undefined) return []
  const { id, sessionID, time } = row
  const [more, parts] = read
  const known = Object.fromEntries(Object.entries(more).filter(([, value]) => value !== undefined))
  const own = (at: number) => `prt_${(text(id) ?? "").replace(/^msg_/u, "")}_${String(at).padStart(3, "0")}`
  return [
    {
      info: { id, sessionID, time, ...known },
      parts: parts.map((part, at) => ({ id: own(at), sessionID, messageID: id, ...part }))
    }
  ]
}
