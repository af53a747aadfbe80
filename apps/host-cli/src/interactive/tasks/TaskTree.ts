/** The tree of the task that is shown: each task with its state, its steps, its time, its cost, and what it does. */
import { Words } from "@belay/interaction"
import { StateText, TaskStore, TaskText } from "@belay/interaction/tasks"
import { TaskNode } from "@belay/task-engine/remote"
import { type Appearance, bold, glyph, tinted } from "../../output/Appearance.ts"
import { displayWidth, pad, truncate } from "../../output/DisplayWidth.ts"

/** A task in its tree. */
export interface Line {
  readonly id: string
  /** What stands before it. */
  readonly guide: string
  readonly sign: Words.Sign
  readonly title: string
  readonly isShown: boolean
  readonly steps: string
  readonly cost: string
  /** Of it alone, where it has subtasks; else empty. */
  readonly own: string
  /** What it does, or what became of it. */
  readonly detail: string
  /** While it works: since when, in ms since 1970. */
  readonly since: number | undefined
  /** How long it took in ms, where it is over. */
  readonly took: number | undefined
  /** How soon a person should know of it. */
  readonly rank: number
}

const guides = {
  unicode: { branch: "├ ", last: "└ ", through: "│ ", none: "  " },
  ascii: { branch: "|- ", last: "`- ", through: "|  ", none: "   " }
} as const

/** None for a task without subtasks. `doing`: what the calls of a task are about, by its id. */
export const of = (
  shown: TaskStore.Entry,
  { entries }: TaskStore.Snapshot,
  doing: (id: string) => string | undefined,
  { ascii }: Appearance
): ReadonlyArray<Line> => {
  const root = entries.get(shown.rootId) ?? shown
  if ((root.node.children ?? []).length === 0) return []
  const drawn = ascii ? guides.ascii : guides.unicode
  const walk = (entry: TaskStore.Entry, guide: string, below: string): ReadonlyArray<Line> => {
    const { node, text } = entry
    const { checklist, createdAt, record, updatedAt, usage } = node.row
    const id = TaskStore.idOf(entry)
    const works = text.state === "running" || text.state === "waiting"
    const label = Words.sentence(text, text.detail)
    const line: Line = {
      id,
      guide,
      sign: text.sign,
      title: entry === shown ? text.label : TaskText.titleOf(entry),
      isShown: entry === shown,
      steps: checklist === null ? "" : `${checklist.done}/${checklist.total}`,
      cost: Words.money(TaskNode.usage(node).costUsd),
      detail: text.state === "running" ? (doing(id) ?? "") : entry === shown ? text.detail : label,
      own: (node.children ?? []).length === 0 ? "" : Words.money(usage.costUsd),
      since: works ? createdAt : undefined,
      took: record.status === "completed" ? updatedAt - createdAt : undefined,
      rank: StateText.rank(text)
    }
    const children = (node.children ?? []).flatMap(({ row }) => entries.get(row.record.id) ?? [])
    return [
      line,
      ...children.flatMap((child, index) => {
        const isLast = index === children.length - 1
        const here = below + (isLast ? drawn.last : drawn.branch)
        return walk(child, here, below + (isLast ? drawn.none : drawn.through))
      })
    ]
  }
  return walk(root, "", "")
}

/** Those that say most, in their order, where not all have a place. */
const chosen = (lines: ReadonlyArray<Line>, most: number): ReadonlyArray<Line> => {
  if (lines.length <= most) return lines
  const kept = new Set(
    lines
      .slice(1)
      .map((line, index) => [line.isShown ? -1 : line.rank, index, line] as const)
      .toSorted(([left, first], [right, second]) => left - right || first - second)
      .slice(0, most - 2)
      .map(([, , line]) => line)
  )
  return lines.filter((line, index) => index === 0 || kept.has(line))
}

const widestTitle = 30

/** As rows: in few columns cost, time and steps are left out, in this order. */
export const rows = (
  lines: ReadonlyArray<Line>,
  look: Appearance,
  { columns, most, now }: { readonly columns: number; readonly most: number; readonly now: number }
): ReadonlyArray<string> => {
  if (most < 2 || lines.length === 0) return []
  const shown = chosen(lines, most)
  const headOf = ({ guide, sign, title }: Line) => `${guide}${glyph(look, sign)} ${title}`
  const width = Math.min(widestTitle, columns, Math.max(...shown.map((line) => displayWidth(headOf(line)))))
  const rowOf = (line: Line): string => {
    const { own, since, took = since === undefined ? undefined : now - since } = line
    const time = took === undefined ? "" : Words.duration(took)
    const cells = [
      ...(columns < 40 ? [] : [pad(line.steps, 5, "right")]),
      ...(columns < 50 ? [] : [pad(time, 6, "right")]),
      ...(columns < 60 ? [] : [pad(line.cost, 6, "right")])
    ]
    const { guide, sign, isShown, title } = line
    const mark = glyph(look, sign)
    const name = pad(
      truncate(title, width - displayWidth(`${guide}${mark} `)),
      width - displayWidth(`${guide}${mark} `)
    )
    const detail = [line.detail, ...(own === "" || columns < 70 ? [] : [`${own} without subtasks`])]
    const tail = [...cells, detail.filter((part) => part !== "").join(" · ")].join("  ").trimEnd()
    const room = Math.max(0, columns - width - 2)
    return `${guide}${tinted(look, sign.tone, mark)} ${isShown ? bold(look, name) : name}  ${truncate(tail, room)}`.trimEnd()
  }
  const hidden = lines.length - shown.length
  return [...shown.map(rowOf), ...(hidden === 0 ? [] : [`  ${hidden} more: Ctrl+T`])]
}
