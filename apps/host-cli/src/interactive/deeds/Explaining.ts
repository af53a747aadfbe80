/** Why something is asked, rule by rule, as `belay policy explain` says it: with the settings of the task that asks. */
import { AskText } from "@belay/interaction"
import type { OpenAsks } from "@belay/interaction/tasks"
import { Settings } from "@belay/settings"
import * as Effect from "effect/Effect"
import * as RowLines from "../transcript/RowLines.ts"
import type { Around } from "./Around.ts"

export const why = ({ perform, ui }: Around, { ask, entry }: OpenAsks.Open): void => {
  const { meta } = entry.node.row
  const { args, tool } = AskText.callOf(ask.payload.question ?? "")
  if (tool === undefined) return ui.hint("No rule is asked for this.")
  const wish = Effect.gen(function* () {
    // Read by who asks for it alone.
    const [Explain, Explanation] = yield* Effect.promise(() =>
      Promise.all([import("../../policy/Explain.ts"), import("../../policy/Explanation.ts")])
    )
    const settings = yield* Settings.decode(meta.settings)
    const question = {
      tool,
      args,
      mode: meta.mode,
      approvals: settings.approvals,
      sandboxSetting: settings.sandbox,
      allowedDomains: settings.allowedDomains,
      strictPlanMode: settings.strictPlanMode,
      unconfirmed: settings.unconfirmed,
      workspace: meta.workspace,
      attended: true
    }
    const text = yield* Effect.gen(function* () {
      const explanation = yield* Explain.explain(question)
      return Explanation.forPeople(question, explanation, yield* Explain.suggestions(question))
    }).pipe(Effect.provide(Explain.layer))
    const { look } = ui.form()
    const lines = (columns: number) =>
      text
        .trimEnd()
        .split("\n")
        .flatMap((line) => RowLines.plain({ look, columns }, line))
    ui.view({ title: AskText.line(ask), lines })
  })
  perform(wish)
}
