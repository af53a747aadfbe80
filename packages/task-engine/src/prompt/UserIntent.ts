/**
 * What people's words mean for a task beside what the model reads: a switch of mode, or planning in phases. The one owner
 * of it, by whatever way the words come: as a prompt, said to a task that runs or rests, or with a resume.
 */
import type { InboxRequestBody, Step } from "@belay/history-store"
import { Message, type Origin, Origins } from "@belay/message-state"
import { DeepPlanning } from "@belay/modes"
import { SlashCommand } from "@belay/prompt-context"

export interface Switch {
  readonly mode: "plan" | "act"
  /** What is said with it; of deep planning the whole command, which `withSwitch` reads. */
  readonly text?: string
}

/** The switch that words ask for. */
export const asSwitch = (words: string): Switch | undefined => {
  if (DeepPlanning.asked(words) !== undefined) return { mode: "plan", text: words }
  const told = SlashCommand.known(words)
  if (told?.name !== "plan" && told?.name !== "act") return undefined
  return { mode: told.name, ...(told.rest === "" ? {} : { text: told.rest }) }
}

/** What is said with a switch, and whether planning in phases begins with it. */
export const withSwitch = (
  mode: "plan" | "act",
  text: string | undefined
): { readonly text: string | undefined; readonly planning?: "investigation" } => {
  const what = mode === "plan" && text !== undefined ? DeepPlanning.asked(text) : undefined
  return what === undefined ? { text } : { text: what, planning: "investigation" }
}

/** What a prompt means for the task that begins with it. A mode without anything else to do is its own prompt. */
export const asTask = (task: {
  readonly prompt: string
  readonly mode: "plan" | "act"
  readonly deepPlanning?: boolean
}): { readonly prompt: string; readonly mode: "plan" | "act"; readonly isDeep: boolean } => {
  const told = asSwitch(task.prompt)
  const { planning, text = task.prompt } = withSwitch(told?.mode ?? "act", told?.text)
  const isDeep = task.deepPlanning === true || planning !== undefined
  return { prompt: text, mode: isDeep ? "plan" : (told?.mode ?? task.mode), isDeep }
}

type Body = Extract<InboxRequestBody, { readonly kind: "message" | "answer" | "mode" }>

/** The request that a message stands for. */
export const asRequest = (body: Body): Body => {
  const told = body.kind === "message" ? asSwitch(body.text) : undefined
  if (told === undefined) return body
  const attached = body.attached === undefined ? {} : { attached: body.attached }
  return { kind: "mode", ...told, ...attached }
}

/** The step with which planning begins. */
export const beginning = (
  fenced: Pick<Extract<Step.Step, { readonly _tag: "PlanningChanged" }>, "taskId" | "attempt">,
  planning: "investigation" | undefined
): ReadonlyArray<Step.Step> => (planning === undefined ? [] : [{ _tag: "PlanningChanged", ...fenced, to: planning }])

/** Tools whose results are a person's words. */
const questions = new Set(["ask_followup_question", "plan_mode_respond"])

const persons: ReadonlySet<Origin.Origin> = new Set(["user", "user.refusal"])

/** The answers that the model itself wrote for a question. */
const offered = ({ input }: Message.ToolUseBlock): ReadonlyArray<unknown> => {
  const { options } = (input ?? {}) as { readonly options?: unknown }
  return Array.isArray(options) ? options : []
}

/** What a person wrote as an answer, not what they chose. Of a person's answer the first block has the words. */
const answered = (
  { content, is_error }: Message.ToolResultBlock,
  from: Origin.Origin,
  call: Message.ToolUseBlock | undefined
): ReadonlyArray<string> => {
  if (call === undefined || is_error === true || from === "tool") return []
  const options = offered(call)
  const words = content.flatMap((block) => (block.type === "text" && !options.includes(block.text) ? [block] : []))
  if (from === "user") return words.slice(0, 1).flatMap((block) => (block === content[0] ? [block.text] : []))
  return Origins.texts(Message.user(...words), persons)
}

/**
 * Words of a person, in messages from an index on: messages, and answers to questions. What the engine says, what a task
 * tells another one and what a model offered as an answer are none.
 */
export const words = (messages: ReadonlyArray<Message.Message>, from: number): ReadonlyArray<string> => {
  const asked = new Map(
    (messages[from - 1]?.content ?? []).flatMap((block) =>
      block.type === "tool_use" && questions.has(block.name) ? [[block.id, block] as const] : []
    )
  )
  return messages
    .slice(from)
    .filter(({ role }) => role === "user")
    .flatMap((message) =>
      message.content.flatMap((block, at): ReadonlyArray<string> => {
        const origin = Origins.of(message, at)
        if (block.type === "text") return persons.has(origin) ? [block.text] : []
        return block.type === "tool_result" ? answered(block, origin, asked.get(block.tool_use_id)) : []
      })
    )
}
