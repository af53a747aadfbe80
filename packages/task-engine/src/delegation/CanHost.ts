/**
 * Whether this process can go on with a task that nobody has, beside one that it has run: it works in the same folder, a
 * service can be asked in the task's mode, and the MCP servers that the task has used are there.
 */
import { type History, type HistoryError, TaskHistory } from "@belay/history-store"
import { Message, printable } from "@belay/message-state"
import { ModelClient } from "@belay/model-client"
import type { TaskId } from "@belay/task-state"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { stat } from "node:fs/promises"
import * as McpServer from "../text/McpServer.ts"
import { EngineOptions } from "../EngineOptions.ts"
import { Settings } from "@belay/settings"

/** Of these servers, those that a task of this workspace cannot use here. */
export type Missing = (
  workspace: string,
  servers: ReadonlyArray<string>,
  taskId: TaskId.TaskId
) => Effect.Effect<ReadonlyArray<string>>

/** Of a host that tells of none, all are there. */
const nothing: Missing = () => Effect.succeed([])

/** Why this process cannot go on with the task, as part of a sentence; nothing when it can. */
export class CanHost extends Context.Service<
  CanHost,
  {
    readonly hindrance: (
      task: History.TaskRow,
      beside: History.TaskRow
    ) => Effect.Effect<string | undefined, HistoryError.HistoryError>
  }
>()("@belay/task-engine/CanHost") {
  static readonly layer = Layer.effect(
    CanHost,
    Effect.gen(function* () {
      const { missing = nothing } = yield* EngineOptions
      const history = yield* TaskHistory
      const client = yield* ModelClient.ModelClient

      const key = Effect.fnUntraced(function* ({ meta: { mode, settings } }: History.TaskRow) {
        const model = Settings.modelFor(yield* Effect.orDie(Settings.decode(settings)), mode)
        const ready = yield* Effect.result(client.ready({ model, mode }))
        if (Result.isSuccess(ready)) return undefined
        const { message, reason } = ready.failure
        const keyless = reason._tag === "Unauthorized" ? reason.keyless : undefined
        return keyless === undefined ? message.replace(/\.$/, "") : `this process has no key for ${keyless}`
      })

      const servers = Effect.fnUntraced(function* ({ meta, record }: History.TaskRow) {
        const used = serversOf((yield* history.shown(record.id)).messages)
        const absent = used.length === 0 ? [] : yield* missing(meta.workspace, used, record.id)
        const names = absent.map((name) => `"${printable(name)}"`).join(", ")
        if (absent.length === 0) return undefined
        return absent.length === 1
          ? `the MCP server ${names} is not available here`
          : `the MCP servers ${names} are not available here`
      })

      return CanHost.of({
        hindrance: Effect.fn("CanHost.hindrance")(function* (task, beside) {
          const { workspace } = task.meta
          if (workspace !== beside.meta.workspace) {
            return `this process works in ${printable(beside.meta.workspace)}`
          }
          if (!(yield* isFolder(workspace))) return `its folder ${printable(workspace)} is not there`
          return (yield* key(task)) ?? (yield* servers(task))
        })
      })
    })
  )
}

const isFolder = (path: string) =>
  Effect.promise(() =>
    stat(path).then(
      (found) => found.isDirectory(),
      () => false
    )
  )

/** The servers that calls of a task name. */
const serversOf = (messages: ReadonlyArray<Message.Message>): ReadonlyArray<string> => [
  ...new Set(messages.flatMap((message) => Message.toolUses(message).flatMap((use) => McpServer.of(use.input) ?? [])))
]
