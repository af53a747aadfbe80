/**
 * The sentences that people read in more than one place, each written once for all hosts.
 *
 * Values are put in as they come: what could steer a terminal, or pass for another line, is escaped here. Each function
 * has the id of the interface's copy deck as its name.
 */
import * as Holder from "./Holder.ts"
import { grouped, modes, printable } from "./Words.ts"

/** What runs tasks, by the kind of its owner. */
const programs: Readonly<Record<string, string>> = { cli: "a command line", vscode: "a VS Code window" }

const quoted = (title: string): string => `"${printable(title)}"`

const subtasks = (count: number): string => `${count} subtask${count === 1 ? "" : "s"}`

/** Said once, when a command runs without a sandbox because there is none. */
export const noSandbox = "There is no sandbox here: commands run with your rights, and the rules alone decide."

/** Gives what an approval of a command says about the sandbox. */
export const askSandbox = (state: "confined" | "unavailable"): string =>
  state === "confined"
    ? "Sandbox: off for this command, because you decide; commands that run without asking are confined"
    : "Sandbox: none on this machine"

/** `reason` is what `Words.interruption` says. */
export const subtaskInterruptedChild = (of: { readonly reason: string; readonly parent: string }): string =>
  `Interrupted: ${of.reason}. ${quoted(of.parent)} is waiting for this result.`

/** Says that a parent waits for an interrupted subtask. */
export const subtaskInterruptedParent = (of: { readonly child: string; readonly reason: string }): string =>
  `Waiting for ${quoted(of.child)}, which was interrupted (${of.reason}).`

/** Says that a parent waits for this task. */
export const subtaskWaitedFor = (parent: string): string => `${quoted(parent)} waits for it.`

/** Says that a parent can be resumed. */
export const subtaskReady = "All subtasks have reported. Resume to go on."

/** Asks whether to abandon a subtask. */
export const subtaskAbandonTitle = (child: string): string => `Abandon ${quoted(child)}?`

/** Says what abandoning a subtask does. */
export const subtaskAbandonDetail = (parent: string): string =>
  `${quoted(parent)} goes on and is told that this subtask was abandoned. Files it has already changed stay changed. ` +
  "You can still read it, but it will not report back."

/** Says that a subtask cannot be read, and what to do. */
export const subtaskUnreadable = "Waiting for a subtask that could not be read. Check the history, then resume."

const releases: Readonly<Record<string, string>> = {
  abandoned: "It was abandoned and does not report back.",
  restarted: "It was restarted: the new one reports.",
  lost: "Its record is gone. It is not known what it did.",
  deleted: "It was deleted. Files it has changed stay changed.",
  unknown: "It is not known how it ended."
}

/** Says why a subtask is not waited for, by what its parent has collected of it; nothing for one that reported itself. */
export const released = (outcome: string | undefined): string | undefined => releases[outcome ?? ""]

/** `n` is the number of subtasks that were stopped with it. */
export const stopTree = (of: { readonly task: string; readonly n: number }): string =>
  `Stopped ${quoted(of.task)}${of.n === 0 ? "" : ` and ${subtasks(of.n)}`}. Nothing was lost.`

/** `n` is the number of subtasks that are deleted with it. */
export const deleteTitle = (of: { readonly task: string; readonly n: number }): string =>
  of.n === 0
    ? `Delete ${quoted(of.task)}?`
    : `Delete ${quoted(of.task)} and its ${of.n === 1 ? "subtask" : subtasks(of.n)}?`

/** Says what deleting a task does. */
export const deleteDetail = "It can be taken back for 30 days. Files in your workspace stay as they are."

/** As `deleteTitle`, of what cannot be taken back. */
export const eraseTitle = (of: { readonly task: string; readonly n: number }): string =>
  deleteTitle(of).replace(/\?$/u, " for good?")

/** Says what erasing a task does. */
export const eraseDetail =
  "The conversation, checklist and checkpoints are removed and cannot be taken back. Files in your workspace stay as they are."

/** Reports a deletion; `n` counts subtasks. */
export const deleted = (of: { readonly task: string; readonly n: number }): string =>
  `Deleted ${quoted(of.task)}${of.n === 0 ? "" : ` and its ${of.n === 1 ? "subtask" : subtasks(of.n)}`}. It can be taken back for 30 days.`

/** Reports a deletion that was taken back; `n` counts subtasks. */
export const undeleted = (of: { readonly task: string; readonly n: number }): string =>
  of.n === 0
    ? `${quoted(of.task)} is back.`
    : `${quoted(of.task)} is back with its ${of.n === 1 ? "subtask" : subtasks(of.n)}.`

/** Says why a running task is not deleted. */
export const deleteRunning = "Stop it first."

/** Names a task that cannot be read. */
export const unreadableRow = (name: string): string => `Could not be read (${printable(name)})`

/** Says that an open approval will be asked again. */
export const restartAsk = (action: string): string =>
  `It was asking to ${printable(action)}. That was not run and will be asked again.`

/** Says that a command may have run in part. */
export const restartUnknown = (command: string): string =>
  `${printable(command)} was running when the process ended. It is not known whether it finished. It was not run ` +
  "again, and the model has been told."

/** Says that another answer came first. */
export const askLate = "This was already answered."

/** Says that nobody waits for an answer any more. */
export const askGone = "No longer needed: the task was stopped."

/** Says that a call was denied because nobody was there. */
export const askUnattended = "Denied: nobody was there to answer."

/** How the policy says that no entry decides on a command. */
const unlisted = /^(?<before>.*)No entry lists '(?<command>.+)'; others: ask\.$/su

/** What is missing, where that is an entry for a command; else nothing. */
const missing = (reason: string): string | undefined => {
  const { before = "", command } = unlisted.exec(reason)?.groups ?? {}
  return command === undefined ? undefined : `${printable(before)}You have not allowed "${printable(command)}" yet.`
}

/** Says why a call asks, with the name of its rule. */
export const askWhy = (of: { readonly reason: string; readonly rule: string }): string =>
  missing(of.reason) ?? `Why asked: ${printable(of.reason)} (${printable(of.rule)})`

/** A reason of the policy with its rule. */
export const because = (of: { readonly reason: string; readonly rule: string }): string =>
  `${missing(of.reason) ?? printable(of.reason)} (${printable(of.rule)})`

/** `folder`: its name. */
export const alwaysSaved = (rule: string, folder: string): string =>
  `You allowed ${printable(rule)} always in this project (folder ${printable(folder)}).`

/** Gives what is offered for always; both are as people read them. */
export const alwaysHere = (rules: string, folder: string): string =>
  `Always in this project (folder ${printable(folder)}): ${printable(rules)}`

/** Says that "always" could not be stored. */
export const alwaysNotSaved = (problem: string): string => `It is allowed for this task only: ${printable(problem)}`

/** Says who switched a task to which mode. */
export const modeChanged = (of: {
  readonly by: "user" | "model"
  readonly to: "plan" | "act"
  readonly answeredAsk?: string
}): string => {
  if (of.answeredAsk !== undefined && of.to === "act") return "You switched to Act. That answered the plan."
  return `${of.by === "user" ? "You" : "The model"} switched to ${modes[of.to]}.`
}

/** Says that plan mode refused a call. */
export const planRefused = (what: string): string => `Not run: ${printable(what)} is not possible in Plan mode.`

/** Says that another process runs the task. */
export const elsewhere = (of: { readonly pid: number; readonly host: string }): string =>
  `Runs in another window (process ${of.pid} on ${printable(of.host)}). You are following it, read-only.`

/** A task that ran here is another process's; nobody has it any more when there is no `holder`. */
export const takenOver = (of: {
  readonly title: string
  readonly holder?: (Pick<Holder.Holder, "pid" | "host"> & { readonly kind: string }) | undefined
}): string => {
  if (of.holder === undefined) return `${quoted(of.title)} was taken over by another process, which has left it since`
  const program = programs[of.holder.kind]
  const process = Holder.name(of.holder)
  return `${quoted(of.title)} was taken over by ${program === undefined ? process : `${program} (${process})`}`
}

/** Both are amounts in words, such as `$2.00`. */
export const budget = (of: { readonly used: string; readonly limit: string }): string =>
  `Paused: ${of.used} of ${of.limit} spent, with all subtasks.`

/** Reports a condensation of `n` messages. */
export const condenseDone = (n: number): string =>
  `Condensed ${n} messages to a summary. The full conversation is kept.`

/** Gives what a step of condensing did; `removed` counts messages. */
export const condensed = (of: {
  readonly step: "reads" | "outputs" | "summary" | "cut"
  readonly removed: number
}): string => {
  switch (of.step) {
    case "reads":
      return "Left out reads of files that were read again since. The full conversation is kept."
    case "outputs":
      return "Left out old results of tools. The full conversation is kept."
    case "summary":
      return condenseDone(of.removed)
    case "cut":
      return `Left out the ${of.removed} oldest messages. The full conversation is kept.`
  }
}

/** Reports that a conversation was taken back. */
export const conversationCut = "The conversation was taken back to an earlier point. The full conversation is kept."

/** Reports that a conversation was put back. */
export const conversationUncut = "The conversation was put back as it was."

/** Says how many tasks a search covers so far. */
export const searchCovers = (of: { readonly covered: number; readonly total: number }): string =>
  `Search covers ${grouped(of.covered)} of ${grouped(of.total)} tasks so far`

/** Says that no task has the words. */
export const searchNone = (text: string): string =>
  `No task matches ${quoted(text)}. Titles, messages and file names were searched.`

/** Says that a message can no longer be changed. */
export const alreadyDelivered = "This message was delivered meanwhile, so it can no longer be changed."

/** Says that a view was loaded again. */
export const viewReloaded = "The view stopped answering and was reloaded. The task was not affected."

/** Says that a view could not be loaded again, and where to answer. */
export const viewLost =
  "The view of the task does not answer, and could not be reloaded. The task was not affected: answer it under Needs you."

/** Says that a task is damaged, and what to do. */
export const unreadable = "This task could not be read completely. A copy was kept. Check the history."

/** Says what is switched off in a folder that nobody trusts. */
export const untrusted =
  "Restricted: this folder is not trusted. Its rules, hooks and MCP servers are ignored, and every command asks."

const files = (count: number): string => `${count} file${count === 1 ? "" : "s"}`

/** `files` is how many the turn changed, or the restore put back. */
export const checkpoint = (of: { readonly files: number; readonly moment?: "restore" | "undo" }): string => {
  if (of.moment === undefined) return `Checkpoint  ·  ${files(of.files)} changed`
  return of.moment === "restore" ? `Restored ${files(of.files)}` : `Undid a restore  ·  ${files(of.files)}`
}

const whyLeftOut: Readonly<Record<string, string>> = {
  tooLarge: "it is too large",
  unreadable: "it cannot be read",
  changing: "it was being written",
  name: "git has no such names",
  noFile: "it is not a file"
}

/** Names a file that no checkpoint holds, and the reason. */
export const leftOut = (of: { readonly path: string; readonly reason: string }): string =>
  `${printable(of.path)} is in no checkpoint: ${whyLeftOut[of.reason] ?? printable(of.reason)}.`

/** The phases of deep planning, in order. */
export const planningNames = {
  investigation: "looking at the code",
  discussion: "questions",
  document: "the plan",
  handOver: "hand-over"
} as const

/** The phase of a task that plans deeply. */
export const planning = (phase: keyof typeof planningNames): string => {
  const names = Object.keys(planningNames)
  return `Planning ${names.indexOf(phase) + 1} of ${names.length}: ${planningNames[phase]}`
}

const counted = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`

/** Gives what an import of another program's history would do, before it is done. */
export const importFound = (of: {
  readonly importable: number
  readonly damaged: number
  readonly before: number
}): string => {
  const parts = [
    ...(of.before === 0 ? [] : [`${counted(of.before, "was", "were")} imported before`]),
    ...(of.importable === 0 && of.before > 0 ? [] : [`${of.importable} can be imported`]),
    ...(of.damaged === 0 ? [] : [`${counted(of.damaged, "is", "are")} damaged (copies are kept)`])
  ]
  const found = counted(of.importable + of.damaged + of.before, "task", "tasks")
  return `Found ${found}. ${parts.join(", ")}. Nothing in the old folder is changed.`
}

/** Reports an import. */
export const importDone = (of: { readonly imported: number; readonly of: string }): string =>
  `Imported ${counted(of.imported, "task", "tasks")} of ${printable(of.of)}.`

/** Tells of subtasks that another program beside this one has lost. */
export const lostFound = (of: { readonly tasks: number; readonly of: string }): string =>
  `${printable(of.of)} has lost subtasks in ${counted(of.tasks, "task", "tasks")}. They can be looked at and imported.`

/** The data folder was found with rights of others: it is private from now on, or cannot be made so. */
export const openedFolder = (folder: string, kept: "opened" | "open"): string =>
  kept === "opened"
    ? `Private from now on: others could read the data folder (${printable(folder)}).`
    : `Not private: others can read the data folder, and it is not yours to close (${printable(folder)}).`
