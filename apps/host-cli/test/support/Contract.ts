/** What the command prints for programs, held against the JSON Schemas that are published of it. */
import * as JsonSchema from "effect/JsonSchema"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaRepresentation from "effect/SchemaRepresentation"
import { readFileSync } from "node:fs"

const folder = new URL("../../../../docs/events/v1/", import.meta.url)

/** The text of a published schema. */
type Name = "event" | "result" | "claude" | "rescue"

export const published = (name: Name): string => readFileSync(new URL(`${name}.schema.json`, folder), "utf8")

const reader = (name: Name) => {
  const document = JsonSchema.fromSchemaDraft2020_12(JSON.parse(published(name)))
  // It needs nothing: what is imported is made of built-in checks alone.
  const schema = SchemaRepresentation.fromJsonSchemaDocument(document) as Schema.Codec<unknown>
  return Schema.decodeUnknownResult(schema)
}

let readers: Record<Name, ReturnType<typeof reader>> | undefined

/** Why a value is not as it is published; nothing when it is. */
export const wrong = (name: Name, value: unknown): string | undefined => {
  readers ??= { event: reader("event"), result: reader("result"), claude: reader("claude"), rescue: reader("rescue") }
  const read = readers[name](value)
  return Result.isSuccess(read) ? undefined : String(read.failure)
}

/** A line that begins with an option is one of run. */
const runs = /^(?:-|(?:run|task (?:resume|continue|fork|watch))\b)/

/** What rescue finds; an import reports as imports do. */
const rescues = /^rescue (?!import)|^rescue$/

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    // A process that was killed in the middle of a line.
    return undefined
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

const check = (value: unknown): void => {
  if (!isObject(value) || "commands" in value) return
  const name = "type" in value && value["type"] !== "result" ? "event" : "result"
  const why = wrong(name, value)
  if (why !== undefined) throw new Error(`${name}.schema.json does not fit: ${why}\n${JSON.stringify(value)}`)
}

const checkClaude = (value: unknown): void => {
  const why = isObject(value) && value["type"] !== "commands" ? wrong("claude", value) : undefined
  if (why !== undefined) throw new Error(`claude.schema.json does not fit: ${why}\n${JSON.stringify(value)}`)
}

/** Throws where the lines that a command printed are not as they are published. */
export const hold = (args: ReadonlyArray<string>, stdout: ReadonlyArray<string>): void => {
  const at = args.findIndex((word) => word.startsWith("--output"))
  const output = args[at]?.split("=")[1] ?? args[at + 1]
  if (at !== -1 && output === "json" && rescues.test(args.slice(0, 2).join(" "))) {
    // A refusal is an object with its error, as that of every command.
    const value = parsed(stdout.join("\n"))
    const why = isObject(value) && "version" in value ? wrong("rescue", value) : undefined
    if (why !== undefined) throw new Error(`rescue.schema.json does not fit: ${why}`)
  }
  if (at === -1 || !runs.test(args.slice(0, 2).join(" "))) return
  if (output === "claude-stream-json") for (const line of stdout) checkClaude(parsed(line))
  else if (output === "stream-json") for (const line of stdout) check(parsed(line))
  else if (output === "json") check(parsed(stdout.join("\n")))
}
