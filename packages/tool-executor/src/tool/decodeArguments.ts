/**
 * A call's arguments as its tool takes them, or one line for the model that names each wrong one and what to do.
 *
 * What is plainly meant is taken: names that other agents use, values as `coerced` has them. Guarantees: nothing that the
 * tool does not declare reaches it; what it does not declare is passed over and named, unless the model has to know;
 * `task_progress` is never its argument; the line has no control character of the model's own text and at most 8 problems.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import type { Tool } from "./Tool.ts"
import type { ToolDefinition } from "./ToolCatalog.ts"
import * as PlainText from "../workspace/text/PlainText.ts"
import { isObject, meant, takesInstead } from "../internal/argumentNames.ts"
import { coerced } from "./coerced.ts"
import { isLike } from "../internal/likeness.ts"

export interface Decoded {
  readonly args: any
  /** Names that were passed over, as they can be shown. */
  readonly ignored: ReadonlyArray<string>
}

const problemsShown = 8
const longestName = 80

/** A name that the model wrote, on one line and not longer than 80 characters. */
export const shortName = (text: string): string =>
  PlainText.name(text.length > longestName ? `${text.slice(0, longestName)}...` : text)

const issuesOf = SchemaIssue.makeFormatterStandardSchemaV1()

const pathOf = (path: ReadonlyArray<unknown>): string =>
  path
    .map((key) => (typeof key === "number" ? `[${key}]` : `.${shortName(String(key))}`))
    .join("")
    .replace(/^\./, "")

const problemOf = (path: string, message: string): string => {
  const plain = PlainText.name(message)
  if (plain === "Missing key") return `${path} is missing`
  if (plain === "Expected no excess property") return `${path} is not a parameter`
  return `${path}: ${plain.slice(0, 1).toLowerCase()}${plain.slice(1)}`
}

/** A call has arguments that its tool does not take; the message is one line for the model. */
export class InvalidArguments extends Schema.TaggedError<InvalidArguments>()("InvalidArguments", {
  message: Schema.String
}) {}

const invalid = (tool: Tool, problems: ReadonlyArray<string>): InvalidArguments => {
  const more = problems.length - problemsShown
  const shown = more > 0 ? [...problems.slice(0, problemsShown), `${more} more`] : problems
  const message = `Invalid arguments for ${tool.name}: ${shown.join("; ")}. Correct the arguments and call it again.`
  return new InvalidArguments({ message })
}

interface Sorted {
  readonly own: Readonly<Record<string, unknown>>
  readonly ignored: ReadonlyArray<string>
  /** Of names that are not passed over. */
  readonly problems: ReadonlyArray<string>
}

/** The arguments by the names of the tool. */
const sorted = (tool: Tool, input: Record<string, unknown>, parameters: ReadonlySet<string>): Sorted => {
  const own = new Map(Object.entries(input).filter(([name]) => parameters.has(name)))
  const ignored: Array<string> = []
  const problems: Array<string> = []
  const instead = new Map<string, Array<string>>()
  for (const [name, value] of Object.entries(input)) {
    if (parameters.has(name) || name === "task_progress") continue
    const shown = shortName(name)
    const as = meant(name, parameters)
    const takes = takesInstead(tool.name, name)
    if (as !== undefined && !own.has(as)) own.set(as, value)
    else if (as !== undefined && own.get(as) !== value) problems.push(`${shown} is not a parameter, and ${as} is given`)
    else if (takes !== undefined) instead.set(takes, [...(instead.get(takes) ?? []), shown])
    else {
      const like = [...parameters].find((parameter) => !own.has(parameter) && isLike(parameter, name))
      if (like === undefined) ignored.push(shown)
      else problems.push(`${shown} is not a parameter; ${like} is`)
    }
  }
  for (const [takes, names] of instead) {
    const are = names.length === 1 ? "is not a parameter" : "are not parameters"
    problems.push(`${names.join(" and ")} ${are}; it takes ${takes}`)
  }
  return { own: Object.fromEntries(own), ignored, problems }
}

/** `schema` is the one that the model was told. */
export const decodeArguments = (
  tool: Tool,
  input: unknown,
  schema: ToolDefinition["input_schema"]
): Result.Result<Decoded, InvalidArguments> => {
  if (!isObject(input)) return Result.fail(invalid(tool, ["they must be one JSON object"]))
  const parameters = new Set(Object.keys(isObject(schema["properties"]) ? schema["properties"] : {}))
  parameters.delete("task_progress")
  const { ignored, own, problems } = sorted(tool, input, parameters)
  if (problems.length > 0) return Result.fail(invalid(tool, problems))
  // A struct without fields would take any value.
  if (parameters.size === 0) return Result.succeed({ args: {}, ignored })
  const notTaken = ignored.map((name) => `${name} is not a parameter`)
  return Schema.decodeUnknownResult(tool.parameters, { errors: "all", onExcessProperty: "error" })(
    coerced(own, schema)
  ).pipe(
    Result.map((args) => ({ args, ignored })),
    Result.mapError(({ issue }) => {
      const wrong = issuesOf(issue).issues.map(({ message, path }) => {
        const keys = (path ?? []).map((key) => (typeof key === "object" ? key.key : key))
        return problemOf(keys.length === 0 ? "arguments" : pathOf(keys), message)
      })
      return invalid(tool, [...new Set([...notTaken, ...wrong])])
    })
  )
}
