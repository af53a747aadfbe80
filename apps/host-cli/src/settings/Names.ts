/** The names of settings, as `belay config` takes them, and where each is in the file. */
import { Approvals } from "@belay/approval-policy"
import { suggestion } from "../cli/Arguments.ts"
import * as Effect from "effect/Effect"
import { type Failure, usage } from "../cli/Failure.ts"

const approvals =
  "enabled read readOutside edit editOutside protected delegate fetch modeSwitch commands mcp tools paths folders checkInRequests"

export const names: ReadonlyArray<string> = [
  "approvals",
  ...approvals.split(" ").map((field) => `approvals.${field}`),
  ..."allow deny other readOnly checks".split(" ").map((field) => `approvals.commands.${field}`),
  "sandbox",
  "network.allowedDomains",
  "env.pass",
  "env.block",
  "shell.bash",
  "keys.editor",
  "keys.escape",
  "notify.osc",
  ..."wrap title keys escapeMs".split(" ").map((field) => `terminal.${field}`),
  "hooks.PreToolUse",
  "completion",
  "strictPlanMode",
  "toolCallsPerRequest",
  ..."enabled remindAfter completionNeedsAllDone".split(" ").map((field) => `focusChain.${field}`),
  "context.condenseAt",
  "context.autoCondense",
  "model.firstByteSeconds",
  ...["model", "model.act", "model.plan"].flatMap((above) => [
    ...(above === "model" ? [] : [above, `${above}.id`]),
    ..."service baseUrl thinking maxOutputTokens temperature".split(" ").map((field) => `${above}.${field}`)
  ]),
  ..."maxRequests maxCostUsd maxTokens maxDurationMinutes".split(" ").map((field) => `budget.${field}`),
  ..."enabled maxGigabytes maxAgeDays".split(" ").map((field) => `checkpoints.${field}`)
]

/** Ids of models and names of tools hold dots of their own. */
const free = [
  /^(model)\.(services)\.(act|plan)\.(baseUrl)$/,
  /^(models)\.(.+?)(?:\.(inputLimit|outputReserve|maxOutput|thinking|images|price)(?:\.(input|output|cacheRead|cacheWrite))?)?$/,
  /^(approvals)\.(mcp|tools)\.(.+)$/
]

const unknown = (name: string): Failure => {
  const close = suggestion(name, names)
  return usage(
    `no setting "${name}"`,
    close === undefined ? 'See "belay config list --all".' : `Did you mean ${close}?`
  )
}

/** The way to a setting in a file. Errors: one line, with the name that was probably meant. */
export const wayTo = (name: string): Effect.Effect<ReadonlyArray<string>, Failure> => {
  if (names.includes(name)) return Effect.succeed(name.split("."))
  for (const pattern of free) {
    const parts = pattern
      .exec(name)
      ?.slice(1)
      .filter((part) => part !== undefined)
    if (parts !== undefined && !parts.includes("__proto__")) return Effect.succeed(parts)
  }
  return Effect.fail(unknown(name))
}

type Fields = Readonly<Record<string, unknown>>

const fieldsOf = (value: unknown): Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {}

export const get = (value: unknown, way: ReadonlyArray<string>): unknown =>
  way.reduce<unknown>(
    (found, name) => (Object.hasOwn(fieldsOf(found), name) ? fieldsOf(found)[name] : undefined),
    value
  )

/** What a word stands for where a part of it is changed: a preset of the approvals, a model by its name. */
const opened = (field: string, value: unknown, deeper: boolean): unknown => {
  if (!deeper || typeof value !== "string") return value
  if (field === "approvals" && Approvals.isPreset(value)) return Approvals.written(Approvals.presets[value])
  return field === "act" || field === "plan" ? { id: value } : value
}

/** A copy with the setting; `undefined` takes it out, and what is empty without it. */
export const put = (value: unknown, [first, ...rest]: ReadonlyArray<string>, setting: unknown): unknown => {
  if (first === undefined) return setting
  const fields = fieldsOf(value)
  const below = put(opened(first, fields[first], rest.length > 0), rest, setting)
  const others = Object.fromEntries(Object.entries(fields).filter(([name]) => name !== first))
  const whole = below === undefined ? others : { ...fields, [first]: below }
  return Object.keys(whole).length === 0 ? undefined : whole
}

/** Every setting that a file sets, by name. */
export const leaves = (value: unknown, above = ""): ReadonlyArray<readonly [name: string, value: unknown]> =>
  Object.entries(fieldsOf(value)).flatMap(([field, below]) => {
    const name = above === "" ? field : `${above}.${field}`
    const isBranch = typeof below === "object" && below !== null && !Array.isArray(below)
    return isBranch ? leaves(below, name) : [[name, below] as const]
  })
