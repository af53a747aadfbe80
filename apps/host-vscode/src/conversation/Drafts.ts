/** What a person has begun to write, for each task, kept with the folder's window. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Bridge } from "../Bridge.ts"

const name = (task: string | null): string => `draft:${task ?? ""}`

export class Drafts extends Context.Service<
  Drafts,
  {
    /** Empty where there is none; `null`: the first message of a new task. */
    readonly of: (task: string | null) => string
    readonly keep: (task: string | null, text: string) => void
  }
>()("@belay/host-vscode/Drafts") {
  static readonly layer: Layer.Layer<Drafts, never, Bridge> = Layer.effect(
    Drafts,
    Effect.map(Bridge, ({ context: { workspaceState } }) =>
      Drafts.of({
        of: (task) => workspaceState.get<string>(name(task)) ?? "",
        keep: (task, text) => void workspaceState.update(name(task), text === "" ? undefined : text)
      })
    )
  )
}
