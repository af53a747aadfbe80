/** A host of Effect's layers: its history in `data`, a tool of its own, and tasks that another life of it finishes. */
import { ApprovalPolicy, Approvals } from "@belay/approval-policy"
import { Checkpoints } from "@belay/checkpoints"
import { FocusChain } from "@belay/focus-chain"
import { layerSqlite, Ownership, TaskHistory } from "@belay/history-store"
import { Settings } from "@belay/settings"
import { layerEngine, TaskEngine, TaskEvents, UserPort } from "@belay/task-engine"
import { Reconciler, TaskStateMachine } from "@belay/task-state"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as path from "node:path"
import { model } from "./model.ts"
import { weather } from "./weather.ts"

const directory = "data"

/** What decides, who lives, what is repaired: replace each by a layer of your own. */
const parts = Layer.mergeAll(
  model,
  ApprovalPolicy.ApprovalPolicy.layer,
  // Nobody is asked: what is not allowed is denied. A `UserPort` of yours asks.
  UserPort.layerUnattended,
  TaskEvents.layer,
  Layer.merge(FocusChain.layer, Checkpoints.layer()).pipe(
    Layer.provideMerge(layerSqlite({ directory })),
    Layer.provide(Layer.merge(TaskStateMachine.layer, Reconciler.layer)),
    Layer.provideMerge(Ownership.layerFile({ directory, kind: "effect" }))
  )
)

const program = Effect.gen(function* () {
  const history = yield* TaskHistory
  // What dead processes left is repaired before anything runs.
  yield* history.reconcile(new Set())
  const engine = yield* TaskEngine
  const events = yield* TaskEvents
  yield* events.listen((event) => {
    if (event.type === "tool.finished") console.log(`${event.name}: ${event.isError ? "error" : "ok"}`)
  })
  const id = yield* engine.create({
    prompt: process.argv[2] ?? "Do I need a coat in Bergen?",
    mode: "act",
    workspace: path.resolve("."),
    settings: Settings.defaults({ ...Approvals.ask, tools: { weather: "allow" } }),
    host: "effect"
  })
  const { failure, record } = yield* engine.run(id)
  console.log(failure?.message ?? (record.status === "completed" ? record.result : record.status))
})

const engine = layerEngine({ tools: [weather], concurrency: 4 }).pipe(Layer.provideMerge(parts))
await Effect.runPromise(Effect.scoped(program).pipe(Effect.provide(engine)))
