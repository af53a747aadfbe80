/**
 * The images of drafts, for each task, until they are sent or removed; a window that comes back has them again. What is
 * no image, is too large or too many is never among them: the bytes say what it is, also of what was kept.
 */
import type { Message } from "@belay/message-state"
import { Picture } from "@belay/interaction"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as KeptPictures from "./KeptPictures.ts"

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
type One = Attached & KeptPictures.Kept

interface File {
  readonly id: string
  readonly name: string
  readonly bytes: Uint8Array
}

/** One more of a draft that has `before`, or why not in one sentence. */
const add = (before: ReadonlyArray<One>, { bytes, id, name }: File): One | string => {
  const head = bytes.subarray(0, 12)
  const refused = Picture.refusal({ name, size: bytes.length, head, count: before.length })
  const mediaType = Picture.typeOf(head)
  if (refused !== undefined || mediaType === undefined) return refused ?? ""
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("base64")
  return { at: (before.at(-1)?.at ?? 0) + 1, id, name, mediaType, data }
}

export class Pictures extends Context.Service<
  Pictures,
  {
    readonly of: (task: Task) => Effect.Effect<ReadonlyArray<Attached>>
    /** Adds an image, or says in one sentence why not. */
    readonly attach: (task: Task, file: File) => Effect.Effect<string | undefined>
    readonly detach: (task: Task, ids: ReadonlyArray<string>) => Effect.Effect<void>
  }
>()("@belay/host-vscode/Pictures") {
  /** Kept in a folder of the extension's. */
  static readonly layerIn = (folder: string): Layer.Layer<Pictures> =>
    Layer.sync(Pictures, () => {
      const kept = KeptPictures.make(folder)
      const all = new Map<Task, ReadonlyArray<One>>()
      const load = (task: Task): Effect.Effect<ReadonlyArray<One>> =>
        Effect.gen(function* () {
          if (!all.has(task)) {
            const found: Array<One> = []
            for (const { data, id, name } of yield* kept.read(task)) {
              const one = add(found, { id, name, bytes: Buffer.from(data, "base64") })
              if (typeof one !== "string") found.push(one)
            }
            // Meanwhile it may have been read, and added to.
            if (!all.has(task)) all.set(task, found)
          }
          return all.get(task) ?? []
        })
      return Pictures.of({
        of: load,
        attach: (task, file) =>
          Effect.gen(function* () {
            const before = (yield* load(task)).filter(({ id }) => id !== file.id)
            const one = add(before, file)
            if (typeof one === "string") return one
            all.set(task, [...before, one])
            const { at, data, id, name } = one
            yield* kept.write(task, { at, id, name, data })
            return undefined
          }),
        detach: (task, ids) =>
          Effect.gen(function* () {
            const before = yield* load(task)
            all.set(
              task,
              before.filter(({ id }) => !ids.includes(id))
            )
            yield* kept.remove(task, ids)
          })
      })
    })
}
