/**
 * A call's arguments as its tool takes them, or one line for the model that names each wrong one and what to do.
 *
 * Guarantees: nothing that the tool does not declare reaches it; `task_progress` is never its argument; the line has no
 * control character of the model's own text and at most 8 problems.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import type { Tool } from "../Tool.ts"
import * as PlainText from "../workspace/PlainText.ts"

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

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

const sentence = (tool: Tool, problems: ReadonlyArray<string>): string => {
  const more = problems.length - problemsShown
  const shown = more > 0 ? [...problems.slice(0, problemsShown), `${more} more`] : problems
  return `Invalid arguments for ${tool.name}: ${shown.join("; ")}. Correct the arguments and call it again.`
}

const ownArguments = (input: Record<string, unknown>): Record<string, unknown> => {
  const { task_progress: _progress, ...own } = input
  return own
}

/** `parameters` are the names that the tool declares: a struct without fields accepts any key by itself. */
export const decodeArguments = (
  tool: Tool,
  input: unknown,
  parameters: ReadonlySet<string>
): Result.Result<any, string> => {
  if (!isObject(input)) return Result.fail(sentence(tool, ["they must be one JSON object"]))
  const own = ownArguments(input)
  if (parameters.size === 0) {
    const excess = Object.keys(own).map((key) => `${shortName(key)} is not a parameter`)
    return excess.length === 0 ? Result.succeed(own) : Result.fail(sentence(tool, excess))
  }
  return Result.mapError(
    Schema.decodeUnknownResult(tool.parameters, { errors: "all", onExcessProperty: "error" })(own),
    ({ issue }) => {
      const problems = issuesOf(issue).issues.map(({ message, path }) => {
        const keys = (path ?? []).map((key) => (typeof key === "object" ? key.key : key))
        return problemOf(keys.length === 0 ? "arguments" : pathOf(keys), message)
      })
      return sentence(tool, [...new Set(problems)])
    }
  )
}
