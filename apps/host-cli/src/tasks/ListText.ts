/** `task list` for people: one row a task, subtasks below an open root, titles escaped. */
import { StateText } from "@belay/interaction/tasks"
import { TaskNode } from "@belay/task-engine/remote"
import { Words } from "@belay/interaction"
import * as path from "node:path"
import { type Appearance, glyph, typeset } from "../output/Appearance.ts"
import { type Cell, type Column, render, type Row } from "../output/Table.ts"

const columns: ReadonlyArray<Column> = [
  { title: "ID" },
  { title: "STATE" },
  { title: "TASK", shrinksTo: 16 },
  { title: "WHERE", drop: 1 },
  { title: "STEPS", align: "right", drop: 2 },
  { title: "COST", align: "right", drop: 4 },
  { title: "AGE", align: "right", drop: 3 }
]

export interface Line {
  readonly node: TaskNode.TaskNode
  /** 0 for a root. */
  readonly depth: number
  /** The last one below its root. */
  readonly last: boolean
}

/** A root and everything below it, in call order. */
export const linesOf = (node: TaskNode.TaskNode): ReadonlyArray<Line> => {
  const walk = (below: TaskNode.TaskNode, depth: number): ReadonlyArray<Omit<Line, "last">> => [
    { node: below, depth },
    ...(below.children ?? []).flatMap((child) => walk(child, depth + 1))
  ]
  const all = walk(node, 0)
  return all.map((line, index) => ({ ...line, last: index === all.length - 1 }))
}

/** What a task with its subtasks cost; nothing was spent before the first request. */
export const costOf = (node: TaskNode.TaskNode): string => {
  const used = TaskNode.usage(node)
  return Words.money(used.requests === 0 ? null : used.costUsd)
}

export const stepsOf = ({ row: { checklist } }: TaskNode.TaskNode): string =>
  checklist === null ? "–" : `${checklist.done}/${checklist.total}`

const taskText = (node: TaskNode.TaskNode, state: StateText.StateText): string => {
  const title = Words.printable(node.row.meta.title)
  if (state.subtaskNeedsYou) return `${title} · ${Words.subtaskNeedsYou}`
  if (state.detail === "" || StateText.rank(state) === 3) return title
  return state.state === "elsewhere" ? `${title} (${state.detail})` : `${title}: ${state.detail}`
}

const rowOf = ({ depth, node }: Line, now: number, look: Appearance): Row => {
  const state = StateText.of(node)
  const { meta, record, updatedAt } = node.row
  const sign = depth > 0 && !look.plain ? `${glyph(look, state.sign)} ` : ""
  const cells = [
    { text: look.plain ? record.id : Words.shortId(record.id) },
    { text: `${sign}${state.label}`, tone: state.sign.tone },
    { text: `${look.plain ? "" : "  ".repeat(Math.max(0, depth - 1))}${taskText(node, state)}` },
    { text: depth > 0 && !look.plain ? "" : Words.printable(path.basename(meta.workspace)) },
    { text: stepsOf(node) },
    { text: costOf(node) },
    { text: Words.age(now - updatedAt) }
  ]
  return cells.map((cell) => ({ ...cell, text: typeset(look, cell.text) }))
}

const leadOf = ({ depth, last, node }: Line, look: Appearance): Cell => {
  const { sign } = StateText.of(node)
  if (depth === 0) return { text: glyph(look, sign), tone: sign.tone }
  return { text: look.ascii ? (last ? "`" : "|") : last ? "└" : "│" }
}

export const listText = (lines: ReadonlyArray<Line>, now: number, look: Appearance): ReadonlyArray<string> =>
  render(
    columns,
    lines.map((line) => rowOf(line, now, look)),
    lines.map((line) => leadOf(line, look)),
    look
  )
