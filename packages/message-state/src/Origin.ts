/**
 * Who wrote a block of the log: a person, a model, another task, a tool, or the engine with a kind.
 *
 * Code that wants to know this asks the origin and never the text. It is no part of what the model reads. `unknown` is
 * what was stored before origins were, and what another program wrote.
 */
import * as Schema from "effect/Schema"

/** Decodes who wrote a block. The log stores it beside the block, so nobody has to guess from the text. */
export const Origin = Schema.Literals([
  /** Words of a person. */
  "user",
  /** A file or an image that came with them. */
  "user.file",
  /** Words of a person behind a sentence of the engine: why a result is not accepted. */
  "user.refusal",
  "model",
  "tool",
  /** Words with which a task's model began this one. */
  "task",
  /** Where the task works, with its first message. */
  "engine.environment",
  /** Rules, skills, agents, mentions and commands, as they stand beside words. */
  "engine.given",
  /** What tools have to tell. */
  "engine.notice",
  /** What stands for messages that are not shown. */
  "engine.summary",
  "engine.checklist",
  /** That a person has edited it. */
  "engine.checklistEdited",
  /** The list that a task begins with. */
  "engine.firstChecklist",
  /** Files that changed. */
  "engine.files",
  /** Files that were put back. */
  "engine.restored",
  /** What became of a process in the background. */
  "engine.background",
  /** The date or the approvals, when they are others. */
  "engine.surroundings",
  /** The mode, as a model is reminded of it. */
  "engine.mode",
  /** That a person has switched the mode. */
  "engine.switch",
  /** The phase of a plan. */
  "engine.planning",
  /** That a task is a subtask. */
  "engine.subtask",
  /** The rules of the agent that a subtask is. */
  "engine.agent",
  /** How a subtask ended. */
  "engine.report",
  /** An answer that called nothing. */
  "engine.noCall",
  /** An answer while items of the checklist were open. */
  "engine.openItems",
  /** An answer that cannot complete the task. */
  "engine.notCompleted",
  /** An answer that a limit cut off. */
  "engine.cutOff",
  /** An answer that was stopped. */
  "engine.interrupted",
  "engine.condensing",
  "unknown"
])
export type Origin = typeof Origin.Type

const known: ReadonlySet<string> = new Set(Origin.literals)

const isOrigin = (value: unknown): value is Origin => typeof value === "string" && known.has(value)

const parsed = (json: string): unknown => {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

/** As it is stored; nothing where nothing is known. */
export const encode = (from: ReadonlyArray<Origin>): string | null =>
  from.every((origin) => origin === "unknown") ? null : JSON.stringify(from)

/** Reads an origin; one that a later version wrote, and a damaged one, is unknown. */
export const decode = (stored: string): ReadonlyArray<Origin> | undefined => {
  const list = parsed(stored)
  return Array.isArray(list) ? list.map((one) => (isOrigin(one) ? one : "unknown")) : undefined
}
