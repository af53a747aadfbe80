/**
 * The servers that a user or a project defines, as one schema for all files and for whatever reads or writes them.
 *
 * The form is the one that other programs use, `{ "mcpServers": { "name": { "command" } or { "url" } } }`, so that an entry
 * can be copied; `OtherForms` says how theirs are read. One wrong entry costs that server alone, with a line that names the
 * field, and a field that is not known is told and left out. Only the user's own file can mark tools; a mark that cannot be
 * read switches its tool off.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import * as OtherForms from "./OtherForms.ts"
import * as Variables from "./Variables.ts"

/** No slash, so that `server/tool` reads one way only. */
export const namePattern = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/

const Text = Schema.String.check(
  Schema.makeFilter((text: string) =>
    text === "" || text.includes("\0") ? "Expected a text that is not empty" : undefined
  )
)
const Value = Schema.String.check(
  Schema.makeFilter((text: string) => (/[\0\r\n]/.test(text) ? "Expected a text of one line" : undefined))
)
const Values = Schema.Record(Text, Value)

const unusable = (text: string): string | undefined => {
  // It is checked again with its values.
  if (Variables.isIn(text)) return undefined
  const url = URL.parse(text)
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:")) return "Expected a URL of http or https"
  return url.username === "" && url.password === "" ? undefined : "Expected a URL without a login"
}

const common = {
  /** Seconds that one call may take; 120 where it is left out. */
  timeoutSeconds: Schema.optionalKey(Schema.Int.check(Schema.isGreaterThan(0), Schema.isLessThanOrEqualTo(3600))),
  disabled: Schema.optionalKey(Schema.Boolean)
}

/** A program on this machine that speaks over its standard input and output. */
export const Local = Schema.Struct({
  type: Schema.optionalKey(Schema.Literal("stdio")),
  command: Text,
  args: Schema.optionalKey(Schema.Array(Schema.String)),
  env: Schema.optionalKey(Values),
  /** Where it runs, relative to the workspace; the workspace itself where it is left out. */
  cwd: Schema.optionalKey(Text),
  ...common
})
export type Local = typeof Local.Type

/** A server that is reached by streamable HTTP, or by SSE as it was before. */
export const Remote = Schema.Struct({
  type: Schema.optionalKey(Schema.Literals(["http", "streamable-http", "sse"])),
  url: Schema.String.check(Schema.makeFilter(unusable)),
  headers: Schema.optionalKey(Values),
  ...common
})
export type Remote = typeof Remote.Type

/** Defines a server: a program of this machine, or an address. */
export type Definition = Local | Remote

/** Returns whether a server is a program of this machine. */
export const isLocal = (definition: Definition): definition is Local => "command" in definition

/** Describes what the user says of a tool: it changes nothing, so that plan mode may use it; or it is never offered. */
export const Mark = Schema.Literals(["readOnly", "disabled"])
export type Mark = typeof Mark.Type

const Entries = Schema.Record(Schema.String, Schema.Unknown)

const File = Schema.Struct({
  mcpServers: Schema.optionalKey(Entries),
  /** The same, as VS Code calls it. */
  servers: Schema.optionalKey(Entries),
  /** By `server/tool`. */
  tools: Schema.optionalKey(Entries)
})

/** Holds the servers of one file and the marks that the user has set on tools. */
export interface ServerFile {
  readonly servers: ReadonlyMap<string, Definition>
  readonly marks: ReadonlyMap<string, Mark>
  /** Why an entry does not count; sentences without their first letter and their end. */
  readonly problems: ReadonlyArray<string>
  /** What was read in another way than it is written; sentences. */
  readonly notes: ReadonlyArray<string>
}

/** The file without a server. */
export const empty: ServerFile = { servers: new Map(), marks: new Map(), problems: [], notes: [] }

/** A file that cannot be used; one line. */
export class ServerFileError extends Schema.TaggedError<ServerFileError>()("ServerFileError", {
  file: Schema.String,
  /** What is wrong, as a phrase. */
  problem: Schema.String
}) {
  override get message() {
    return `The MCP servers cannot be used, ${this.problem} (${this.file}). Correct the file.`
  }
}

const format = SchemaIssue.makeFormatterStandardSchemaV1()

const phraseOf = (issue: SchemaIssue.Issue, above: string): string => {
  const first = format(issue).issues[0]
  const path = (first?.path ?? []).map((part) => String(typeof part === "object" ? part.key : part))
  const where = [above, ...path].filter((part) => part !== "").join(".")
  const problem = first?.message ?? "it cannot be used"
  return where === "" ? problem : `${where}: ${problem}`
}

const decodeFile = Schema.decodeUnknownResult(File)
const isMark = Schema.is(Mark)
const decodeLocal = Schema.decodeUnknownResult(Local, { onExcessProperty: "error" })
const decodeRemote = Schema.decodeUnknownResult(Remote, { onExcessProperty: "error" })

/** A definition cannot be used; the message is a phrase that names the field. */
export class DefinitionError extends Schema.TaggedError<DefinitionError>()("DefinitionError", {
  name: Schema.String,
  problem: Schema.String
}) {
  override get message() {
    return this.problem
  }
}

/** Checks the definition of one server. */
export const definition = (name: string, value: unknown): Result.Result<Definition, DefinitionError> => {
  if (!namePattern.test(name)) {
    const problem = `the name of a server has 1 to 64 letters, digits, _ and -, not ${JSON.stringify(name)}`
    return Result.fail(new DefinitionError({ name, problem }))
  }
  const isRemote = typeof value === "object" && value !== null && "url" in value
  const found: Result.Result<Definition, Schema.SchemaError> = isRemote ? decodeRemote(value) : decodeLocal(value)
  return Result.isSuccess(found)
    ? Result.succeed(found.success)
    : Result.fail(new DefinitionError({ name, problem: phraseOf(found.failure.issue, `mcpServers.${name}`) }))
}

const fileFields = new Set(["$schema", "mcpServers", "servers", "tools", "inputs"])

/** Checks a value that was parsed; `whose` decides what it may say. */
export const decode = (
  value: unknown,
  from: { readonly file: string; readonly whose: "user" | "project" }
): Effect.Effect<ServerFile, ServerFileError> =>
  Effect.gen(function* () {
    const { file, whose } = from
    const found = decodeFile(value)
    if (Result.isFailure(found)) return yield* new ServerFileError({ file, problem: phraseOf(found.failure.issue, "") })
    const { mcpServers, servers: theirs, tools = {} } = found.success
    const [problems, notes]: [Array<string>, Array<string>] = [[], []]
    const servers = new Map<string, Definition>()
    const marks = new Map<string, Mark>()
    for (const [given, entry] of Object.entries(mcpServers ?? theirs ?? {})) {
      const { disabled, entry: read, name, notes: said } = OtherForms.normal(given, entry)
      const one = servers.has(name) ? Result.fail({ message: `there is a ${name} already` }) : definition(name, read)
      notes.push(...said)
      if (Result.isFailure(one))
        problems.push(`the MCP server ${JSON.stringify(given)} cannot be used, ${one.failure.message}`)
      else servers.set(name, one.success)
      for (const tool of disabled) marks.set(`${name}/${tool}`, "disabled")
    }
    for (const [tool, mark] of whose === "user" ? Object.entries(tools) : []) {
      marks.set(tool, isMark(mark) ? mark : "disabled")
      if (!isMark(mark))
        problems.push(`the tool "${tool}" is switched off, tools.${tool}: Expected "readOnly" or "disabled"`)
    }
    const unknown = Object.keys(value as object).filter((field) => !fileFields.has(field))
    if (whose === "project" && Object.keys(tools).length > 0) unknown.push("tools")
    if (unknown.length > 0) notes.push(`The file ${file} has fields that are left out: ${unknown.join(", ")}.`)
    return { servers, marks, problems, notes }
  })

/** Parses and checks a text; an empty one has no servers. */
export const parse = (text: string | undefined, from: Parameters<typeof decode>[1]) =>
  Effect.suspend((): Effect.Effect<ServerFile, ServerFileError> => {
    if (text === undefined || text.trim() === "") return Effect.succeed(empty)
    try {
      return decode(JSON.parse(text), from)
    } catch {
      return Effect.fail(new ServerFileError({ file: from.file, problem: "it is not JSON" }))
    }
  })
