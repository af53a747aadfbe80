/** What a person does with a moment of a conversation: compare, restore, branch. */
import type { View } from "@belay/task-engine/protocol"
import * as Effect from "effect/Effect"
import type * as Board from "../tasks/Board.ts"
import { branch } from "../checkpoints/TaskBranch.ts"
import * as Comparing from "../checkpoints/Comparing.ts"
import * as Rewinding from "../checkpoints/Rewinding.ts"
import * as TurnPicker from "../checkpoints/TurnPicker.ts"

type Moment = Omit<Extract<View.FromView, { readonly type: "moment" }>, "type" | "task">

/** `show`: shows another task. */
export const carryOut = (entry: Board.Entry, { message, ts, what }: Moment, show: (id: string) => void) =>
  Effect.gen(function* () {
    switch (what) {
      case "compareNow":
      case "compareTurn": {
        const row = yield* TurnPicker.rowOf(entry)
        const { after, before } = yield* Comparing.ofTurn(row, message)
        const [from, to] = what === "compareNow" ? ([after, "now"] as const) : [before, after]
        return yield* Comparing.show({ entry, row }, from, to)
      }
      case "restoreFiles":
        return yield* Rewinding.restore({ entry, to: message, what: "files", at: ts })
      case "restore":
        return yield* Rewinding.restore({ entry, to: message, what: "both", at: ts })
      case "branch":
        return show(yield* branch(entry, message))
    }
  })
