/** Every tool of an engine: those of its host, and those that act on the task itself. */
import { TaskHistory } from "@belay/history-store"
import { ProjectContext } from "@belay/prompt-context"
import { Catalog, Tool, ToolCatalog } from "@belay/tool-executor"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Journal } from "../active/Journal.ts"
import { EngineOptions } from "../EngineOptions.ts"
import * as EngineTools from "./EngineTools.ts"
import * as PlanTools from "./PlanTools.ts"
import * as TaskList from "./TaskList.ts"

type Folder = (typeof ProjectContext.ProjectContext)["Service"]

const loadSkill = (folder: Folder) =>
  EngineTools.loadSkill((name, { workspace }) =>
    Effect.map(folder.content(workspace), ({ skills }) => {
      const skill = skills.find((known) => known.name === name)
      if (skill !== undefined) return Tool.output(EngineTools.skillText(skill))
      const names = skills.map((known) => known.name).join(", ")
      return Tool.failure(names === "" ? "There are no skills here." : `There is no such skill. Use one of: ${names}.`)
    })
  )

export const layer: Layer.Layer<ToolCatalog, never, EngineOptions | Journal | TaskHistory> = Layer.effect(
  ToolCatalog,
  Effect.gen(function* () {
    const { tools } = yield* EngineOptions
    const journal = yield* Journal
    const folder = yield* ProjectContext.ProjectContext
    return Catalog.make([
      ...tools,
      ...EngineTools.flowTools,
      ...PlanTools.make(journal, tools),
      loadSkill(folder),
      EngineTools.listTasks(TaskList.make(yield* TaskHistory))
    ])
  })
)
