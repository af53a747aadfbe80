/**
 * What a task knows of a model, and what it asks of it: what its settings say, else the table, else what is safe with every
 * service.
 */
import { Usage } from "@belay/message-state"
import { type ModelRequest, ModelTable } from "@belay/model-client"
import type { Answers, ModelLimits, TaskSettings } from "./Settings.ts"
import * as Settings from "./Settings.ts"

/** States the limits and abilities of a model. */
export interface Known {
  /** Tokens of prompt and answer together. */
  readonly inputLimit: number
  /** Of these, those that a prompt leaves free. */
  readonly outputReserve: number
  /** The largest answer, where it is known. */
  readonly maxOutput?: number
  /** Without one its cost is unknown, and not free. */
  readonly price?: Usage.Price
  readonly thinking?: ModelTable.Ability
  /** It takes images; taken for granted where nothing is known. */
  readonly images: boolean
  /** The table or the settings know it. */
  readonly isKnown: boolean
}

type Mode = "plan" | "act"

const isLike = (pattern: string, model: string): boolean => {
  const parts = pattern.split("*").map((part) => part.replaceAll(/[\\^$.+?()[\]{}|]/gu, String.raw`\$&`))
  return new RegExp(`^${parts.join(".*")}$`, "u").test(model)
}

/** Gives what the settings say of a model: by its id, else by the longest pattern that it fits. */
export const entryOf = ({ models }: Pick<TaskSettings, "models">, model: string): ModelLimits | undefined => {
  const own = Object.hasOwn(models, model) ? models[model] : undefined
  if (own !== undefined) return own
  const patterns = Object.keys(models).filter((name) => name.includes("*") && isLike(name, model))
  const closest = patterns.toSorted((a, b) => b.length - a.length)[0]
  return closest === undefined ? undefined : models[closest]
}

const abilityOf = (
  said: ModelLimits["thinking"],
  known: ModelTable.Ability | undefined
): ModelTable.Ability | undefined => {
  if (said === undefined || said === known?.kind) return known
  return said === "adaptive" ? { kind: "adaptive", effort: "medium", off: "disabled", bound: false } : { kind: said }
}

/**
 * Returns what holds for a model. Every name has an answer: an unknown model gets limits that are safe with every
 * service.
 */
export const of = (settings: Pick<TaskSettings, "models">, model: string): Known => {
  const own = entryOf(settings, model)
  const row = ModelTable.find(model)
  const { images, thinking: said, ...entry } = own ?? {}
  const thinking = abilityOf(said, row?.thinking)
  const price = entry.price ?? row?.price
  const maxOutput = entry.maxOutput ?? row?.output
  return {
    inputLimit: entry.inputLimit ?? row?.context ?? ModelTable.safeContextTokens,
    outputReserve: entry.outputReserve ?? ModelTable.safeOutputTokens,
    images: images ?? row?.images ?? true,
    isKnown: own !== undefined || row !== undefined,
    ...(maxOutput === undefined ? {} : { maxOutput }),
    ...(price === undefined ? {} : { price }),
    ...(thinking === undefined ? {} : { thinking })
  }
}

/** Of the model of a mode. */
export const inMode = (settings: TaskSettings, mode: Mode): Known => of(settings, Settings.modelFor(settings, mode))

/** Gives what is asked of the answers of a mode. */
export const answers = (settings: TaskSettings, mode: Mode): Answers => {
  const { maxOutputTokens, temperature, thinking } = settings
  return {
    ...(thinking === undefined ? {} : { thinking }),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...(temperature === undefined ? {} : { temperature }),
    ...settings[mode]
  }
}

/** Says how the model of a mode is told to think, before it is known how long its answer may be. */
export const thinking = (settings: TaskSettings, mode: Mode): ModelRequest.Thinking | undefined =>
  ModelTable.thinking(inMode(settings, mode).thinking, answers(settings, mode).thinking)

/** Tokens that an answer may have. */
export const outputTokens = (settings: TaskSettings, mode: Mode): number => {
  const { maxOutputTokens } = answers(settings, mode)
  if (maxOutputTokens !== undefined) return maxOutputTokens
  const { maxOutput, outputReserve } = inMode(settings, mode)
  return Math.max(outputReserve, ModelTable.outputTokens(maxOutput, thinking(settings, mode)))
}

/** The temperature of a mode; none for a model that takes none, nor beside a budget to think with, which excludes it. */
export const temperature = (
  settings: TaskSettings,
  mode: Mode,
  how: ModelRequest.Thinking | undefined
): number | undefined => {
  const takes = ModelTable.find(Settings.modelFor(settings, mode))?.temperature ?? true
  const isThinking = how?.type === "budget" || how?.type === "adaptive"
  return takes && !isThinking ? answers(settings, mode).temperature : undefined
}

/** The model of a mode, where its cost is limited and its price is not known: no request would be made. */
export const unpriced = (settings: TaskSettings, mode: Mode): string | undefined =>
  settings.maxCostUsd !== null && inMode(settings, mode).price === undefined
    ? Settings.modelFor(settings, mode)
    : undefined
