/**
 * What people allowed beyond one call. For a task: kept in its settings, good for it and everything below it, until it is
 * completed or the person takes it back. Always: kept for the folder, good for every task in it.
 *
 * They are looked up when a call asks, never copied: what is taken back is taken back below, too.
 */
import { Grant } from "@belay/approval-policy"
import { type Step, TaskHistory } from "@belay/history-store"
import { type TaskId } from "@belay/task-state"
import { Pipeline } from "@belay/tool-executor"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { EngineOptions } from "../EngineOptions.ts"
import * as FolderGrants from "./FolderGrants.ts"
import { Journal } from "../active/Journal.ts"
import * as Sentences from "../text/Sentences.ts"
import { fence, type ActiveTask } from "../active/ActiveTask.ts"
import { Settings } from "@belay/settings"
import type { SettingsFileError } from "@belay/settings/file"

export class Grants extends Context.Service<
  Grants,
  {
    /** The decision on a prepared call with what was granted here, above and in the folder. What cannot be read grants nothing. */
    readonly apply: (running: ActiveTask, ready: Pipeline.Ready) => Effect.Effect<Pipeline.Ready>
    /** What a person has to know of a call that asks although it was allowed always once; one line each. */
    readonly notes: (running: ActiveTask, ready: Pipeline.Ready) => Effect.Effect<ReadonlyArray<string>>
    /** Allows it always in the folder. Errors: one line when that cannot be stored. */
    readonly keep: (running: ActiveTask, rules: ReadonlyArray<Grant.Rule>) => Effect.Effect<void, SettingsFileError>
  }
>()("@belay/task-engine/Grants") {
  static readonly layer = Layer.effect(
    Grants,
    Effect.gen(function* () {
      const { home } = yield* EngineOptions
      const journal = yield* Journal
      const history = yield* TaskHistory
      const folders = FolderGrants.make(home)

      /** The settings of a task above, and who is above that; nothing of a completed one. */
      const above = Effect.fnUntraced(function* (id: TaskId.TaskId) {
        const running = journal.running.get(id)
        if (running !== undefined) return { grants: running.settings.grants, parent: running.record.lineage.parentId }
        const row = Option.getOrUndefined(yield* history.row(id))
        if (row === undefined || row.record.status === "completed") return { grants: [], parent: undefined }
        const { grants } = yield* Settings.decode(row.meta.settings)
        return { grants, parent: row.record.lineage.parentId }
      })

      const rulesOf = Effect.fnUntraced(
        function* (running: ActiveTask) {
          const rules = [...running.settings.grants]
          let next = running.record.lineage.parentId
          while (next !== undefined) {
            const { grants, parent }: Effect.Success<ReturnType<typeof above>> = yield* above(next)
            rules.push(...grants)
            next = parent
          }
          return rules
        },
        Effect.catch(() => Effect.succeed<ReadonlyArray<Grant.Rule>>([]))
      )

      const apply: Grants["Service"]["apply"] = Effect.fn("Grants.apply")(function* (running, ready) {
        const { decision } = ready
        if (decision.decision !== "ask" || !decision.grants.includes("task")) return ready
        const call = judged(running, ready)
        const forTask = Grant.decide(decision, yield* rulesOf(running), call)
        return { ...ready, decision: yield* FolderGrants.decide(folders, running.settings, forTask, call) }
      })

      const notes: Grants["Service"]["notes"] = Effect.fn("Grants.notes")(function* (running, ready) {
        const { folderGrants, unconfirmed } = running.settings
        if (!ready.decision.grants.includes("always") || !folderGrants) return []
        const { entries, problems } = yield* folders.of(running.workspace)
        const text = ready.facts.command?.text
        return [
          ...(text !== undefined && unconfirmed.includes(text) ? [Sentences.alwaysUnconfirmed] : []),
          ...(entries.some(({ state }) => state === "moved") ? [Sentences.alwaysMoved] : []),
          ...problems
        ]
      })

      return Grants.of({ apply, notes, keep: (running, rules) => folders.add(running.workspace, rules) })
    })
  )
}

/** The call as grants see it. */
export const judged = (running: ActiveTask, { args, facts, tool }: Pipeline.Ready): Grant.Judged => ({
  args,
  facts: Pipeline.judgedFacts(facts),
  tool: tool.name,
  category: tool.category,
  workspace: running.workspace
})

const key = (rule: Grant.Rule): string => JSON.stringify(rule)

/** The settings with rules added, each once. */
export const adding = (settings: Settings.TaskSettings, rules: ReadonlyArray<Grant.Rule>): Settings.TaskSettings => {
  const known = new Set(settings.grants.map(key))
  return { ...settings, grants: [...settings.grants, ...rules.filter((rule) => !known.has(key(rule)))] }
}

/** The settings without a rule. */
export const without = (settings: Settings.TaskSettings, rule: Grant.Rule): Settings.TaskSettings => ({
  ...settings,
  grants: settings.grants.filter((other) => key(other) !== key(rule))
})

/** The step that stores settings; the runner follows them once it is committed. */
export const configured = (running: ActiveTask, settings: Settings.TaskSettings): Step.Step => ({
  _tag: "Configure",
  ...fence(running),
  settings,
  model: Settings.modelFor(settings, running.mode)
})

/** `home`: the data folder. */
