/** What a person does with a moment of a conversation: compare, restore, branch. */
import type { TaskStore } from "@belay/interaction/tasks"
import type { View } from "@belay/interaction"
import * as Effect from "effect/Effect"
import { branch } from "../checkpoints/TaskBranch.ts"
import * as CheckpointDiff from "../checkpoints/CheckpointDiff.ts"
import * as RestoreCheckpoint from "../checkpoints/RestoreCheckpoint.ts"
import * as TurnPicker from "../checkpoints/TurnPicker.ts"

type CheckpointAction = Omit<Extract<View.FromView, { readonly type: "moment" }>, "type" | "task">

/** `show`: shows another task. */
export const carryOut = (entry: TaskStore.Entry, { message, ts, what }: CheckpointAction, show: (id: string) => void) =>
  Effect.gen(function* () {
    switch (what) {
      case "compareNow":
      case "compareTurn":
      case "compareSince": {
        const row = yield* TurnPicker.rowOf(entry)
        const { after, before } = yield* CheckpointDiff.ofTurn(row, message)
        const from = what === "compareNow" ? after : before
        const to = what === "compareTurn" ? after : "now"
        return yield* CheckpointDiff.show({ entry, row }, from, to)
      }
      case "restoreFiles":
        return yield* RestoreCheckpoint.restore({ entry, to: message, what: "files", at: ts })
      case "restore":
        return yield* RestoreCheckpoint.restore({ entry, to: message, what: "both", at: ts })
      case "branch":
        return show(yield* branch(entry, message))
    }
  })
