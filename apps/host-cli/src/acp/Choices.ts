/**
 * What a client can choose of a session: the mode, the model, and what runs without asking.
 *
 * What is chosen holds for the task that runs from then on, and for those that continue it. Nothing widens that the
 * person's own settings do not offer.
 */
import type * as Protocol from "@agentclientprotocol/sdk"
import { Approvals } from "@belay/approval-policy"
import type { Event, ReservedSession } from "@belay/history-store"
import { ModelTable } from "@belay/model-client"
import { Settings } from "@belay/settings"

export type Chosen = Pick<ReservedSession, "mode" | "model" | "approvals">

/** The approvals that the settings say, where they are no preset that is offered. */
const own = "settings"

const approvals: Readonly<Record<string, string>> = {
  ask: "Ask before changes and commands",
  edits: "Edit files without asking"
}

const preset = (settings: Settings.TaskSettings): string => {
  const found = Approvals.presetOf(settings.approvals)
  return found !== undefined && Object.hasOwn(approvals, found) ? found : own
}

/** The settings with what was chosen. */
export const applied = (settings: Settings.TaskSettings, { approvals, model }: Chosen): Settings.TaskSettings => ({
  ...settings,
  ...(model === undefined ? {} : { actModel: model, planModel: model }),
  ...(approvals === "ask" || approvals === "edits" ? { approvals: Approvals.presets[approvals] } : {})
})

const modeNames = { plan: "Plan", act: "Act" } as const
const modeTexts = { plan: "Changes nothing; makes a plan", act: "Carries out" } as const

const models = (settings: Settings.TaskSettings, { model }: Chosen): ReadonlyArray<string> => [
  ...new Set([
    ...(model === undefined ? [] : [model]),
    settings.actModel,
    settings.planModel,
    ...Object.keys(settings.models).filter((name) => !name.includes("*")),
    ...ModelTable.models.map(({ id }) => id)
  ])
]

const select = (
  id: string,
  name: string,
  category: string,
  currentValue: string,
  options: ReadonlyArray<Protocol.SessionConfigSelectOption>
): Protocol.SessionConfigOption => ({ id, name, category, type: "select", currentValue, options: [...options] })

/** `settings`: without what was chosen. */
export const options = (settings: Settings.TaskSettings, chosen: Chosen): Array<Protocol.SessionConfigOption> => {
  const current = applied(settings, chosen)
  const said = preset(settings)
  const offered = [...Object.entries(approvals), ...(said === own ? [[own, "As your settings say"] as const] : [])]
  return [
    select(
      "mode",
      "Mode",
      "mode",
      chosen.mode,
      (["act", "plan"] as const).map((value) => ({ value, name: modeNames[value], description: modeTexts[value] }))
    ),
    select(
      "model",
      "Model",
      "model",
      Settings.modelFor(current, chosen.mode),
      models(settings, chosen).map((value) => ({ value, name: value }))
    ),
    select(
      "approvals",
      "Approvals",
      "_belay_approvals",
      chosen.approvals ?? said,
      offered.map(([value, name]) => ({ value, name }))
    )
  ]
}

export const modes = (mode: Event.Mode): Protocol.SessionModeState => ({
  currentModeId: mode,
  availableModes: (["act", "plan"] as const).map((id) => ({ id, name: modeNames[id], description: modeTexts[id] }))
})

/** What is chosen then; nothing where it is not offered. */
export const changed = (
  settings: Settings.TaskSettings,
  chosen: Chosen,
  option: string,
  value: unknown
): Chosen | undefined => {
  const found = options(settings, chosen).find(({ id }) => id === option)
  if (found?.type !== "select") return undefined
  const isOffered = found.options.some((one) => "value" in one && one.value === value)
  if (!isOffered || typeof value !== "string") return undefined
  if (option === "mode") return { ...chosen, mode: value === "plan" ? "plan" : "act" }
  if (option === "model") return { ...chosen, model: value }
  const { approvals: _, ...rest } = chosen
  return value === preset(settings) ? rest : { ...rest, approvals: value }
}
