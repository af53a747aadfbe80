/** What a view shows of a task besides its rows: header, ways on, asks, what is queued; all of it in words. */
import { TaskNode } from "@belay/task-engine/remote"
import * as Copy from "../text/Copy.ts"
import type * as View from "../conversation/View.ts"
import * as Words from "../text/Words.ts"
import { TaskRecord } from "@belay/task-state"
import * as AskFacts from "../asks/AskFacts.ts"
import * as TaskStore from "../tasks/TaskStore.ts"
import * as TaskActions from "../tasks/TaskActions.ts"
import * as HolderText from "../tasks/HolderText.ts"
import * as TaskText from "../tasks/TaskText.ts"
import * as Lines from "./TaskLines.ts"
import * as OpenAsks from "../asks/OpenAsks.ts"

/** Where a task is shown. */
interface Place {
  /** What holds of the whole history. */
  readonly notice: string | null
  /** The folder is trusted. */
  readonly trusted: boolean
}

const on = (entry: TaskStore.Entry, deed: View.Deed, title: string): View.Button => ({
  title,
  deed,
  on: TaskStore.idOf(entry)
})

const whyStopped = (entry: TaskStore.Entry): string => entry.text.detail || "the process ended"

/** It waits for subtasks that have stopped. */
const blockedBar = (entry: TaskStore.Entry, snapshot: TaskStore.Snapshot): View.Bar | undefined => {
  const awaited = new Set<string>(TaskRecord.awaitedIds(entry.node.row.record))
  const stopped = Lines.subtasksOf(entry, snapshot).filter(
    (child) => awaited.has(TaskStore.idOf(child)) && TaskActions.isStopped(child)
  )
  const [child, second] = stopped
  if (child === undefined) {
    const resume = on(entry, "resume", "Resume")
    if (!entry.node.row.unreadable.some((id) => awaited.has(id))) {
      return { tone: "warning", text: "It waits for subtasks.", buttons: [resume] }
    }
    const check: View.Button = { title: "Check history", deed: "checkHistory", primary: true }
    return { tone: "warning", text: Copy.subtaskUnreadable, buttons: [check, resume] }
  }
  if (second !== undefined) {
    const text = `Waiting for ${stopped.length} interrupted subtasks.`
    return { tone: "warning", text, buttons: [{ ...on(entry, "resumeAll", "Resume all"), primary: true }] }
  }
  const allowed = Lines.deedsOf(child)
  return {
    tone: "warning",
    text: Copy.subtaskInterruptedParent({ child: child.node.row.meta.title, reason: whyStopped(child) }),
    buttons: [
      { ...on(child, "resume", "Resume subtask"), primary: true },
      ...(allowed.includes("abandonSubtask") ? [on(child, "abandonSubtask", "Abandon…")] : []),
      ...(allowed.includes("restartSubtask") ? [on(child, "restartSubtask", "Restart…")] : [])
    ]
  }
}

const isStoppedWithParent = ({ row: { record } }: TaskNode.TaskNode): boolean =>
  record.status === "interrupted" && record.interruption.reason === "parent"

const youStopped = ({ node }: TaskStore.Entry): string => {
  const n = TaskNode.descendants(node).filter(isStoppedWithParent).length
  return n === 0 ? "You stopped this task. Everything so far is kept." : Copy.stopTree({ task: node.row.meta.title, n })
}

const interruptedBar = (entry: TaskStore.Entry): View.Bar => {
  const { node, parent } = entry
  const { record } = node.row
  const allowed = Lines.deedsOf(entry)
  const reason = record.status === "interrupted" ? record.interruption.reason : "crash"
  const awaited = parent !== undefined && TaskRecord.awaitedEntry(parent.node.row.record, record.id) !== undefined
  const asked = node.openAsks.find(({ kind }) => kind === "approval")
  const was = asked === undefined ? "" : ` ${Copy.restartAsk(AskFacts.of(asked, node.row.meta.workspace).heading)}`
  const text = awaited
    ? Copy.subtaskInterruptedChild({ reason: whyStopped(entry), parent: parent.node.row.meta.title })
    : reason === "user"
      ? youStopped(entry)
      : `Interrupted: ${whyStopped(entry)}.`
  return {
    tone: "warning",
    text: `${text}${was}`,
    ...(reason === "service" ? { isError: true as const } : {}),
    buttons: [
      { ...on(entry, "resume", "Resume"), primary: true },
      ...(allowed.includes("resumeAll") ? [on(entry, "resumeAll", "Resume all")] : []),
      ...(allowed.includes("abandonSubtask") ? [on(entry, "abandonSubtask", "Abandon…")] : []),
      ...(allowed.includes("restartSubtask") ? [on(entry, "restartSubtask", "Restart…")] : []),
      ...(parent === undefined ? [] : [on(entry, "openParent", "Open parent")]),
      ...(reason === "service"
        ? [on(entry, "chooseTaskModel", "Change model"), { title: "Change key", deed: "setKey" } as const]
        : [])
    ]
  }
}

/** Another process has it, and goes on with it or is gone. */
const elsewhereBar = (entry: TaskStore.Entry): View.Bar => {
  const takeOver = on(entry, "takeOver", "Take over…")
  const stop = on(entry, "stop", "Stop it there")
  return TaskActions.isDoubtful(entry)
    ? { tone: "warning", text: HolderText.follows(entry), buttons: [{ ...takeOver, primary: true }, stop] }
    : { tone: "info", text: HolderText.follows(entry), buttons: [stop, takeOver] }
}

const doneBar = (entry: TaskStore.Entry): View.Bar => {
  const { parent, text } = entry
  const cost = Words.money(TaskNode.usage(entry.node).costUsd)
  const reported = parent === undefined ? "" : ` · Reported to "${TaskText.titleOf(parent)}"`
  return {
    tone: "done",
    text: `${text.label}${cost === Words.money(null) ? "" : ` · ${cost}`}${reported}`,
    buttons: parent === undefined ? [] : [on(entry, "openParent", "Open parent")]
  }
}

const untrusted: View.Bar = {
  tone: "warning",
  text: Copy.untrusted,
  buttons: [{ title: "Manage trust", deed: "manageTrust" }]
}

const barsOf = (
  entry: TaskStore.Entry,
  snapshot: TaskStore.Snapshot,
  { notice, trusted }: Place
): ReadonlyArray<View.Bar> => {
  const bars: Array<View.Bar> = trusted ? [] : [untrusted]
  if (notice !== null) bars.push({ tone: "warning", text: notice, buttons: [] })
  const { state } = entry.text
  const stopped = TaskActions.isStopped(entry)
  if (state === "elsewhere" || TaskActions.isDoubtful(entry)) bars.push(elsewhereBar(entry))
  else if (state === "blocked") bars.push(...[blockedBar(entry, snapshot)].filter((bar) => bar !== undefined))
  else if (state === "ready") {
    const resume = { ...on(entry, "resume", "Resume"), primary: true }
    bars.push({ tone: "info", text: Copy.subtaskReady, buttons: [resume] })
  } else if (state === "interrupted" || (state === "needsYou" && stopped)) bars.push(interruptedBar(entry))
  else if (state === "done" || entry.node.row.record.status === "completed") bars.push(doneBar(entry))
  return bars
}

const limitOf = (settings: unknown, model: string): number | undefined => {
  const models = settings instanceof Object && "models" in settings ? settings.models : undefined
  const found = models instanceof Object ? (models as Readonly<Record<string, unknown>>)[model] : undefined
  return found instanceof Object && "inputLimit" in found && typeof found.inputLimit === "number"
    ? found.inputLimit
    : undefined
}

const aboveOf = (entry: TaskStore.Entry): View.Header["above"] => {
  const above: Array<{ readonly id: string; readonly title: string }> = []
  for (let up = entry.parent; up !== undefined; up = up.parent) {
    above.unshift({ id: TaskStore.idOf(up), title: TaskText.titleOf(up) })
  }
  return above
}

/** While it plans: a task that acts is beyond its phases. */
const planningOf = ({ node: { row } }: TaskStore.Entry): Pick<View.Header, "planning"> => {
  const { mode, planning } = row.meta
  if (planning === undefined || mode !== "plan" || row.record.status === "completed") return {}
  const names = Object.values(Copy.planningNames)
  return { planning: { phase: Object.keys(Copy.planningNames).indexOf(planning) + 1, names } }
}

/** Gives what of a task stands above its rows. */
export const headerOf = (entry: TaskStore.Entry, snapshot: TaskStore.Snapshot, place: Place): View.Header => {
  const { meta, contextTokens, record } = entry.node.row
  const { state } = entry.text
  const limit = limitOf(meta.settings, meta.model)
  return {
    ...Lines.of(entry, snapshot),
    above: aboveOf(entry),
    mode: meta.mode,
    ...planningOf(entry),
    model: Words.printable(meta.model),
    context: { tokens: contextTokens, ...(limit === undefined ? {} : { limit }) },
    queues: state === "running" || state === "waiting" || (state === "needsYou" && TaskNode.isAlive(entry.node)),
    ...(state === "elsewhere" ? { mute: HolderText.follows(entry) } : {}),
    done: record.status === "completed",
    bars: barsOf(entry, snapshot, place),
    children: Lines.ofSubtasks(entry, snapshot)
  }
}

const kindOf = ({ ask: { callId, kind } }: OpenAsks.Open): View.Ask["kind"] => {
  if (kind === "approval" || kind === "plan") return kind
  if (kind === "budget" || kind === "context") return "limit"
  return kind === "mistakes" && callId !== null ? "repeat" : "question"
}

/** `facts`: with what the model said. */
export const askOf = (open: OpenAsks.Open, { facts, heading }: AskFacts.Facts): View.Ask => {
  const { grants, options = [] } = open.ask.payload
  const command = facts.find(({ label }) => label === "Command")?.text
  const kind = kindOf(open)
  const live = OpenAsks.isLive(open)
  const shown = facts.filter(({ label }) => label !== "Command" && !label.endsWith("is not offered"))
  return {
    askId: open.ask.askId,
    kind,
    heading,
    ...(command === undefined ? {} : { command }),
    facts: shown,
    isEdit: OpenAsks.isEdit(open),
    grants: (["task", "always"] as const).map((scope) => {
      const offer = grants.find((one) => one.scope === scope)
      const rules = (offer?.rules ?? []).map(Words.printable)
      if (offer?.allowed === true) return { scope, rules }
      return { scope, rules, refused: Words.printable(offer?.reason ?? "This ask does not offer it.") }
    }),
    options: options.map(Words.printable),
    ...(live || kind === "question" || kind === "plan" || kind === "limit"
      ? {}
      : { blocked: "The task is stopped. Resume it: it asks again." })
  }
}

interface WelcomeFacts {
  readonly folders: number
  readonly hasKey: boolean
  readonly mode: "plan" | "act"
  readonly notice: string | null
  readonly own: boolean
}

const isOpen = ({ node, text }: TaskStore.Entry): boolean =>
  node.row.record.status !== "completed" && text.state !== "done"

/** `hasKey`: a model can be asked. `folders`: how many are open. `own`: the server is not the one that always needs a key. */
export const welcomeOf = (
  snapshot: TaskStore.Snapshot,
  { folders, hasKey, mode, notice, own }: WelcomeFacts
): View.Welcome => {
  const recent = snapshot.roots
    .filter(isOpen)
    .slice(0, 3)
    .map((entry) => Lines.of(entry, snapshot))
    .map((line) => (notice === null ? line : { ...line, deeds: [] }))
  // Nothing can be written.
  if (notice !== null) return { text: notice, buttons: [], recent, canStart: false, mode }
  if (folders === 0) {
    const text = "Open a folder to start a task. Belay reads and changes files only there."
    return {
      text,
      buttons: [{ title: "Open folder", deed: "openFolder", primary: true }],
      recent,
      canStart: false,
      mode
    }
  }
  if (hasKey) return { text: "What would you like to do?", buttons: [], recent, canStart: true, mode }
  return {
    text: "Belay needs access to a model.",
    buttons: [
      { title: "Enter an Anthropic key", deed: "setKey", primary: true },
      ...(own ? [{ title: "This server needs no key", deed: "useNoKey" } as const] : []),
      { title: "Try the demo without a key", deed: "demo" }
    ],
    recent,
    canStart: false,
    mode
  }
}
