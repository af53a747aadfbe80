/** Looking at something long of the task that is shown: all that was said and done, or what it has changed. */
import { type Event, TaskHistory } from "@belay/history-store"
import { Row, Words } from "@belay/interaction"
import { Reading, TranscriptText } from "@belay/interaction/unstable/feed"
import { TaskStore, TaskText } from "@belay/interaction/tasks"
import { TaskNode } from "@belay/task-engine/remote"
import * as Restoring from "@belay/task-engine/unstable/restoring"
import type { TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as CallText from "../../progress/CallText.ts"
import * as DiffText from "../../output/DiffText.ts"
import { fromError } from "../../cli/Failure.ts"
import * as UsageText from "../../tasks/UsageText.ts"
import * as TaskTree from "../tasks/TaskTree.ts"
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

/** Rows as lines, and where the lines of each end. */
interface LaidOut {
  readonly columns: number
  readonly of: ReadonlyArray<Row.Row>
  readonly lines: ReadonlyArray<string>
  readonly ends: ReadonlyArray<number>
}

/** As it was written, or printed. */
const textOf = (row: Row.Row): string => {
  if (row.kind === "call") return [CallText.named(row.name, row.subject), row.output.trimEnd()].join("\n").trimEnd()
  if (row.kind === "subtasks") return row.children.map(({ title }) => title).join("\n")
  return row.kind === "question" && row.answer !== undefined ? `${row.text}\n\n${row.answer}` : row.text
}

/** The end of it first; what is before is read when it is gone to. */
export const transcript = ({ entry, perform, ui }: Around): void => {
  const task = entry()
  if (task === undefined) return ui.hint("No task is shown.")
  const id = TaskStore.idOf(task)
  let rows: ReadonlyArray<Row.Row> = []
  let earlier: number | undefined = task.node.row.lastSeq + 1
  let laidOut: LaidOut | undefined
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
  const linesOf = (row: Row.Row, columns: number): ReadonlyArray<string> =>
    RowLines.of({ look: ui.form().look, columns, isWhole: true }, row, "")
  const layOut = (columns: number): LaidOut => {
    if (laidOut?.columns === columns && laidOut.of === rows) return laidOut
    const lines: Array<string> = []
    const ends = rows.map((row) => {
      if (row.kind === "said" || row.kind === "question") lines.push("")
      return lines.push(...linesOf(row, columns))
    })
    laidOut = { columns, of: rows, lines, ends }
    return laidOut
  }
  const title = TaskText.titleOf(task)
  const entryAt = (line: number, columns: number) => {
    const row = rows[layOut(columns).ends.findIndex((end) => line < end)]
    return row === undefined
      ? undefined
      : { title, lines: (inColumns: number) => linesOf(row, inColumns), text: () => textOf(row) }
  }
  const open = () =>
    ui.view({
      title,
      atEnd: true,
      lines: (columns) => layOut(columns).lines,
      earlier: () => perform(page),
      text: () => rows.map(textOf).join("\n\n"),
      entry: entryAt
    })
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
    ui.view({ title: `Changes of "${TaskText.titleOf(task)}"`, lines: () => lines, text: () => patch })
  }).pipe(Effect.mapError(fromError))
  perform(wish)
}

/** Each task of its tree. */
export const tree = (around: Around): void => {
  const { look, columns } = around.ui.form()
  const lines = around.tree()
  if (lines.length === 0) return around.ui.hint("No task with subtasks is shown.")
  around.ui.commit(["", ...TaskTree.rows(lines, look, { columns, most: lines.length, now: Date.now() }), ""])
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
