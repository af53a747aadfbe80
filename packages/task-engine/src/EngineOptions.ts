/** What a host decides of its engine. */
import type { Tool } from "@belay/tool-executor"
import * as Context from "effect/Context"
import type * as Notices from "./context/Notices.ts"
import type { Missing } from "./delegation/CanHost.ts"

/** Configures the engine of a host. */
export interface Options {
  /** Tools besides the engine's own. */
  readonly tools: ReadonlyArray<Tool.Tool>
  /** What those tools have to tell the model before its next step. */
  readonly notices?: Notices.Notices
  /** Of MCP servers that a task has used, those it cannot use here; without it they are all taken for there. */
  readonly missing?: Missing
  /** Subtasks that may call the model at once. */
  readonly concurrency: number
  /** The data folder, absolute and resolved: protected from tools. */
  readonly home: string
}

export class EngineOptions extends Context.Service<EngineOptions, Options>()("@belay/task-engine/EngineOptions") {}
