/**
 * What a task is told of its surroundings: all of it with its first message, and later what has become another one.
 *
 * What was told is read from what the model is shown, so each change is told once, also after a restart, and again when
 * it was condensed away. Nothing that was sent is changed.
 */
import type { Step } from "@belay/history-store"
import { LogFold, Message, type Origin, Origins } from "@belay/message-state"
import type { Mode } from "@belay/modes"
import { GitContext } from "@belay/prompt-context"
import type { TaskId } from "@belay/task-state"
import { ToolCatalog } from "@belay/tool-executor"
import { Overview } from "@belay/tool-executor/workspace"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Conditions from "../prompt/Conditions.ts"
import * as Environment from "../prompt/Environment.ts"
import * as ModeNotice from "./ModeNotice.ts"
import { UserPort } from "../active/UserPort.ts"
import { fence, type ActiveTask } from "../active/ActiveTask.ts"
import type { Settings } from "@belay/settings"

interface Task {
  readonly id: TaskId.TaskId
  readonly workspace: string
  readonly mode: Mode.Mode
  readonly settings: Settings.TaskSettings
  /** Who wrote the words that it begins with. */
  readonly author: "user" | "task"
}

export class Surroundings extends Context.Service<
  Surroundings,
  {
    /** For the first message of a task. */
    readonly block: (task: Task) => Effect.Effect<Message.TextBlock>
    /** The steps that tell what is no longer as it was told; none when everything is. */
    readonly changes: (running: ActiveTask) => Effect.Effect<ReadonlyArray<Step.Step>>
  }
>()("@belay/task-engine/Surroundings") {
  static readonly layer = Layer.effect(
    Surroundings,
    Effect.gen(function* () {
      const person = yield* UserPort
      const catalog = yield* ToolCatalog

      /** As the tool that runs commands finds it; nothing without such a tool. */
      const commands = ({ settings, workspace }: Task): Effect.Effect<string | undefined> => {
        const state = catalog.get("execute_command")?.confinement?.(workspace) ?? Effect.succeed(undefined)
        return Effect.map(state, (found) => (found === undefined ? undefined : Conditions.commands(settings, found)))
      }

      const block: Surroundings["Service"]["block"] = Effect.fn("Surroundings.block")(function* (task) {
        const { author, mode, settings, workspace } = task
        const { enabled, read } = settings.approvals
        const isRead = enabled && read === "allow"
        // Each waits for programs.
        const [run, git, folder] = yield* Effect.all(
          [
            commands(task),
            isRead ? GitContext.summary(workspace) : Effect.succeed(undefined),
            isRead ? Overview.line(workspace) : Effect.succeed("")
          ],
          { concurrency: "unbounded" }
        )
        return Environment.block({
          workspace,
          day: yield* today,
          mode,
          author,
          ...(git === undefined ? {} : { git }),
          ...(folder === "" ? {} : { folder }),
          ...(run === undefined ? {} : { commands: run }),
          approvals: Conditions.approvals(settings.approvals, person.attended)
        })
      })

      const changes: Surroundings["Service"]["changes"] = (running) =>
        Effect.map(today, (day) => {
          const { conversation, settings } = running
          const now = { Date: day, Approvals: Conditions.approvals(settings.approvals, person.attended) }
          const notes = (["Date", "Approvals"] as const).flatMap((fact) => {
            const before = told(conversation.messages)[fact]
            return before === undefined || before === now[fact] ? [] : [Environment.note(fact, now[fact])]
          })
          const steps: ReadonlyArray<Step.Step> =
            notes.length === 0
              ? []
              : [{ _tag: "Append", ...fence(running), message: Message.from("engine.surroundings", ...notes) }]
          return [...ModeNotice.steps(running), ...steps]
        })
      return Surroundings.of({ block, changes })
    })
  )
}

const today = Effect.map(Clock.currentTimeMillis, (now) => new Date(now).toISOString().slice(0, 10))

const telling: ReadonlySet<Origin.Origin> = new Set(["engine.environment", "engine.surroundings"])

/** What the model was told last; nothing for tasks of earlier versions, which never were. */
const told = LogFold.make<Message.Message, Partial<Record<Environment.Changing, string>>>(
  () => ({}),
  (before, message) => {
    const texts = Origins.texts(message, telling)
    if (texts.length === 0) return before
    const said = (fact: Environment.Changing) =>
      texts.map((text) => Environment.said(Message.text(text), fact)).findLast((now) => now !== undefined)
    const [day, approvals] = [said("Date"), said("Approvals")]
    return {
      ...before,
      ...(day === undefined ? {} : { Date: day }),
      ...(approvals === undefined ? {} : { Approvals: approvals })
    }
  }
)
