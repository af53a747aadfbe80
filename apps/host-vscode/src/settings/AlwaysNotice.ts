/** Says what is allowed always in a folder from now on, with a way back; or that it could not be stored. */
import { Grant } from "@belay/approval-policy"
import type { KeptGrant } from "@belay/task-engine"
import * as FolderGrants from "@belay/task-engine/unstable/folder-grants"
import { Copy } from "@belay/interaction"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as PubSub from "effect/PubSub"
import * as path from "node:path"
import * as vscode from "vscode"
import { Bridge, chosen, perform, tell } from "../vscode/Bridge.ts"
import * as Home from "../activation/Home.ts"
import * as UserApprovals from "./UserApprovals.ts"

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const approvals = yield* UserApprovals.UserApprovals
    const { log } = yield* Bridge
    const grants = FolderGrants.make(Home.directory())

    const say = ({ folder, problem, rules }: KeptGrant) =>
      Effect.gen(function* () {
        if (problem !== undefined) {
          yield* perform(() => vscode.window.showWarningMessage(Copy.alwaysNotSaved(problem)))
          return
        }
        const said = rules.map((rule) => Grant.describe(rule, folder)).join(", ")
        const line = Copy.alwaysSaved(said, path.basename(folder))
        yield* chosen(() => vscode.window.showInformationMessage(line, "Undo"))
        yield* Effect.forEach(rules, (rule) => grants.remove(folder, rule), { discard: true })
      }).pipe(Effect.catchCause((cause) => Effect.sync(() => tell(log, cause))))

    const kept = yield* PubSub.subscribe(approvals.kept)
    yield* PubSub.take(kept).pipe(
      Effect.flatMap((one) => Effect.forkChild(say(one))),
      Effect.forever,
      Effect.forkScoped
    )
  })
)
