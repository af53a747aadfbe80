/**
 * The servers that a user or a project defines, as one schema for all files and for whatever reads or writes them.
 *
 * The form is the one that other programs use, `{ "mcpServers": { "name": { "command" } or { "url" } } }`, so that an entry
 * can be copied. Nothing is ignored: an unknown field or a wrong value is one line that names it. Only the user's own file
 * can mark tools, and only there `${env:NAME}` stands for a value of the environment.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"

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

/** A server that is reached by streamable HTTP. */
export const Remote = Schema.Struct({
  type: Schema.optionalKey(Schema.Literals(["http", "streamable-http"])),
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

const Project = Schema.Struct({
  $schema: Schema.optionalKey(Schema.String),
  mcpServers: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown))
})

const User = Schema.Struct({
  ...Project.fields,
  /** By `server/tool`. */
  tools: Schema.optionalKey(Schema.Record(Schema.String, Mark))
})

/** Holds the servers of one file and the marks that the user has set on tools. */
export interface ServerFile {
  readonly servers: ReadonlyMap<string, Definition>
  readonly marks: ReadonlyMap<string, Mark>
}

/** The file without a server. */
export const empty: ServerFile = { servers: new Map(), marks: new Map() }

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

const decodeUser = Schema.decodeUnknownResult(User, { onExcessProperty: "error" })
const decodeProject = Schema.decodeUnknownResult(Project, { onExcessProperty: "error" })
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

/** Checks a value that was parsed; `whose` decides what it may say. */
export const decode = (
  value: unknown,
  from: { readonly file: string; readonly whose: "user" | "project" }
): Effect.Effect<ServerFile, ServerFileError> =>
  Effect.gen(function* () {
    const { file, whose } = from
    const fail = (problem: string) => new ServerFileError({ file, problem })
    const found = whose === "user" ? decodeUser(value) : decodeProject(value)
    if (Result.isFailure(found)) return yield* fail(phraseOf(found.failure.issue, ""))
    const servers = new Map<string, Definition>()
    for (const [name, given] of Object.entries(found.success.mcpServers ?? {})) {
      const one = definition(name, given)
      if (Result.isFailure(one)) return yield* fail(one.failure.message)
      servers.set(name, one.success)
    }
    const marks = "tools" in found.success ? Object.entries(found.success.tools ?? {}) : []
    return { servers, marks: new Map(marks) }
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

const variable = /\$\{env:([A-Za-z_][A-Za-z0-9_]*)\}/g

/** A variable of the environment that a definition needs is not set. */
export class UnsetVariable extends Schema.TaggedError<UnsetVariable>()("UnsetVariable", { name: Schema.String }) {
  override get message() {
    return `the environment has no ${this.name}`
  }
}

/** The values with those of the environment in place. */
export const expanded = (
  values: Readonly<Record<string, string>> | undefined,
  environment: Readonly<Record<string, string | undefined>>
): Result.Result<Readonly<Record<string, string>>, UnsetVariable> => {
  const whole: Record<string, string> = {}
  for (const [name, value] of Object.entries(values ?? {})) {
    let missing: string | undefined
    whole[name] = value.replaceAll(variable, (_, key: string) => {
      const found = environment[key]
      if (found === undefined) missing = key
      return found ?? ""
    })
    if (missing !== undefined) return Result.fail(new UnsetVariable({ name: missing }))
  }
  return Result.succeed(whole)
}
