/** What becomes of the tasks of open sessions, told to their client: events of this process at once, those of others as they are read. */
import { LiveEvent, TaskEvents } from "@belay/task-engine"
import { TaskHistory } from "@belay/history-store"
import { AskText } from "@belay/interaction"
import { OpenAsks, TaskStore } from "@belay/interaction/tasks"
import type { TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import type { Services } from "./Running.ts"
import type { Asking } from "./Asking.ts"
import * as Calls from "./Calls.ts"
import * as Prompting from "./Prompting.ts"
import type { Session } from "./Session.ts"

export interface Followed {
  readonly sessions: () => Iterable<Session>
  readonly asking: Asking
  /** Its mode is another one. */
  readonly switched: (session: Session) => void
  readonly perform: (wish: Effect.Effect<unknown, unknown, Services>) => void
}

/** Which session a task belongs to, by what is known of its tree. */
class Members {
  readonly #of = new Map<TaskId.TaskId, Session>()
  readonly #sessions: () => Iterable<Session>

  constructor(sessions: () => Iterable<Session>) {
    this.#sessions = sessions
  }

  readonly add = (id: TaskId.TaskId, session: Session): void => void this.#of.set(id, session)

  readonly sessionOf = (id: TaskId.TaskId): Session | undefined => {
    const isOpen = (found: Session | undefined): boolean => [...this.#sessions()].some((one) => one === found)
    const known = this.#of.get(id)
    if (known !== undefined && isOpen(known)) return known
    return [...this.#sessions()].find(({ tip }) => tip === id)
  }
}

/** A call of a subtask that the client has a row of. */
const below = (session: Session, event: LiveEvent.TaskEvent): void => {
  if (event.type !== "tool.started" && event.type !== "tool.finished") return
  const id = Calls.idOf(event.taskId, event.callId)
  if (!session.shown.has(id)) return
  session.update({
    type: "change",
    call: event.type === "tool.started" ? { id, status: "in_progress" } : Calls.ended(event, event.state === "unknown")
  })
}

const hearing = (followed: Followed, members: Members) => {
  const { asking, perform, sessions, switched } = followed
  const look = (session: Session): void => perform(Prompting.look(session))
  return (event: LiveEvent.TaskEvent): void => {
    if (event.type === "task.created" && event.continuesTaskId !== undefined) {
      for (const session of sessions()) if (session.tip === event.continuesTaskId) session.begin(event.taskId)
    }
    const session = members.sessionOf(event.taskId)
    if (session === undefined) return
    members.add(event.taskId, session)
    if (event.taskId === session.tip) session.take(event)
    else below(session, event)
    switch (event.type) {
      case "delegation.started":
        for (const { taskId } of event.children) members.add(taskId, session)
        return
      case "ask": {
        const { askId, callId = null, kind, taskId } = event
        if (AskText.decides({ callId, kind })) return asking.put({ session, taskId, askId })
        return look(session)
      }
      case "ask.settled":
        asking.drop(({ askId }) => askId === event.askId)
        return look(session)
      case "task.status":
        if (event.to === "interrupted") asking.drop(({ taskId }) => taskId === event.taskId)
        return look(session)
      case "task.completed":
        return look(session)
      case "mode.changed":
        if (event.taskId !== session.tip) return
        session.chosen = { ...session.chosen, mode: event.to }
        return switched(session)
      default:
    }
  }
}

/** What each subtask is at, in a line. */
const lineOf = ({ node, text }: TaskStore.Entry): string => {
  const { checklist, meta, usage } = node.row
  const done = checklist === null ? "" : `, ${checklist.done} of ${checklist.total}`
  const cost = usage.costUsd === null ? "" : `, $${usage.costUsd.toFixed(2)}`
  return `${meta.title}: ${text.label}${done}${cost}`
}

/** The rows of calls that began subtasks. */
const delegations = (
  session: Session,
  entry: TaskStore.Entry,
  snapshot: TaskStore.Snapshot,
  told: Map<string, string>
) => {
  if (entry.node.row.record.status !== "delegated") return
  for (const child of snapshot.entries.values()) {
    const { originCallId, parentId } = child.node.row.record.lineage
    if (originCallId === undefined || parentId === undefined || parentId !== session.tip) continue
    if (child.node.row.record.status === "completed") continue
    const id = Calls.idOf(parentId, originCallId)
    const text = lineOf(child)
    if (told.get(id) === text) continue
    told.set(id, text)
    session.update({ type: "change", call: { id, content: [{ type: "text", text }] } })
  }
}

const reading = (followed: Followed, members: Members) => {
  const { asking, perform, sessions } = followed
  const told = new Map<string, string>()
  const seen = new Set<string>()
  return (snapshot: TaskStore.Snapshot): void => {
    const open = OpenAsks.all(snapshot)
    const ids = new Set(open.map(({ ask }) => ask.askId))
    // Settled by a process that tells this one nothing.
    asking.drop(({ askId }) => seen.has(askId) && !ids.has(askId))
    for (const session of sessions()) {
      const entry = snapshot.entries.get(session.tip ?? "")
      if (entry === undefined) continue
      for (const one of open) {
        if (one.entry.rootId !== entry.rootId) continue
        seen.add(one.ask.askId)
        if (!OpenAsks.isLive(one) || !AskText.decides(one.ask)) continue
        asking.put({ session, taskId: TaskStore.idOf(one.entry), askId: one.ask.askId })
      }
      for (const child of snapshot.entries.values()) {
        if (child.rootId === entry.rootId) members.add(TaskStore.idOf(child), session)
      }
      delegations(session, entry, snapshot, told)
      const seq = entry.node.row.lastSeq
      perform(
        Effect.andThen(
          TaskHistory.use((history) => session.catchUp(history, seq)),
          Prompting.look(session)
        )
      )
    }
  }
}

/** From now on, as long as the scope is open. */
export const begin = (followed: Followed) =>
  Effect.gen(function* () {
    const members = new Members(followed.sessions)
    const store = yield* TaskStore.TaskStore
    yield* (yield* TaskEvents).listen(hearing(followed, members))
    yield* Effect.acquireRelease(
      Effect.sync(() => store.listen(reading(followed, members))),
      (listening) => Effect.sync(() => listening.dispose())
    )
    yield* store.follow
  })
