/**
 * Tools for programs without Effect: their parameters by JSON Schema or by any library that speaks Standard Schema.
 *
 * Guarantees: a tool of the program has the category `custom`, so that the approvals decide by its name; the files that it
 * names are judged besides, where they lead; what it throws is an error for the model, and never ends the task.
 */
import { PathResolver } from "@belay/approval-policy/facts"
import { Machine } from "@belay/machine"
import * as Effect from "effect/Effect"
import * as JsonSchema from "effect/JsonSchema"
import type * as Schema from "effect/Schema"
import * as SchemaRepresentation from "effect/SchemaRepresentation"
import * as Tool from "./tool/Tool.ts"
import * as Catalog from "./tool/ToolCatalog.ts"

/** A JSON Schema of an object, draft 2020-12. */
export interface JsonSchemaObject {
  readonly type?: "object"
  readonly properties?: { readonly [name: string]: unknown }
  readonly required?: ReadonlyArray<string>
  readonly additionalProperties?: unknown
  readonly [keyword: string]: unknown
}

/** A schema of a library that speaks Standard Schema and tells its JSON Schema. Source: https://standardschema.dev */
export interface StandardSchema<Args> {
  readonly "~standard": {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => StandardResult<Args> | Promise<StandardResult<Args>>
    readonly jsonSchema: {
      readonly input: (options: { readonly target: "draft-2020-12" }) => { readonly [keyword: string]: unknown }
    }
  }
}

/** The answer of a schema: a value, or what is wrong. */
export type StandardResult<Args> =
  | { readonly value: Args; readonly issues?: undefined }
  | { readonly issues: ReadonlyArray<{ readonly message: string }> }

/** Says for which call a tool runs. */
export interface CallContext {
  readonly taskId: string
  readonly callId: string
  /** Absolute and resolved. */
  readonly workspace: string
  /** Aborts when the task is interrupted. */
  readonly signal: AbortSignal
  /** Shows output while the tool runs. */
  readonly progress: (text: string) => void
}

/** The result of a call, as the model reads it. */
export interface ToolResult {
  readonly text: string
  readonly isError?: boolean
}

/** Describes a tool of the program. */
export interface ToolDefinition<Args> {
  /** 1 to 64 letters, digits, `_` and `-`. */
  readonly name: string
  readonly description: string
  readonly parameters: JsonSchemaObject | StandardSchema<Args>
  /** It changes nothing, anywhere: it may run in plan mode, beside other calls, and again after a crash. */
  readonly readOnly?: boolean
  /** What holds for its calls where the approvals do not name it; otherwise they say, as a rule ask. */
  readonly approval?: "allow" | "ask" | "deny"
  /** The files that a call will read or write; they are judged as those of the tools of files are. */
  readonly paths?: (args: Args) => ReadonlyArray<{ readonly path: string; readonly access: "read" | "write" }>
  readonly execute: (args: Args, context: CallContext) => Promise<string | ToolResult>
}

/** A tool that tasks can be given. */
export interface HostTool {
  readonly name: string
  readonly approval?: "allow" | "ask" | "deny"
  /** The tool, which only Belay reads. */
  readonly "~belay": unknown
}

/** A tool that cannot be offered: a mistake in its definition. */
export const InvalidTool: abstract new (...given: never) => Error & {
  readonly _tag: "InvalidTool"
  readonly tool: string
  readonly problem: string
} = Catalog.InvalidTool

const isStandard = <Args>(schema: JsonSchemaObject | StandardSchema<Args>): schema is StandardSchema<Args> =>
  "~standard" in schema

const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

/** A closed object, as every tool has. */
const codecOf = (tool: string, schema: { readonly [keyword: string]: unknown }): Schema.Codec<any, any> => {
  try {
    const { $schema: _, ...given } = schema
    const whole = { ...given, type: "object", additionalProperties: false }
    const document = JsonSchema.fromSchemaDraft2020_12(whole)
    // The keywords that it cannot say are refused, so that what is told to the model is what is checked.
    return SchemaRepresentation.fromJsonSchemaDocument(document, { patterns: "apply" }) as Schema.Codec<any, any>
  } catch (cause) {
    throw new Catalog.InvalidTool({ tool, problem: `its JSON Schema cannot be used (${messageOf(cause)})` })
  }
}

const schemaOf = <Args>({ name, parameters }: ToolDefinition<Args>): { readonly [keyword: string]: unknown } => {
  if (!isStandard(parameters)) return parameters
  const { jsonSchema } = parameters["~standard"] as Partial<StandardSchema<Args>["~standard"]>
  if (jsonSchema === undefined) {
    throw new Catalog.InvalidTool({
      tool: name,
      problem: "its schema does not tell its JSON Schema: give that instead"
    })
  }
  return jsonSchema.input({ target: "draft-2020-12" })
}

/** What the library makes of arguments; throws what is wrong. */
const validated = async <Args>({ parameters }: ToolDefinition<Args>, args: unknown): Promise<Args> => {
  // JSON Schema says all: what was decoded by it is what it describes.
  if (!isStandard(parameters)) return args as Args
  const result = await parameters["~standard"].validate(args)
  if (result.issues === undefined) return result.value
  throw new Error(`Invalid arguments: ${result.issues.map(({ message }) => message).join("; ")}.`)
}

/** Makes a tool of the program. Throws `InvalidTool`. */
export const defineTool = <Args = any>(definition: ToolDefinition<Args>): HostTool => {
  const { approval, description, execute, name, paths, readOnly = false } = definition
  const facts = (args: unknown, { workspace }: Tool.ToolContext) =>
    paths === undefined
      ? Effect.succeed(Tool.noFacts)
      : Effect.map(
          Effect.promise(() => validated(definition, args)),
          (given) => ({
            paths: paths(given).map(({ access, path }) =>
              PathResolver.resolve(path, { workspace, home: Machine.home(), access })
            )
          })
        )
  const tool: Tool.Tool = {
    name,
    description,
    category: "custom",
    flow: "run",
    readOnly,
    parameters: codecOf(name, schemaOf(definition)),
    facts,
    execute: (args: unknown, { callId, progress, taskId, workspace }) =>
      Effect.tryPromise({
        try: async (signal) => {
          const show = (text: string) => void Effect.runFork(progress(text))
          const given = await validated(definition, args)
          const result = await execute(given, { callId, taskId, workspace, signal, progress: show })
          if (typeof result === "string") return Tool.output(result)
          return result.isError === true ? Tool.failure(result.text) : Tool.output(result.text)
        },
        catch: messageOf
      }).pipe(Effect.catch((problem) => Effect.succeed(Tool.failure(`${name} failed: ${problem}`))))
  }
  // A wrong name or schema is found here, and not when a task begins.
  Catalog.make([tool])
  return { name, ...(approval === undefined ? {} : { approval }), "~belay": tool }
}
