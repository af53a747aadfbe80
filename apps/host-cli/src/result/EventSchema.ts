/**
 * The contract of `--output json` and `--output stream-json` as schemas: what `docs/events` is generated from.
 *
 * Fields and types may be added within a version, so readers ignore what they do not know; what is here stays as it is. It
 * compiles only while it covers every event that the engine has, and the silence that the command tells of.
 */
import * as Found from "@belay/history-interop/found"
import type { LiveEvent } from "@belay/task-engine"
import * as Schema from "effect/Schema"
import type { Silent } from "../progress/Silence.ts"
import * as ClaudeSchema from "./ClaudeSchema.ts"
import type * as ResultObject from "./ResultObject.ts"

/** Goes up when something that is here is taken away or means something else. */
const version = 1

// One by one: a whole namespace in hand would keep all of it in the bundle.
const List = Schema.Array
const Flag = Schema.Boolean
const Finite = Schema.Finite
const Literal = Schema.Literal
const Literals = Schema.Literals
const Natural = Schema.Natural
const NullOr = Schema.NullOr
const Text = Schema.String
const Struct = Schema.Struct
const Unknown = Schema.Unknown
const maybe = Schema.optionalKey

const Id = Text.annotate({ description: "The id of a task." })
const Time = Text.annotate({ description: "ISO 8601, UTC." })
const Mode = Literals(["plan", "act"])
const Outcome = Literals(["succeeded", "failed", "cancelled", "planned"])

const TextBlock = Struct({ type: Literal("text"), text: Text })
const ImageBlock = Struct({
  type: Literal("image"),
  source: Struct({ type: Literal("base64"), media_type: Text, data: Text })
})
const Blocks = List(Schema.Union([TextBlock, ImageBlock]))
const Content = List(
  Schema.Union([
    TextBlock,
    ImageBlock,
    Struct({ type: Literal("thinking"), thinking: Text, signature: Text }),
    Struct({ type: Literal("redacted_thinking"), data: Text }),
    Struct({ type: Literal("tool_use"), id: Text, name: Text, input: Unknown }),
    Struct({ type: Literal("tool_result"), tool_use_id: Text, content: Blocks, is_error: maybe(Flag) })
  ])
).annotate({ description: "Blocks of the Messages API, as they were received." })

const Item = Struct({ id: Text, text: Text, state: Literals(["open", "doing", "done"]) })

const Edit = Struct({
  path: Text,
  resolved: Text,
  exists: Flag,
  deletes: maybe(Literal(true)),
  added: Natural,
  removed: Natural,
  hidden: maybe(Text)
})

const Grant = Struct({
  scope: Literals(["once", "task", "always"]),
  allowed: Flag,
  rules: List(Text),
  folder: maybe(Text),
  reason: maybe(Text)
})

const Process = Struct({ kind: Text, host: Text, pid: Finite, startedAt: Finite })

const Status = Literals(["created", "active", "delegated", "interrupted", "completed"])

const usage = {
  inputTokens: Natural,
  outputTokens: Natural,
  cacheReadTokens: Natural,
  cacheWriteTokens: Natural,
  costUsd: NullOr(Finite).annotate({ description: "US dollars; null where a price is not known." })
}

const Planning = Literals(["investigation", "discussion", "document", "handOver"])

/** What happened, in order: `seq` begins at 1 and has no gaps in a task. */
const durable = {
  "task.created": {
    parentId: maybe(Id),
    rootId: Id,
    continuesTaskId: maybe(Id),
    forkedFrom: maybe(Id),
    prompt: Text,
    mode: Mode
  },
  "task.status": {
    from: NullOr(Status),
    to: Status,
    command: Text,
    attempt: Natural,
    owner: Text,
    rev: Natural,
    reason: maybe(Text)
  },
  "task.completed": { outcome: Text, result: Text },
  "task.undeleted": { by: Text, rev: Natural },
  "task.deleted": { by: Text },
  "task.renamed": { title: Text },
  "delegation.started": { children: List(Struct({ taskId: Id, callId: Text, background: Flag })) },
  "delegation.collected": { childId: Id, callId: Text, outcome: Text },
  message: {
    index: Natural,
    role: Literals(["user", "assistant"]),
    content: Content,
    from: maybe(List(Text)).annotate({
      description: "Who wrote each block, such as `user`, `tool` or `engine.checklist`; absent of answers."
    })
  },
  "tool.requested": {
    callId: Text,
    name: Text,
    args: Unknown,
    subject: maybe(Text).annotate({ description: "What the call is about, such as a path or a command." })
  },
  "tool.started": {
    callId: Text,
    name: Text,
    argsHash: Text,
    rule: maybe(Text),
    askId: maybe(Text),
    sandbox: maybe(Literals(["confined", "unavailable", "off", "approved"]))
  },
  "tool.finished": {
    callId: Text,
    name: Text,
    isError: Flag,
    result: Blocks,
    state: Literals(["requested", "approved", "started", "finished", "unknown"]),
    outcome: maybe(Literals(["denied", "timedOut", "stopped"])),
    rule: maybe(Text),
    ms: maybe(Finite)
  },
  ask: {
    askId: Text,
    kind: Literals(["approval", "question", "plan", "completion", "budget", "mistakes", "context"]),
    callId: maybe(Text),
    question: maybe(Text),
    options: maybe(List(Text)),
    rule: maybe(Text),
    reason: maybe(Text),
    resolved: maybe(Unknown),
    edits: maybe(List(Edit)),
    grants: List(Grant)
  },
  "ask.settled": {
    askId: Text,
    decision: maybe(Literals(["allow", "deny"])),
    text: maybe(Text),
    edited: maybe(List(Text)),
    grant: maybe(Literals(["task", "always"])),
    by: Text,
    process: maybe(Process)
  },
  "focus-chain.updated": { total: Natural, done: Natural, items: List(Item), by: Literals(["model", "user"]) },
  "mode.changed": { from: Mode, to: Mode, by: Literals(["user", "model"]), answeredAsk: maybe(Text) },
  "planning.changed": { from: NullOr(Planning), to: Planning },
  usage: { model: Text, contextTokens: Natural, partial: maybe(Literal(true)), ...usage },
  "context.condensed": {
    step: Literals(["reads", "outputs", "summary", "cut"]),
    before: Finite,
    after: Finite,
    removed: Finite
  },
  "conversation.cut": { edit: Finite, from: Natural, to: Natural, fromSeq: Natural },
  "conversation.uncut": { edit: Finite },
  checkpoint: {
    id: Text,
    files: Natural,
    messageIndex: Finite,
    moment: maybe(Literals(["restore", "undo"])),
    leftOut: maybe(List(Struct({ path: Text, reason: Text })))
  },
  "time.skipped": { ms: Finite },
  repaired: { rule: Text, detail: Text },
  error: { tag: Text, message: Text, retryInMs: maybe(Finite) }
}

/** What is shown while it happens and never stored: `n` counts after the durable event with the `seq` in `after`. */
const live = {
  "text.delta": { text: Text },
  answer: { state: Literals(["waiting", "streaming", "complete", "aborted"]) },
  "tool.output": { callId: Text, chunk: Text },
  progress: { text: Text },
  silence: {
    callId: maybe(Text).annotate({ description: "The call that is waited for; absent where it is the model." }),
    ms: Finite.annotate({ description: "How long nothing has come." })
  }
}

const lines = (bodies: Readonly<Record<string, Schema.Struct.Fields>>, place: Schema.Struct.Fields) =>
  Object.entries(bodies).map(([type, body]) => Struct({ taskId: Id, type: Literal(type), ts: Time, ...place, ...body }))

/** A line of `stream-json` that is no result. */
const Event = Schema.Union([
  ...lines(durable, { seq: Natural }),
  ...lines(live, { after: Natural, n: Natural })
]).annotate({ identifier: "Event" })

const Denial = Struct({
  taskId: Text,
  tool: Text,
  what: Text,
  rule: Text,
  reason: Text,
  allow: NullOr(Unknown).annotate({ description: "A part of the approvals with which it would have run." })
})

interface ResultShape {
  readonly taskId: string | null
  readonly children: ReadonlyArray<ResultShape>
}

const result = {
  taskId: NullOr(Id),
  status: NullOr(Status),
  outcome: NullOr(Outcome),
  result: NullOr(Text),
  interruption: maybe(Struct({ reason: Text })),
  usage: Struct({ ...usage, requests: Natural }),
  durationMs: Finite,
  error: maybe(Struct({ tag: Text, message: Text, hint: Text })),
  denials: maybe(List(Denial)),
  children: List(Schema.suspend((): Schema.Codec<ResultShape> => Result))
}

/** The object of `--output json`; with `"type": "result"` the last line of `stream-json`. */
const Result = Struct({ ...result, type: maybe(Literal("result")) }).annotate({ identifier: "Result" })

/** A schema as the JSON Schema that is published of it. */
const published = (of: Schema.Constraint, title: string, what: string) => {
  const { definitions, schema } = Schema.toJsonSchemaDocument(of)
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title,
    description: `${what} Version ${version}: fields and types may be added, so ignore what you do not know.`,
    ...schema,
    $defs: definitions
  }
}

/** What `docs/events` holds, by name. */
export const documents = {
  claude: () => published(ClaudeSchema.Line, "Line", "A line of belay --output claude-stream-json."),
  rescue: () => published(Found.Found, "Found", "The object of belay rescue --output json."),
  event: () => published(Event, "Event", "A line of belay --output stream-json that is not the result."),
  result: () =>
    published(
      Result,
      "Result",
      'The object of belay --output json; with "type": "result" the last line of stream-json.'
    )
}

// What is told is covered: another event, or a field with another value, does not compile here.
type Bodies = typeof durable & typeof live
type Uncovered<E> = E extends { readonly type: infer Type extends keyof Bodies }
  ? E extends Schema.Struct<Bodies[Type]>["Type"]
    ? never
    : Type
  : E
type Told = LiveEvent.TaskEvent | Silent
const isCovered: [Uncovered<Told>] extends [never] ? true : Uncovered<Told> = true
const isWhole: ResultObject.ResultObject extends Schema.Struct<Omit<typeof result, "status" | "outcome">>["Type"]
  ? true
  : never = true
void isCovered
void isWhole
