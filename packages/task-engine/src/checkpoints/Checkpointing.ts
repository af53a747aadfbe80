/**
 * The workspace is recorded before the first change of a turn and after its last one, whatever ends the turn.
 *
 * What happens to a checkpoint never stops a task: why there is none is told once, and the task works on. A turn that a
 * crash cut off gets its end when the task goes on.
 */
import { CommandRule } from "@belay/approval-policy"
import { type CheckpointError, Checkpoints, type LeftOut, Timeline } from "@belay/checkpoints"
import type { Step } from "@belay/history-store"
import type { TaskId } from "@belay/task-state"
import type { Pipeline } from "@belay/tool-executor"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import { Journal } from "../active/Journal.ts"
import { fence, isLost, lastMessage, type ActiveTask, type StoreFailure } from "../active/ActiveTask.ts"
import * as Transitions from "../active/Transitions.ts"

export class Checkpointing extends Context.Service<
  Checkpointing,
  {
    /** Called with each call that is about to run; records the workspace before the first one of a turn that may change it. */
    readonly before: (running: ActiveTask, ready: Pipeline.Ready) => Effect.Effect<void, StoreFailure>
    /** Carries a turn out and records what it has changed, also when it is interrupted. */
    readonly turn: <A, E>(running: ActiveTask, carriedOut: Effect.Effect<A, E>) => Effect.Effect<A, E | StoreFailure>
    /** Ends the turn that the process before this one left without its end. */
    readonly recall: (running: ActiveTask) => Effect.Effect<void, StoreFailure>
    /** Gives a new task the checkpoints of another up to and with a message. */
    readonly branch: (
      source: { readonly taskId: TaskId.TaskId; readonly workspace: string },
      through: number,
      as: TaskId.TaskId
    ) => Effect.Effect<void>
  }
>()("@belay/task-engine/Checkpointing") {
  static readonly layer = Layer.effect(
    Checkpointing,
    Effect.gen(function* () {
      const journal = yield* Journal
      const checkpoints = yield* Checkpoints
      const tasks = new WeakMap<ActiveTask, Known>()
      const said = new Set<string>()

      const knownOf = (running: ActiveTask): Known => {
        const found = tasks.get(running) ?? { open: undefined, told: new Set() }
        tasks.set(running, found)
        return found
      }

      const placeOf = ({ id, workspace }: ActiveTask) => ({ taskId: id, workspace })

      /** Too slow once is too slow for this task; everything else may be over by the next turn. */
      const failed = (running: ActiveTask, error: CheckpointError): Effect.Effect<void, StoreFailure> =>
        Effect.suspend(() => {
          const steps: Array<Step.Step> = []
          if (error.reason === "tooSlow") {
            Transitions.configured(running, { ...running.settings, checkpoints: false })
            const { settings } = running
            const model = running.mode === "plan" ? settings.planModel : settings.actModel
            steps.push({ _tag: "Configure", ...fence(running), settings, model })
          }
          const key = `${running.record.lineage.rootId} ${error.reason}`
          if (!said.has(key)) steps.push({ _tag: "Failed", ...fence(running), tag: error._tag, message: error.message })
          said.add(key)
          return steps.length === 0 ? Effect.void : Effect.asVoid(journal.commit(steps))
        })

      /** Names that were not told before. */
      const untold = ({ told }: Known, leftOut: ReadonlyArray<LeftOut>): ReadonlyArray<LeftOut> => {
        const fresh = leftOut.filter(({ path }) => !told.has(path)).slice(0, mostNamed)
        for (const { path } of fresh) told.add(path)
        return fresh
      }

      const begin = (running: ActiveTask, known: Known, messageIndex: number) =>
        journal
          .around("checkpoint.record", checkpoints.record({ ...placeOf(running), messageIndex, moment: "before" }))
          .pipe(
            Effect.tap(() => Effect.sync(() => (known.open = messageIndex))),
            Effect.catch((error) => failed(running, error))
          )

      const end = (running: ActiveTask): Effect.Effect<void, StoreFailure> =>
        Effect.suspend(() => {
          const known = knownOf(running)
          const { open: messageIndex } = known
          // Whoever has the task now ends its turn.
          if (messageIndex === undefined || isLost(running)) return Effect.void
          known.open = undefined
          const recorded = Effect.catch(
            checkpoints.record({ ...placeOf(running), messageIndex, moment: "after" }),
            (error) => Effect.as(failed(running, error), undefined)
          )
          const noted = Effect.flatMap(recorded, (made) => {
            if (made === undefined) return Effect.void
            const leftOut = untold(known, made.leftOut)
            const files = made._tag === "Recorded" ? made.files : 0
            if (files === 0 && leftOut.length === 0) return Effect.void
            const note = { id: made.id, files, messageIndex, ...(leftOut.length === 0 ? {} : { leftOut }) }
            return Effect.asVoid(journal.commit([{ _tag: "Checkpointed", ...fence(running), note }]))
          })
          return journal.around("checkpoint.settle", noted)
        })

      const before: Checkpointing["Service"]["before"] = (running, ready) =>
        Effect.suspend(() => {
          const known = knownOf(running)
          const messageIndex = running.conversation.messages.findLast(({ role }) => role === "assistant")?.index
          if (!running.settings.checkpoints || messageIndex === undefined || !mayChange(ready)) return Effect.void
          return known.open === messageIndex ? Effect.void : begin(running, known, messageIndex)
        })

      const turn: Checkpointing["Service"]["turn"] = (running, carriedOut) =>
        carriedOut.pipe(
          Effect.onInterrupt(() => Effect.ignore(Effect.timeout(Effect.interruptible(end(running)), atStop))),
          Effect.tap(() => end(running))
        )

      const recall: Checkpointing["Service"]["recall"] = Effect.fn("Checkpointing.recall")(function* (running) {
        if (!running.settings.checkpoints) return
        const list = yield* Effect.orElseSucceed(checkpoints.list(placeOf(running)), () => [])
        const last = Timeline.ordered(list).at(-1)
        if (last?.moment !== "before") return
        knownOf(running).open = last.messageIndex
        // The turn that goes on ends by itself.
        if (lastMessage(running)?.index !== last.messageIndex) yield* end(running)
      })

      const branch: Checkpointing["Service"]["branch"] = Effect.fn("Checkpointing.branch")(
        function* (source, through, as) {
          const all = Timeline.ordered(yield* checkpoints.list(source))
          const last = all.findLast(({ messageIndex }) => messageIndex <= through)
          if (last !== undefined) yield* checkpoints.branch(source, last.id, as)
        },
        (made) => Effect.ignore(made)
      )
      yield* Effect.forkScoped(Effect.repeat(Effect.ignore(checkpoints.tidy()), Schedule.spaced(collectEvery)))
      return Checkpointing.of({ before, turn, recall, branch })
    })
  )
}

/** What is known of a task that runs here. */
interface Known {
  /** The message whose turn has been recorded before its first change, and not yet after its last one. */
  open: number | undefined
  /** Files that the user knows to be in no checkpoint. */
  readonly told: Set<string>
}

/** Calls of these categories change files; whatever a subtask may do is done after the call that starts it. */
const changing = new Set(["edit", "command", "mcp", "delegate", "custom"])

const mayChange = ({ facts, tool }: Pipeline.Ready): boolean => {
  if (tool.readOnly || !changing.has(tool.category)) return false
  return facts.command === undefined || !CommandRule.isReadOnly(facts.command)
}

const mostNamed = 20

/** A stop is not kept waiting for longer. */
const atStop = "2 seconds"

const collectEvery = "1 day"
