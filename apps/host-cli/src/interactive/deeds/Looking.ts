/** Looking at something long of the task that is shown: all that was said and done, or what it has changed. */
import { type Event, TaskHistory } from "@belay/history-store"
import { Row, Words } from "@belay/interaction"
import { Reading, TranscriptText } from "@belay/interaction/feed"
import { TaskStore, TaskText } from "@belay/interaction/tasks"
import { TaskNode } from "@belay/task-engine/remote"
import * as Restoring from "@belay/task-engine/restoring"
import type { TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as DiffText from "../../output/DiffText.ts"
import { fromError } from "../../cli/Failure.ts"
import * as UsageText from "../../tasks/UsageText.ts"
import * as RowLines from "../transcript/RowLines.ts"
import type { Around } from "./Around.ts"

/** With outputs whole, which a row has the ends of. */
const whole = (history: TaskHistory["Service"], id: TaskId.TaskId, row: Row.Row) =>
  Effect.gen(function* () {
    if (row.kind !== "call" || row.left === undefined || row.seq === undefined) return row
    const [event]: ReadonlyArray<Event.StoredEvent | undefined> = yield* history.events(id, row.seq, 1)
    const { left: _left, ...rest } = row
    return { ...rest, output: TranscriptText.outputOf(event) }
  })

/** The end of it first; what is before is read when it is gone to. */
export const transcript = ({ entry, perform, ui }: Around): void => {
  const task = entry()
  if (task === undefined) return ui.hint("No task is shown.")
  const id = TaskStore.idOf(task)
  let rows: ReadonlyArray<Row.Row> = []
  let earlier: number | undefined = task.node.row.lastSeq + 1
  let laidOut: { readonly columns: number; readonly of: typeof rows; readonly lines: ReadonlyArray<string> } | undefined
  const page = Effect.gen(function* () {
    const before = earlier
    if (before === undefined) return
    earlier = undefined
    const history = yield* TaskHistory
    const part = yield* Reading.before(history, id, before)
    const found = yield* Effect.forEach(part.rows.filter(Row.isFinal), (row) => whole(history, id, row))
    rows = [...found, ...rows]
    earlier = part.earlier
    ui.changed()
  })
  const linesIn = (columns: number): ReadonlyArray<string> => {
    if (laidOut?.columns === columns && laidOut.of === rows) return laidOut.lines
    const form = { look: ui.form().look, columns, isWhole: true }
    const lines = rows.flatMap((row) => {
      const isApart = row.kind === "said" || row.kind === "question"
      return [...(isApart ? [""] : []), ...RowLines.of(form, row, "")]
    })
    laidOut = { columns, of: rows, lines }
    return lines
  }
  const open = () =>
    ui.view({ title: TaskText.titleOf(task), atEnd: true, lines: linesIn, earlier: () => perform(page) })
  perform(Effect.andThen(page, Effect.sync(open)))
}

/** As `git diff` has it, since the task has begun. */
export const changes = ({ entry, perform, ui }: Around): void => {
  const task = entry()
  if (task === undefined) return ui.hint("No task is shown.")
  const wish = Effect.gen(function* () {
    const { patch } = yield* Restoring.compare(task.node.row, 0)
    if (patch.trim() === "") return ui.hint("It has changed no file.")
    const { look } = ui.form()
    const lines = DiffText.lines(patch).map((line) => DiffText.coloured(look, line))
    ui.view({ title: `Changes of "${TaskText.titleOf(task)}"`, lines: () => lines })
  }).pipe(Effect.mapError(fromError))
  perform(wish)
}

/** What it has used, alone and with all below it. */
export const cost = ({ entry, perform, ui }: Around): void => {
  const task = entry()
  if (task === undefined) return ui.hint("No task is shown.")
  const wish = Effect.gen(function* () {
    const found = yield* (yield* TaskHistory).row(TaskStore.idOf(task))
    const node = yield* TaskNode.whole(Option.getOrElse(found, () => task.node.row))
    ui.tell(["", Words.printable(node.row.meta.model), ...UsageText.lines(node), ""])
  })
  perform(wish)
}
