/** `belay task show`: everything that is known of one task. */
import type { Checkpoint } from "@belay/checkpoints"
import { type History, type HistoryError, TaskHistory } from "@belay/history-store"
import * as FocusChain from "@belay/focus-chain"
import * as DataFolder from "@belay/history-store/data-folder"
import { StateText } from "@belay/interaction/tasks"
import { TaskNode } from "@belay/task-engine/remote"
import { Transcript, Words } from "@belay/interaction"
import { type ContextEdit, Conversation, type Message } from "@belay/message-state"
import type { TaskId } from "@belay/task-state"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { existsSync } from "node:fs"
import * as path from "node:path"
import { isSet, type Parsed, text } from "../../cli/Arguments.ts"
import type { ExitCode, Failure } from "../../cli/Failure.ts"
import * as ChecklistsBelow from "../../tasks/ChecklistsBelow.ts"
import * as Appearance from "../../output/Appearance.ts"
import * as RecordJson from "../../tasks/RecordJson.ts"
import * as OwnCheckpoints from "../../tasks/OwnCheckpoints.ts"
import { conversationText, showText } from "../../tasks/ShowText.ts"
import type { Sink } from "../../output/Sink.ts"
import { reading } from "../../tasks/Reading.ts"
import * as TaskReference from "../../tasks/TaskReference.ts"
import { load } from "../../tasks/TaskTree.ts"

type Reads<A> = Effect.Effect<A, Failure | HistoryError.HistoryError, TaskHistory>

interface Context {
  readonly model: string
  readonly system: ReadonlyArray<Message.TextBlock>
  /** What is shown instead of the log, by ranges of its messages. */
  readonly edits: ReadonlyArray<Pick<ContextEdit.ContextEdit, "id" | "kind" | "from" | "to">>
  readonly messages: ReadonlyArray<Message.Message>
}

/** What the model would be sent now. The engine is loaded for this alone. */
const contextOf = ({ row }: TaskNode.TaskNode, { edits, messages }: History.Shown) =>
  Effect.gen(function* () {
    const [{ Settings }, { SystemPrompt }] = yield* Effect.promise(() =>
      Promise.all([import("@belay/settings"), import("@belay/task-engine")])
    )
    // A task that never ran may have no settings that this version reads: then it would keep a checklist, as most do.
    const settings = yield* Effect.option(Settings.decode(row.meta.settings))
    const focusChain = Settings.focusChain
    const context: Context = {
      model: row.meta.model,
      system: SystemPrompt.of(Option.getOrElse(settings, () => ({ focusChain }))),
      edits: edits.map(({ from, id, kind, to }) => ({ id, kind, from, to })),
      messages: Conversation.conversation(messages)
    }
    return context
  })

/** Where none were ever made, nothing is loaded; where they cannot be read, there are none to show. */
const checkpointsOf = (row: History.TaskRow): Effect.Effect<ReadonlyArray<Checkpoint>> =>
  Effect.gen(function* () {
    const directory = DataFolder.directory()
    if (!existsSync(path.join(directory, "checkpoints"))) return []
    const { Checkpoints } = yield* Effect.promise(() => import("@belay/checkpoints"))
    const found = Checkpoints.use(({ list }) => list({ taskId: row.record.id, workspace: row.meta.workspace }))
    return yield* OwnCheckpoints.provided(Effect.orElseSucceed(found, () => []))
  })

const details = (node: TaskNode.TaskNode): Reads<RecordJson.Details> =>
  Effect.gen(function* () {
    const { row } = node
    const history = yield* TaskHistory
    const files = yield* Effect.provide(
      FocusChain.FocusChain,
      FocusChain.FocusChain.layerNode({ directory: DataFolder.directory() })
    )
    return {
      row,
      asks: yield* history.asks(row.record.id),
      calls: yield* history.calls(row.record.id),
      checklist: Option.getOrUndefined(yield* history.checklist(row.record.id)),
      checklistPath: files.path(row.record.id),
      lists: yield* ChecklistsBelow.read(node),
      checkpoints: yield* checkpointsOf(row)
    }
  })

const page = 500

/** The conversation for people, in UTC. */
const transcript = (id: TaskId.TaskId): Reads<ReadonlyArray<string>> =>
  Effect.gen(function* () {
    const history = yield* TaskHistory
    const told = Transcript.make()
    const lines: Array<string> = []
    for (let next = 1; ; next += page) {
      const events = yield* history.events(id, next, page)
      for (const event of events) {
        const rows = told.add(event)
        const first = rows.findIndex((row) => row !== "")
        // The number that `--to` takes.
        lines.push(
          ...rows.map((row, n) => (event.type === "message" && n === first ? `${row}  ·  message ${event.index}` : row))
        )
      }
      if (events.length < page) return lines
    }
  })

/** What is open is answered by the command itself; one that works is followed. */
const nextOf = (node: TaskNode.TaskNode, verb: "watch" | "resume", reference: string): string => {
  const kinds = node.openAsks.map(({ kind }) => kind)
  const [only, second] = kinds
  if (only === "question" && second === undefined) {
    return verb === "watch" ? `belay task answer ${reference} "..."` : `belay task resume ${reference} "your answer"`
  }
  if (only === "approval" && second === undefined && verb === "watch") {
    return `belay task answer ${reference} --allow (or --deny)`
  }
  return `belay task ${verb} ${reference}${verb === "resume" && kinds.includes("plan") ? " --mode act" : ""}`
}

/** Why it stopped, where the reason alone is too little: what the service, or the model, said. */
const whyOf = ({ row: { lastSeq, record } }: TaskNode.TaskNode): Reads<string | undefined> =>
  Effect.gen(function* () {
    if (record.status !== "interrupted" || record.interruption.reason !== "service") return undefined
    const last = yield* (yield* TaskHistory).events(record.id, Math.max(1, lastSeq - 20), 21)
    const error = last.findLast((event) => event.type === "error")
    return error?.type === "error" ? error.message.replaceAll(/\s+/gu, " ").replace(/[.\s]+$/u, "") : undefined
  })

/** The command to type next; nothing for a completed task. */
const nextCommand = (node: TaskNode.TaskNode): Reads<string | undefined> =>
  Effect.gen(function* () {
    const history = yield* TaskHistory
    const { parentId } = node.row.record.lineage
    const parent = parentId === undefined ? Option.none() : yield* history.row(parentId)
    const verb = StateText.nextVerb(node, Option.isSome(parent) && parent.value.lease?.alive === true)
    if (verb === undefined) return undefined
    const reference = yield* TaskReference.short(node.row.record.id)
    const lines = [nextOf(node, verb, reference)]
    for (const child of TaskNode.isAlive(node) ? [] : (node.children ?? [])) {
      if (child.row.record.status !== "interrupted") continue
      const reference = yield* TaskReference.short(child.row.record.id)
      const ways = StateText.choices(child, node)
      if (ways.length > 0) lines.push("", `Or for "${Words.printable(child.row.meta.title)}", which it waits for:`)
      for (const { verb: other, words } of ways) lines.push(`  ${words}  belay task ${other} ${reference}`)
    }
    return lines.join("\n")
  })

export const run = (parsed: Parsed, sink: Sink): Effect.Effect<ExitCode, Failure> =>
  reading(
    Effect.gen(function* () {
      const history = yield* TaskHistory
      const id = yield* TaskReference.inFolder(parsed.args[0] ?? "", text(parsed, "cwd"))
      const node = yield* load(id)
      const known = yield* details(node)
      const withMessages = isSet(parsed, "messages")
      const withContext = isSet(parsed, "context")
      const messages = withMessages ? yield* history.messages(id) : []
      const context = withContext ? yield* contextOf(node, yield* history.shown(id)) : undefined
      if (text(parsed, "output") === "json") {
        const more = { ...(withMessages ? { messages } : {}), ...(context === undefined ? {} : { context }) }
        sink.data(`${JSON.stringify({ ...RecordJson.shown(known), ...more })}\n`)
        return 0 as const
      }
      const now = yield* Clock.currentTimeMillis
      const lines = [
        ...showText(
          node,
          known,
          { next: yield* nextCommand(node), why: yield* whyOf(node) },
          now,
          Appearance.of(parsed)
        ),
        ...(withMessages ? ["", "Conversation", ...(yield* transcript(id))] : []),
        ...(context === undefined
          ? []
          : [
              "",
              `Sent to ${context.model}`,
              ...conversationText([{ role: "user", content: context.system }]).map((line) =>
                line === "user" ? "system" : line
              ),
              ...conversationText(context.messages)
            ])
      ]
      sink.out(`${lines.join("\n")}\n`)
      return 0 as const
    })
  )
