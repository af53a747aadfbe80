/**
 * `--resume` without an id: in a terminal the newest tasks of this folder as a numbered list, of which the person types a
 * number or a part of a title; elsewhere one line that names them.
 */
import { TaskHistory } from "@belay/history-store"
import { StateText } from "@belay/interaction/tasks"
import { TaskNode } from "@belay/task-engine/remote"
import { Words } from "@belay/interaction"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { type Failure, usage } from "../cli/Failure.ts"
import { type Appearance, typeset } from "../output/Appearance.ts"
import type { Sink } from "../output/Sink.ts"
import * as Table from "../output/Table.ts"
import { reading } from "./Reading.ts"
import * as Terminal from "../terminal/Terminal.ts"

/** A screen holds them. */
const most = 20
const named = 3

const columns: ReadonlyArray<Table.Column> = [
  { title: "", align: "right" },
  { title: "AGE", align: "right" },
  { title: "STATE" },
  { title: "TASK", shrinksTo: 16 }
]

const newest = (workspace: string, limit: number) =>
  reading(
    Effect.gen(function* () {
      const { rows } = yield* (yield* TaskHistory).list({ limit, workspace, rootsOnly: true })
      return yield* Effect.forEach(rows, TaskNode.whole)
    })
  )

const titleOf = ({ row }: TaskNode.TaskNode): string => Words.printable(row.meta.title)

const shown = (nodes: ReadonlyArray<TaskNode.TaskNode>, now: number, look: Appearance): string => {
  const rows = nodes.map((node, index) =>
    [`${index + 1}`, Words.age(now - node.row.updatedAt), StateText.of(node).label, titleOf(node)].map((text) => ({
      text: typeset(look, text)
    }))
  )
  return Table.render(columns, rows, [], look)
    .map((line) => `${line}\n`)
    .join("")
}

/** Those that are meant by what was typed. */
const meant = (nodes: ReadonlyArray<TaskNode.TaskNode>, typed: string): ReadonlyArray<TaskNode.TaskNode> => {
  const numbered = /^\d{1,2}$/u.test(typed) ? nodes[Number(typed) - 1] : undefined
  if (numbered !== undefined) return [numbered]
  const words = typed.toLowerCase()
  return nodes.filter((node) => titleOf(node).toLowerCase().includes(words) || node.row.record.id.endsWith(words))
}

const none = (workspace: string) =>
  usage(`there is no task of this folder to go on with (${workspace})`, 'Start one: belay run "what to do"')

/** The id that the person chooses. Errors: one line where nobody is there, nothing is chosen, or there is no task. */
export const pick = (workspace: string, look: Appearance, sink: Sink): Effect.Effect<string, Failure> =>
  Effect.gen(function* () {
    const isAttended = Terminal.isAttended()
    let nodes: ReadonlyArray<TaskNode.TaskNode> = yield* newest(workspace, isAttended ? most : named)
    const [first] = nodes
    if (first === undefined) return yield* none(workspace)
    if (!isAttended) {
      const list = nodes.map((node) => `${Words.shortId(node.row.record.id)} "${titleOf(node)}"`).join(", ")
      const hint = `Give one, such as --resume ${Words.shortId(first.row.record.id)}.`
      return yield* usage(`--resume names no task; the newest of this folder are ${list}`, hint)
    }
    const all = nodes
    const now = yield* Clock.currentTimeMillis
    for (;;) {
      sink.err(shown(nodes, now, look))
      const typed = yield* Terminal.readLine(sink, "Go on with which? A number or a part of the title: ")
      if (typed === undefined || typed === "") return yield* usage("no task was chosen", "Nothing was done.")
      const found = meant(nodes, typed)
      const [only, second] = found
      if (only !== undefined && second === undefined) return only.row.record.id
      if (only === undefined) sink.err(`No task of this list has "${Words.printable(typed)}" in its title.\n`)
      nodes = only === undefined ? all : found
    }
  })
