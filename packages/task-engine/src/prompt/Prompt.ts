/** What Belay says to the model in messages: reminders, notices and the results of its own tools. */
import type { Checklist, Reminder } from "@belay/focus-chain"
import { FilesInPlay, Message, type Origin, Origins } from "@belay/message-state"
import { DeepPlanning } from "@belay/modes"
import type { Recovery } from "@belay/task-state"
import * as Complaint from "./Complaint.ts"
import * as ReportText from "./ReportText.ts"
import * as StopText from "../text/StopText.ts"

const marks = { open: "[ ]", doing: "[-]", done: "[x]" } as const

const checklistHead = "Start with this checklist and keep it up to date with task_progress:\n"

/** Gives the model its checklist. */
export const checklist = (todos: string): Message.TextBlock => Message.text(`${checklistHead}${todos}`)

/** Of a list that another task began. */
export const firstList = (items: Checklist.Checklist): Message.TextBlock =>
  checklist(items.map(({ state, text }) => `- ${marks[state]} ${text}`).join("\n"))

const edited = "[The user has edited the checklist."

const listOf = (items: Checklist.Checklist): string =>
  items.map(({ id, state, text }) => `${marks[state]} ${text} (${id})`).join("; ")

/** One line; `items` is the list as it is now. */
export const checklistEdited = (items: Checklist.Checklist): Message.TextBlock =>
  Message.text(
    items.length === 0
      ? `${edited} It is empty now.]`
      : `${edited} It is now: ${listOf(items)}. Review it, and go on from it.]`
  )

const checklistNote = "[Checklist:"

/** One line that reminds of the list; `items` is the list as it is. */
export const checklistReminder = (kind: Reminder.Kind, items: Checklist.Checklist): Message.TextBlock => {
  const now = items.length === 0 ? "there is none" : listOf(items)
  const asks: { readonly [K in Reminder.Kind]: string } = {
    plan: `${now}. Send the steps of your plan as task_progress when you present it.]`,
    act: `${now}. ${items.length === 0 ? "If the work has several steps, send them as task_progress." : "Work through it, and keep it up to date."}]`,
    missing: "there is none. If the work has several steps, send them as task_progress with your next call.]",
    stale: `${now}. It was not updated for a while: send it as task_progress with your next call.]`
  }
  return Message.text(`${checklistNote} ${asks[kind]}`)
}

const noticeHead = "<notice>\n"
const noticeTail = "\n</notice>"

/** Gives what tools have to tell, which is nothing that the user said. */
export const notice = (text: string): Message.TextBlock => Message.text(`${noticeHead}${text}${noticeTail}`)

/** Gives what such a notice says. */
export const noticed = (notice: string): string => notice.slice(noticeHead.length, -noticeTail.length)

/** Refuses a completion because items are open. */
export const openItems = (items: Checklist.Checklist): string =>
  `Not completed: ${items.length} ${items.length === 1 ? "item of the checklist is" : "items of the checklist are"} open: ${listOf(items)}. Finish them, or take out with task_progress what is no longer to be done.`

/** Of the same to an answer in words. */
export const leftOpen = (items: Checklist.Checklist): Message.TextBlock => Complaint.leftOpen(listOf(items))

const changed = "[Changed since you saw them, by a command or by somebody else: "

/** One line. */
export const filesChanged = (names: ReadonlyArray<string>): Message.TextBlock => {
  return Message.text(`${changed}${ReportText.names(names)}. Read them again before you edit them.]`)
}

const notes: ReadonlySet<Origin.Origin> = new Set([
  "engine.background",
  "engine.checklist",
  "engine.checklistEdited",
  "engine.files",
  "engine.planning",
  "engine.mode",
  "engine.surroundings",
  "engine.notice"
])

/**
 * The message is nothing but what Belay says of the checklist, of files, of the surroundings, of the phase of a plan, of
 * processes in the background or for its tools, and no part of a dialogue.
 */
export const isNote = (message: Message.Message): boolean =>
  message.role === "user" &&
  message.content.every((block, at) => block.type === "text" && notes.has(Origins.of(message, at)))

/** Tells the model the phase of deep planning. */
export const planning = (phase: DeepPlanning.Phase): Message.TextBlock => Message.text(DeepPlanning.notice(phase))

/** Holds what stands before a summary. */
export const summary =
  "[The earlier part of this conversation was condensed to make room. What follows stands for it. Files can be read again.]"

/** Stands in the place of messages that were left out. */
export const leftOut = (count: number): string =>
  `[${count === 1 ? "1 earlier message was" : `${count} earlier messages were`} left out to make room. Read again what you need, and ask the user when a decision is missing.]`

/** Gives what the user's words mean that begin with a command of Belay's own; nothing for those that are no words to the model. */
export const command = (name: string, rest: string): string | undefined => {
  const words = rest === "" ? "" : ` The user says: ${rest}`
  switch (name) {
    case "newtask":
      return `The user wants to go on in a new task. Call new_task once, with all that matters of this conversation: what is wanted, what was decided, what was done, what is next. Then complete with its result.${words}`
    case "newrule":
      return `The user wants a rule for this folder. Write it, short and in the imperative, to .belay/rules/NAME.md; ask what it should say when that is not clear.${words}`
    default:
      return undefined
  }
}

/** The message stands for others that the model is not shown. */
export const isStandIn = (message: Message.Message): boolean =>
  message.role === "user" && message.content.length > 0 && Origins.of(message, 0) === "engine.summary"

/** `focus` is what the user wants to be kept. */
export const summarise = (focus: string): Message.TextBlock =>
  Message.text(
    `[The conversation gets too long, and what is above will be replaced by what you write now. Call no tool. Write for yourself, so that you can go on without the rest:
1. What the user wants, with every requirement and every correction, in their words where it matters.
2. What was decided and why; what was tried and failed.
3. What was done: files with what was changed in them, commands with what came out.
4. What is going on right now, and the next step.
Leave out what can be read again from files.${focus === "" ? "" : ` Keep above all: ${focus}`}]`
  )

/** Stands in the place of a summary that could not be made. */
export const notCondensed = "(The conversation could not be condensed.)"

/** Lets the model go on after a person has refused to condense. */
export const goOn: Message.TextBlock = Message.text("[It stays as it is. Go on.]")

/** Asks a person whether to condense. */
export const mayCondense = (percent: number): string =>
  `The conversation fills ${percent} % of the model's context. Condense older parts?`

/** Gives what a stand-in for messages keeps word for word; empty when there is nothing. */
export const keptOf = (of: {
  readonly items: Checklist.Checklist
  readonly files: FilesInPlay.FilesInPlay
  readonly children: ReadonlyArray<{ readonly id: string; readonly title: string }>
}): string => {
  const items = of.items.map(({ id, state, text }) => `- ${marks[state]} ${text} (${id})`)
  const children = of.children.map(({ id, title }) => `- task ${id}: ${title}`)
  return [
    ...(items.length === 0 ? [] : [`Checklist:\n${items.join("\n")}`]),
    ...(of.files.length === 0 ? [] : [FilesInPlay.text(of.files)]),
    ...(children.length === 0 ? [] : [`Open subtasks, whose results come later:\n${children.join("\n")}`])
  ].join("\n\n")
}

/** Ends an answer that was interrupted. */
export const stopped: Message.TextBlock = Message.text("[Your answer was interrupted here. Go on from it.]")

/** The message has words that are not Belay's own. */
export const saysUser = (message: Message.Message): boolean =>
  message.role === "user" &&
  !isNote(message) &&
  message.content.some((block, at) => {
    const origin = Origins.of(message, at)
    return block.type === "text" && origin !== "engine.interrupted" && !Complaint.isOf(origin)
  })

/** The result of a call that a person rejected. */
export const rejectedCall = "Not run: the user rejected this call."

/** The result of a call behind one that a person rejected. */
export const rejectedTurn =
  "Not run: the user rejected an earlier call of this answer. Think again, and call it once more if it is still right."

/** The result of a call that may have run in part when its process ended. */
export const unknownOutcome =
  "Interrupted: it is not known whether this ran, or how far. It was not run again. Check before you repeat it."

/** Of a call that was cut off: with its process, or with its task. */
export type CutOff = "unknown" | "ended"

const withOutput: { readonly [K in CutOff]: string } = {
  unknown: "Interrupted: the process that had the task went away while this ran.",
  ended: "Interrupted: the task was stopped while this ran, and it was ended."
}

/** `printed` is what it had put out, as far as that is known. */
export const cutOff = (outcome: CutOff, printed: string | undefined): string =>
  printed === undefined
    ? { unknown: unknownOutcome, ended: endedOutcome }[outcome]
    : `${withOutput[outcome]} It was not run again; check before you repeat it. It is not known how far it got. What it had printed:\n${printed}`

/** Of a call that was hidden while it was open, and is shown again. */
export const shownAgain =
  "The conversation was taken back to before this call, and then forward again: it is not known whether it ran. Check before you repeat it."

/** The result of a call that was ended when its task stopped. */
export const endedOutcome =
  "Interrupted: the task was stopped while this ran, and it was ended. It is not known how far it got, and it was not run again. Check before you repeat it."

/** The result of a call that a fork does not run. */
export const branched = "Not run here: a new task goes on from this point."

/** The result of a second completion in one answer. */
export const oneCompletion = "Not run: the task is completed once."

/** Asks a person to look after so many requests without an ask. */
export const checkIn = (requests: number): string =>
  `${requests} ${requests === 1 ? "request" : "requests in a row"} ran without asking. Look at what was done.`

/** Asked of the user: `why` was the last mistake, of so many answers in a row. */
export const noProgress = ({ mistakes, times, why }: Pick<Recovery.State, "mistakes" | "times" | "why">): string =>
  `${mistakes} answers in a row brought nothing. ${times > 1 ? `${times} times` : "The last"}: ${why}. What should it do?`

/** `why` is a whole sentence. */
export const tryAgain = (why: string): string => `The service failed: ${why.replace(/[.\s]+$/u, "")}. Try again?`

/** Refuses a subtask below the deepest level. */
export const tooDeep = (limit: number): string =>
  `Not started: subtasks may be nested ${limit} deep. Do this part of the work yourself.`

/** Refuses a subtask beyond the number that may be open. */
export const tooMany = (limit: number): string =>
  `Not started: at most ${limit} subtasks may be open at once. Start fewer, and the rest when these have reported.`

/** The result of a second call where one is carried out per answer. */
export const usedAlready = "Tool already used in this request"

/** Refuses a completion beside subtasks of the same answer. */
export const notYet = "Not completed: subtasks of this answer have not reported yet. Read their results first."

/** The end of a refusal that names calls which failed. */
export const whyUnread = " in this answer failed, and you have not read why."

/** Refuses a completion beside failed calls. */
export const notYetRead = (names: ReadonlyArray<string>): string =>
  `Not completed: ${names.join(" and ")}${whyUnread} Read ${names.length === 1 ? "its result" : "their results"}, then complete.`

/** The result of an accepted completion. */
export const completed = "The task is completed."

/** The result of a plan that another task carries out. */
export const handedOver = (id: string): string => `Handed over to task ${id}, which carries the plan out.`

/** `steps` are the lines of a checklist. */
export const mayStart = (steps: string): string => `The plan is ready. Start its implementation?\n${steps}`

/** The result of a plan that the user does not start yet. */
export const notStarted = (text: string): string =>
  text === ""
    ? "The user does not start the implementation yet. Ask what is missing."
    : `The user does not start the implementation yet. They said: ${text}`

/** The result of a plan that was saved. */
export const planSaved = (file: string): string => `Saved as ${file}.`

/** Refuses to save a plan through a symbolic link. */
export const planIsLink = (file: string): string =>
  `Not saved: ${file} is a symbolic link, which is never written through. Ask the user to remove it.`

/** The result of a call that started a background subtask. */
export const inBackground = (id: string): string =>
  `Started in the background as task ${id}. Go on; its result comes as a message, or from wait_for_tasks.`

/** Refuses a completion while background subtasks are open. */
export const childrenPending = (ids: ReadonlyArray<string>): string =>
  `Not completed: background subtasks are open (${ids.join(", ")}). Read their results with wait_for_tasks first; only the user can abandon one.`

/** Says that a subtask has reported already. */
export const reportedBefore = (id: string, outcome: string): string =>
  `[task ${id}: ${outcome}] It has reported already, in another message.`

/** Says that a task is no background subtask of this one. */
export const notASubtask = (id: string): string => `[task ${id}: unknown] Not a background subtask of this task.`

/** Says that the record of a subtask cannot be read. */
export const unreadableChild = (id: string): string =>
  `[task ${id}: unreadable] Its record cannot be read, so it stays open. Tell the user to check the history.`

/** Says that there is nothing to wait for. */
export const nothingOpen = "No background subtask is open."

/** Says that a subtask has stopped, and who can let it go on. */
export const stoppedChild = (id: string, reason: string | undefined): string => {
  const why =
    reason === undefined ? "it waits for a subtask of its own that has stopped" : StopText.interruption(reason)
  return `[task ${id}: stopped] It has not completed: ${why}. Only the user can resume or abandon it. Do the rest of the work, or ask the user.`
}

/** Says that a person does not accept the result. */
export const notAccepted = (text: string): string => `[The user does not accept this as the result yet.] ${text}`

/** Refuses a completion because a person has said something. */
export const spokenMeanwhile = "Not completed: the user has said something that you had not read. Read it first."

/** Files went back under a conversation that goes on. */
export const restored = (paths: ReadonlyArray<string>): string => {
  const others = paths.length - 20
  const names = `${paths.slice(0, 20).join(", ")}${others > 0 ? ` and ${others} more` : ""}`
  return `[The user has put files back to how they were before: ${names}. Read them again before you change them.]`
}
