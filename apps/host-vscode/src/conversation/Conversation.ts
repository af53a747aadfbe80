/**
 * One view of one task: a snapshot, then what changes, for as long as the view is seen and answers.
 *
 * A hidden view is told nothing. One that does not answer begins anew; the task does not notice. What a view is told
 * comes from the history and the events of this window, so it can begin anew at any moment.
 */
import { AnsweredElsewhere, Outbox, Reading } from "@belay/interaction/feed"
import { LiveActivity, TaskStore } from "@belay/interaction/tasks"
import { TaskHistory } from "@belay/history-store"
import { LiveEvent, TaskEvents } from "@belay/task-engine"
import { Copy, type Row, type View, Words } from "@belay/interaction"
import type { TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Option from "effect/Option"
import { Bridge, scoped, show, tell } from "../vscode/Bridge.ts"
import { redaction } from "../vscode/Redaction.ts"
import { deadTime } from "../vscode/WindowFocus.ts"
import { Drafts } from "./Drafts.ts"
import * as MessageHandler from "./MessageHandler.ts"
import * as WebviewHtml from "./page/WebviewHtml.ts"
import * as ViewModel from "./ViewModel.ts"
import type { WebviewSurface } from "./page/WebviewSurface.ts"
import * as Watchdog from "./page/Watchdog.ts"

export interface Conversation {
  /** Goes there as soon as it is there. */
  readonly focus: (what: "composer" | "dock") => void
  /** Goes to where a message of a task stands, if that task is shown then. */
  readonly reveal: (task: string, message: number) => void
}

/** ms in which changes are gathered. */
const pace = 33

const lost = [
  { title: "Show as text", command: "belay.openTranscriptAsText" },
  { title: "Reload window", command: "workbench.action.reloadWindow" }
]

const isSame = (left: unknown, right: unknown): boolean => JSON.stringify(left) === JSON.stringify(right)

/** Until the scope ends. */
export const open = Effect.fn("Conversation.open")(function* (surface: WebviewSurface) {
  const board = yield* TaskStore.TaskStore
  const history = yield* TaskHistory
  const events = yield* TaskEvents
  const drafts = yield* Drafts
  const underway = yield* LiveActivity.AllLiveActivity
  const present = yield* ViewModel.make
  const { context, log } = yield* Bridge
  const services = yield* Effect.context<Effect.Services<ReturnType<typeof MessageHandler.carryOut>>>()
  const { watchdog, webview } = surface
  // The host's end has no origin to name.
  // oxlint-disable-next-line unicorn/require-post-message-target-origin
  const post = (message: View.ToView): void => void webview.postMessage(redaction.deep(message))
  const outbox = new Outbox.Outbox(post)
  const wake = yield* Latch.make(false)
  const look = Effect.sync(() => wake.openUnsafe())
  const elsewhere = new AnsweredElsewhere.AnsweredElsewhere()

  let task = surface.task()
  let shown: { readonly projection: Row.Rows; next: number } | undefined
  /** The `seq` of the last event that is known to be there. */
  let latest = 0
  let told: Partial<View.Whole> = {}
  /** Where the person wants to go, once it is there. */
  let focus: "composer" | "dock" | undefined
  let reveal: { readonly task: string; readonly message: number } | undefined
  const entryOf = (): TaskStore.Entry | undefined => board.now().entries.get(task ?? "")

  let timer: ReturnType<typeof setTimeout> | undefined
  const flushSoon = (): void => {
    timer ??= setTimeout(() => {
      timer = undefined
      outbox.flush()
      if (outbox.isStale) wake.openUnsafe()
    }, pace)
  }
  yield* Effect.addFinalizer(() => Effect.sync(() => clearTimeout(timer)))

  const load = (): void => {
    outbox.close()
    webview.html = WebviewHtml.html(webview, context.extensionUri)
  }

  const begin = (id: string | null): void => {
    task = id
    shown = undefined
    latest = 0
    outbox.invalidate()
    wake.openUnsafe()
  }

  const takeIn = (all: Parameters<typeof Reading.project>[1]): void => {
    if (shown === undefined) return
    // What was shown before may be hidden now, or be there again.
    if (all.some(({ type }) => type === "conversation.cut" || type === "conversation.uncut")) {
      outbox.invalidate()
      wake.openUnsafe()
      return
    }
    const rows = Reading.project(shown.projection, all)
    const answered = all.some((event) => event.type === "message" && event.role === "assistant")
    // The next one may be arriving.
    const live = answered ? { live: { text: underway.of(task).text, whole: true } } : {}
    shown.next = (all.at(-1)?.seq ?? shown.next - 1) + 1
    outbox.change({ rows, ...live })
    flushSoon()
    const line = elsewhere.line(all, told.asks)
    if (line !== undefined && outbox.isOpen) post({ type: "told", task, line })
  }

  yield* events.listen((event) => {
    if (event.taskId !== task) return
    if (LiveEvent.isDurable(event)) {
      latest = Math.max(latest, event.seq)
      if (shown?.next === event.seq) takeIn([event])
      else if (shown !== undefined && shown.next < event.seq) wake.openUnsafe()
      return
    }
    if (event.type === "text.delta") {
      outbox.change({ live: { text: event.text, whole: false } })
    } else if (event.type === "tool.output") {
      const id = shown?.projection.rowOf(event.callId)
      if (id !== undefined) outbox.change({ output: [{ id, text: Words.printableLines(event.chunk) }] })
    } else if (event.type === "answer") {
      outbox.change({ answer: LiveActivity.answering(event.state) })
    } else {
      outbox.change({ progress: Words.printable(event.text), live: { text: "", whole: true } })
    }
    flushSoon()
  })

  const snapshot = Effect.gen(function* () {
    const id = task as TaskId.TaskId | null
    const row = id === null ? undefined : Option.getOrUndefined(yield* history.row(id))
    if (id !== null && row !== undefined) yield* board.find(id)
    const part = id === null || row === undefined ? undefined : yield* Reading.before(history, id, row.lastSeq + 1)
    const now = yield* present(task)
    // Meanwhile another task may be shown.
    if (id !== task) return
    shown = part
    latest = Math.max(latest, row?.lastSeq ?? 0)
    told = now
    surface.name(now.header ?? undefined)
    const notice = watchdog.wasRevived() ? { notice: Copy.viewReloaded } : {}
    outbox.snapshot({
      task: id,
      ...now,
      rows: part?.rows ?? [],
      ...(part?.earlier === undefined ? {} : { earlier: part.earlier }),
      ...Reading.underway(part?.projection, underway.of(id)),
      draft: drafts.of(id),
      ...notice
    })
    // What came while the history was read.
    if (shown !== undefined && shown.next <= latest) wake.openUnsafe()
  })

  /** One page of what is not shown yet. */
  const catchUp = Effect.gen(function* () {
    const id = task as TaskId.TaskId
    const from = shown?.next ?? Infinity
    if (from > latest) return
    const found = yield* history.events(id, from, 400)
    if (found.length === 0 || id !== task || shown?.next !== from) return
    takeIn(found)
    if (shown.next <= latest) wake.openUnsafe()
  })

  const update = Effect.gen(function* () {
    const now = yield* present(task)
    const changed = Object.entries(now).filter(([name, value]) => !isSame(told[name as keyof View.Whole], value))
    if (changed.length === 0) return
    told = now
    surface.name(now.header ?? undefined)
    outbox.change(Object.fromEntries(changed))
    flushSoon()
  })

  const work = Effect.gen(function* () {
    yield* wake.await
    yield* wake.close
    if (!outbox.isOpen) return
    if (outbox.isStale) {
      if (outbox.keepsUp) yield* snapshot
    } else {
      yield* catchUp
      yield* update
    }
    if (reveal !== undefined && !outbox.isStale) {
      if (reveal.task === task) outbox.change({ reveal: reveal.message })
      reveal = undefined
      flushSoon()
    }
    if (focus === undefined || outbox.isStale || !outbox.isSeen || !outbox.keepsUp) return
    if (focus === "dock" && told.asks?.length === 0) return
    outbox.flush()
    post({ type: "focus", task, what: focus })
    focus = undefined
  }).pipe(Effect.catchCause((cause) => Effect.sync(() => tell(log, cause))))
  yield* Effect.forkScoped(Effect.forever(work))

  yield* scoped(() =>
    board.listen((now) => {
      if (!outbox.isOpen) return
      latest = Math.max(latest, now.entries.get(task ?? "")?.node.row.lastSeq ?? 0)
      wake.openUnsafe()
    })
  )

  yield* Effect.forkScoped(
    Watchdog.follow(watchdog, surface.isVisible, {
      ask: () => post({ type: "ping", task }),
      reload: load,
      renew: surface.renew,
      tell: () => show(Copy.viewLost, lost)
    })
  )

  const earlier = (before: number) =>
    Effect.gen(function* () {
      const id = task
      if (id === null) return
      const part = yield* Reading.before(history, id as TaskId.TaskId, before)
      if (id === task) {
        outbox.page({ before, rows: part.rows, ...(part.earlier === undefined ? {} : { earlier: part.earlier }) })
      }
    })

  const receive = (message: View.FromView) => {
    watchdog.answered()
    elsewhere.done(message)
    switch (message.type) {
      case "ready":
        outbox.restart()
        return look
      case "shown":
        outbox.shown(message.n)
        if (outbox.isWaiting) flushSoon()
        return outbox.isStale || focus !== undefined ? look : Effect.void
      case "pong":
        return Effect.void
      case "earlier":
        return earlier(message.before)
      default: {
        const done = MessageHandler.carryOut(message, { entry: entryOf(), show: surface.show, post })
        if (message.type === "picture" || message.type === "complete") return done
        // What was done may show here alone, such as a key.
        return Effect.ensuring(done, look)
      }
    }
  }

  const dead = yield* deadTime
  yield* scoped(() =>
    webview.onDidReceiveMessage((raw: unknown) => {
      const message = MessageHandler.decode(raw)
      // A press may only have brought the window to the front.
      if (message === undefined || (AnsweredElsewhere.isAnswer(message) && !dead.isOver())) return
      // What was meant for another task does nothing here, but a draft is kept wherever it belongs.
      if (message.task !== task && message.type !== "ready" && message.type !== "draft") return
      Effect.runForkWith(services)(Effect.catchCause(receive(message), (cause) => Effect.sync(() => tell(log, cause))))
    })
  )
  let wasVisible = surface.isVisible()
  yield* scoped(() =>
    surface.onVisibility(() => {
      // It is told as well that an editor is the active one, or no more.
      if (surface.isVisible() === wasVisible) return
      wasVisible = !wasVisible
      watchdog.began()
      // What is hidden is thrown away, and begins anew when it is shown.
      if (wasVisible) outbox.invalidate()
      else outbox.close()
    })
  )
  yield* scoped(() => surface.onTask(() => begin(surface.task())))
  yield* scoped(() =>
    drafts.onAdded((to, text) => {
      const takes = to === task && outbox.isOpen && !outbox.isStale
      if (takes) post({ type: "returned", task, text })
      return takes
    })
  )

  load()
  return {
    focus: (what) => {
      focus = what
      wake.openUnsafe()
    },
    reveal: (task, message) => {
      reveal = { task, message }
      wake.openUnsafe()
    }
  } satisfies Conversation
})
