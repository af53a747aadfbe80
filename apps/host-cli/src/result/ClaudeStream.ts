/**
 * A run as the lines that programs read which read Claude Code's `stream-json`: who works where, what the model said, what
 * its calls gave, and the end with what it took. Sums are of this run, with all subtasks.
 */
import { Approvals } from "@belay/approval-policy"
import type { History } from "@belay/history-store"
import { Settings } from "@belay/settings"
import type { LiveEvent } from "@belay/task-engine"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { createHash } from "node:crypto"
import { isDeepStrictEqual } from "node:util"
import type { Denied } from "../policy/Denials.ts"
import * as Amount from "../output/Amount.ts"
import type * as ClaudeSchema from "./ClaudeSchema.ts"

type Event = LiveEvent.TaskEvent
type EventOf<T extends Event["type"]> = Extract<Event, { readonly type: T }>
type Model = ClaudeSchema.Result["modelUsage"][string]

/** How a run ended. */
export interface Ending {
  readonly isError: boolean
  readonly result: string | null
  /** Why it did not succeed, as one line. */
  readonly error: string | undefined
  readonly denied: ReadonlyArray<Denied>
}

/** What holds for all of the run. */
export interface Start {
  readonly row: History.TaskRow
  readonly tools: ReadonlyArray<string>
}

export interface ClaudeStream {
  readonly begin: (start: Start) => void
  readonly take: (event: Event) => void
  readonly end: (ending: Ending) => void
}

/** A UUID that is the same each time for the same text: https://www.rfc-editor.org/rfc/rfc9562#section-5.8 */
const uuidOf = (text: string): string => {
  const hex = createHash("sha256").update(text).digest("hex")
  const variant = ((Number.parseInt(hex[16] ?? "0", 16) & 0x3) | 0x8).toString(16)
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32)
  ].join("-")
}

const modeOf = (settings: Settings.TaskSettings | undefined, mode: string): ClaudeSchema.PermissionMode => {
  if (mode === "plan") return "plan"
  if (settings === undefined) return "default"
  if (isDeepStrictEqual(settings.approvals, Approvals.all)) return "bypassPermissions"
  return settings.approvals.edit === "allow" ? "acceptEdits" : "default"
}

const used = (event: EventOf<"usage">) => ({
  input_tokens: event.inputTokens,
  output_tokens: event.outputTokens,
  cache_read_input_tokens: event.cacheReadTokens,
  cache_creation_input_tokens: event.cacheWriteTokens
})

const nothing: Model = {
  inputTokens: 0,
  outputTokens: 0,
  cacheReadInputTokens: 0,
  cacheCreationInputTokens: 0,
  webSearchRequests: 0,
  costUSD: 0
}

/** A sum that is not known when one of its parts is not. */
const plus = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? null : one + other

const added = (sum: Model, event: EventOf<"usage">): Model => ({
  inputTokens: sum.inputTokens + event.inputTokens,
  outputTokens: sum.outputTokens + event.outputTokens,
  cacheReadInputTokens: sum.cacheReadInputTokens + event.cacheReadTokens,
  cacheCreationInputTokens: sum.cacheCreationInputTokens + event.cacheWriteTokens,
  webSearchRequests: 0,
  costUSD: Amount.usd(plus(sum.costUSD, event.costUsd))
})

const subtypeOf = ({ error = "", isError }: Ending): ClaudeSchema.Result["subtype"] => {
  if (!isError) return "success"
  if (error.includes("(--max-requests)")) return "error_max_turns"
  return error.includes("(--max-cost-usd)") ? "error_max_budget_usd" : "error_during_execution"
}

/** The end of a run with what it took. */
const ended = (
  ending: Ending,
  session: string,
  sums: Pick<ClaudeSchema.Result, "modelUsage" | "num_turns" | "duration_ms" | "duration_api_ms">
): ClaudeSchema.Result => {
  const models = Object.values(sums.modelUsage)
  const sum = (of: (model: Model) => number) => models.reduce((all, model) => all + of(model), 0)
  return {
    type: "result",
    subtype: subtypeOf(ending),
    is_error: ending.isError,
    ...sums,
    ...(ending.result === null ? {} : { result: ending.result }),
    ...(ending.isError ? { errors: [ending.error ?? "it did not succeed"] } : {}),
    stop_reason: ending.isError ? null : "end_turn",
    session_id: session,
    total_cost_usd: Amount.usd(models.reduce<number | null>((all, { costUSD }) => plus(all, costUSD), 0)),
    usage: {
      input_tokens: sum(({ inputTokens }) => inputTokens),
      output_tokens: sum(({ outputTokens }) => outputTokens),
      cache_read_input_tokens: sum((model) => model.cacheReadInputTokens),
      cache_creation_input_tokens: sum((model) => model.cacheCreationInputTokens),
      server_tool_use: { web_search_requests: 0 },
      service_tier: null
    },
    permission_denials: ending.denied.map(({ args, callId, tool }) => ({
      tool_name: tool,
      tool_use_id: callId,
      tool_input: args ?? {}
    })),
    uuid: uuidOf(`${session} result ${sums.num_turns}`)
  }
}

const none = { modelUsage: {}, num_turns: 0, duration_ms: 0, duration_api_ms: 0 }

/** The only line of a run that failed before it had a task. */
export const failed = (error: string): ClaudeSchema.Result =>
  ended({ isError: true, result: null, error, denied: [] }, "", none)

/** The only line of a task that had ended before. */
export const endedBefore = (session: string, ending: Ending): ClaudeSchema.Result => ended(ending, session, none)

export const make = (write: (line: ClaudeSchema.Line) => void): ClaudeStream => {
  /** The calls that subtasks were made with. */
  const parents = new Map<string, string>()
  /** What a model said, until it is known what it took. */
  const said = new Map<string, EventOf<"message">>()
  const asked = new Map<string, number>()
  const models = new Map<string, Model>()
  let session = ""
  let turns = 0
  let first: number | undefined
  let last = 0
  let apiMs = 0

  const placed = ({ taskId }: Event, what: string) => ({
    parent_tool_use_id: parents.get(taskId) ?? null,
    session_id: session,
    uuid: uuidOf(`${taskId} ${what}`)
  })

  const answered = (event: EventOf<"usage">): void => {
    const message = said.get(event.taskId)
    said.delete(event.taskId)
    if (event.taskId === session) turns += 1
    models.set(event.model, added(models.get(event.model) ?? nothing, event))
    if (message === undefined) return
    const { content, index } = message
    const calls = content.some(({ type }) => type === "tool_use")
    write({
      type: "assistant",
      message: {
        id: `${event.taskId}:${index}`,
        type: "message",
        role: "assistant",
        model: event.model,
        content,
        stop_reason: calls ? "tool_use" : "end_turn",
        stop_sequence: null,
        usage: used(event)
      },
      ...placed(event, String(index))
    })
  }

  const told = (event: EventOf<"message">): void => {
    if (event.role === "assistant") return void said.set(event.taskId, event)
    const results = event.content.flatMap((block) =>
      block.type === "tool_result" ? [{ ...block, type: block.type, content: block.content ?? [] }] : []
    )
    if (results.length === 0) return
    write({
      type: "user",
      message: { role: "user", content: results },
      ...placed(event, String(event.index))
    })
  }

  return {
    begin: ({ row, tools }) => {
      const { meta, record } = row
      const settings = Option.getOrUndefined(Effect.runSync(Effect.option(Settings.decode(meta.settings))))
      session = record.id
      write({
        type: "system",
        subtype: "init",
        cwd: meta.workspace,
        session_id: session,
        tools,
        mcp_servers: (settings?.mcpConfig ?? []).flatMap(({ names }) =>
          names.map((name) => ({ name, status: "pending" }))
        ),
        model: meta.model,
        permissionMode: modeOf(settings, meta.mode),
        apiKeySource: "none",
        slash_commands: [],
        output_style: "default",
        uuid: uuidOf(`${session} init`)
      })
    },
    take: (event) => {
      first ??= event.ts
      last = event.ts
      switch (event.type) {
        case "task.created":
          if (event.continuesTaskId === session) session = event.taskId
          return
        case "delegation.started":
          for (const { callId, taskId } of event.children) parents.set(taskId, callId)
          return
        case "answer":
          if (event.state === "waiting") asked.set(event.taskId, event.ts)
          else if (event.state !== "streaming") {
            apiMs += event.ts - (asked.get(event.taskId) ?? event.ts)
            asked.delete(event.taskId)
          }
          return
        case "message":
          return told(event)
        case "usage":
          return answered(event)
        default:
      }
    },
    end: (ending) =>
      write(
        ended(ending, session, {
          modelUsage: Object.fromEntries(models),
          num_turns: turns,
          duration_ms: last - (first ?? last),
          duration_api_ms: apiMs
        })
      )
  }
}
