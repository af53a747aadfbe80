/** The end of the interface, wanted by the person: asked for first where something is at work. */
import { TaskHistory } from "@belay/history-store"
import { TaskEngine } from "@belay/task-engine"
import * as Effect from "effect/Effect"
import type { Around } from "./Around.ts"

const plural = (n: number): string => `${n} ${n === 1 ? "task is" : "tasks are"} running`

/** `leave` is called once nothing speaks against it. */
export const leave = ({ perform, ui }: Pick<Around, "perform" | "ui">, leave: () => void): void => {
  const wish = Effect.gen(function* () {
    const history = yield* TaskHistory
    const running = [...(yield* TaskEngine).running()]
    // What is shown may be older than what waits for the person since.
    const asks = yield* Effect.forEach(running, (id) => history.asks(id))
    const n = asks.filter((all) => !all.some(({ open }) => open)).length
    if (n === 0) return leave()
    const it = n === 1 ? "it" : "them"
    ui.confirm(`${plural(n)}. Leaving stops ${it}; nothing is lost. Leave? [y/N]`, leave)
  })
  perform(wish, leave)
}
