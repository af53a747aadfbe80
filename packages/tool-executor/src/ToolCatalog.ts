/**
 * The tools of a task, and what the model is told of them.
 *
 * Names are unique: a second tool of a name is refused, so nothing can shadow a built-in tool. Every tool takes
 * `task_progress`, the whole checklist as text, besides its own parameters.
 */
import * as Context from "effect/Context"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type { Tool } from "./Tool.ts"

/** What the model is told of a tool. */
export interface ToolDefinition {
  readonly name: string
  readonly description: string
  readonly input_schema: { readonly [key: string]: unknown }
}

export class ToolCatalog extends Context.Service<
  ToolCatalog,
  {
    readonly tools: ReadonlyArray<Tool>
    readonly get: (name: string) => Tool | undefined
    /** The same object for the same tool each time, so that requests stay byte-identical. */
    readonly define: (tool: Tool) => ToolDefinition
  }
>()("@belay/tool-executor/ToolCatalog") {}

const inputSchema = (tool: Tool): ToolDefinition["input_schema"] => {
  const { schema } = Schema.toJsonSchemaDocument(tool.parameters, { onExcessProperty: "error" })
  const properties = (schema["properties"] ?? {}) as Record<string, unknown>
  return { ...schema, properties: { ...properties, task_progress: { type: "string" } } }
}

export const make = (tools: ReadonlyArray<Tool>): ToolCatalog["Service"] => {
  const byName = new Map<string, Tool>()
  for (const tool of tools) {
    if (byName.has(tool.name)) throw new Error(`two tools are named ${tool.name}`)
    byName.set(tool.name, tool)
  }
  const defined = new Map<string, ToolDefinition>()
  return {
    tools,
    get: (name) => byName.get(name),
    define: (tool) => {
      const known = defined.get(tool.name)
      if (known !== undefined) return known
      const fresh = { name: tool.name, description: tool.description, input_schema: inputSchema(tool) }
      defined.set(tool.name, fresh)
      return fresh
    }
  }
}

export const layer = (tools: ReadonlyArray<Tool>): Layer.Layer<ToolCatalog> =>
  Layer.sync(ToolCatalog, () => make(tools))
