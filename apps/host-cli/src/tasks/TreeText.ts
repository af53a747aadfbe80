/** `task tree` for people: each task with its state and, where it is a person's turn, the command that goes on. */
import { StateText } from "@belay/interaction/tasks"
import { TaskNode } from "@belay/task-engine/remote"
import { Copy, Words } from "@belay/interaction"
import type { TaskId } from "@belay/task-state"
import * as ChecklistsBelow from "./ChecklistsBelow.ts"
import type { Lists } from "./ChecklistsBelow.ts"
import { type Appearance, ellipsis, glyph, tinted, typeset } from "../output/Appearance.ts"
import { displayWidth, pad, truncate } from "../output/DisplayWidth.ts"
import { costOf, stepsOf } from "./ListText.ts"

/** A line of the tree: a task, or an item of the checklist of the task above it. */
type Placed = PlacedTask | PlacedItem

interface PlacedTask {
  readonly node: TaskNode.TaskNode
  readonly parent: TaskNode.TaskNode | undefined
  /** What stands before the task, and before lines that belong to it. */
  readonly guide: string
  readonly below: string
}

interface PlacedItem {
  readonly guide: string
  readonly item: string
}

const isTask = (placed: Placed): placed is PlacedTask => "node" in placed

const guides = {
  unicode: { branch: "├─ ", last: "└─ ", through: "│  ", none: "   " },
  ascii: { branch: "|- ", last: "`- ", through: "|  ", none: "   " }
} as const

const place = (root: TaskNode.TaskNode, lists: Lists, look: Appearance): ReadonlyArray<Placed> => {
  const drawn = look.plain ? undefined : look.ascii ? guides.ascii : guides.unicode
  const at = (above: string, last: boolean) => ({
    guide: above + (drawn === undefined ? "  " : last ? drawn.last : drawn.branch),
    below: above + (drawn === undefined ? "  " : last ? drawn.none : drawn.through)
  })
  const walk = (placed: PlacedTask): ReadonlyArray<Placed> => {
    const { node: parent } = placed
    const rows = ChecklistsBelow.place(parent, lists)
    const below = rows.flatMap(({ item, subtask }, index) => {
      const here = at(placed.below, index === rows.length - 1)
      if (item === undefined) return subtask === undefined ? [] : walk({ node: subtask, parent, ...here })
      const line = { guide: here.guide, item: Words.printable(ChecklistsBelow.marked(item)) }
      return [line, ...(subtask === undefined ? [] : walk({ node: subtask, parent, ...at(here.below, true) }))]
    })
    return [placed, ...below]
  }
  return walk({ node: root, parent: undefined, guide: "", below: "" })
}

const sentenceOf = (node: TaskNode.TaskNode): string => {
  const state = StateText.of(node)
  return Words.sentence(state, state.detail)
}

/** A short reference of each task whose next command is printed. */
export type References = ReadonlyMap<TaskId.TaskId, string>

/** The tasks that a person can go on with. */
export const actionable = (node: TaskNode.TaskNode): ReadonlyArray<TaskNode.TaskNode> =>
  [node, ...TaskNode.descendants(node)].filter((found) => {
    const { state } = StateText.of(found)
    return StateText.rank({ ...StateText.of(found), subtaskNeedsYou: false }) === 2 || state === "needsYou"
  })

const actions = ({ node, parent }: PlacedTask, reference: string | undefined): ReadonlyArray<string> => {
  const caredFor = parent !== undefined && TaskNode.isAlive(parent)
  const verb = StateText.nextVerb(node, caredFor)
  if (reference === undefined || verb === undefined) return []
  const waits = parent !== undefined && parent.row.derived !== null && parent.row.record.status !== "completed"
  const words = verb === "watch" ? "follow it:" : "go on:     "
  const stuck = waits && node.row.record.status === "interrupted"
  const choices = stuck && !caredFor ? StateText.choices(node, parent) : []
  return [
    ...(stuck ? [Copy.subtaskWaitedFor(parent.row.meta.title)] : []),
    `${words}  belay task ${verb} ${reference}`,
    ...choices.map((choice) => `${choice.words}  belay task ${choice.verb} ${reference}`)
  ]
}

/** Narrower terminals get names and states alone. */
const roomForTails = 60

const tailOf = (node: TaskNode.TaskNode): string =>
  `  ${pad(stepsOf(node), 5, "right")}  ${pad(costOf(node), 6, "right")}`

/** Where columns begin and end in a terminal; what is no terminal is as wide as it needs to be. */
const widthsOf = (tasks: ReadonlyArray<Named>, look: Appearance) => {
  const { width } = look
  const natural = Math.max(...tasks.map(({ at, sign, title }) => displayWidth(at.guide + sign + title)))
  const widest = Math.max(...tasks.map(({ state }) => displayWidth(state)))
  if (width === undefined) return { name: natural, state: widest }
  const name = Math.min(natural, Math.max(16, Math.floor(width * 0.4)))
  const tail = Math.max(...tasks.map((task) => displayWidth(task.tail)))
  return { name, state: Math.min(widest, Math.max(8, width - name - 2 - tail)) }
}

interface Named {
  readonly at: PlacedTask
  readonly sign: string
  readonly title: string
  readonly state: string
  readonly tail: string
}

const namedOf = (at: PlacedTask, look: Appearance): Named => ({
  at,
  sign: look.plain ? "" : `${glyph(look, StateText.of(at.node).sign)} `,
  title: Words.printable(at.node.row.meta.title),
  state: typeset(look, sentenceOf(at.node)),
  tail: look.width !== undefined && look.width < roomForTails ? "" : typeset(look, tailOf(at.node))
})

/** `lists` are those of the task and of all below it. */
export const treeText = (
  root: TaskNode.TaskNode,
  lists: Lists,
  references: References,
  look: Appearance
): ReadonlyArray<string> => {
  const placed = place(root, lists, look)
  const widths = widthsOf(
    placed.filter(isTask).map((at) => namedOf(at, look)),
    look
  )
  const cut = (line: string) => (look.width === undefined ? line : truncate(line, look.width, ellipsis(look)))
  const taskLines = (at: PlacedTask): ReadonlyArray<string> => {
    const { sign, state, tail, title } = namedOf(at, look)
    const { tone } = StateText.of(at.node).sign
    const room = widths.name - displayWidth(at.guide + sign)
    const name = `${at.guide}${tinted(look, tone, sign)}${pad(truncate(title, room, ellipsis(look)), room)}`
    const said = pad(truncate(state, widths.state, ellipsis(look)), widths.state)
    const notes = actions(at, references.get(at.node.row.record.id)).map((note) => `${at.below}  ${note}`)
    // A command is never cut: it is there to be typed.
    const lines = notes.map((line) => (line.endsWith("waits for it.") ? cut(line) : line))
    return [`${name}  ${tinted(look, tone, said)}${tail}`.trimEnd(), ...lines]
  }
  return placed.flatMap((one) => (isTask(one) ? taskLines(one) : [cut(typeset(look, `${one.guide}${one.item}`))]))
}
