/** Export: a task's conversation as Markdown, or its record and events as JSON, into a file that the person names. */
import { TranscriptText } from "@belay/interaction/feed"
import { TaskStore, TaskText } from "@belay/interaction/tasks"
import { type Event, TaskHistory } from "@belay/history-store"
import { Words } from "@belay/interaction"
import type { TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import * as path from "node:path"
import * as vscode from "vscode"
import { chosen, command, perform } from "../../vscode/Bridge.ts"
import { redaction } from "../../vscode/Redaction.ts"
import * as TaskChoice from "../../tasks/TaskChoice.ts"
import { fileName } from "../../transcript/TranscriptProvider.ts"

const page = 500

/** All of them, in the order in which they happened. */
const eventsOf = (id: TaskId.TaskId) =>
  Effect.gen(function* () {
    const history = yield* TaskHistory
    const all: Array<Event.StoredEvent> = []
    for (let more = true; more;) {
      const events = yield* history.events(id, (all.at(-1)?.seq ?? 0) + 1, page)
      all.push(...events)
      more = events.length === page
    }
    return all
  })

const markdown = (entry: TaskStore.Entry, events: ReadonlyArray<Event.StoredEvent>): string => {
  const { host, settings } = entry.node.row.meta
  const text = TranscriptText.make(TaskText.titleOf(entry), { kind: host, limit: Words.limit(settings) })
  text.add(events)
  return text.text()
}

const json = ({ node }: TaskStore.Entry, events: ReadonlyArray<Event.StoredEvent>): string => {
  const { meta, record, usage } = node.row
  return `${JSON.stringify({ record, title: meta.title, model: meta.model, usage, events }, null, 2)}\n`
}

/** Gives the file. */
export const exportTask = command("belay.exportTask", (given) =>
  Effect.gen(function* () {
    const entry = yield* TaskChoice.of(given, {
      title: "Export which task?",
      none: "There are no tasks yet.",
      fits: () => true
    })
    const name = path.join(entry.node.row.meta.workspace, `${fileName(TaskText.titleOf(entry))}.md`)
    const file = yield* chosen(() =>
      vscode.window.showSaveDialog({
        title: `Export "${TaskText.titleOf(entry)}"`,
        saveLabel: "Export",
        defaultUri: vscode.Uri.file(name),
        filters: { "Markdown, to read": ["md"], "JSON, every event": ["json"] }
      })
    )
    const events = yield* eventsOf(entry.node.row.record.id)
    const text = redaction.text((file.path.endsWith(".json") ? json : markdown)(entry, events))
    yield* perform(() => vscode.workspace.fs.writeFile(file, Buffer.from(text, "utf8")))
    return file
  })
)
