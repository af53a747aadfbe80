/**
 * The tools that act on the task itself. Their flows are the engine's; those that run at once reach the running task
 * through `Journal`.
 */
import { ToolCategory } from "@belay/approval-policy"
import type { ProjectContext } from "@belay/prompt-context"
import { Tool } from "@belay/tool-executor"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

const text = (description: string) => Schema.String.annotate({ description })

const isSaid = Schema.makeFilter((value: string) => (value.trim() === "" ? "must not be empty" : undefined))

/** Decodes a text that is not blank. */
export const NonBlank = Schema.String.check(isSaid)

/** A description counts only before the check. */
export const said = (description: string) => text(description).check(isSaid)

interface Spec<Fields extends Schema.Struct.Fields> {
  readonly name: string
  readonly description: string
  readonly category: ToolCategory.ToolCategory
  readonly flow: Tool.ToolFlow
  readonly parameters: Schema.Struct<Fields>
}

/** A tool whose flow the engine carries out; it is never executed by itself. */
const flowTool = <Fields extends Schema.Struct.Fields>(spec: Spec<Fields>): Tool.Tool => ({
  ...spec,
  readOnly: false,
  parameters: spec.parameters as unknown as Schema.Codec<any, any>,
  facts: () => Effect.succeed(Tool.noFacts),
  execute: () => Effect.succeed(Tool.failure(`${spec.name} is not run by itself.`))
})

/** Decodes the arguments of `new_task`. */
export const NewTask = Schema.Struct({
  message: said("Everything the subtask needs to know"),
  mode: Schema.optionalKey(Schema.Literals(["plan", "act"])),
  todos: Schema.optionalKey(text("Its first checklist, as '- [ ] item' lines")),
  background: Schema.optionalKey(Schema.Boolean),
  agent: Schema.optionalKey(text("One of the <agents>")),
  budget: Schema.optionalKey(
    Schema.Struct({ maxRequests: Schema.optionalKey(Schema.Natural), maxCostUsd: Schema.optionalKey(Schema.Finite) })
  )
})

/** Decodes the arguments of `wait_for_tasks`. */
export const WaitForTasks = Schema.Struct({
  ids: Schema.optionalKey(Schema.Array(Schema.String).annotate({ description: "All that are open by default" }))
})

/** Decodes the arguments of `list_tasks`. */
export const ListTasks = Schema.Struct({ ids: Schema.optionalKey(Schema.Array(Schema.String)) })

/** Decodes the arguments of `attempt_completion`. */
export const Completion = Schema.Struct({
  result: said("What was done and what is left")
})

/** Decodes the arguments of `ask_followup_question`. */
export const Question = Schema.Struct({
  question: NonBlank,
  options: Schema.optionalKey(
    Schema.Array(Schema.String)
      .annotate({ description: "2 to 5 answers to choose from" })
      .check(Schema.isMinLength(2), Schema.isMaxLength(5))
  )
})

/** Decodes the arguments of `plan_mode_respond`. */
export const PlanResponse = Schema.Struct({
  response: said("The plan, in Markdown"),
  needs_more_exploration: Schema.optionalKey(Schema.Boolean)
})

/** Decodes the arguments of `hand_over`. */
export const HandOver = Schema.Struct({
  steps: Schema.Array(NonBlank).check(Schema.isMinLength(1))
})

/** Decodes the arguments of `load_skill`. */
export const LoadSkill = Schema.Struct({ name: NonBlank })

/** A skill with where its files are. */
export const skillText = ({ folder, text }: ProjectContext.Skill): string =>
  `Folder of this skill: ${folder}\n\n${text}`

/** `find` gives the text of a skill of the workspace, or the names of those that there are. */
export const loadSkill = (
  find: (name: string, context: Tool.ToolContext) => Effect.Effect<Tool.ToolOutput>
): Tool.Tool<typeof LoadSkill.Type> => ({
  name: "load_skill",
  description: "Read the instructions of a skill that the user's message lists.",
  category: "internal",
  flow: "run",
  readOnly: true,
  parameters: LoadSkill,
  facts: () => Effect.succeed(Tool.noFacts),
  execute: ({ name }, context) => find(name, context)
})

/** Lists the tools that the engine itself carries out. Run by themselves they fail. */
export const flowTools: ReadonlyArray<Tool.Tool> = [
  flowTool({
    name: "new_task",
    description: "Give an independent part of the work to a subtask. The result is what it completes with.",
    category: "delegate",
    flow: "delegate",
    parameters: NewTask
  }),
  {
    ...flowTool({
      name: "wait_for_tasks",
      description: "Wait until background subtasks have completed. Returns their results.",
      category: "internal",
      flow: "wait",
      parameters: WaitForTasks
    }),
    readOnly: true
  },
  flowTool({
    name: "attempt_completion",
    description: "Finish the task. Call it alone, after the work is done and checked.",
    category: "internal",
    flow: "complete",
    parameters: Completion
  }),
  flowTool({
    name: "ask_followup_question",
    description: "Ask the user one question.",
    category: "internal",
    flow: "question",
    parameters: Question
  }),
  flowTool({
    name: "plan_mode_respond",
    description: "Present a plan to the user, in plan mode. With needs_more_exploration you go on without an answer.",
    category: "internal",
    flow: "question",
    parameters: PlanResponse
  }),
  flowTool({
    name: "hand_over",
    description: "Hand the saved plan over to a new task that carries these steps out, once the user agrees.",
    category: "internal",
    flow: "question",
    parameters: HandOver
  })
]

/** `list` shows the subtasks of the task that calls. */
export const listTasks = (
  list: (ids: (typeof ListTasks.Type)["ids"], context: Tool.ToolContext) => Effect.Effect<Tool.ToolOutput>
): Tool.Tool<typeof ListTasks.Type> => ({
  name: "list_tasks",
  description: "List your subtasks: id, state, title.",
  category: "internal",
  flow: "run",
  readOnly: true,
  parameters: ListTasks,
  facts: () => Effect.succeed(Tool.noFacts),
  execute: (args, context) => list(args.ids, context)
})
