/**
 * How much of a task runs without asking, in one word: what three settings of its approvals say together.
 *
 * Everything else of the approvals stays as it is: what is denied stays denied, what asks by a name of its own asks.
 */
import { Approvals } from "@belay/approval-policy"
import * as Schema from "effect/Schema"

/** From narrow to wide; each has what the ones before it have. */
export const levels = ["reads", "edits", "checks"] as const
/** Names one of them. */
export type Level = (typeof levels)[number]

const Stored = Schema.Struct({ approvals: Schema.toType(Approvals.Approvals) })
const isStored = Schema.is(Stored)

/** Of the settings that are stored with a task; nothing where they say something that no word here says. */
export const of = (settings: unknown): Level | undefined => {
  if (!isStored(settings)) return undefined
  const { commands, edit, read } = settings.approvals
  if (read !== "allow" || commands.other === "allow") return undefined
  if (edit !== "allow") return edit === "ask" && commands.checks !== "allow" ? "reads" : undefined
  return commands.checks === "allow" ? "checks" : "edits"
}

/** The same approvals with another level. */
export const set = (approvals: Approvals.Approvals, level: Level): Approvals.Approvals => ({
  ...approvals,
  read: "allow",
  edit: approvals.edit === "deny" ? "deny" : level === "reads" ? "ask" : "allow",
  commands: {
    ...approvals.commands,
    other: approvals.commands.other === "deny" ? "deny" : "ask",
    checks: level === "checks" ? "allow" : "ask"
  }
})
