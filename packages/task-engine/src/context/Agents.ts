/**
 * Agents: presets of subtasks, which a folder or its user keeps, as a subtask begins with them.
 *
 * A preset narrows and never widens: of the tools that it names those that there are, within those of the parent, and
 * nothing for what cannot be kept to exactly, such as single commands. Approvals are the parent's.
 */
import { ContextMessage, type Message } from "@belay/message-state"
import type { ProjectContext } from "@belay/prompt-context"
import { ForeignTools } from "@belay/tool-executor"
import type { Settings } from "@belay/settings"

type Agent = ProjectContext.Agent

/** What a task of any tools can do: end, ask, present a plan, and read a skill. */
const always = ["attempt_completion", "ask_followup_question", "plan_mode_respond", "load_skill"]

interface Tools {
  /** Names of tools; nothing for all of them. */
  readonly tools?: ReadonlyArray<string>
  readonly missing: ReadonlyArray<string>
}

const toolsOf = ({ tools }: Agent): Tools => {
  if (tools === undefined) return { missing: [] }
  const found = tools.map((name) => [name, ForeignTools.named(name)] as const)
  return {
    tools: [...new Set([...found.flatMap(([, names]) => names), ...always])],
    missing: found.filter(([, names]) => names.length === 0).map(([name]) => name)
  }
}

/** A model that is named by its family is one that the task knows: its own, or one of the settings. */
const modelOf = ({ model }: Agent, settings: Settings.TaskSettings): string | undefined => {
  if (model === undefined) return undefined
  const known = [settings.actModel, settings.planModel, ...Object.keys(settings.models)]
  return known.includes(model) || /[\d/:]/u.test(model)
    ? model
    : known.find((id) => id.split(/[-./:]/u).includes(model))
}

/** The settings of a subtask that begins with a preset. */
export const applied = (settings: Settings.TaskSettings, agent: Agent): Settings.TaskSettings => {
  const { tools } = toolsOf(agent)
  const model = modelOf(agent, settings)
  const within = tools?.filter((name) => settings.tools?.includes(name) !== false)
  return {
    ...settings,
    ...(within === undefined ? {} : { tools: within }),
    ...(model === undefined ? {} : { actModel: model, planModel: model })
  }
}

/** What the subtask is told: it holds as the rules of its folder do. */
export const told = (agent: Agent): Message.TextBlock => {
  const { missing } = toolsOf(agent)
  const note = missing.length === 0 ? "" : `\n\n(There is nothing here for: ${missing.join(", ")}. Go on without.)`
  return ContextMessage.element("rules", `agent ${agent.name}`, `${agent.text}${note}`)
}

/** What a model is told of the agents that it may name; of two of one name the first counts. */
export const listed = (agents: ReadonlyArray<Agent>): ReadonlyArray<Message.TextBlock> => {
  const lines = [...new Map(agents.toReversed().map((agent) => [agent.name, agent.description])).entries()].toReversed()
  const texts = lines.map(([name, description]) =>
    description === "" ? name : `${name}: ${description.replaceAll(/\s+/gu, " ")}`
  )
  return texts.length === 0 ? [] : [ContextMessage.element("agents", "new_task", texts.join("\n"))]
}

/** Why a delegation is refused that names none of these. */
export const unknown = (name: string, agents: ReadonlyArray<Agent>): string => {
  const names = [...new Set(agents.map((agent) => agent.name))].join(", ")
  return names === ""
    ? `Not started: there are no agents here. Leave agent out.`
    : `Not started: there is no agent ${JSON.stringify(name)}. Use one of: ${names}.`
}
