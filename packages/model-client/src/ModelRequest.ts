/**
 * One request to a model: everything the answer depends on, and nothing that differs between two tries.
 *
 * Requests are never changed: what has to be added on the way (breakpoints, streaming) is added to a copy.
 */
import type { Message } from "@belay/message-state"
import type { TaskId } from "@belay/task-state"

/** Describes what a model is told about a tool; `input_schema` is JSON Schema. */
export interface ToolDefinition {
  readonly name: string
  readonly description: string
  readonly input_schema: { readonly [key: string]: unknown }
}

/** Says how much a model thinks, where it lets the caller choose. */
export type Effort = "low" | "medium" | "high"

/** Says how the model is told to think; a budget is below `maxTokens`. */
export type Thinking =
  | { readonly type: "budget"; readonly tokens: number }
  /** It decides by itself. */
  | { readonly type: "adaptive"; readonly effort: Effort }
  | { readonly type: "between_tools" }
  | { readonly type: "disabled" }

/** One request. The client changes nothing of it but what the model or service cannot take. */
export interface ModelRequest {
  readonly taskId: TaskId.TaskId
  readonly model: string
  /** The mode of the task, by which a host may choose a service; act unless told. */
  readonly mode?: "plan" | "act"
  readonly system: ReadonlyArray<Message.TextBlock>
  readonly tools: ReadonlyArray<ToolDefinition>
  readonly messages: ReadonlyArray<Message.Message>
  readonly maxTokens: number
  /** Ids that the calls of the answer must not have, because others of the task have them. */
  readonly usedIds?: ReadonlySet<string>
  /** Without it the model is told nothing of thinking. */
  readonly thinking?: Thinking
  readonly temperature?: number
}
