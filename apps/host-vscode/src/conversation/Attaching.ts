/** Images of a draft as they come, from the view or from files that a person chooses, and images as a view shows them. */
import { TaskHistory } from "@belay/history-store"
import { Picture, Row, type View, Words } from "@belay/interaction"
import { TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as path from "node:path"
import * as vscode from "vscode"
import { Bridge, chosen, perform } from "../vscode/Bridge.ts"
import * as Material from "../editor/Material.ts"
import { Pictures } from "./pictures/Pictures.ts"

type Of<Type extends View.FromView["type"]> = Extract<View.FromView, { readonly type: Type }>
type Post = (message: View.ToView) => void

/** Images are kept where the window's folder has its drafts. */
export const layer: Layer.Layer<Pictures, never, Bridge> = Layer.unwrap(
  Effect.map(Bridge, ({ context: { globalStorageUri, storageUri } }) =>
    Pictures.layerIn(path.join((storageUri ?? globalStorageUri).fsPath, "drafts"))
  )
)

const tell = (post: Post, task: string | null, line: string | undefined): void => {
  if (line !== undefined) post({ type: "told", task, line })
}

export const attach = ({ data, id, name, task }: Of<"attach">, post: Post) =>
  Effect.gen(function* () {
    const { attach } = yield* Pictures
    tell(post, task, yield* attach(task, { id, name, bytes: Buffer.from(data, "base64") }))
  })

const kinds = ["png", "jpg", "jpeg", "gif", "webp"]

/** It is named like an image; what it is, its bytes say. */
export const isNamedSo = ({ path: name }: vscode.Uri): boolean =>
  kinds.includes(path.extname(name).slice(1).toLowerCase())

/** Puts images into the draft of a task, and gives a sentence for each that was not. */
export const attachFiles = (task: string | null, files: ReadonlyArray<vscode.Uri>) =>
  Effect.gen(function* () {
    const pictures = yield* Pictures
    const told: Array<string> = []
    for (const file of files) {
      const name = path.basename(file.fsPath)
      const { size } = yield* perform(() => vscode.workspace.fs.stat(file))
      if (size > Picture.largest) {
        told.push(Picture.tooLarge(name, size))
        continue
      }
      const bytes = yield* perform(() => vscode.workspace.fs.readFile(file))
      const line = yield* pictures.attach(task, { id: yield* TaskId.make, name, bytes })
      if (line !== undefined) told.push(line)
    }
    return told
  })

export const choose = ({ task }: Of<"choose">, post: Post) =>
  Effect.gen(function* () {
    const files = yield* chosen(() =>
      vscode.window.showOpenDialog({
        canSelectMany: true,
        filters: { Images: kinds },
        title: "Attach images",
        openLabel: "Attach"
      })
    )
    for (const line of yield* attachFiles(task, files)) tell(post, task, line)
  })

/** As the editor of a remote machine names a file of this one. */
const fileOf = (address: string): ReadonlyArray<vscode.Uri> => {
  const { fsPath, path: name, scheme } = vscode.Uri.parse(address)
  if (scheme === "file") return [vscode.Uri.file(fsPath)]
  return scheme === "vscode-remote" ? [vscode.Uri.file(name)] : []
}

const outside = (name: string): string =>
  `${Words.printable(name)} is in no folder of this window, so it was not added. Copy it here, or open its folder.`

/** What was dropped from the editor's lists: images of the window's folders as such, everything else as a mention. */
export const point = ({ addresses, task }: Of<"point">, post: Post) =>
  Effect.gen(function* () {
    const files = addresses.flatMap(fileOf)
    const isPicture = (file: vscode.Uri): boolean =>
      isNamedSo(file) && vscode.workspace.getWorkspaceFolder(file) !== undefined
    for (const line of yield* attachFiles(task, files.filter(isPicture))) tell(post, task, line)
    const isOutside = (file: vscode.Uri): boolean => vscode.workspace.getWorkspaceFolder(file) === undefined
    for (const file of files.filter(isOutside)) tell(post, task, outside(path.basename(file.fsPath)))
    const text = yield* Material.mentions(files.filter((file) => !isPicture(file) && !isOutside(file)))
    if (text !== "") post({ type: "returned", task, text: `${text} ` })
    if (files.length === 0)
      tell(post, task, "What was dropped is not a file of this machine. Drop a file from the explorer.")
  })

/** The image that a view asks for, of its draft or of a row; nothing for what is neither. */
const find = (task: string | null, name: string) =>
  Effect.gen(function* () {
    const draft = (yield* (yield* Pictures).of(task)).find(({ id }) => id === name)
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
