/**
 * How this process comes to have a task: one that is new, one that had stopped, and one that stands on the log of another.
 *
 * Each is taken in one commit, with what the user says to it; its loop begins when it is run.
 */
import { type History, type Step, TaskHistory } from "@belay/history-store"
import { Message } from "@belay/message-state"
import { Command, TaskId, TaskRecord } from "@belay/task-state"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { PendingLaunches } from "../active/PendingLaunches.ts"
import { Checklists } from "../checklist/Checklists.ts"
import { Checkpointing } from "../checkpoints/Checkpointing.ts"
import { Delegation } from "../delegation/Delegation.ts"
import { Journal } from "../active/Journal.ts"
import { Limiting } from "../limits/Limiting.ts"
import * as Manifests from "./Manifests.ts"
import * as Holding from "../tree/Holding.ts"
import * as Prompt from "../prompt/Prompt.ts"
import * as Resume from "./Resume.ts"
import * as ResumeHere from "./ResumeHere.ts"
import * as UserIntent from "../prompt/UserIntent.ts"
import * as Fork from "./Fork.ts"
import { Settings } from "@belay/settings"
import { Requests } from "./Requests.ts"
import { Surroundings } from "../context/Surroundings.ts"
import type { NewTask, TaskEngine } from "./TaskEngine.ts"
import * as Title from "../prompt/Title.ts"

/** What makes a task with its first words; nobody has started it. */
const making = Effect.fnUntraced(function* (
  surroundings: Surroundings["Service"],
  id: TaskId.TaskId,
  task: NewTask,
  author: "user" | "task"
) {
  const { isDeep, mode, prompt } = author === "user" ? UserIntent.asTask(task) : { ...task, isDeep: false }
  const { workspace } = task
  const settings = Manifests.known(task.settings, workspace)
  const environment = yield* surroundings.block({ id, workspace, mode, settings, author })
  const phase = "investigation"
  return [
    { _tag: "Lifecycle", request: { _tag: "Create", taskId: id } },
    {
      _tag: "Describe",
      taskId: id,
      meta: {
        title: Title.of(task.title ?? prompt),
        workspace: task.workspace,
        mode,
        model: Settings.modelFor(settings, mode),
        ...(isDeep ? { planning: phase } : {}),
        host: task.host,
        settings
      },
      prompt: Message.joined(
        Message.from(author, Message.text(prompt)),
        Message.from("user.file", ...(task.attached ?? [])),
        Message.from("engine.environment", environment),
        Message.from("engine.planning", ...(isDeep ? [Prompt.planning(phase)] : []))
      )
    }
  ] satisfies ReadonlyArray<Step.Step>
})

type Starts = Pick<TaskEngine["Service"], "create" | "queue" | "resume" | "fork">
export class TaskStart extends Context.Service<TaskStart, Starts>()("@belay/task-engine/TaskStart") {
  static readonly layer = Layer.effect(
    TaskStart,
    Effect.gen(function* () {
      const beginning = yield* PendingLaunches
      const checklists = yield* Checklists
      const checkpointing = yield* Checkpointing
      const delegation = yield* Delegation
      const limiting = yield* Limiting
      const surroundings = yield* Surroundings
      const requests = yield* Requests
      const history = yield* TaskHistory
      const journal = yield* Journal

      /** A task is taken from a process with everything awaited below it that the same process has. */
      const takenBelow = (row: History.TaskRow) =>
        Holding.isHeldElsewhere(row, history.me)
          ? Effect.map(Holding.below(history, row), (rows) =>
              rows.map(({ record }): Step.Step => Holding.taking(record.id))
            )
          : Effect.succeed([])

      const create: TaskStart["Service"]["create"] = Effect.fn("TaskStart.create")(function* (task) {
        const id = task.id ?? (yield* TaskId.make)
        const steps = yield* making(surroundings, id, task, "user")
        const started: Step.Step = { _tag: "Lifecycle", request: { _tag: "Start", taskId: id } }
        yield* beginning.taking(id, journal.commit([...steps, started]))
        return id
      })

      const queue: TaskStart["Service"]["queue"] = Effect.fn("TaskStart.queue")(function* (task, scope) {
        const id = task.id ?? (yield* TaskId.make)
        const steps = yield* making(surroundings, id, task, "task")
        yield* journal.commit([...steps, { _tag: "Queue", taskId: id, scope }], { commit: "queue.commit" })
        return id
      })

      const resume: TaskStart["Service"]["resume"] = Effect.fn("TaskStart.resume")(function* (id, choice) {
        const row = yield* history.row(id)
        if (Option.isNone(row)) return yield* Command.rejected(id, "Resume", "absent", "NotFound")
        if (TaskRecord.isTombstone(row.value.record)) {
          return yield* Command.rejected(id, "Resume", row.value.record.status, "Deleted")
        }
        const settings = yield* Effect.orDie(Settings.decode(row.value.meta.settings))
        const asks = yield* history.asks(id)
        const messageId = yield* TaskId.make
        const facts = { row: row.value, asks, settings, messageId, me: history.me }
        const { settings: told } = choice
        const { workspace } = row.value.meta
        const configured =
          told === undefined
            ? {}
            : { settings: (snapshot: Settings.TaskSettings) => Manifests.known(told(snapshot), workspace) }
        const options = { ...choice, ...configured }
        const running = ResumeHere.runnerOf({ journal }, facts)
        if (running !== undefined) {
          const limited = choice.limits === undefined ? [] : yield* limiting.below(row.value, choice.limits)
          if (limited.length > 0) yield* journal.commit(limited)
          limiting.hold(limited)
          delegation.restrict(id, choice.only)
          // It is another task meanwhile: it ended, say, or was answered.
          return yield* Effect.catchTag(
            ResumeHere.resume({ journal, requests }, running, facts, options),
            "RequestRefused",
            () => resume(id, choice)
          )
        }
        const steps = Resume.steps(facts, options)
        const below = choice.takeOver === true ? yield* takenBelow(row.value) : []
        const limited = choice.limits === undefined ? [] : yield* limiting.below(row.value, choice.limits)
        yield* beginning.taking(id, journal.commit([...steps, ...below, ...limited], { commit: "resume.commit" }))
        limiting.hold(limited)
        delegation.restrict(id, choice.only)
      })

      const fork: TaskStart["Service"]["fork"] = Effect.fn("TaskStart.fork")(function* (id, options) {
        const source = yield* history.row(id)
        if (Option.isNone(source)) return yield* Command.rejected(id, "Continue", "absent", "NotFound")
        const settings = yield* Effect.orDie(Settings.decode(source.value.meta.settings))
        const { messages: log } = yield* history.shown(id)
        const as = yield* TaskId.make
        const title = options.at === undefined ? Title.of(options.text) : source.value.meta.title
        const { workspace } = source.value.meta
        const configured = (snapshot: Settings.TaskSettings) => Manifests.known(options.settings(snapshot), workspace)
        const steps = [
          ...Fork.steps({ source: source.value, log, settings, title, as }, { ...options, settings: configured }),
          ...(options.at === undefined ? yield* checklists.copy(id, { id: as, title }) : [])
        ]
        // Without their task nobody looks at them, so a crash in between leaves nothing wrong.
        yield* checkpointing.branch({ taskId: id, workspace }, options.at ?? source.value.messageCount - 1, as)
        yield* options.queued === undefined ? beginning.taking(as, journal.commit(steps)) : journal.commit(steps)
        return as
      })
      return TaskStart.of({ create, queue, resume, fork })
    })
  )
}
