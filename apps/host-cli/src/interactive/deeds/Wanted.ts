/**
 * What a person wants done, as it is done: with a task of this process by the engine, with that of another by asking it.
 *
 * What was said is never lost: where it cannot be delivered it fails, and whoever wrote it has it again.
 */
import { TaskHistory } from "@belay/history-store"
import { AskText, Copy } from "@belay/interaction"
import type { Message } from "@belay/message-state"
import { LimitRaises, OpenAsks, TaskStore, TaskText } from "@belay/interaction/tasks"
import { SlashCommand } from "@belay/prompt-context"
import type { Settings } from "@belay/settings"
import { type RunResult, type AnswerInput, TaskEngine } from "@belay/task-engine"
import { Interruption, Saying } from "@belay/task-engine/remote"
import type { TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { type Failure, fromError, usage } from "../../cli/Failure.ts"

/** What tasks begin and go on with. */
export interface Ground {
  readonly workspace: string
  readonly settings: Settings.TaskSettings
  /** In which a task begins, unless the person says another one. */
  readonly mode: "plan" | "act"
  readonly narrowed: (snapshot: Settings.TaskSettings) => Settings.TaskSettings
  /** Fails with what is missing to ask a model in this mode. */
  readonly access: (mode: "plan" | "act") => Effect.Effect<unknown, Failure>
  /** Runs a task by itself, and tells of a bad end. */
  readonly run: (id: TaskId.TaskId) => Effect.Effect<void>
}

const unconfirmed = (entry: TaskStore.Entry, what: string) =>
  usage(`the process that runs "${TaskText.titleOf(entry)}" has not confirmed ${what}`, "Look at the task.")

/** What comes with words. */
type Attached = ReadonlyArray<Message.Attachment>

const withThem = (attached: Attached) => (attached.length === 0 ? {} : { attached })

/** Starts a task; `as`: with this id, which was reserved for it. */
export const begin = (
  ground: Ground,
  prompt: string,
  mode: "plan" | "act",
  { as, attached = [] }: { readonly as?: TaskId.TaskId; readonly attached?: Attached } = {}
) =>
  Effect.gen(function* () {
    yield* ground.access(mode)
    const { settings, workspace } = ground
    const task = { prompt, mode, workspace, settings, host: "cli", ...withThem(attached) }
    const id = yield* (yield* TaskEngine).create(as === undefined ? task : { ...task, id: as })
    yield* ground.run(id)
    return id
  })

/** What may be done about a limit that has stopped a task. */
export const raisesOf = ({ ask, entry }: OpenAsks.Open): ReadonlyArray<LimitRaises.Raise> =>
  LimitRaises.of(ask.kind === "budget" ? entry.node.row.meta.settings : undefined)

/** Takes a stopped task and runs it, with what is said to it; `limits`: those that are other ones from now on. */
export const resume = (
  ground: Ground,
  entry: TaskStore.Entry,
  message: string,
  attached: Attached = [],
  limits: LimitRaises.Raise["limits"] = {}
) =>
  Effect.gen(function* () {
    const id = TaskStore.idOf(entry)
    yield* ground.access(entry.node.row.meta.mode)
    const said = message === "" && attached.length === 0 ? {} : { message, ...withThem(attached) }
    yield* (yield* TaskEngine).resume(id, { settings: (now) => ({ ...ground.narrowed(now), ...limits }), ...said })
    yield* ground.run(id)
    return id
  })

/** `mode`: the one that it goes on in, where that is another one. */
export const goOnAfter = (
  ground: Ground,
  entry: TaskStore.Entry,
  text: string,
  attached: Attached = [],
  mode: "plan" | "act" = entry.node.row.meta.mode
) =>
  Effect.gen(function* () {
    yield* ground.access(mode)
    const engine = yield* TaskEngine
    const said = { text, mode, ...withThem(attached) }
    const id = yield* engine.fork(TaskStore.idOf(entry), { ...said, settings: ground.narrowed, host: "cli" })
    yield* ground.run(id)
    return id
  })

/** Begins a task that has the conversation of another one up to this message. */
export const branch = (ground: Ground, entry: TaskStore.Entry, at: number, text: string, attached: Attached) =>
  Effect.gen(function* () {
    yield* ground.access(entry.node.row.meta.mode)
    const said = { text, at, ...withThem(attached) }
    const options = { ...said, settings: ground.narrowed, host: "cli" }
    const id = yield* (yield* TaskEngine).fork(TaskStore.idOf(entry), options)
    yield* ground.run(id)
    return id
  })

/** What waits for words: they are its answer, unless they are a command. A decision is none of it. */
const asking = (id: TaskId.TaskId, text: string) =>
  Effect.gen(function* () {
    if (SlashCommand.known(text) !== undefined) return undefined
    const asks = yield* (yield* TaskHistory).asks(id)
    return asks.findLast((ask) => ask.open && ask.callId !== null && !AskText.decides(ask))
  })

/** How a task stands now, of which what is shown may be older. */
export const standing = (id: TaskId.TaskId) =>
  Effect.gen(function* () {
    const { row } = yield* TaskHistory
    if ((yield* TaskEngine).kept().has(id)) return "here"
    const found = Option.getOrUndefined(yield* row(id))
    if (found === undefined || found.record.status === "completed") return "completed"
    return found.lease?.alive === true ? "elsewhere" : "stopped"
  })

/** Says something to a task, which goes on with it; gives the task that has it then. */
export const say = (ground: Ground, entry: TaskStore.Entry, text: string, attached: Attached = []) =>
  Effect.gen(function* () {
    const id = TaskStore.idOf(entry)
    const engine = yield* TaskEngine
    const stands = yield* standing(id)
    if (stands === "completed") return yield* goOnAfter(ground, entry, text, attached)
    if (stands === "stopped") return yield* resume(ground, entry, text, attached)
    const open = yield* asking(id, text)
    if (open !== undefined && engine.running().has(id))
      yield* engine.answer(id, open.askId, { text, ...withThem(attached) })
    else if (stands === "here") yield* engine.send(id, text, attached.length === 0 ? undefined : attached)
    else if ((yield* Saying.say(id, { kind: "message", text, ...withThem(attached) })) === "unconfirmed")
      return yield* unconfirmed(entry, "the message")
    return id
  })

/** Stops a task with everything below it. */
export const stop = (entry: TaskStore.Entry) =>
  Effect.gen(function* () {
    const id = TaskStore.idOf(entry)
    const engine = yield* TaskEngine
    if (engine.kept().has(id)) return yield* engine.interrupt(id, "user")
    if (!(yield* Interruption.interrupt(id))) return yield* unconfirmed(entry, "the stop")
  })

/** A switch to act answers a plan that waits. */
export const switchMode = (entry: TaskStore.Entry, mode: "plan" | "act") =>
  Effect.gen(function* () {
    const id = TaskStore.idOf(entry)
    const engine = yield* TaskEngine
    if (engine.kept().has(id)) return yield* engine.switchMode(id, mode)
    if ((yield* Saying.say(id, { kind: "mode", mode })) === "unconfirmed")
      return yield* unconfirmed(entry, "the switch")
  })

/** Answers one ask, by its id; the first answer counts. `starts`: a plan is begun. */
export const answer = (ground: Ground, { ask, entry }: OpenAsks.Open, given: AnswerInput | "starts") =>
  Effect.gen(function* () {
    const id = TaskStore.idOf(entry)
    const engine = yield* TaskEngine
    const raise = ask.kind === "budget" || ask.kind === "context" ? raisesOf({ ask, entry }) : []
    const chosen = given === "starts" ? undefined : raise.find(({ title }) => title === given.text)
    if (chosen !== undefined) return yield* Effect.asVoid(resume(ground, entry, "", [], chosen.limits))
    if (given === "starts") return yield* switchMode(entry, "act")
    if (engine.running().has(id)) {
      return yield* Effect.catchTag(engine.answer(id, ask.askId, given), "RequestRefused", (refused) =>
        usage(
          refused.reason === "alreadyAnswered" ? Copy.askLate.replace(/\.$/u, "") : refused.message,
          "Look at the task."
        )
      )
    }
    if (!OpenAsks.isLive({ ask, entry })) return yield* Effect.asVoid(resume(ground, entry, given.text ?? ""))
    if (given.grant === "always") {
      return yield* usage(
        `"${TaskText.titleOf(entry)}" runs in another process`,
        "What is always allowed is answered there."
      )
    }
    const { decision, grant, text } = given
    const body = {
      kind: "answer" as const,
      askId: ask.askId,
      ...(decision === undefined ? {} : { decision }),
      ...(grant === undefined ? {} : { grant }),
      ...(text === undefined ? {} : { text })
    }
    if ((yield* Saying.say(id, body)) === "unconfirmed") return yield* unconfirmed(entry, "the answer")
  })

/** What the person is told of an end; nothing of a runner that this process has replaced by another one. */
export const toldOf = ({ failure, holder, record }: RunResult) =>
  Effect.gen(function* () {
    if (failure === undefined) return undefined
    if (failure._tag !== "TransitionRejected" || failure.rule !== "LeaseLost") return fromError(failure)
    if ((yield* TaskEngine).running().has(record.id)) return undefined
    const row = yield* (yield* TaskHistory).row(record.id)
    const title = Option.match(row, { onNone: () => "", onSome: ({ meta }) => meta.title })
    return usage(Copy.takenOver({ title, holder }), "Nothing of it runs here any more.")
  })
