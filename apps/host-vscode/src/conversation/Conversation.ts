/**
 * One view of one task: what it is told, what its person does in it, for as long as the view is seen and answers.
 *
 * A hidden view is told nothing. One that does not answer begins anew; the task does not notice.
 */
import { AnsweredElsewhere } from "@belay/interaction/unstable/feed"
import { TaskStore } from "@belay/interaction/tasks"
import { Copy, type View } from "@belay/interaction"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as vscode from "vscode"
import { Bridge, scoped, show, tell } from "../vscode/Bridge.ts"
import { redaction } from "../vscode/Redaction.ts"
import { deadTime } from "../vscode/WindowFocus.ts"
import { Destination } from "./Destination.ts"
import { Drafts } from "./Drafts.ts"
import * as MessageHandler from "./MessageHandler.ts"
import * as WebviewHtml from "./page/WebviewHtml.ts"
import type { WebviewSurface } from "./page/WebviewSurface.ts"
import * as Watchdog from "./page/Watchdog.ts"
import * as TaskFeed from "./TaskFeed.ts"

export interface Conversation {
  /** Goes there as soon as it is there. */
  readonly focus: (what: "composer" | "dock") => void
  /** Goes to where a message of a task stands, if that task is shown then. */
  readonly reveal: (task: string, message: number) => void
}

const lost = [
  { title: "Show as text", command: "belay.openTranscriptAsText" },
  { title: "Reload window", command: "workbench.action.reloadWindow" }
]

/** Until the scope ends. */
export const open = Effect.fn("Conversation.open")(function* (surface: WebviewSurface) {
  const board = yield* TaskStore.TaskStore
  const drafts = yield* Drafts
  const { context, log } = yield* Bridge
  const services = yield* Effect.context<Effect.Services<ReturnType<typeof MessageHandler.carryOut>>>()
  const { watchdog, webview } = surface
  // The host's end has no origin to name.
  // oxlint-disable-next-line unicorn/require-post-message-target-origin
  const post = (message: View.ToView): void => void webview.postMessage(redaction.deep(message))
  const wake = yield* Latch.make(false)
  const look = Effect.sync(() => wake.openUnsafe())
  const feed = yield* TaskFeed.make(surface, post, () => wake.openUnsafe())
  const { outbox } = feed
  const destination = new Destination()

  const load = (): void => {
    outbox.close()
    webview.html = WebviewHtml.html(webview, context.extensionUri)
  }

  const work = Effect.gen(function* () {
    yield* wake.await
    yield* wake.close
    if (!outbox.isOpen) return
    if (!outbox.isStale) yield* feed.update
    else if (outbox.keepsUp) yield* feed.snapshot
    destination.go(feed, post)
  }).pipe(Effect.catchCause((cause) => Effect.sync(() => tell(log, cause))))
  yield* Effect.forkScoped(Effect.forever(work))

  yield* scoped(() =>
    board.listen((now) => {
      if (!outbox.isOpen) return
      feed.heard(now.entries.get(feed.task() ?? "")?.node.row.lastSeq ?? 0)
      wake.openUnsafe()
    })
  )

  yield* Effect.forkScoped(
    Watchdog.follow(watchdog, surface.isVisible, {
      ask: () => post({ type: "ping", task: feed.task() }),
      reload: load,
      renew: surface.renew,
      tell: () => show(Copy.viewLost, lost)
    })
  )

  const receive = (message: View.FromView) => {
    watchdog.answered()
    feed.done(message)
    switch (message.type) {
      case "ready":
        outbox.restart()
        return look
      case "shown":
        feed.shown(message.n)
        return outbox.isStale || destination.isFocusing ? look : Effect.void
      case "pong":
        return Effect.void
      case "earlier":
        return feed.earlier(message.before)
      default: {
        const entry = board.now().entries.get(feed.task() ?? "")
        const done = MessageHandler.carryOut(message, { entry, show: surface.show, post })
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
      if (message.task !== feed.task() && message.type !== "ready" && message.type !== "draft") return
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
      if (wasVisible) return outbox.invalidate()
      outbox.close()
      feed.rest()
    })
  )
  yield* scoped(() => surface.onTask(() => feed.show(surface.task())))
  yield* scoped(() =>
    drafts.onAdded((to, text) => {
      const takes = to === feed.task() && outbox.isOpen && !outbox.isStale
      if (takes) post({ type: "returned", task: to, text })
      return takes
    })
  )

  yield* scoped(() => vscode.workspace.onDidGrantWorkspaceTrust(() => wake.openUnsafe()))

  load()
  return {
    focus: (what) => {
      destination.focus(what)
      wake.openUnsafe()
    },
    reveal: (task, message) => {
      destination.reveal(task, message)
      wake.openUnsafe()
    }
  } satisfies Conversation
})
