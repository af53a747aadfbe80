/**
 * The reports of subtasks on their way to the task that asked for them: how each ended, how many requests it made, and
 * which files it changed, as far as the history and the checkpoints know.
 */
import { type Step, TaskHistory } from "@belay/history-store"
import type { Protocol, TaskId } from "@belay/task-state"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as InPlay from "../context/InPlay.ts"
import * as ReportText from "../prompt/ReportText.ts"

type Collect = Extract<Protocol.Request, { readonly _tag: "Collect" | "CollectUnowned" }>

export class ReportCollection extends Context.Service<
  ReportCollection,
  {
    /** What a subtask did, as a part of a line; nothing when it is not known to have changed a file. */
    readonly did: (child: TaskId.TaskId) => Effect.Effect<string | undefined>
    /** The step that moves reports to their parent, with what each child did. */
    readonly collect: (request: Collect) => Effect.Effect<Step.Step>
  }
>()("@belay/task-engine/ReportCollection") {
  static readonly layer = Layer.effect(
    ReportCollection,
    Effect.gen(function* () {
      const history = yield* TaskHistory
      const inPlay = yield* InPlay.InPlay

      const did: ReportCollection["Service"]["did"] = Effect.fn("ReportCollection.did")(
        function* (child) {
          const row = yield* history.row(child)
          if (Option.isNone(row)) return undefined
          const { messages } = yield* history.shown(child)
          const files = (yield* inPlay.of(child, messages)).filter(([, use]) => use !== "read")
          return files.length === 0 ? undefined : ReportText.did(row.value.usage.requests, files)
          // A report without it is still one.
        },
        Effect.orElseSucceed(() => undefined)
      )

      return ReportCollection.of({
        did,
        collect: (request) =>
          Effect.map(
            Effect.forEach(request.children, (child) => Effect.map(did(child), (what) => [child, what] as const)),
            (found): Step.Step => {
              const known = found.flatMap(([child, what]) => (what === undefined ? [] : [[child, what] as const]))
              return { _tag: "Lifecycle", request, ...(known.length === 0 ? {} : { did: Object.fromEntries(known) }) }
            }
          )
      })
    })
  )
}
