/**
 * Messages beside the window's work: a task that is not seen needs a person, or has ended after a while; a task belongs to
 * a process of which only a person can know whether it lives; a task of this window and another one work in one folder.
 *
 * None of them answers anything, takes the focus, or is about a task whose conversation is seen.
 */
import {
  HolderText,
  OpenAsks,
  SeenTasks,
  type StateText,
  TaskActions,
  TaskStore,
  TaskText,
  WaitingNotice
} from "@belay/interaction/tasks"
import type { History } from "@belay/history-store"
import { AskText, Words } from "@belay/interaction"
import { Sharing, TaskNode } from "@belay/task-engine/remote"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as vscode from "vscode"
import { Bridge } from "../vscode/Bridge.ts"

const isOn = (name: string): boolean => vscode.workspace.getConfiguration("belay").get(`notify.${name}`, true)

/** Shorter tasks end while the person still looks. Milliseconds. */
const long = 60_000

const lasted = ({ createdAt, updatedAt }: History.TaskRow): number => updatedAt - createdAt

const outcomes = { succeeded: "is done", failed: "has failed", cancelled: undefined } as const

/** A turn that is over is an end as well. */
const ends: ReadonlySet<string> = new Set(["done", "failed", "cancelled"])

/** `"Upgrade eslint" is done · $0.30`; nothing for what nobody waits for. */
const endOf = (entry: TaskStore.Entry, before: TaskStore.Snapshot): string | undefined => {
  const { record } = entry.node.row
  const known = before.entries.get(TaskStore.idOf(entry))
  const isOver = ({ state }: StateText.StateText): boolean => ends.has(state)
  if (!isOver(entry.text) || known === undefined || isOver(known.text)) return undefined
  const outcome = outcomes[record.status === "completed" ? record.outcome : "succeeded"]
  if (outcome === undefined || entry.parent !== undefined || lasted(entry.node.row) < long) return undefined
  const { costUsd } = TaskNode.usage(entry.node)
  return `"${TaskText.titleOf(entry)}" ${outcome}${costUsd === null ? "" : ` · ${Words.money(costUsd)}`}`
}

const muted = "muted"

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const board = yield* TaskStore.TaskStore
    const seen = yield* SeenTasks.SeenTasks
    const { workspaceState } = (yield* Bridge).context
    const mutes = (): ReadonlyArray<string> => workspaceState.get<ReadonlyArray<string>>(muted, [])

    /** What its only button, or the first of two, does. */
    const offer = (line: string, actions: Readonly<Record<string, () => void>>): void =>
      void vscode.window
        .showInformationMessage(line, ...Object.keys(actions))
        .then((name) => (name === undefined ? undefined : actions[name]?.()))

    const review = (open: OpenAsks.Open) => {
      const command = OpenAsks.isEdit(open) ? "belay.reviewChanges" : "belay.answer"
      void vscode.commands.executeCommand(command, open.ask.askId)
    }

    const tell = (waiting: ReadonlyArray<OpenAsks.Open>): void => {
      const tasks = new Set(waiting.map(({ entry }) => TaskStore.idOf(entry)))
      const [first] = waiting
      if (first === undefined) return
      if (tasks.size > 1) {
        const all = () => void vscode.commands.executeCommand("belay.showNeedsYou")
        return offer(`${tasks.size} tasks need you`, { Review: all })
      }
      offer(`"${TaskText.titleOf(first.entry)}" needs you: ${AskText.line(first.ask)}`, {
        Review: () => review(first),
        "Mute for this task": () => void workspaceState.update(muted, [...mutes(), TaskStore.idOf(first.entry)])
      })
    }

    const look = yield* WaitingNotice.follow({
      open: () =>
        OpenAsks.all(board.now()).map((open) => ({ open, askId: open.ask.askId, taskId: TaskStore.idOf(open.entry) })),
      isQuiet: ({ taskId }) => !isOn("needsYou") || seen.has(taskId) || mutes().includes(taskId),
      tell: (all) => tell(all.map(({ open }) => open))
    })

    /** The tasks whose doubt was told, once each. */
    const doubted = new Set<string>()
    const tellDoubts = (now: TaskStore.Snapshot): void => {
      const found = [...now.entries.values()].filter((entry) => TaskActions.isDoubtful(entry))
      const fresh = found.filter(
        (entry) => !doubted.has(TaskStore.idOf(entry)) && !mutes().includes(TaskStore.idOf(entry))
      )
      for (const entry of found) doubted.add(TaskStore.idOf(entry))
      const [first] = fresh
      if (first === undefined || !isOn("needsYou")) return
      const which = fresh.length > 1 ? undefined : TaskStore.idOf(first)
      const takeOver = () => void vscode.commands.executeCommand("belay.takeOver", which)
      const line =
        fresh.length > 1
          ? `${fresh.length} tasks belong to processes of which nobody can see from here whether they live.`
          : HolderText.line(first)
      offer(line, { "Take over…": takeOver })
    }

    /** Folders of which it was told that tasks share them: who starts a third one there knows. */
    const shared = new Set<string>()
    const tellSharing = (now: TaskStore.Snapshot): void => {
      // One whose turn is over writes nothing.
      const works = now.roots.filter(({ text }) => !ends.has(text.state))
      for (const own of works.filter(({ here }) => here)) {
        for (const other of works.filter(({ node }) => Sharing.share(own.node.row, node.row))) {
          const { workspace } = own.node.row.meta
          if (shared.has(workspace)) continue
          shared.add(workspace)
          const tasks = `"${TaskText.titleOf(own)}" and "${TaskText.titleOf(other)}" work in the same folder`
          const unseen = () => [other, own].map(TaskStore.idOf).find((id) => !seen.has(id))
          const show = () => void vscode.commands.executeCommand("belay.openTask", unseen() ?? TaskStore.idOf(other))
          offer(`${tasks}: each may write over what the other wrote.`, { "Open the other task": show })
        }
      }
    }

    tellDoubts(board.now())
    board.listen((now, before) => {
      look()
      tellDoubts(now)
      tellSharing(now)
      if (!isOn("finished")) return
      for (const entry of now.roots) {
        const line = seen.has(TaskStore.idOf(entry)) ? undefined : endOf(entry, before)
        const open = () => void vscode.commands.executeCommand("belay.openTask", TaskStore.idOf(entry))
        if (line !== undefined) offer(line, { Open: open })
      }
    })
  })
)
