/** `belay task tree`: a task, the items of its checklist, and its subtasks below the items that name them. */
import type { TaskNode } from "@belay/task-engine/remote"
import * as Effect from "effect/Effect"
import { type Parsed, text } from "../../cli/Arguments.ts"
import type { ExitCode, Failure } from "../../cli/Failure.ts"
import * as ChecklistsBelow from "../../tasks/ChecklistsBelow.ts"
import * as Appearance from "../../output/Appearance.ts"
import * as RecordJson from "../../tasks/RecordJson.ts"
import type { Sink } from "../../output/Sink.ts"
import { actionable, treeText } from "../../tasks/TreeText.ts"
import { reading } from "../../tasks/Reading.ts"
import { load } from "../../tasks/TaskTree.ts"
import * as TaskReference from "../../tasks/TaskReference.ts"

/** A reference to type for each task that a person can go on with. */
const references = (node: TaskNode.TaskNode) =>
  Effect.map(
    Effect.forEach(actionable(node), ({ row: { record } }) =>
      Effect.map(TaskReference.short(record.id), (short) => [record.id, short] as const)
    ),
    (pairs) => new Map(pairs)
  )

export const run = (parsed: Parsed, sink: Sink): Effect.Effect<ExitCode, Failure> =>
  reading(
    Effect.gen(function* () {
      const id = yield* TaskReference.inFolder(parsed.args[0] ?? "", text(parsed, "cwd"))
      const node = yield* load(id)
      const lists = yield* ChecklistsBelow.read(node)
      if (text(parsed, "output") === "json") sink.data(`${JSON.stringify(RecordJson.tree(node, lists))}\n`)
      else sink.out(`${treeText(node, lists, yield* references(node), Appearance.of(parsed)).join("\n")}\n`)
      return 0 as const
    })
  )
