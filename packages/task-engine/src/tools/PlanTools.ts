/**
 * The tools by which a model in plan mode gets on: it saves the plan of deep planning, or asks for act mode.
 *
 * The plan is written by the tool that writes every file, under the same rules, in a file of a fixed name and never
 * through a symbolic link. Its phase is stored before the file and after it.
 */
import { Message } from "@belay/message-state"
import { type DeepPlanning, PlanDocument, PlanResponse } from "@belay/modes"
import { Tool } from "@belay/tool-executor"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as path from "node:path"
import { said } from "./EngineTools.ts"
import type { Journal } from "../active/Journal.ts"
import * as Prompt from "../prompt/Prompt.ts"
import { fence } from "../active/ActiveTask.ts"
import { Settings } from "@belay/settings"

const SavePlan = Schema.Struct({
  sections: Schema.Record(Schema.String, Schema.String).annotate({ description: PlanDocument.sections.join(", ") })
})
type SavePlan = typeof SavePlan.Type

const SwitchMode = Schema.Struct({
  reason: said("What you would do in act mode")
})

const notHere = Tool.failure("The task does not run here.")

const savePlan = (journal: Journal["Service"], write: Tool.Tool): Tool.Tool<SavePlan> => {
  const render = ({ sections }: SavePlan, { taskId }: Tool.ToolContext) =>
    PlanDocument.render(journal.running.get(taskId)?.title ?? "", sections)
  /** What `of` says of the file that would be written; nothing is written of a plan that is not whole. */
  const asEdit =
    <A>(of: ((args: unknown, context: Tool.ToolContext) => Effect.Effect<A>) | undefined, otherwise: A) =>
    (args: SavePlan, context: Tool.ToolContext): Effect.Effect<A> => {
      const text = render(args, context)
      return of === undefined || Result.isFailure(text)
        ? Effect.succeed(otherwise)
        : of({ path: PlanDocument.fileName, content: text.success }, context)
    }
  return {
    name: "save_plan",
    description: `Save the plan as ${PlanDocument.fileName}, with all its sections.`,
    category: "internal",
    flow: "run",
    readOnly: false,
    parameters: SavePlan,
    facts: asEdit(write.facts, Tool.noFacts),
    identity: asEdit(write.identity, ""),
    proposes: asEdit(write.proposes, []),
    execute: (args, context) =>
      Effect.gen(function* () {
        const running = journal.running.get(context.taskId)
        if (running === undefined) return notHere
        const to = (phase: DeepPlanning.Phase) =>
          Effect.orDie(journal.commit([{ _tag: "PlanningChanged", ...fence(running), to: phase }]))
        yield* to("document")
        const text = render(args, context)
        if (Result.isFailure(text)) return Tool.failure(text.failure.message)
        const file = { path: PlanDocument.fileName, content: text.success }
        const { paths } = yield* write.facts(file, context)
        if (paths[0]?.resolved !== path.join(context.workspace, PlanDocument.fileName)) {
          return Tool.failure(Prompt.planIsLink(PlanDocument.fileName))
        }
        const { seen, ...unasked } = context
        // A plan of an earlier task is nothing that this one has to read.
        const isKnown = seen?.(path.join(context.workspace, PlanDocument.fileName)) !== undefined
        const written = yield* write.execute(file, isKnown ? context : unasked)
        if (written.isError) return written
        yield* to("handOver")
        const saved = Message.text(Prompt.planSaved(PlanDocument.fileName))
        return { ...written, content: [saved, Prompt.planning("handOver")] }
      })
  }
}

/** The policy always asks the user before this runs. */
const switchMode = (journal: Journal["Service"]): Tool.Tool<typeof SwitchMode.Type> => ({
  name: "switch_mode",
  description: "Ask the user to switch to act mode.",
  category: "modeSwitch",
  flow: "run",
  readOnly: false,
  parameters: SwitchMode,
  facts: () => Effect.succeed(Tool.noFacts),
  execute: (_args, { taskId }) =>
    Effect.gen(function* () {
      const running = journal.running.get(taskId)
      if (running === undefined) return notHere
      const model = Settings.modelFor(running.settings, "act")
      yield* Effect.orDie(journal.commit([{ _tag: "ModeChanged", ...fence(running), to: "act", by: "model", model }]))
      return Tool.output(PlanResponse.PLAN_MODE_TOGGLE_RESPONSE)
    })
})

/** `tools` are those of the host; where none of them writes files no plan can be saved. */
export const make = (journal: Journal["Service"], tools: ReadonlyArray<Tool.Tool>): ReadonlyArray<Tool.Tool> => {
  const write = tools.find(({ name }) => name === "write_to_file")
  return [...(write === undefined ? [] : [savePlan(journal, write)]), switchMode(journal)]
}
