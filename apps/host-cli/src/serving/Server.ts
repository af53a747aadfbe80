/** The tools of `belay mcp serve`: the same list, in the same order, for every client and both eras of the protocol. */
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type CallToolResult,
  type InputRequiredResult,
  isInputRequiredResult,
  McpServer,
  type ServerContext
} from "@modelcontextprotocol/server"
import { Words } from "@belay/interaction"
import * as Effect from "effect/Effect"
import { z } from "zod"
import * as Asking from "./Asking.ts"
import type { Unattended } from "./Deciding.ts"
import * as Page from "./Page.ts"
import * as Row from "./Row.ts"
import * as Scope from "./Scope.ts"
import type { Services } from "./Services.ts"
import * as Waiting from "./Waiting.ts"

export interface Options {
  readonly version: string
  readonly roots: Scope.Scope["roots"]
  readonly profile: Asking.Profile
  readonly unattended: Unattended
  /** Which of the tools there are; all where none is named. */
  readonly tools: ReadonlyArray<string>
  readonly access: (mode: "plan" | "act") => Effect.Effect<unknown, unknown>
  readonly perform: <A>(wish: Effect.Effect<A, unknown, Services>, signal: AbortSignal) => Promise<A>
  /** One line for a person or a model. */
  readonly told: (error: unknown) => string
}

export const names = [
  "start_task",
  "wait_for_tasks",
  "list_tasks",
  "task_result",
  "send_message",
  "stop_task",
  "answer_task",
  "set_checklist"
] as const

type Name = (typeof names)[number]

const instructions = `Durable tasks of a coding agent in this workspace. A task runs by itself, outlives this conversation and always has a result.
Start tasks with start_task, then call wait_for_tasks: it waits for you, so do not poll list_tasks. A wait that timed out lost nothing: wait again.
Questions and plans of a task ("forWhom": "you") are yours to answer with answer_task; what needs approval is put to a person, never to you.`

const Id = z.string().describe("id of a task")

const inputs = {
  start_task: z.object({
    prompt: z.string().describe("all that the task has to know; it sees nothing of this conversation"),
    key: z.string().max(200).optional().describe("names this request: the same key is the same task"),
    cwd: z.string().optional().describe("folder that it works in; the workspace without it"),
    mode: z.enum(["plan", "act"]).optional().describe("plan: it only reads and comes back with a plan (act)"),
    title: z.string().max(80).optional(),
    checklist: z.string().optional().describe('Markdown: "- [ ] open", "- [-] doing", "- [x] done"'),
    budget: z
      .object({ maxRequests: z.number().int().positive().optional(), maxCostUsd: z.number().positive().optional() })
      .optional()
  }),
  wait_for_tasks: z.object({
    ids: z
      .array(z.string())
      .max(50)
      .optional()
      .describe("without them: all that are open, and what ended since the cursor"),
    cursor: z.string().optional().describe("of the last answer"),
    until: z.enum(["any", "all"]).default("all"),
    timeoutSeconds: z.number().min(0).max(240).default(45)
  }),
  list_tasks: z.object({
    status: z.enum(["created", "active", "delegated", "interrupted", "completed"]).optional(),
    limit: z.number().int().min(1).max(100).default(20)
  }),
  task_result: z.object({
    id: Id,
    offset: z.number().int().min(0).default(0),
    limit: z.number().int().min(1).max(40_000).default(40_000)
  }),
  send_message: z.object({
    id: Id,
    text: z.string().describe("it is read at the next turn; a stopped task goes on, one that has ended as a new one")
  }),
  stop_task: z.object({
    id: Id,
    discard: z.boolean().default(false).describe("close it for good; else send_message resumes it")
  }),
  answer_task: z.object({ id: Id, askId: z.string(), text: z.string() }),
  set_checklist: z.object({
    id: Id.optional().describe("id of a task; the only open one without it"),
    items: z.string().describe('Markdown: "- [ ] open", "- [-] doing", "- [x] done"')
  })
}

/** Without the name of the dialect, which the two eras put in different places. */
const plain = (schema: z.ZodType) => {
  const standard = schema["~standard"]
  const input = (options: Parameters<typeof standard.jsonSchema.input>[0]) => {
    const { $schema: _, ...rest } = standard.jsonSchema.input(options)
    return rest
  }
  return { "~standard": { ...standard, jsonSchema: { ...standard.jsonSchema, input } } }
}

const descriptions: Readonly<Record<Name, string>> = {
  start_task: "Start a task that works by itself in the workspace. Returns at once; wait with wait_for_tasks.",
  wait_for_tasks:
    "Wait until tasks have ended, stopped, or ask you something. A time-out is no failure: call it again.",
  list_tasks: "The tasks that you have started, the newest first.",
  task_result: "The whole result of a task, in pages.",
  send_message:
    "Say something to a task: it reads it at its next turn. A stopped one goes on with it; one that has ended goes on as a new task, whose id is returned.",
  stop_task: "Stop a task and everything below it.",
  answer_task: "Answer a question or a plan of a task. Approvals are not yours to give.",
  set_checklist: "Replace the checklist of a task."
}

const reading = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false }
const changing = { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false }
const annotations: Readonly<Record<Name, typeof reading>> = {
  start_task: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  wait_for_tasks: reading,
  list_tasks: reading,
  task_result: reading,
  send_message: { ...changing, idempotentHint: false },
  stop_task: { ...changing, destructiveHint: true },
  answer_task: changing,
  set_checklist: changing
}

const record = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {}

/** One server for one connection. */
export const make = (options: Options): McpServer => {
  const server = new McpServer({ name: "belay", title: "Belay", version: options.version }, { instructions })
  const left = new Set<string>()

  const envelope = (ctx: ServerContext) => record(ctx.mcpReq.envelope)
  const scopeOf = (ctx: ServerContext): Scope.Scope => {
    const said = record(envelope(ctx)[CLIENT_INFO_META_KEY] ?? server.server.getClientVersion())["name"]
    return { roots: options.roots, client: typeof said === "string" ? Words.printable(said).slice(0, 100) : "unknown" }
  }
  const canAsk = (ctx: ServerContext): boolean => {
    const { elicitation } = record(envelope(ctx)[CLIENT_CAPABILITIES_META_KEY] ?? server.server.getClientCapabilities())
    if (elicitation === undefined) return false
    const ways = Object.keys(record(elicitation))
    return ways.length === 0 || ways.includes("form")
  }
  const progress = (ctx: ServerContext) => (done: number, total: number, message: string) => {
    const { _meta: meta } = ctx.mcpReq
    const { progressToken } = record(meta)
    if (typeof progressToken !== "string" && typeof progressToken !== "number") return Effect.void
    const params = { progressToken, progress: done, total, message }
    return Effect.ignore(Effect.tryPromise(() => ctx.mcpReq.notify({ method: "notifications/progress", params })))
  }

  const result = (value: object): CallToolResult => ({
    content: [{ type: "text", text: JSON.stringify(value) }],
    structuredContent: value
  })
  const answered = async (
    ctx: ServerContext,
    wish: Effect.Effect<object, unknown, Services>
  ): Promise<CallToolResult | InputRequiredResult> => {
    try {
      const value = await options.perform(wish, ctx.mcpReq.signal)
      return isInputRequiredResult(value) ? value : result(value)
    } catch (error) {
      return { content: [{ type: "text", text: options.told(error) }], isError: true }
    }
  }

  const offer = <N extends Name>(
    name: N,
    wish: (
      args: z.infer<(typeof inputs)[N]>,
      scope: Scope.Scope,
      ctx: ServerContext
    ) => Effect.Effect<object, unknown, Services>
  ): void => {
    if (options.tools.length > 0 && !options.tools.includes(name)) return
    const config = {
      description: descriptions[name],
      inputSchema: plain(inputs[name]),
      annotations: annotations[name]
    }
    server.registerTool(name, config, (args: unknown, ctx: ServerContext) =>
      answered(ctx, wish(args as z.infer<(typeof inputs)[N]>, scopeOf(ctx), ctx))
    )
  }

  offer("start_task", (args, scope, ctx) => {
    const { _meta: meta } = ctx.mcpReq
    const key = args.key ?? Scope.callKey(meta)
    return Asking.start(scope, options.profile, { ...args, key }, options.access)
  })
  offer("wait_for_tasks", (args, scope, ctx) =>
    Waiting.wait(scope, args, {
      responses: ctx.mcpReq.inputResponses,
      canAsk: canAsk(ctx),
      left,
      unattended: options.unattended,
      progress: progress(ctx)
    })
  )
  offer("list_tasks", ({ limit, status }, scope) =>
    Effect.map(Row.list(scope, limit, status === undefined ? {} : { status }), (nodes) => ({
      tasks: nodes.map(Row.of)
    }))
  )
  offer("task_result", ({ id, limit, offset }, scope) =>
    Effect.map(Row.find(scope, id), (node) => {
      const { asks, costUsd, outcome, status, subtasks } = Row.of(node)
      const page = Page.of(Row.resultOf(node.row) ?? "", offset, limit)
      return { taskId: id, status, outcome, costUsd, subtasks, asks, ...page }
    })
  )
  offer("send_message", ({ id, text }, scope) => Asking.send(scope, options.profile, id, text, options.access))
  offer("stop_task", ({ discard, id }, scope) => Asking.stop(scope, id, discard))
  offer("answer_task", ({ askId, id, text }, scope) => Asking.answer(scope, id, askId, text))
  offer("set_checklist", ({ id, items }, scope) => Asking.setChecklist(scope, id, items))
  return server
}
