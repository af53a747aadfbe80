/** What a person may answer to an approval, and what a typed line means. */
import { CommandText } from "@belay/approval-policy"
import type { Event } from "@belay/history-store"
import type { Approval, Ask } from "@belay/task-engine"
import { AskText, Copy, Words } from "@belay/interaction"
import * as path from "node:path"

const offerOf = ({ grants }: Ask, scope: Event.GrantOffer["scope"]): Event.GrantOffer | undefined =>
  grants.find((offer) => offer.scope === scope)

/** Why it is not offered; what was said as the reason of the ask is not said again. */
const refusal = (offer: Event.GrantOffer | undefined, { reason, rule }: Ask): string =>
  reason !== undefined && offer?.reason === `${reason} (rule: ${rule})`
    ? ", for the reason above"
    : `: ${Words.printable(offer?.reason ?? "not offered")}`

/** A long command that is the very one that is asked for is not said again. */
const rulesOf = (ask: Ask, { rules }: Event.GrantOffer): string => {
  const command = CommandText.ofArguments(AskText.callOf(ask.question ?? "").args) ?? ""
  const said = rules.map(Words.printable).join(", ")
  return command.length < 40 ? said : said.replace(`the command '${Words.printable(command)}'`, "this very command")
}

/** From narrow to wide, then the refusals. What is not offered says why. */
export const choices = (ask: Ask): ReadonlyArray<string> => {
  const task = offerOf(ask, "task")
  const always = offerOf(ask, "always")
  return [
    "y  Once",
    task?.allowed === true ? `a  For this task: ${rulesOf(ask, task)}` : `-  Not for this task${refusal(task, ask)}`,
    ...(always === undefined
      ? []
      : always.allowed
        ? [`p  ${Copy.alwaysHere(rulesOf(ask, always), path.basename(always.folder ?? ""))}`]
        : [`-  Not always${refusal(always, ask)}`]),
    "n  No; or type what to do instead"
  ]
}

const keys: Readonly<Record<string, "once" | "task" | "always" | "deny" | "why" | "view">> = {
  y: "once",
  yes: "once",
  "1": "once",
  a: "task",
  "2": "task",
  p: "always",
  "3": "always",
  n: "deny",
  no: "deny",
  "4": "deny",
  "5": "why",
  v: "view"
}

/**
 * What a line says: an approval; that a reason follows, or that all is to be seen; or nothing that could be taken for an
 * answer. Words are a no with a reason: a single letter or a number that means nothing here is neither.
 */
export const choose = (line: string, ask: Ask): Approval | "why" | "view" | undefined => {
  const typed = line.trim()
  const key = keys[typed.toLowerCase()]
  switch (key) {
    case "once":
      return { decision: "allow" }
    case "task":
    case "always":
      return offerOf(ask, key)?.allowed === true ? { decision: "allow", grant: key } : undefined
    case "deny":
      return { decision: "deny" }
    case undefined:
      return Array.from(typed).length < 2 || /^\d+$/u.test(typed) ? undefined : { decision: "deny", text: typed }
    default:
      return key
  }
}
