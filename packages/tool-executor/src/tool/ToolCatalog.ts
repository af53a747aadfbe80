/**
 * The tools of a task, and what the model is told of them.
 *
 * Names are unique: a second tool of a name is refused, so nothing can shadow a built-in tool. Every tool takes
 * `task_progress`, the whole checklist as text, besides its own parameters. Every schema is one inline object that
 * allows no further property.
 */
import * as Context from "effect/Context"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { decodeArguments } from "./decodeArguments.ts"
import type { Tool } from "./Tool.ts"

/** Describes what the model is told of a tool. */
export interface ToolDefinition {
  readonly name: string
  readonly description: string
  readonly input_schema: { readonly [key: string]: unknown }
}

/** A tool that cannot be offered: a mistake of the host, found when the catalogue is made. */
export class InvalidTool extends Schema.TaggedError<InvalidTool>()("InvalidTool", {
  tool: Schema.String,
  problem: Schema.String
}) {
  override get message() {
    return `The tool '${this.tool}' cannot be offered: ${this.problem}.`
  }
}

/** The tools that a model is offered, each name once. */
export class ToolCatalog extends Context.Service<
  ToolCatalog,
  {
    readonly tools: ReadonlyArray<Tool>
    readonly get: (name: string) => Tool | undefined
    /** The same object for the same tool each time, so that requests stay byte-identical. */
    readonly define: (tool: Tool) => ToolDefinition
    /** The same without `task_progress`, for a task that has no checklist. */
    readonly defineBare: (tool: Tool) => ToolDefinition
    /** What a call gives a tool, by the names of its own parameters; nothing when it cannot be taken. */
    readonly argumentsOf: (tool: Tool, input: unknown) => unknown
  }
>()("@belay/tool-executor/ToolCatalog") {
  /** A catalogue of these tools. Dies with `InvalidTool`. */
  static readonly layer = (tools: ReadonlyArray<Tool>): Layer.Layer<ToolCatalog> =>
    Layer.sync(ToolCatalog, () => make(tools))
}

// Source: https://docs.anthropic.com/en/docs/agents-and-tools/tool-use/implement-tool-use
const wireName = /^[a-zA-Z0-9_-]{1,64}$/

const progress = { type: "string" } as const

const isNoise = (name: string, of: unknown): boolean =>
  (name === "maximum" && of === Number.MAX_SAFE_INTEGER) || (name === "minimum" && of === Number.MIN_SAFE_INTEGER)

/** What every whole number is held to says nothing of a parameter. */
const withoutNoise = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(withoutNoise)
  if (typeof schema !== "object" || schema === null) return schema
  return Object.fromEntries(
    Object.entries(schema).flatMap(([name, of]) => (isNoise(name, of) ? [] : [[name, withoutNoise(of)]]))
  )
}

const inputSchema = (tool: Tool): ToolDefinition["input_schema"] => {
  const { definitions, schema } = Schema.toJsonSchemaDocument(tool.parameters, { onExcessProperty: "error" })
  // A struct without fields has no object schema of its own.
  if ("not" in schema) return { type: "object", properties: { task_progress: progress }, additionalProperties: false }
  if (schema["type"] !== "object" || Object.keys(definitions).length > 0) {
    throw new InvalidTool({ tool: tool.name, problem: "its parameters must be one struct, written inline" })
  }
  const properties = (withoutNoise(schema["properties"]) ?? {}) as Record<string, unknown>
  if ("task_progress" in properties) {
    throw new InvalidTool({ tool: tool.name, problem: "every tool has task_progress already" })
  }
  return { ...schema, properties: { ...properties, task_progress: progress } }
}

const withoutProgress = (schema: ToolDefinition["input_schema"]): ToolDefinition["input_schema"] => {
  const { task_progress: _progress, ...properties } = schema["properties"] as Record<string, unknown>
  return { ...schema, properties }
}

/** Throws `InvalidTool`. */
export const make = (tools: ReadonlyArray<Tool>): ToolCatalog["Service"] => {
  const byName = new Map<string, Tool>()
  for (const tool of tools) {
    if (!wireName.test(tool.name)) {
      throw new InvalidTool({ tool: tool.name, problem: "a name has 1 to 64 letters, digits, _ and -" })
    }
    if (byName.has(tool.name)) throw new InvalidTool({ tool: tool.name, problem: "another tool has this name" })
    byName.set(tool.name, tool)
  }
  const once = (schemaOf: (tool: Tool) => ToolDefinition["input_schema"]) => {
    const defined = new WeakMap<Tool, ToolDefinition>()
    return (tool: Tool): ToolDefinition => {
      const known = defined.get(tool)
      if (known !== undefined) return known
      const fresh = { name: tool.name, description: tool.description, input_schema: schemaOf(tool) }
      defined.set(tool, fresh)
      return fresh
    }
  }
  const define = once(inputSchema)
  const defineBare = once((tool) => withoutProgress(define(tool).input_schema))
  for (const tool of byName.values()) define(tool)
  const argumentsOf = (tool: Tool, input: unknown): unknown => {
    const decoded = decodeArguments(tool, input, define(tool).input_schema)
    return Result.isSuccess(decoded) ? decoded.success.args : undefined
  }
  return { tools: [...byName.values()], get: (name) => byName.get(name), define, defineBare, argumentsOf }
}
