/**
 * The sessions of a client: new ones, those of the history, and what is chosen for them.
 *
 * A session is there before anything was said in it and outlives its process; from its first prompt on it is the thread of
 * the task with its id.
 */
import type * as Protocol from "@agentclientprotocol/sdk"
import { TaskHistory, type History } from "@belay/history-store"
import * as DataFolder from "@belay/history-store/data-folder"
import { Folder } from "@belay/machine"
import { TaskStore } from "@belay/interaction/tasks"
import { TaskEngine } from "@belay/task-engine"
import { Deleting, TaskNode } from "@belay/task-engine/remote"
import { TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { homedir } from "node:os"
import * as path from "node:path"
import * as Wanted from "../interactive/deeds/Wanted.ts"
import * as Home from "../settings/Home.ts"
import * as Project from "../settings/Project.ts"
import * as Snapshot from "../settings/Snapshot.ts"
import * as User from "../settings/User.ts"
import * as ClientServers from "./ClientServers.ts"
import * as Choices from "./Choices.ts"
import type { Client } from "./Client.ts"
import * as Refused from "./Refused.ts"
import * as Replay from "./Replay.ts"
import { Session } from "./Session.ts"
import * as Thread from "./Thread.ts"

/** Sessions of a page of the list. */
const pageSize = 50

/** The folder of a new session: a whole home or disk is nobody's project. */
const folderOf = (cwd: string): Effect.Effect<string, Refused.Refused> => {
  const invalid = (what: string) => Effect.fail(Refused.refuse("invalid", what, { cwd }))
  if (!path.isAbsolute(cwd)) return invalid(`The folder is not absolute (${cwd}).`)
  const found = Home.workspace(cwd)
  if (Result.isFailure(found)) return invalid(`${found.failure.what}. ${found.failure.hint}`)
  const folder = found.success
  const isWide = folder === path.parse(folder).root || Result.getOrUndefined(Home.workspace(homedir())) === folder
  return isWide ? invalid(`Belay works in a folder of a project, and not in all of ${folder}.`) : Effect.succeed(folder)
}

/** Of a folder that is gone as it was written. */
const canonical = (cwd: string): string => {
  try {
    return Folder.canonical(cwd)
  } catch {
    return cwd
  }
}

const settingsOf = (workspace: string) =>
  Effect.gen(function* () {
    return yield* Snapshot.of(yield* User.load, yield* Project.load(workspace, undefined))
  })

const chosenOf = (found: History.TaskRow, reserved: Choices.Chosen | undefined): Choices.Chosen => ({
  ...reserved,
  mode: found.meta.mode
})

/** Where a session is, besides what the protocol has words for. */
const metaOf = (row: History.TaskRow) =>
  Effect.gen(function* () {
    const node = yield* TaskNode.whole(row)
    const { checklist, derived, record } = row
    const below = TaskNode.descendants(node)
    return {
      belay: {
        status: record.status,
        derived,
        outcome: record.status === "completed" ? record.outcome : null,
        interruption: record.status === "interrupted" ? record.interruption : null,
        openAsks: [node, ...below].reduce((n, one) => n + one.openAsks.length, 0),
        checklist,
        costUsd: TaskNode.usage(node).costUsd,
        subtasks: {
          open: below.filter((one) => one.row.record.status !== "completed").length,
          done: below.filter((one) => one.row.record.status === "completed").length
        }
      }
    }
  })

export class Sessions {
  readonly #client: Client
  readonly #open = new Map<TaskId.TaskId, Session>()

  constructor(client: Client) {
    this.#client = client
  }

  readonly servers = new ClientServers.ClientServers(() => this.#open.values())

  readonly all = (): Iterable<Session> => this.#open.values()

  /** An open one; `notFound` for all others. */
  readonly get = (id: string): Effect.Effect<Session, Refused.Refused> => {
    const found = TaskId.isTaskId(id) ? this.#open.get(id) : undefined
    return found === undefined ? Effect.fail(Refused.notFound(id)) : Effect.succeed(found)
  }

  /** What a client chooses from. */
  readonly choices = ({ chosen, workspace }: Session) =>
    Effect.map(settingsOf(workspace), (settings) => ({
      modes: Choices.modes(chosen.mode),
      configOptions: Choices.options(settings, chosen)
    }))

  readonly ground = (
    session: Session,
    access: Wanted.Ground["access"],
    run: Wanted.Ground["run"]
  ): Effect.Effect<Wanted.Ground, Refused.Refused> =>
    Effect.mapError(
      Effect.map(settingsOf(session.workspace), (settings) => ({
        workspace: session.workspace,
        settings: Choices.applied(settings, session.chosen),
        mode: session.chosen.mode,
        narrowed: (snapshot) => Choices.applied(snapshot, session.chosen),
        access,
        run
      })),
      Refused.of
    )

  /** A new one. */
  readonly create = ({ cwd, mcpServers }: Protocol.NewSessionRequest) =>
    Effect.gen({ self: this }, function* () {
      const workspace = yield* folderOf(cwd)
      const servers = yield* ClientServers.decode(mcpServers)
      yield* settingsOf(workspace)
      const session = new Session(yield* TaskId.make, workspace, this.#client, { mode: "act" })
      session.servers = servers
      yield* this.#reserve(session)
      this.#open.set(session.id, session)
      return session
    })

  readonly #reserve = ({ chosen, id, workspace }: Session) =>
    TaskHistory.use(({ commit }) => commit([{ _tag: "ReserveSession", session: { ...chosen, id, workspace } }]))

  /** One of the history; `replays`: the client is told all of it. What it waits for is asked when its task goes on. */
  readonly load = (
    { cwd, mcpServers = [], sessionId }: Protocol.LoadSessionRequest | Protocol.ResumeSessionRequest,
    replays: boolean
  ) =>
    Effect.gen({ self: this }, function* () {
      const history = yield* TaskHistory
      const servers = yield* ClientServers.decode(mcpServers)
      const thread = yield* Thread.of(sessionId)
      const id = thread?.first.record.id ?? (TaskId.isTaskId(sessionId) ? sessionId : undefined)
      const reserved = id === undefined ? undefined : Option.getOrUndefined(yield* history.reservedSession(id))
      const isDeleted = id !== undefined && thread === undefined && Option.isSome(yield* history.row(id))
      const workspace = thread?.last.meta.workspace ?? reserved?.workspace
      if (id === undefined || workspace === undefined || isDeleted) return yield* Refused.notFound(sessionId)
      if (!path.isAbsolute(cwd) || canonical(cwd) !== canonical(workspace)) {
        return yield* Refused.refuse("invalid", `This session is of ${workspace}.`, { sessionId, cwd: workspace })
      }
      const chosen = thread === undefined ? reserved : chosenOf(thread.last, reserved)
      const before = this.#open.get(id)
      const session = new Session(id, workspace, this.#client, chosen ?? { mode: "act" })
      if (before?.turn !== undefined) {
        return yield* Refused.refuse("failed", "A prompt of this session is not answered yet. Cancel it first.", {
          reason: "busy"
        })
      }
      if (thread !== undefined) {
        yield* Replay.run(session, thread.all, replays)
        yield* (yield* TaskStore.TaskStore).find(thread.last.record.id)
      }
      session.servers = servers
      if (before !== undefined) yield* this.servers.end(before)
      this.#open.set(id, session)
      return { session, meta: thread === undefined ? undefined : yield* metaOf(thread.last) }
    })

  /** A page of the threads of the history, the last changed first; those without a prompt are in none. */
  readonly list = ({ cursor, cwd }: Protocol.ListSessionsRequest) =>
    Effect.gen(function* () {
      const history = yield* TaskHistory
      if (typeof cursor === "string" && !/^\d+~\d+$/u.test(cursor)) {
        return yield* Refused.refuse("invalid", "This is no cursor of a list of sessions.", { cursor })
      }
      const { nextCursor, rows } = yield* history.list({
        limit: pageSize,
        rootsOnly: true,
        ...(typeof cursor === "string" ? { cursor } : {}),
        ...(typeof cwd === "string" ? { workspace: canonical(cwd) } : {})
      })
      const sessions: Array<Protocol.SessionInfo> = []
      for (const row of rows) {
        // It is told with what continues it.
        if (Option.isSome(yield* history.continuation(row.record.id))) continue
        const first = (yield* Thread.firstOf(row))[0] ?? row
        sessions.push({
          sessionId: first.record.id,
          cwd: row.meta.workspace,
          title: first.meta.title,
          updatedAt: new Date(row.updatedAt).toISOString(),
          _meta: yield* metaOf(row)
        })
      }
      return { sessions, ...(nextCursor === undefined ? {} : { nextCursor }) }
    })

  /** What this process runs of it is stopped. */
  readonly close = (sessionId: string) =>
    Effect.gen({ self: this }, function* () {
      const session = yield* this.get(sessionId)
      const engine = yield* TaskEngine
      if (session.tip !== undefined && engine.kept().has(session.tip)) yield* engine.interrupt(session.tip, "host")
      yield* this.servers.end(session)
      this.#open.delete(session.id)
    })

  /** Deletes the whole thread, with all subtasks; it can be taken back for 30 days. */
  readonly remove = (sessionId: string) =>
    Effect.gen({ self: this }, function* () {
      const open = TaskId.isTaskId(sessionId) ? this.#open.get(sessionId) : undefined
      if (open !== undefined) yield* this.close(sessionId)
      const thread = yield* Thread.of(sessionId)
      const history = yield* TaskHistory
      for (const row of thread?.all.toReversed() ?? []) {
        if (row.lease?.alive === true && row.lease.ownerId !== history.me) {
          return yield* Refused.refuse("failed", `"${row.meta.title}" runs in another process. Stop it first.`, {
            reason: "runs"
          })
        }
        yield* Deleting.remove(row, { subtasks: "delete" }, DataFolder.directory())
      }
      const id = thread?.first.record.id ?? sessionId
      if (TaskId.isTaskId(id)) yield* history.commit([{ _tag: "ForgetSession", id }])
    })

  /** What is chosen holds from the next prompt on; another mode at once. Gives all that can be chosen. */
  readonly choose = (session: Session, option: string, value: unknown) =>
    Effect.gen({ self: this }, function* () {
      const settings = yield* settingsOf(session.workspace)
      const chosen = Choices.changed(settings, session.chosen, option, value)
      if (chosen === undefined) {
        return yield* Refused.refuse("invalid", `"${option}" cannot be "${String(value)}".`, { option, value })
      }
      const { tip } = session
      const entry = tip === undefined ? undefined : yield* (yield* TaskStore.TaskStore).find(tip)
      const isOtherMode = chosen.mode !== session.chosen.mode
      const isOpen =
        entry !== undefined && isOtherMode && (yield* Wanted.standing(TaskStore.idOf(entry))) !== "completed"
      if (isOpen) yield* Wanted.switchMode(entry, chosen.mode)
      session.isChanged ||= chosen.model !== session.chosen.model || chosen.approvals !== session.chosen.approvals
      session.chosen = chosen
      yield* this.#reserve(session)
      const configOptions = Choices.options(settings, chosen)
      // The switch of a task is an event of it, which is told by itself.
      if (isOtherMode && !isOpen) session.update({ type: "mode", mode: chosen.mode })
      return configOptions
    })
}
