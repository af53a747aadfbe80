/**
 * Who wrote a block of a conversation: what its record says, else what its text says of messages from before records said
 * it. The only place where texts are looked at for that; the texts are those of the versions that wrote them.
 */
import * as Message from "./Message.ts"
import type * as Origin from "./Origin.ts"

type Of = Pick<Message.Message, "content" | "from" | "role">

const heads: ReadonlyArray<readonly [head: string, origin: Origin.Origin]> = [
  ["<notice>\n", "engine.notice"],
  ["[Background process ", "engine.background"],
  ["[Checklist:", "engine.checklist"],
  ["[The user has edited the checklist.", "engine.checklistEdited"],
  ["[Changed since you saw them, by a command or by somebody else: ", "engine.files"],
  ["[The user has put files back to how they were before: ", "engine.restored"],
  ["[Deep planning, phase ", "engine.planning"],
  ["[The user has switched the task to ", "engine.switch"],
  ["[The task is in ", "engine.mode"],
  ["[The approvals are now: ", "engine.surroundings"],
  ["[It is ", "engine.surroundings"],
  ["[You are a subtask. ", "engine.subtask"],
  ["[Your answer had no tool call. Use a tool, or ", "engine.noCall"],
  ["[The checklist has open items: ", "engine.openItems"],
  ["[Not completed: ", "engine.notCompleted"],
  ["[Your answer was cut off at ", "engine.cutOff"],
  ["[Your answer was interrupted here. ", "engine.interrupted"],
  ["[It stays as it is. Go on.]", "engine.condensing"],
  ["[The earlier part of this conversation was condensed", "engine.summary"],
  ["Start with this checklist and keep it up to date with task_progress:\n", "engine.firstChecklist"],
  // A plan that was handed over: a model wrote its steps.
  ["Refer to @implementation_plan.md for complete breakdown.\n\n", "task"]
]

const environment = /^<environment>\n[^]*\n<\/environment>$/u
const report = /^\[task \S+: \w+(?:, [^\n]*)?\]/u
const leftOut = /^\[\d+ earlier messages? (?:was|were) left out/u
const foreignResult = /^\[[^\n]*\] Result:/u
const byTask = "\nWritten by: another task, not the user\n</environment>"

const isText = (block: Message.ContentBlock): block is Message.TextBlock => block.type === "text"

/** A person's words, as far as texts tell: what begins with a bracket was taken for the engine's. */
const guessed = (text: string): Origin.Origin => {
  if (environment.test(text)) return "engine.environment"
  if (report.test(text)) return "engine.report"
  if (leftOut.test(text)) return "engine.summary"
  return heads.find(([head]) => text.startsWith(head))?.[1] ?? (/^[<[]/u.test(text) ? "unknown" : "user")
}

const isGiven = ({ content }: Of): boolean => content.some((block) => isText(block) && block.text === "<given>")

/** Words with which a task began another one, or results that other programs kept as texts. */
const isNoPersons = ({ content }: Of): boolean =>
  content.some((block) => isText(block) && (block.text.endsWith(byTask) || foreignResult.test(block.text)))

const ofText = (message: Of, text: string): Origin.Origin => {
  if (isGiven(message)) return "engine.given"
  const origin = guessed(text)
  return origin === "user" && isNoPersons(message) ? "task" : origin
}

/** `unknown` of blocks other than texts, and of texts that say nothing either. */
export const of = (message: Of, at: number): Origin.Origin => {
  const told = Message.originOf(message, at)
  const block = message.content[at]
  return told === "unknown" && block?.type === "text" ? ofText(message, block.text) : told
}

/** Of a text that waits to be a message. */
export const ofQueued = ({ from, text }: { readonly from: Origin.Origin; readonly text: string }): Origin.Origin =>
  from === "unknown" ? guessed(text) : from

/** The texts of a message to the model that these wrote. */
export const texts = (message: Of, by: ReadonlySet<Origin.Origin>): ReadonlyArray<string> =>
  message.role === "user"
    ? message.content.flatMap((block, at) => (isText(block) && by.has(of(message, at)) ? [block.text] : []))
    : []
