/**
 * What one view is told of the task that it shows: a snapshot, then the rows and the head as they change, each once.
 *
 * All of it comes from the history and the events of this window, so a feed can begin afresh at any moment.
 */
import { AnsweredElsewhere, type LiveRelay, type Outbox, Reading, RelayedWords } from "@belay/interaction/unstable/feed"
import { LiveActivity, TaskStore } from "@belay/interaction/tasks"
import { TaskHistory } from "@belay/history-store"
import { LiveEvent, TaskEvents } from "@belay/task-engine"
import { TaskNode } from "@belay/task-engine/remote"
import { Copy, type View, Words } from "@belay/interaction"
import type { TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Home from "../activation/Home.ts"
import { Drafts } from "./Drafts.ts"
import * as PacedOutbox from "./PacedOutbox.ts"
import type { WebviewSurface } from "./page/WebviewSurface.ts"
import { ShownRows } from "./ShownRows.ts"
import { ToldHead } from "./ToldHead.ts"
import * as ViewModel from "./ViewModel.ts"

/** What was shown before may be hidden now, or be there again. */
const isCut = ({ type }: LiveEvent.TaskEvent): boolean => type === "conversation.cut" || type === "conversation.uncut"

/** What is stored nowhere, as a view is told of it; nothing of what a call prints that has no row. */
const changeOf = (event: LiveEvent.LiveEvent, rows: ShownRows) => {
  switch (event.type) {
    case "text.delta":
      return { live: { text: event.text, whole: false } }
    case "tool.output": {
      const id = rows.rowOf(event.callId)
      return id === undefined ? undefined : { output: [{ id, text: Words.printableLines(event.chunk) }] }
    }
    case "answer":
      return { answer: LiveActivity.answering(event.state) }
    default:
      return { progress: Words.printable(event.text), until: event.until ?? null, live: { text: "", whole: true } }
  }
}

const nowhere = { lastSeq: 0, part: undefined }

/** The end of a conversation; nothing of a task that is not there. */
const lastPage = (id: TaskId.TaskId) =>
  Effect.gen(function* () {
    const history = yield* TaskHistory
    const row = Option.getOrUndefined(yield* history.row(id))
    if (row === undefined) return nowhere
    const { lastSeq } = row
    yield* (yield* TaskStore.TaskStore).find(id)
    return { lastSeq, part: yield* Reading.before(history, id, lastSeq + 1) }
  })

const pageOf = ({ earlier, rows }: Reading.Part) => ({ rows, ...(earlier === undefined ? {} : { earlier }) })

/** Words of another process, as they come; false where what is stored before them is not shown yet. */
const hear = (
  lines: ReadonlyArray<LiveRelay.Line>,
  shown: ShownRows,
  change: (change: Outbox.Change) => void
): boolean => {
  const next = shown.next ?? 0
  if (lines.some(({ after }) => after >= next)) return false
  for (const { after, text } of lines) {
    if (after + 1 < next) continue
    change({ live: text === undefined ? { text: "", whole: true } : { text, whole: false } })
  }
  return true
}

/** The id of a task that another process runs. */
const elsewhereOf = (entry: TaskStore.Entry | undefined): TaskId.TaskId | undefined =>
  entry !== undefined && !entry.here && TaskNode.isAlive(entry.node) ? TaskStore.idOf(entry) : undefined

/** One page of what is not shown yet; meanwhile another task may be shown, or these may have come. */
const behind = (shown: ShownRows, id: TaskId.TaskId) =>
  Effect.flatMap(TaskHistory, (history) =>
    shown.next === undefined || !shown.isBehind ? Effect.succeed([]) : history.events(id, shown.next, 400)
  )

/** Hears the task that is shown where another process runs it, until the scope ends. */
const relaying = Effect.fnUntraced(function* (
  shown: ShownRows,
  change: (change: Outbox.Change) => void,
  task: () => string | null
) {
  const board = yield* TaskStore.TaskStore
  const words = new RelayedWords(Home.directory(), (lines) => hear(lines, shown, change), Effect.runFork)
  yield* Effect.addFinalizer(() => Effect.sync(words.rest))
  return {
    listen: (): void => words.to(elsewhereOf(board.now().entries.get(task() ?? ""))),
    rest: words.rest
  }
})

/** `wake`: `snapshot` or `update` has something to do. Until the scope ends. */
export const make = Effect.fn("TaskFeed.make")(function* (
  surface: WebviewSurface,
  post: (message: View.ToView) => void,
  wake: () => void
) {
  const history = yield* TaskHistory
  const drafts = yield* Drafts
  const underway = yield* LiveActivity.AllLiveActivity
  const present = yield* ViewModel.make
  const paced = yield* PacedOutbox.make(post, wake)
  const elsewhere = new AnsweredElsewhere.AnsweredElsewhere()
  const shown = new ShownRows()
  let task = surface.task()
  const told = new ToldHead()

  const takeIn = (all: Parameters<typeof Reading.project>[1]): void => {
    if (shown.next === undefined) return
    if (all.some(isCut)) return paced.invalidate()
    const answered = all.some((event) => event.type === "message" && event.role === "assistant")
    // The next one may be arriving.
    const live = answered ? { live: { text: underway.of(task).text, whole: true } } : {}
    paced.change({ rows: shown.add(all), ...live })
    const line = elsewhere.line(all, told.asks)
    if (line !== undefined && paced.outbox.isOpen) post({ type: "told", task, line })
  }

  yield* (yield* TaskEvents).listen((event) => {
    if (event.taskId !== task) return
    if (LiveEvent.isDurable(event)) {
      shown.heard(event.seq)
      if (shown.next === event.seq) takeIn([event])
      else if (shown.isBehind) wake()
      return
    }
    const change = changeOf(event, shown)
    if (change !== undefined) paced.change(change)
  })

  const relayed = yield* relaying(shown, paced.change, () => task)

  const head = (now: Partial<View.Whole>): void => {
    told.tell(now)
    surface.name(now.header ?? undefined)
  }

  const snapshot = Effect.gen(function* () {
    const id = task as TaskId.TaskId | null
    const { lastSeq, part } = id === null ? nowhere : yield* lastPage(id)
    const now = yield* present(task)
    // Meanwhile another task may be shown.
    if (id !== task) return
    // What was heard before is not in it.
    relayed.rest()
    shown.begin(part)
    shown.heard(lastSeq)
    head(now)
    paced.outbox.snapshot({
      task: id,
      ...now,
      ...(part === undefined ? { rows: [] } : pageOf(part)),
      ...Reading.underway(part?.projection, underway.of(id)),
      draft: drafts.of(id),
      ...(surface.watchdog.wasRevived() ? { notice: Copy.viewReloaded } : {})
    })
    relayed.listen()
    if (shown.isBehind) wake()
  })

  const update = Effect.gen(function* () {
    const [id, from] = [task as TaskId.TaskId, shown.next]
    const found = yield* behind(shown, id)
    if (found.length > 0 && id === task && shown.next === from) {
      takeIn(found)
      if (shown.isBehind) wake()
    }
    relayed.listen()
    const now = yield* present(task)
    const news = told.news(now)
    if (news === undefined) return
    head(now)
    paced.change(news)
  })

  const earlier = (before: number) =>
    Effect.gen(function* () {
      const id = task
      const part = id === null ? undefined : yield* Reading.before(history, id as TaskId.TaskId, before)
      if (part !== undefined && id === task) paced.outbox.page({ before, ...pageOf(part) })
    })

  return {
    outbox: paced.outbox,
    change: paced.change,
    /** The view has shown the message of this number. */
    shown: paced.shown,
    /** `null`: a task that is about to begin. */
    task: (): string | null => task,
    /** What the view was told that waits for a person; nothing before a snapshot. */
    asks: () => told.asks,
    /** What a person does in the view was answered here. */
    done: elsewhere.done,
    /** There may be events up to this `seq`. */
    heard: shown.heard,
    /** Another task is shown. */
    show: (id: string | null): void => {
      task = id
      shown.reset()
      paced.invalidate()
    },
    /** Everything that the view shows, with the last page of the conversation. */
    snapshot,
    /** Nobody sees it. */
    rest: relayed.rest,
    /** What has changed since. */
    update,
    /** The page before the event of this `seq`. */
    earlier
  }
})

export type TaskFeed = Effect.Success<ReturnType<typeof make>>
