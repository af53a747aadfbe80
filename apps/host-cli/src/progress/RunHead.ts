/** The first line of a run: which model works, in which mode, what it may do without asking, and in which sandbox. */
import { Approvals } from "@belay/approval-policy"
import type { History } from "@belay/history-store"
import { Settings } from "@belay/settings"
import { Words } from "@belay/interaction"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

/** Settings that cannot be read say nothing: whatever runs the task names them. */
export const of = ({ meta }: History.TaskRow): Effect.Effect<string> =>
  Effect.map(Effect.option(Settings.decode(meta.settings)), (settings) => {
    const facts = [`Model ${Words.printable(meta.model)}`, `${meta.mode} mode`]
    if (Option.isNone(settings)) return facts.join(", ")
    const { approvals, sandbox } = settings.value
    return [...facts, `approvals ${Approvals.presetOf(approvals) ?? "of your own"}`, `sandbox ${sandbox}`].join(", ")
  })
