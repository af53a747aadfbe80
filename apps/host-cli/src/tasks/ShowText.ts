/** `task show` for people: the record in words, what it asks, its checklist, what it used, and what to type next. */
import { Grant } from "@belay/approval-policy"
import type { History } from "@belay/history-store"
import type { Message } from "@belay/message-state"
import { StateText } from "@belay/interaction/tasks"
import { TaskNode } from "@belay/task-engine/remote"
import { AskText, Copy, Words } from "@belay/interaction"
import * as ChecklistsBelow from "./ChecklistsBelow.ts"
import { type Appearance, glyph, tinted, typeset } from "../output/Appearance.ts"
import type { Details } from "./RecordJson.ts"
import * as UsageText from "./UsageText.ts"

type Field = readonly [name: string, value: string]

const lines = (text: string): ReadonlyArray<string> =>
  text
    .trim()
    .split("\n")
    .map((line) => `  ${Words.printable(line)}`.trimEnd())

const section = (title: string, body: ReadonlyArray<string>): ReadonlyArray<string> =>
  body.length === 0 ? [] : ["", title, ...body]

const whereText = (lease: History.TaskRow["lease"]): string => {
  if (lease === null) return "nowhere"
  const { host, kind, pid } = lease.owner
  return lease.alive ? `process ${pid} (${kind} on ${Words.printable(host)})` : `process ${pid}, which has ended`
}

const fieldsOf = (
  node: TaskNode.TaskNode,
  { checklist, checklistPath }: Details,
  now: number
): ReadonlyArray<Field> => {
  const { createdAt, lease, meta, record, updatedAt } = node.row
  const { done, total } = node.row.checklist ?? { done: 0, total: 0 }
  return [
    ["id", record.id],
    ["mode", `${Words.modes[meta.mode]}, ${Words.printable(meta.model)}`],
    ["folder", Words.printable(meta.workspace)],
    ["created", `${new Date(createdAt).toISOString()}, ${Words.age(now - createdAt)} ago`],
    ["last event", `${new Date(updatedAt).toISOString()}, ${Words.age(now - updatedAt)} ago`],
    ["runs in", whereText(lease)],
    ["used", UsageText.of(node)],
    ...(checklist === undefined ? [] : [["checklist", `${done}/${total}  ${checklistPath}`] as const])
  ]
}

/** A list with those of its subtasks, each under the item that has its name, else under its title. */
const checklistOf = (node: TaskNode.TaskNode, lists: ChecklistsBelow.Lists, indent = "  "): ReadonlyArray<string> => {
  const listed = (node.children ?? []).filter(({ row }) => lists.has(row.record.id))
  return ChecklistsBelow.place(node, lists, listed).flatMap(({ item, subtask }) => {
    const named = item === undefined ? (subtask?.row.meta.title ?? "") : ChecklistsBelow.marked(item)
    const below = subtask === undefined ? [] : checklistOf(subtask, lists, `${indent}    `)
    return [`${indent}${Words.printable(named)}`, ...below]
  })
}

const asksOf = (asks: ReadonlyArray<History.Ask>): ReadonlyArray<string> =>
  asks
    .filter((ask) => ask.open)
    .flatMap(({ askId, callId, kind, payload }) => [
      // A call is its tool and its arguments as JSON, which nobody reads.
      ...lines(
        AskText.decides({ kind, callId }) ? AskText.line({ kind, callId, payload }) : (payload.question ?? kind)
      ),
      `    ask ${askId}`,
      ...(payload.options ?? []).map((option, index) => `    ${index + 1} ${Words.printable(option)}`),
      ...(payload.reason === undefined
        ? []
        : [`    ${Copy.askWhy({ reason: payload.reason, rule: payload.rule ?? kind })}`])
    ])

/** Which process gave each answer, so that an answer that no person gave is seen. */
const answersOf = (asks: ReadonlyArray<History.Ask>): ReadonlyArray<string> =>
  asks.flatMap(({ by, callId, decision, kind, open, payload, process }) => {
    if (open || process === null) return []
    const said = decision === "allow" ? "allowed" : decision === "deny" ? "denied" : "answered"
    const asked = AskText.line({ callId, kind, payload })
    const where = `${process.kind} on ${process.host}, process ${process.pid}`
    return lines(
      `${said} by ${by ?? "nobody"} (${where}, since ${new Date(process.startedAt).toISOString()}): ${asked}`
    )
  })

const blockText = (block: Message.ContentBlock): string => {
  switch (block.type) {
    case "text":
      return block.text
    case "tool_use":
      return `${block.name} ${JSON.stringify(block.input)}`
    case "tool_result":
      return block.content.map((part) => (part.type === "text" ? part.text : "(image)")).join("\n")
    case "thinking":
      return `(thinking) ${block.thinking}`
    default:
      return `(${block.type})`
  }
}

/** Each with the message to restore to. */
const turnsOf = (checkpoints: Details["checkpoints"]): ReadonlyArray<string> =>
  checkpoints
    .filter(({ moment }) => moment === "after")
    .map(({ at, files, messageIndex }) => {
      const count = `${files} file${files === 1 ? "" : "s"}`
      return `  ${Words.clock(at)}  ${count} changed; before it: --to ${Math.max(0, messageIndex - 1)}`
    })

/** A conversation as text, each message under who said it. */
export const conversationText = (messages: ReadonlyArray<Message.Message>): ReadonlyArray<string> =>
  messages.flatMap(({ content, role }) =>
    section(
      role,
      content.flatMap((block) => lines(blockText(block)))
    )
  )

interface Beside {
  /** The command to type next. */
  readonly next: string | undefined
  /** Why it stopped, in more words than its state has. */
  readonly why: string | undefined
}

export const showText = (
  node: TaskNode.TaskNode,
  details: Details,
  { next, why }: Beside,
  now: number,
  look: Appearance
): ReadonlyArray<string> => {
  const { record } = node.row
  const state = StateText.of(node)
  const sign = look.plain ? "" : `${tinted(look, state.sign.tone, glyph(look, state.sign))} `
  const detail = record.status === "completed" ? "" : why === undefined ? state.detail : Words.printable(why)
  const said = tinted(look, state.sign.tone, Words.sentence(state, detail))
  const all = [
    `${sign}${Words.printable(node.row.meta.title)}`,
    `  ${said}`,
    "",
    ...fieldsOf(node, details, now).map(([name, value]) => `  ${name.padEnd(10)}  ${value}`),
    ...section("Checklist", checklistOf(node, details.lists)),
    ...section(
      "Allowed for this task and its subtasks",
      Grant.read(node.row.meta.settings).flatMap((rule) => lines(Grant.describe(rule, node.row.meta.workspace)))
    ),
    ...section("Turns that changed files", turnsOf(details.checkpoints)),
    ...section("Asks", asksOf(details.asks)),
    ...section("Answers", answersOf(details.asks)),
    ...(record.status === "completed" ? section("Result", lines(record.result)) : []),
    ...(next === undefined ? [] : ["", `Next: ${next}`])
  ]
  return all.map((line) => typeset(look, line))
}
