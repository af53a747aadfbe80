/** What a person has begun to write, for each task, kept with the folder's window. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Bridge } from "../vscode/Bridge.ts"

const name = (task: string | null): string => `draft:${task ?? ""}`

export class Drafts extends Context.Service<
  Drafts,
  {
    /** Empty where there is none; `null`: the first message of a new task. */
    readonly of: (task: string | null) => string
    readonly keep: (task: string | null, text: string) => void
    /** Puts a text behind what is written, in the view that shows the task where there is one. */
    readonly add: (task: string | null, text: string) => void
    /** A view that takes a text says so. */
    readonly onAdded: (take: (task: string | null, text: string) => boolean) => { readonly dispose: () => void }
  }
>()("@belay/host-vscode/Drafts") {
  static readonly layer: Layer.Layer<Drafts, never, Bridge> = Layer.effect(
    Drafts,
    Effect.map(Bridge, ({ context: { workspaceState } }) => {
      const takers = new Set<(task: string | null, text: string) => boolean>()
      const of = (task: string | null): string => workspaceState.get<string>(name(task)) ?? ""
      const keep = (task: string | null, text: string): void =>
        void workspaceState.update(name(task), text === "" ? undefined : text)
      return Drafts.of({
        of,
        keep,
        add: (task, text) => {
          if ([...takers].some((take) => take(task, text))) return
          const before = of(task)
          keep(task, /(^|\s)$/u.test(before) ? `${before}${text}` : `${before} ${text}`)
        },
        onAdded: (take) => {
          takers.add(take)
          return { dispose: () => void takers.delete(take) }
        }
      })
    })
  )
}
