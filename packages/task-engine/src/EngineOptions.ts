/** What a host decides of its engine. */
import { DataFolder } from "@belay/machine"
import type { Tool } from "@belay/tool-executor"
import type { HookRunner } from "@belay/tool-executor/workspace"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
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
  /** Runs the hooks of tasks; without it every one of them has failed. */
  readonly hooks?: HookRunner.HookRunner
  /** Subtasks that may call the model at once. */
  readonly concurrency: number
}

/** What a host decides, and its data folder, which is protected from tools. */
export class EngineOptions extends Context.Service<EngineOptions, Options & { readonly home: string }>()(
  "@belay/task-engine/EngineOptions"
) {
  static readonly layer = (options: Options): Layer.Layer<EngineOptions, never, DataFolder> =>
    Layer.effect(
      EngineOptions,
      Effect.map(DataFolder, ({ directory }) => ({ ...options, home: directory }))
    )
}
