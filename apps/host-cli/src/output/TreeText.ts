/** `task tree` for people: each task with its state and, where it is a person's turn, the command that goes on. */
import { StateText, TaskNode } from "@belay/task-engine/outside"
import { Copy, Words } from "@belay/task-engine/protocol"
import type { TaskId } from "@belay/task-state"
import { type Appearance, ellipsis, glyph, tinted, typeset } from "./Appearance.ts"
import { displayWidth, pad, truncate } from "./DisplayWidth.ts"
import { costOf, stepsOf } from "./ListText.ts"

interface Placed {
  readonly node: TaskNode.TaskNode
  readonly parent: TaskNode.TaskNode | undefined
  /** What stands before the task, and before lines that belong to it. */
  readonly guide: string
  readonly below: string
}

const guides = {
  unicode: { branch: "├─ ", last: "└─ ", through: "│  ", none: "   " },
  ascii: { branch: "|- ", last: "`- ", through: "|  ", none: "   " }
} as const

const place = (node: TaskNode.TaskNode, look: Appearance): ReadonlyArray<Placed> => {
  const drawn = look.plain ? undefined : look.ascii ? guides.ascii : guides.unicode
  const walk = (placed: Placed): ReadonlyArray<Placed> => {
    const children = placed.node.children ?? []
    return [
      placed,
      ...children.flatMap((child, index) => {
        const last = index === children.length - 1
        const guide = placed.below + (drawn === undefined ? "  " : last ? drawn.last : drawn.branch)
        const below = placed.below + (drawn === undefined ? "  " : last ? drawn.none : drawn.through)
        return walk({ node: child, parent: placed.node, guide, below })
      })
    ]
  }
  return walk({ node, parent: undefined, guide: "", below: "" })
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

const actions = ({ node, parent }: Placed, reference: string | undefined): ReadonlyArray<string> => {
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

export const treeText = (root: TaskNode.TaskNode, references: References, look: Appearance): ReadonlyArray<string> => {
  const placed = place(root, look)
  const named = placed.map(({ guide, node }) => {
    const sign = look.plain ? "" : `${glyph(look, StateText.of(node).sign)} `
    return { guide, sign, title: Words.printable(node.row.meta.title) }
  })
  const natural = Math.max(...named.map(({ guide, sign, title }) => displayWidth(guide + sign + title)))
  const nameWidth = look.width === undefined ? natural : Math.min(natural, Math.max(16, Math.floor(look.width * 0.4)))
  const tails = placed.map(({ node }) =>
    look.width !== undefined && look.width < roomForTails ? "" : typeset(look, tailOf(node))
  )
  const states = placed.map(({ node }) => typeset(look, sentenceOf(node)))
  const widest = Math.max(...states.map(displayWidth))
  const stateWidth =
    look.width === undefined
      ? widest
      : Math.min(widest, Math.max(8, look.width - nameWidth - 2 - (tails[0]?.length ?? 0)))
  return placed.flatMap((at, index) => {
    const { guide = "", sign = "", title = "" } = named[index] ?? {}
    const state = StateText.of(at.node)
    const room = nameWidth - displayWidth(guide + sign)
    const name = `${guide}${tinted(look, state.sign.tone, sign)}${pad(truncate(title, room, ellipsis(look)), room)}`
    const said = pad(truncate(states[index] ?? "", stateWidth, ellipsis(look)), stateWidth)
    const full = `${name}  ${tinted(look, state.sign.tone, said)}${tails[index] ?? ""}`.trimEnd()
    const notes = actions(at, references.get(at.node.row.record.id))
    const lines = notes.map((note) => `${at.below}  ${note}`)
    // A command is never cut: it is there to be typed.
    const cut = (line: string) =>
      look.width === undefined || !line.endsWith("waits for it.") ? line : truncate(line, look.width, ellipsis(look))
    return [full, ...lines.map(cut)]
  })
}
