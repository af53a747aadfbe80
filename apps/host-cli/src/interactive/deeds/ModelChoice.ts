/** Which model is asked from now on: by the task that is shown, and by those that begin or go on in this terminal. */
import { Words } from "@belay/interaction"
import { TaskStore } from "@belay/interaction/tasks"
import { ModelTable } from "@belay/model-client"
import { Settings } from "@belay/settings"
import { TaskEngine } from "@belay/task-engine"
import { TaskNode } from "@belay/task-engine/remote"
import * as Effect from "effect/Effect"
import type { Around } from "./Around.ts"

const changed =
  (mode: "plan" | "act", model: string) =>
  (now: Settings.TaskSettings): Settings.TaskSettings => {
    // Who has one model has it in both modes.
    const isOne = now.planModel === now.actModel
    return {
      ...now,
      ...(isOne || mode === "act" ? { actModel: model } : {}),
      ...(isOne || mode === "plan" ? { planModel: model } : {})
    }
  }

/** `rest`: the name of one, or nothing: it is chosen from a list. */
export const choose = ({ entry, ground, know, mode, perform, store, ui }: Around, rest: string): void => {
  const shown = entry()
  if (shown !== undefined && !shown.here && TaskNode.isAlive(shown.node)) {
    return ui.hint("It runs in another process: its model is chosen there.")
  }
  const { settings } = ground
  const current = shown?.node.row.meta.model ?? Settings.modelFor(settings, mode())
  const use = (name: string): void => {
    const model = Settings.named(name)
    const wish = Effect.gen(function* () {
      const change = changed(mode(), model)
      ground.choose(change)
      const engine = yield* TaskEngine
      const id = shown === undefined ? undefined : TaskStore.idOf(shown)
      if (id !== undefined && engine.running().has(id)) yield* engine.configure(id, change)
      ui.tell([`${Words.modes[mode()]} asks ${Words.printable(model)} from the next request on.`])
      yield* store.refresh
      yield* know
    })
    perform(wish)
  }
  if (rest !== "") return use(rest)
  const known = [...new Set([current, ...Object.keys(settings.models), ...ModelTable.models.map(({ id }) => id)])]
  const shorts = new Map(Object.entries(ModelTable.aliases).map(([alias, id]) => [id, alias]))
  ui.choose({
    label: "Model",
    none: "Enter takes what is typed, as the service names it.",
    items: (words) =>
      known
        .filter((id) => !id.includes("*") && `${id} ${shorts.get(id) ?? ""}`.includes(words.toLowerCase()))
        .map((id) => ({
          id,
          text: [id, shorts.get(id), ...(id === current ? ["now"] : [])].filter(Boolean).join(" · ")
        })),
    chosen: use,
    other: use
  })
}
