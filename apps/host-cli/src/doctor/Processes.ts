/** The history, and the processes that have tasks of it. */
import { TaskHistory } from "@belay/history-store"
import * as Effect from "effect/Effect"
import * as OwnersText from "../tasks/OwnersText.ts"
import { reading } from "../tasks/Reading.ts"
import { failed, type Finding, ok, warning } from "./Finding.ts"

export const findings: Effect.Effect<ReadonlyArray<Finding>> = reading(TaskHistory.use((store) => store.owners)).pipe(
  Effect.map((owners): ReadonlyArray<Finding> => {
    const others = owners.filter(({ owner }) => owner.pid !== process.pid)
    const shown = others.map((seen) => {
      const { _tag: state } = seen.liveness
      if (state === "Alive") return ok("process", OwnersText.said(seen))
      const line = `${state === "Dead" ? "ended" : "unknown"}: ${OwnersText.said(seen)}`
      return warning("process", line, "See what it left: belay history doctor")
    })
    return [ok("history", "it can be read"), ...(shown.length === 0 ? [ok("process", "no other one")] : shown)]
  }),
  Effect.catch(({ hint, what }) => Effect.succeed([failed("history", what, hint)]))
)
