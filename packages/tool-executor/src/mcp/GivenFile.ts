/**
 * MCP servers that a task was given for itself: of a file that says what it said they count again. A file that says
 * something else by now, and servers that were given as JSON, are lost: nobody has said that they are wanted.
 */
import * as Effect from "effect/Effect"
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import * as ServerFile from "./ServerFile.ts"

/** Says where given servers came from; what may be secret in them is not kept. */
export interface From {
  /** Absolute; absent where they were not in a file. */
  readonly file?: string | undefined
  /** SHA-256 of what it said, as hex. */
  readonly hash: string
  readonly names: ReadonlyArray<string>
}

/** Says whether the servers of a task are still there. */
export type Again =
  | { readonly _tag: "Found"; readonly servers: ServerFile.ServerFile }
  /** A sentence without its end. */
  | { readonly _tag: "Lost"; readonly why: string }

/** Returns the SHA-256 of a text in UTF-8, hexadecimal. */
export const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex")

const textOf = (file: string): string | undefined => {
  try {
    return readFileSync(file, "utf8")
  } catch {
    return undefined
  }
}

/** Looks for the servers that a task was given. Errors: `ServerFileError` for a file that is unchanged and wrong. */
export const again = (from: From): Effect.Effect<Again, ServerFile.ServerFileError> => {
  const servers =
    from.names.length === 1 ? `The MCP server ${from.names[0]} is` : `The MCP servers ${from.names.join(", ")} are`
  const lost = (what: string): Again => ({ _tag: "Lost", why: `${servers} not there for this task: ${what}` })
  const { file } = from
  if (file === undefined) return Effect.succeed(lost("it was said on the command line of an earlier run"))
  const text = textOf(file)
  if (text === undefined) return Effect.succeed(lost("the file cannot be read"))
  if (hashOf(text) !== from.hash) return Effect.succeed(lost("the file has changed"))
  return Effect.map(ServerFile.parse(text, { file, whose: "user" }), (found): Again => ({
    _tag: "Found",
    servers: found
  }))
}

/** The servers of all files; of two of one name the last counts. */
export const joined = (files: ReadonlyArray<ServerFile.ServerFile>): ServerFile.ServerFile => ({
  servers: new Map(files.flatMap((file) => [...file.servers])),
  marks: new Map(files.flatMap((file) => [...file.marks])),
  problems: files.flatMap(({ problems }) => problems),
  notes: files.flatMap(({ notes }) => notes)
})
