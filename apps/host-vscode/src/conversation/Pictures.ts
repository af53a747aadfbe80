/**
 * The images of drafts, for each task, as long as the window lives. What is no image, is too large or too many is never
 * among them: the bytes say what it is.
 */
import type { Message } from "@belay/message-state"
import { Picture } from "@belay/task-engine/protocol"
import * as Context from "effect/Context"
import * as Layer from "effect/Layer"

export interface Attached {
  readonly id: string
  readonly name: string
  readonly mediaType: string
  /** base64 */
  readonly data: string
}

/** As the model reads it. */
export const blockOf = ({ data, mediaType }: Pick<Attached, "data" | "mediaType">): Message.ImageBlock => ({
  type: "image",
  source: { type: "base64", media_type: mediaType, data }
})

type Task = string | null

export class Pictures extends Context.Service<
  Pictures,
  {
    readonly of: (task: Task) => ReadonlyArray<Attached>
    /** Adds an image, or says in one sentence why not. */
    readonly attach: (
      task: Task,
      file: { readonly id: string; readonly name: string; readonly bytes: Uint8Array }
    ) => string | undefined
    readonly detach: (task: Task, ids: ReadonlyArray<string>) => void
  }
>()("@belay/host-vscode/Pictures") {
  static readonly layer: Layer.Layer<Pictures> = Layer.sync(Pictures, () => {
    const all = new Map<Task, ReadonlyArray<Attached>>()
    const of = (task: Task): ReadonlyArray<Attached> => all.get(task) ?? []
    return Pictures.of({
      of,
      attach: (task, { bytes, id, name }) => {
        const head = bytes.subarray(0, 12)
        const before = of(task).filter((one) => one.id !== id)
        const refused = Picture.refusal({ name, size: bytes.length, head, count: before.length })
        const mediaType = Picture.typeOf(head)
        if (refused !== undefined || mediaType === undefined) return refused
        const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("base64")
        all.set(task, [...before, { id, name, mediaType, data }])
        return undefined
      },
      detach: (task, ids) => {
        const left = of(task).filter(({ id }) => !ids.includes(id))
        if (left.length === 0) all.delete(task)
        else all.set(task, left)
      }
    })
  })
}
