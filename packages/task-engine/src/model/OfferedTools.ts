/** The tools that a task's model is told of, and those of them that its mode lets it call. */
import { Mode } from "@belay/modes"
import { type Tool, ToolCatalog } from "@belay/tool-executor"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { ActiveTask } from "../active/ActiveTask.ts"

type Tools = ReadonlyArray<Tool.Tool>

export class OfferedTools extends Context.Service<
  OfferedTools,
  {
    /** The same array in both modes, and for the same settings. Deep planning adds its own once it has begun. */
    readonly all: (running: ActiveTask) => Tools
    /** What a call that cannot run is pointed to. */
    readonly usable: (running: ActiveTask) => Tools
  }
>()("@belay/task-engine/OfferedTools") {
  static readonly layer = Layer.effect(
    OfferedTools,
    Effect.map(ToolCatalog, ({ tools }) => {
      const known = new Map<string, Tools>()

      const once = (key: ReadonlyArray<unknown>, of: () => Tools): Tools => {
        // No tools at all is something else than all of them.
        const name = JSON.stringify(key)
        const found = known.get(name) ?? of()
        known.set(name, found)
        return found
      }

      const given = ({ settings }: ActiveTask) => tools.filter(({ name }) => isGiven(settings, name))

      return OfferedTools.of({
        all: (running) => {
          const options = optionsOf(running)
          return once([options.deepPlanning, options.mayAskToSwitch, ...chosen(running)], () =>
            Mode.offered(given(running), options)
          )
        },
        usable: (running) => {
          const options = optionsOf(running)
          return once([running.mode, ...Object.values(options), ...chosen(running)], () =>
            Mode.usable(running.mode, given(running), options)
          )
        }
      })
    })
  )
}

/** Whether there is a tool for a task. */
export const isGiven = ({ tools, withoutTools }: ActiveTask["settings"], name: string): boolean =>
  tools?.includes(name) !== false && withoutTools?.includes(name) !== true

/** What of a task decides it. */
export const optionsOf = ({ planning, settings }: ActiveTask) => ({
  strictPlanMode: settings.strictPlanMode,
  deepPlanning: planning !== undefined,
  mayAskToSwitch: settings.approvals.modeSwitch !== "deny"
})

const chosen = ({ settings }: ActiveTask) => [settings.tools, settings.withoutTools]
