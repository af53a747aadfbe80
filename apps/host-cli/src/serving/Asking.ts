/** What a client program asks a task for: to begin, to hear something, to be answered, to stop. */
import { Checklist, FocusChain } from "@belay/focus-chain"
import { type History, TaskHistory } from "@belay/history-store"
import { Words } from "@belay/interaction"
import { Settings } from "@belay/settings"
import { TaskEngine } from "@belay/task-engine"
import { Interruption, Saying } from "@belay/task-engine/remote"
import { TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { usage } from "../cli/Failure.ts"
import { redaction } from "../output/Redaction.ts"
import * as StartRunner from "../runner/StartRunner.ts"
import * as RunOptions from "../session/RunOptions.ts"
import * as Project from "../settings/Project.ts"
import * as Snapshot from "../settings/Snapshot.ts"
import * as User from "../settings/User.ts"
import * as Row from "./Row.ts"
import * as Scope from "./Scope.ts"

/** The most that a task of this server may do. */
export interface Profile {
  readonly options: RunOptions.RunOptions
  readonly limits: { readonly maxRequests: number; readonly maxCostUsd: number }
}

export interface Wanted {
  readonly prompt: string
  readonly key?: string | undefined
  readonly cwd?: string | undefined
  readonly mode?: "plan" | "act" | undefined
  readonly title?: string | undefined
  /** Markdown. */
  readonly checklist?: string | undefined
  readonly budget?: { readonly maxRequests?: number | undefined; readonly maxCostUsd?: number | undefined } | undefined
}

const least = (most: number, ...given: ReadonlyArray<number | null | undefined>): number =>
  Math.min(most, ...given.filter((limit) => limit !== undefined && limit !== null))

const settingsOf = ({ limits, options }: Profile, workspace: string, { budget }: Pick<Wanted, "budget">) =>
  Effect.gen(function* () {
    const base = yield* Snapshot.of(yield* User.load, yield* Project.load(workspace, undefined))
    const settings = RunOptions.applied(base, options)
    return {
      ...settings,
      // Its result is for a program.
      completion: "auto",
      maxRequests: least(limits.maxRequests, settings.maxRequests, budget?.maxRequests),
      maxCostUsd: least(limits.maxCostUsd, settings.maxCostUsd, budget?.maxCostUsd)
    } satisfies Settings.TaskSettings
  })

const promptOf = (id: TaskId.TaskId) =>
  Effect.map(
    Effect.flatMap(TaskHistory, (history) => history.messages(id)),
    ([first]) => first?.content.find((block) => block.type === "text")?.text
  )

const itemsOf = (markdown: string) =>
  Effect.gen(function* () {
    const items = Checklist.items(Checklist.parse(markdown))
    if (items.length > 0) return items
    return yield* usage("there are no items", 'Write a line for each: "- [ ] what is to be done".')
  })

/** Makes these the items of its checklist; those that have the same words keep their state unless it is given. */
const setItems = (id: TaskId.TaskId, title: string, items: ReadonlyArray<Checklist.Item>) =>
  Effect.gen(function* () {
    yield* (yield* FocusChain).write(id, title, items)
    const steps = [{ _tag: "ChecklistEdited" as const, taskId: id, items: redaction.deep(items) }]
    yield* (yield* TaskHistory).commit(steps)
  })

/** What is there under this key already. Errors: one line where it is another one. */
const before = (scope: Scope.Scope, id: TaskId.TaskId, { mode = "act", prompt }: Wanted, workspace: string) =>
  Effect.gen(function* () {
    const row = Option.getOrUndefined(yield* (yield* TaskHistory).row(id))
    if (row === undefined) return undefined
    if (row.record.deletedAt !== undefined) return yield* usage("the task of this key was deleted", "Use another key.")
    const { row: found } = yield* Row.find(scope, id)
    const isSame =
      found.meta.workspace === workspace &&
      (found.record.status !== "created" || found.meta.mode === mode) &&
      (yield* promptOf(id)) === redaction.text(prompt)
    return isSame ? found : yield* usage(`this key is of another task (${id})`, "Use another key, or ask for the same.")
  })

/** Fails where there is nothing to reach a model with. */
type Access = (mode: "plan" | "act") => Effect.Effect<unknown, unknown>

/** Stores a task and sees to it that it is run; one that a key has asked for before is that one. */
export const start = (scope: Scope.Scope, profile: Profile, wanted: Wanted, access: Access) =>
  Effect.gen(function* () {
    if (wanted.prompt.trim() === "") return yield* usage("there is no prompt", "Say what is to be done.")
    const items = wanted.checklist === undefined ? [] : yield* itemsOf(wanted.checklist)
    const workspace = yield* Scope.folder(scope, wanted.cwd)
    const { key, mode = "act", prompt, title } = wanted
    const id = key === undefined ? yield* TaskId.make : Scope.taskId(scope, key)
    const known = key === undefined ? undefined : yield* before(scope, id, wanted, workspace)
    if (known !== undefined) {
      yield* StartRunner.ifNeeded
      return { taskId: id, key: key ?? null, created: false, status: known.record.status }
    }
    yield* access(mode)
    const settings = yield* settingsOf(profile, workspace, wanted)
    yield* RunOptions.priced(settings, mode)
    const task = { id, prompt, mode, workspace, settings, host: "mcp", ...(title === undefined ? {} : { title }) }
    const created = yield* (yield* TaskEngine).queue(task, Scope.nameOf(scope)).pipe(
      Effect.as(true),
      // The same key came by another process meanwhile.
      Effect.catchTag("TransitionRejected", () => Effect.as(before(scope, id, wanted, workspace), false))
    )
    if (created && wanted.checklist !== undefined) yield* setItems(id, title ?? prompt, items)
    yield* StartRunner.ifNeeded
    return { taskId: id, key: key ?? null, created, status: "created" }
  })

/** A task that was told something goes on, where it does not run. */
const onwards = (scope: Scope.Scope, id: TaskId.TaskId) =>
  Effect.gen(function* () {
    const history = yield* TaskHistory
    const row = Option.getOrUndefined(yield* history.row(id))
    if (row === undefined || row.record.status === "completed" || row.lease?.alive === true) return
    yield* history.commit([{ _tag: "Queue", taskId: id, scope: Scope.nameOf(scope) }])
    yield* StartRunner.ifNeeded
  })

/**
 * The task that goes on after one that has ended, with what is said to it; that one is spoken to from then on. It is a new
 * one, with the settings of now and no higher limits than the one before.
 */
const goOn = (
  scope: Scope.Scope,
  profile: Profile,
  { meta: { mode, workspace }, record }: History.TaskRow,
  text: string,
  access: Access
) =>
  Effect.gen(function* () {
    const history = yield* TaskHistory
    const known = Option.getOrUndefined(yield* history.continuation(record.id))
    const earlier = known === undefined ? undefined : Option.getOrUndefined(yield* history.queuedTask(known))
    if (known !== undefined && earlier?.scope === Scope.nameOf(scope)) {
      return yield* usage(`the task goes on as ${known}`, "Say it to that one.")
    }
    yield* access(mode)
    const now = yield* settingsOf(profile, workspace, {})
    yield* RunOptions.priced(now, mode)
    const settings = (before: Settings.TaskSettings) => ({
      ...now,
      maxRequests: least(now.maxRequests, before.maxRequests),
      maxCostUsd: least(now.maxCostUsd, before.maxCostUsd)
    })
    const options = { text, settings, host: "mcp" }
    const taskId = yield* (yield* TaskEngine).fork(record.id, { ...options, queued: Scope.nameOf(scope) })
    yield* StartRunner.ifNeeded
    return { taskId, delivered: "stored" as const, continues: record.id }
  })

export const send = (scope: Scope.Scope, profile: Profile, id: string, text: string, access: Access) =>
  Effect.gen(function* () {
    const { row } = yield* Row.find(scope, id)
    if (text.trim() === "") return yield* usage("there is nothing to say", "Say it in text.")
    if (row.record.status === "completed") return yield* goOn(scope, profile, row, text, access)
    const said = yield* Saying.say(row.record.id, { kind: "message", text })
    yield* onwards(scope, row.record.id)
    return { taskId: row.record.id, delivered: said }
  })

export const answer = (scope: Scope.Scope, id: string, askId: string, text: string) =>
  Effect.gen(function* () {
    const node = yield* Row.find(scope, id)
    const open = Row.openIn(node).find(({ ask }) => ask.askId === askId)
    if (open === undefined) return yield* usage("the task does not ask that, or not any more", "See wait_for_tasks.")
    if (!Row.isForModel(open.ask)) {
      return yield* usage(
        "only a person decides this",
        "The person is asked where a call waits, in Belay for VS Code, or by: belay task answer."
      )
    }
    if (text.trim() === "") return yield* usage("there is no answer", "Give it in text.")
    const said = yield* Saying.say(open.taskId, { kind: "answer", askId, text })
    yield* onwards(scope, node.row.record.id)
    return { taskId: node.row.record.id, delivered: said }
  })

/** Stops a task; `discard` closes it for good. */
export const stop = (scope: Scope.Scope, id: string, discard: boolean) =>
  Effect.gen(function* () {
    const { row } = yield* Row.find(scope, id)
    const history = yield* TaskHistory
    const taskId = row.record.id
    if (row.record.status === "completed") return { taskId, status: "completed" }
    yield* history.commit([{ _tag: "Unqueue", taskId }])
    if (!(yield* Interruption.interrupt(taskId))) {
      return yield* usage("its process has not confirmed in time", "See wait_for_tasks.")
    }
    if (discard) {
      const request = { _tag: "Close", taskId, outcome: "cancelled", note: "" } as const
      yield* history.commit([{ _tag: "Lifecycle", request }])
    }
    return { taskId, status: Option.getOrUndefined(yield* history.row(taskId))?.record.status ?? "interrupted" }
  })

/** The task that is meant where none is named: the only one that is open. */
const onlyOne = (scope: Scope.Scope) =>
  Effect.gen(function* () {
    const open = (yield* Row.list(scope, 20)).filter(({ row }) => row.record.status !== "completed")
    const [node] = open
    if (node !== undefined && open.length === 1) return node
    return yield* usage(`${open.length} of your tasks are open`, "Give the id of one.")
  })

/** Replaces the checklist of a task; without an id, of the only one that is open. */
export const setChecklist = (scope: Scope.Scope, id: string | undefined, markdown: string) =>
  Effect.gen(function* () {
    const { row } = id === undefined ? yield* onlyOne(scope) : yield* Row.find(scope, id)
    if (row.record.status === "completed") return yield* usage("the task has ended", "Start another one.")
    const items = yield* itemsOf(markdown)
    yield* setItems(row.record.id, row.meta.title, items)
    return { taskId: row.record.id, items: items.map(({ state, text }) => ({ state, text: Words.printable(text) })) }
  })
