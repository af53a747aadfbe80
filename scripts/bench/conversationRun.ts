/** One task of 1,000 turns with a result of 5 kB each, and a model of its own; prints what the turns took. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { ApprovalPolicy, Approvals } from "../../packages/approval-policy/src/index.ts"
import { Checkpoints } from "../../packages/checkpoints/src/index.ts"
import { FocusChain } from "../../packages/focus-chain/src/index.ts"
import { layerSqlite, Ownership, TaskHistory } from "../../packages/history-store/src/index.ts"
import type { Message } from "../../packages/message-state/src/index.ts"
import { ModelClient } from "../../packages/model-client/src/index.ts"
import { Settings } from "../../packages/settings/src/index.ts"
import { layerEngine, UserPort, TaskEngine, TaskEvents } from "../../packages/task-engine/src/index.ts"
import { Reconciler, TaskStateMachine } from "../../packages/task-state/src/index.ts"
import { Tool } from "../../packages/tool-executor/src/index.ts"
import type { Times } from "./conversation.ts"

const TURNS = 1000
const SPAN = 100

const directory = process.argv[2] ?? ""

const line = "a line of a source file that a tool has read for the model\n"
const look: Tool.Tool<{ readonly n: number }> = {
  name: "look",
  description: "Look",
  category: "read",
  flow: "run",
  readOnly: true,
  parameters: Schema.Struct({ n: Schema.Int }),
  facts: () => Effect.succeed(Tool.noFacts),
  execute: ({ n }) => Effect.succeed(Tool.output(`${n} ${line.repeat(86)}`))
}

const marks: Array<number> = []
const heap = (): number => {
  globalThis.gc?.()
  return process.memoryUsage().heapUsed / 1e6
}
let earlyHeap = 0

const use = (name: string, input: unknown): Message.ToolUseBlock => ({
  type: "tool_use",
  id: `call-${marks.length}`,
  name,
  input
})

const answer = (messages: ReadonlyArray<Message.Message>): Message.ContentBlock => {
  if (JSON.stringify(messages.at(-1)).includes("replaced by what you write now")) {
    return { type: "text", text: "It is summed up." }
  }
  marks.push(performance.now())
  if (marks.length === TURNS / 5) earlyHeap = heap()
  return marks.length > TURNS ? use("attempt_completion", { result: "done" }) : use("look", { n: marks.length })
}

const model = Layer.succeed(ModelClient.ModelClient, {
  ready: () => Effect.void,
  service: () => "bench",
  stream: ({ messages, model: name }) => {
    const characters = messages.reduce((sum, message) => sum + JSON.stringify(message.content).length, 0)
    return Stream.suspend(() =>
      Stream.succeed({
        _tag: "Finished" as const,
        message: { role: "assistant" as const, content: [answer(messages)] },
        spoiled: [],
        stopReason: "tool_use",
        usage: {
          inputTokens: Math.ceil(characters / 4),
          outputTokens: 20,
          cacheReadTokens: 0,
          cacheWriteTokens: 0
        },
        model: name
      })
    )
  },
  countTokens: () => Effect.succeed(Option.none())
})

const program = Effect.gen(function* () {
  const engine = yield* TaskEngine
  const history = yield* TaskHistory
  const id = yield* engine.create({
    prompt: "Look a thousand times",
    mode: "act",
    workspace: directory,
    settings: { ...Settings.defaults(Approvals.all, "bench"), checkpoints: false },
    host: "bench"
  })
  yield* engine.run(id)
  const lateHeap = heap()
  const log = yield* history.messages(id)
  const events = yield* history.events(id, 1, 1_000_000)
  const turns = marks.slice(1).map((mark, at) => mark - (marks[at] ?? 0))
  return {
    messages: log.length,
    megabytes: JSON.stringify(log).length / 1e6,
    early: turns.slice(20, 20 + SPAN),
    late: turns.slice(-SPAN),
    earlyHeap,
    lateHeap,
    condensed: events.filter(({ type }) => type === "context.condensed").length
  } satisfies Times
})

const parts = Layer.mergeAll(
  model,
  ApprovalPolicy.ApprovalPolicy.layer,
  FocusChain.layerNode({ directory }),
  Checkpoints.layerNode({ directory }),
  UserPort.layerUnattended,
  TaskEvents.layer,
  layerSqlite({ directory }).pipe(
    Layer.provide(Layer.merge(TaskStateMachine.layer, Reconciler.layer)),
    Layer.provideMerge(Ownership.layerFile({ directory, kind: "bench" }))
  )
)
const engine = layerEngine({ tools: [look], concurrency: 1 }).pipe(Layer.provideMerge(parts))
const times = await Effect.runPromise(Effect.scoped(program).pipe(Effect.provide(engine)))
process.stdout.write(JSON.stringify(times))
