/** Says what is allowed from now on, with a way back: of the settings, and of the tasks that were told so meanwhile. */
import { Grant } from "@belay/approval-policy"
import { TaskEngine } from "@belay/task-engine"
import { Copy } from "@belay/task-engine/protocol"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as PubSub from "effect/PubSub"
import * as vscode from "vscode"
import { Board } from "./Board.ts"
import { Bridge, chosen, tell } from "./Bridge.ts"
import * as UserApprovals from "./UserApprovals.ts"

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const approvals = yield* UserApprovals.UserApprovals
    const engine = yield* TaskEngine
    const board = yield* Board
    const { log } = yield* Bridge

    const revoke = (setting: Grant.Setting) =>
      Effect.forEach([...board.now().entries.values()], ({ node: { row } }) => {
        const { settings, workspace } = row.meta
        const same = (rule: Grant.Rule) => JSON.stringify(Grant.settingOf(rule, workspace)) === JSON.stringify(setting)
        return Effect.forEach(Grant.read(settings).filter(same), (rule) => engine.revoke(row.record.id, rule)).pipe(
          // One that is completed, or of another window, keeps nothing or has its own word on it.
          Effect.catchTag("RequestRefused", () => Effect.void)
        )
      })

    const undo = (setting: Grant.Setting) =>
      Effect.gen(function* () {
        const line = Copy.alwaysSaved(UserApprovals.words(setting))
        yield* chosen(() => vscode.window.showInformationMessage(line, "Undo"))
        yield* approvals.forget(setting)
        yield* revoke(setting)
        yield* board.refresh
      }).pipe(Effect.catchCause((cause) => Effect.sync(() => tell(log, cause))))

    const kept = yield* PubSub.subscribe(approvals.kept)
    yield* PubSub.take(kept).pipe(
      Effect.flatMap((setting) => Effect.forkChild(undo(setting))),
      Effect.forever,
      Effect.forkScoped
    )
  })
)
