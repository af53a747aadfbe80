/** Whose words stand in a conversation: a person's, a report's, a notice's, or nobody's, which no person is shown. */
import { ContextMessage, type Message, type Origin, Origins } from "@belay/message-state"

type Speaker = "you" | "report" | "notice" | "nobody"

/** Of texts that do not say who wrote them; much of what the model is told is one line in brackets. */
const notice = /^\[(?:[^\n]*|Background process [^]*)\]$/

const speakerOfOrigin: { readonly [O in Origin.Origin]?: Speaker } = {
  user: "you",
  "user.file": "you",
  task: "you",
  model: "you",
  "engine.firstChecklist": "you",
  "engine.environment": "nobody",
  "engine.given": "nobody",
  "engine.agent": "nobody",
  "engine.notice": "nobody",
  "engine.switch": "nobody",
  "engine.checklist": "nobody",
  "engine.subtask": "nobody",
  "engine.planning": "nobody",
  "engine.report": "report"
}

/** Whose words a text of a user's message is: much of what the model is told comes from nobody. */
export const of = (text: string, from: Origin.Origin): Speaker => {
  if (text.trim() === "") return "nobody"
  const origin = Origins.ofQueued({ from, text })
  if (origin !== "unknown" && origin !== "user.refusal") return speakerOfOrigin[origin] ?? "notice"
  return notice.test(text.trim()) ? "notice" : "you"
}

/** What people are shown of a message: of what the model is given beside their words only pictures. */
export const shownOf = (
  message: Pick<Message.Message, "content" | "from" | "role">
): ReadonlyArray<Message.ContentBlock> =>
  message.role === "user" && ContextMessage.isGiven(message)
    ? message.content.filter(({ type }) => type !== "text")
    : message.content
