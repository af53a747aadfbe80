/**
 * The hooks of a task at its calls: which look at one, and what they answered.
 *
 * Guarantees: a hook is started once for a call as it is, whatever becomes of this process. Its answer is stored and
 * counts again for the same call and the same hook; one that was started and has none stored has failed. A hook whose
 * script has changed since the task began is not run, and denies. Nothing passes because a hook could not be run.
 */
import { Fingerprint } from "@belay/approval-policy"
import { TaskHistory } from "@belay/history-store"
import { Pipeline, type Tool } from "@belay/tool-executor"
import {
  type Hook,
  HookCall,
  type HookCombination,
  HookInput,
  HookMatcher,
  HookOutput,
  HookScripts
} from "@belay/tool-executor/hooks"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { fence, type ActiveTask } from "../active/ActiveTask.ts"
import { Journal } from "../active/Journal.ts"
import { EngineOptions } from "../EngineOptions.ts"
import type * as Call from "./Call.ts"

export class Hooks extends Context.Service<
  Hooks,
  {
    /** What the pipeline asks of the hooks of a task; nothing for a task without. */
    readonly of: (running: ActiveTask) => Pick<Pipeline.TaskContext, "hooks">
    /** Whether a hook looks at a call. */
    readonly lookAt: (running: ActiveTask, open: Pick<Call.Open, "call" | "tool">) => boolean
  }
>()("@belay/task-engine/Hooks") {
  static readonly layer = Layer.effect(
    Hooks,
    Effect.gen(function* () {
      const { hooks: runner } = yield* EngineOptions
      const history = yield* TaskHistory
      const journal = yield* Journal

      const run = (running: ActiveTask, hook: Hook.Hook, input: unknown): Effect.Effect<HookOutput.Answer> => {
        const { workspace } = running
        const script = HookScripts.changed(hook, workspace)
        if (script !== undefined) return Effect.succeed(denied(`${script} has changed since the task began`))
        if (runner === undefined) return Effect.succeed(failed("hooks cannot be run here"))
        return Effect.map(runner.run({ hook, input, workspace }), HookOutput.read)
      }

      const answers = Effect.fn("Hooks.answers")(function* (running: ActiveTask, judged: Pipeline.Judged) {
        const key = judged.call.callId
        const looking = lookingAt(running, judged.tool, judged.args)
        if (looking.length === 0) return []
        const known = yield* history.hookRuns(running.id, key)
        const entries = looking.map((hook) => {
          const run = { key, toldHash: judged.hash, hookHash: Pipeline.sha256(Fingerprint.canonicalArguments(hook)) }
          return { hook, run, before: known.find((it) => it.hookHash === run.hookHash && it.toldHash === run.toldHash) }
        })
        const fresh = entries.filter(({ before }) => before === undefined)
        const runs = fresh.map(({ run }) => run)
        if (fresh.length > 0) yield* journal.commit([{ _tag: "HooksRun", ...fence(running), runs }])
        const input = HookInput.preToolUse(taskOf(running), judged)
        const ran = yield* Effect.forEach(
          entries,
          ({ before, hook }) =>
            before === undefined ? run(running, hook, input) : Effect.succeed(stored(before.output)),
          { concurrency: "unbounded" }
        )
        const found = entries.map(({ before, hook, run }, at) => ({
          before,
          hook,
          run,
          answer: ran[at] ?? failed("it has no answer")
        }))
        const finished = found.flatMap(({ answer, before, run }) =>
          before === undefined ? [{ ...run, output: JSON.stringify(answer) }] : []
        )
        if (finished.length > 0) yield* journal.commit([{ _tag: "HooksRun", ...fence(running), runs: finished }])
        return found.map(({ answer, hook }): HookCombination.Ran => ({ hook, answer: counting(running, answer) }))
      })

      /** What cannot be stored is no answer of any of them. */
      const unstored = (running: ActiveTask, { args, tool }: Pipeline.Judged) =>
        lookingAt(running, tool, args).map((hook): HookCombination.Ran => ({
          hook,
          answer: failed("that it ran could not be stored")
        }))

      return Hooks.of({
        of: (running) =>
          running.settings.hooks.length === 0
            ? {}
            : {
                hooks: (judged) =>
                  Effect.catch(answers(running, judged), () => Effect.sync(() => unstored(running, judged)))
              },
        lookAt: (running, { call, tool }) => tool !== undefined && lookingAt(running, tool, call.input).length > 0
      })
    })
  )
}

const failed = (why: string): HookOutput.Answer => ({ _tag: "Failed", why })

const denied = (reason: string): HookOutput.Answer => ({ _tag: "Answered", decision: "deny", reason })

/** A completion is the end of a task, and no call of a tool. */
const lookingAt = (
  { settings: { hooks }, workspace }: ActiveTask,
  { flow, name }: Tool.Tool,
  args: unknown
): ReadonlyArray<Hook.Hook> =>
  hooks.length === 0 || flow === "complete"
    ? []
    : HookMatcher.looking(hooks, "PreToolUse", HookCall.namesOf(name, HookCall.of(name, args, workspace)))

/** Where the host restricts the folder nothing is allowed for good, and no hook allows. */
const counting = ({ settings }: ActiveTask, answer: HookOutput.Answer): HookOutput.Answer => {
  if (answer._tag === "Failed" || answer.decision !== "allow" || settings.folderGrants) return answer
  const { decision: _, ...others } = answer
  return others
}

const decode = Schema.decodeUnknownResult(Schema.fromJsonString(HookOutput.Answer))

/** An answer of before; a hook that was cut off has none, and is not asked again. */
const stored = (output: string | undefined): HookOutput.Answer => {
  if (output === undefined) return failed("it was cut off, and is not run twice")
  const found = decode(output)
  return Result.isSuccess(found) ? found.success : failed("its answer cannot be read any more")
}

const taskOf = ({ attempt, id, mode, record, settings, workspace }: ActiveTask): HookInput.OfTask => ({
  id,
  rootId: record.lineage.rootId,
  parentId: record.lineage.parentId,
  attempt: attempt ?? 0,
  workspace,
  mode,
  approvals: settings.approvals
})
