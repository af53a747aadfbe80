/**
 * Prompts: what is said goes to the last task of a session, and the prompt is answered when nothing of it goes on.
 *
 * What is said is never lost and never told twice: a prompt beside another one is heard by the same task, and one that was
 * stored before its process died is not stored again.
 */
import type * as Protocol from "@agentclientprotocol/sdk"
import { Inbox, TaskHistory } from "@belay/history-store"
import { Message } from "@belay/message-state"
import { TaskStore } from "@belay/interaction/tasks"
import { Models, Settings } from "@belay/settings"
import { TaskEngine } from "@belay/task-engine"
import { TaskNode } from "@belay/task-engine/remote"
import type { TaskId } from "@belay/task-state"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Wanted from "../interactive/deeds/Wanted.ts"
import * as Ending from "./Ending.ts"
import type { Prompt } from "./Prompt.ts"
import type { Refused } from "./Refused.ts"
import type { Session, Turn } from "./Session.ts"

const rowOf = (id: TaskId.TaskId) =>
  Effect.map(
    TaskHistory.use(({ row }) => row(id)),
    Option.getOrUndefined
  )

/** The last thing that the task was told is this text, and nothing came after it. */
const isStored = (id: TaskId.TaskId, { attached, text }: Prompt) =>
  Effect.gen(function* () {
    if (attached.length > 0) return false
    const message = (yield* TaskHistory.use(({ messages }) => messages(id))).at(-1)
    if (message?.role !== "user") return false
    const said = message.content.filter((_, at) => Message.originOf(message, at) === "user")
    return said.length === 1 && said[0]?.type === "text" && said[0].text.trim() === text
  })

/** What is chosen for a task that waits here is heard when it goes on: it is stopped first. */
const stoppedForChange = (session: Session, id: TaskId.TaskId) =>
  Effect.gen(function* () {
    if (!session.isChanged) return
    session.isChanged = false
    const engine = yield* TaskEngine
    if (engine.running().has(id)) yield* engine.interrupt(id, "host")
  })

const begin = (session: Session, ground: Wanted.Ground, { attached, text }: Prompt) =>
  Effect.gen(function* () {
    const { mode } = session.chosen
    yield* ground.access(mode)
    session.begin(session.id)
    yield* Effect.tapError(Wanted.begin(ground, text, mode, { as: session.id, attached }), () =>
      Effect.sync(() => (session.tip = undefined))
    )
    const row = yield* rowOf(session.id)
    if (row !== undefined) session.update({ type: "title", title: row.meta.title })
  })

/** `isBeside`: another prompt waits. */
const say = (session: Session, ground: Wanted.Ground, said: Prompt, isBeside: boolean) =>
  Effect.gen(function* () {
    const { tip } = session
    session.isSending(said)
    if (tip === undefined) return yield* begin(session, ground, said)
    if (!isBeside) yield* stoppedForChange(session, tip)
    const entry = yield* (yield* TaskStore.TaskStore).find(tip)
    if (entry === undefined) return
    const stands = yield* Wanted.standing(tip)
    if (stands === "completed") {
      yield* Wanted.goOnAfter(ground, entry, said.text, said.attached, session.chosen.mode)
    } else if (stands === "stopped" && (yield* isStored(tip, said))) yield* Wanted.resume(ground, entry, "")
    else yield* Wanted.say(ground, entry, said.text, said.attached)
  })

/** How much of the model's context is taken, and what all of it has cost. */
const tellUsage = (session: Session, id: TaskId.TaskId) =>
  Effect.gen(function* () {
    const history = yield* TaskHistory
    const row = yield* rowOf(id)
    const settings = row === undefined ? undefined : yield* Effect.option(Settings.decode(row.meta.settings))
    if (row === undefined || settings === undefined || Option.isNone(settings)) return
    const { costUsd } = yield* history.treeUsage(id)
    const size = Models.of(settings.value, row.meta.model).inputLimit
    session.update({ type: "usage", used: row.contextTokens, size, costUsd })
  })

const answer = (session: Session, turn: Turn, found: Effect.Success<ReturnType<typeof end>>) => {
  if (found === undefined || session.turn !== turn) return Effect.void
  session.turn = undefined
  if (turn.isCancelled) return Deferred.succeed(turn.done, "cancelled" as const)
  const { failure } = session
  session.failure = undefined
  return failure === undefined ? Deferred.succeed(turn.done, found) : Deferred.fail(turn.done, failure)
}

/** Something was said to it that its runner has not read yet. */
const isUnread = (id: TaskId.TaskId) =>
  Effect.map(
    Inbox.use(({ pending }) => pending),
    (requests) => requests.some(({ kind, taskId }) => kind === "message" && taskId === id)
  )

/** How a prompt ends, once the client knows all that was before. */
const end = (session: Session) =>
  Effect.gen(function* () {
    const history = yield* TaskHistory
    for (;;) {
      const { tip } = session
      if (tip === undefined) return undefined
      // Before how it stands is read: what is read meanwhile has changed that.
      const unread = yield* isUnread(tip)
      const row = yield* rowOf(tip)
      if (row === undefined) return undefined
      yield* session.catchUp(history, row.lastSeq)
      if (session.tip !== tip) continue
      const node = yield* TaskNode.whole(row)
      const stopReason = Ending.of(node, session.runsSince)
      if (stopReason === undefined || (unread && Ending.listens(node))) return undefined
      const next = row.record.status === "completed" ? yield* history.continuation(tip) : Option.none()
      if (Option.isSome(next)) {
        session.begin(next.value)
        continue
      }
      // Why it stopped is known when its runner has ended.
      if (row.record.status === "interrupted" && session.runsSince !== undefined) return undefined
      yield* tellUsage(session, tip)
      return stopReason
    }
  })

/** Answers the prompt where nothing goes on any more. */
export const look = (session: Session) =>
  session.lock.withPermit(
    Effect.gen(function* () {
      const { turn } = session
      if (turn === undefined) return
      const found = yield* end(session)
      yield* answer(session, turn, found)
    })
  )

/** Stops what runs for a session, and says nothing of what was not said yet; its prompts are answered with `cancelled`. */
export const cancel = (session: Session) =>
  Effect.gen(function* () {
    for (const turn of session.arriving) turn.isCancelled = true
    const { turn } = session
    if (turn === undefined) return
    turn.isCancelled = true
    // What is being said now is said first: then there is something to stop.
    const { tip } = yield* session.lock.withPermit(Effect.sync(() => session))
    const entry = tip === undefined ? undefined : yield* (yield* TaskStore.TaskStore).find(tip)
    if (entry === undefined) return
    yield* Wanted.stop(entry)
    yield* look(session)
  })

/** Nobody looks before it is said: what is at rest now is not the end of this prompt. */
const said = (session: Session, ground: Wanted.Ground, given: Prompt, turn: Turn) =>
  session.lock.withPermit(
    Effect.gen(function* () {
      session.arriving.delete(turn)
      if (turn.isCancelled) return false
      const older = session.turn
      session.turn = turn
      yield* Effect.tapError(say(session, ground, given, older !== undefined), () =>
        Effect.sync(() => (session.turn = older))
      )
      // What the other one had said is heard together with this.
      if (older !== undefined) yield* Deferred.succeed(older.done, "end_turn" as const)
      return true
    })
  )

/** Says something to the session, and waits for its end. */
export const prompt = <E, R>(session: Session, ground: Effect.Effect<Wanted.Ground, E, R>, given: Prompt) =>
  Effect.gen(function* () {
    const turn: Turn = { done: Deferred.makeUnsafe<Protocol.StopReason, Refused>(), isCancelled: false }
    session.arriving.add(turn)
    const isSaid = yield* Effect.ensuring(
      Effect.flatMap(ground, (found) => said(session, found, given, turn)),
      Effect.sync(() => session.arriving.delete(turn))
    )
    if (!isSaid) return "cancelled" as const
    yield* look(session)
    return yield* Deferred.await(turn.done)
  })
