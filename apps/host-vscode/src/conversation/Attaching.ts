/** Images of a draft as they come, from the view or from files that a person chooses, and images as a view shows them. */
import { TaskHistory } from "@belay/history-store"
import { Picture, Row, type View } from "@belay/task-engine/protocol"
import { TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import * as path from "node:path"
import * as vscode from "vscode"
import { chosen, perform } from "../Bridge.ts"
import { Pictures } from "./Pictures.ts"

type Of<Type extends View.FromView["type"]> = Extract<View.FromView, { readonly type: Type }>
type Post = (message: View.ToView) => void

const tell = (post: Post, task: string | null, line: string | undefined): void => {
  if (line !== undefined) post({ type: "told", task, line })
}

export const attach = ({ data, id, name, task }: Of<"attach">, post: Post) =>
  Effect.map(Pictures, (pictures) =>
    tell(post, task, pictures.attach(task, { id, name, bytes: Buffer.from(data, "base64") }))
  )

const filters = { Images: ["png", "jpg", "jpeg", "gif", "webp"] }

export const choose = ({ task }: Of<"choose">, post: Post) =>
  Effect.gen(function* () {
    const pictures = yield* Pictures
    const files = yield* chosen(() =>
      vscode.window.showOpenDialog({ canSelectMany: true, filters, title: "Attach images", openLabel: "Attach" })
    )
    for (const file of files) {
      const name = path.basename(file.fsPath)
      const { size } = yield* perform(() => vscode.workspace.fs.stat(file))
      if (size > Picture.largest) {
        tell(post, task, Picture.tooLarge(name, size))
        continue
      }
      const bytes = yield* perform(() => vscode.workspace.fs.readFile(file))
      tell(post, task, pictures.attach(task, { id: yield* TaskId.make, name, bytes }))
    }
  })

/** The image that a view asks for, of its draft or of a row; nothing for what is neither. */
const find = (task: string | null, name: string) =>
  Effect.gen(function* () {
    const draft = (yield* Pictures).of(task).find(({ id }) => id === name)
    if (draft !== undefined) return draft
    const at = Row.pictureOf(name)
    if (task === null || at === undefined) return undefined
    const [event] = yield* (yield* TaskHistory).events(task as TaskId.TaskId, at.seq, 1)
    const block = event?.type === "message" && event.seq === at.seq ? event.content[at.index] : undefined
    return block?.type === "image" ? { mediaType: block.source.media_type, data: block.source.data } : undefined
  })

export const picture = ({ of, task }: Of<"picture">, post: Post) =>
  Effect.map(find(task, of), (found) => {
    if (found === undefined) return
    const { data, mediaType } = found
    post({ type: "picture", task, of, mediaType, data })
  })
