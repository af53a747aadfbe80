/** A host of your own: layers, a person who answers, and a task that another life of the program finishes. */
import { ApprovalPolicy, Approvals } from "@belay/approval-policy"
import { Checkpoints } from "@belay/checkpoints"
import { FocusChain } from "@belay/focus-chain"
import { layerSqlite, Ownership, TaskHistory } from "@belay/history-store"
import * as Anthropic from "@belay/model-client/anthropic"
import { Settings } from "@belay/settings"
import { layerEngine, TaskEngine, TaskEvents, UserPort } from "@belay/task-engine"
import { Reconciler, TaskStateMachine } from "@belay/task-state"
import { ScriptedServer } from "@belay/testkit"
import * as Workspace from "@belay/tool-executor/workspace"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"

const place = realpathSync(mkdtempSync(path.join(tmpdir(), "belay-host-")))
const [home, workspace] = [path.join(place, "home"), path.join(place, "project")]
for (const folder of [home, workspace]) mkdirSync(folder)

/** The person: says yes to what is shown. A host with a window shows `ask` and waits. */
const person = Layer.succeed(UserPort, {
  attended: true,
  endsWithWords: true,
  approve: (ask) => {
    console.log(`asked for ${ask.title}: ${ask.kind}`)
    return Effect.succeed({ decision: "allow" as const })
  },
  answer: () => Effect.succeed(undefined)
})

const call = (id: string, name: string, input: object) => ({
  content: [{ type: "tool_use" as const, id, name, input }]
})

const server = await ScriptedServer.startServer({
  tasks: [
    {
      match: { prompt: "Write a greeting" },
      answers: [
        call("one", "write_to_file", { path: "greeting.txt", content: "Hello!\n" }),
        call("two", "attempt_completion", { result: "The greeting is written." })
      ]
    }
  ]
})

/** One life of the program. The history is in a folder: what one life leaves, the next one finds. */
const life = <A, E>(program: Effect.Effect<A, E, Scope.Scope | TaskEngine | TaskEvents | TaskHistory>): Promise<A> => {
  const parts = Layer.mergeAll(
    Anthropic.layer({ baseUrl: server.url, apiKey: Redacted.make("any") }),
    ApprovalPolicy.ApprovalPolicy.layer,
    person,
    TaskEvents.layer,
    // What decides, who lives, what is repaired: a host replaces each by a layer of its own.
    // Checklists and checkpoints lie in the folder of the history, which the engine protects from tools.
    Layer.merge(FocusChain.layer, Checkpoints.layer()).pipe(
      Layer.provideMerge(layerSqlite({ directory: home })),
      Layer.provide(Layer.merge(TaskStateMachine.layer, Reconciler.layer)),
      Layer.provideMerge(Ownership.layerFile({ directory: home, kind: "example" }))
    )
  )
  const tools = Workspace.make({ runner: Workspace.CommandRunner.make() })
  const engine = layerEngine({ tools, concurrency: 2 }).pipe(Layer.provideMerge(parts))
  return Effect.runPromise(Effect.scoped(Effect.provide(program, engine)))
}

/** The first life stores a task and ends without running it. */
const id = await life(
  Effect.gen(function* () {
    const engine = yield* TaskEngine
    return yield* engine.create({
      prompt: "Write a greeting",
      mode: "act",
      workspace,
      settings: Settings.defaults(Approvals.ask),
      host: "example"
    })
  })
)

/** The second life finds it interrupted, and finishes it. */
await life(
  Effect.gen(function* () {
    const history = yield* TaskHistory
    yield* history.reconcile(new Set())
    const engine = yield* TaskEngine
    const events = yield* TaskEvents
    yield* events.listen((event) => {
      if (event.type === "task.status") console.log(`${event.from ?? "nothing"} -> ${event.to}`)
    })
    yield* engine.resume(id, {})
    const { record } = yield* engine.run(id)
    console.log(record.status === "completed" ? record.result : record.status)
  })
)
console.log(readFileSync(path.join(workspace, "greeting.txt"), "utf8").trim())
await server.close()
rmSync(place, { recursive: true })

// It prints:
// interrupted -> active
// asked for Write a greeting: approval
// active -> completed
// The greeting is written.
// Hello!
