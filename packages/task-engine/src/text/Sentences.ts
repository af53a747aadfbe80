/**
 * The sentences that the engine itself says to people.
 *
 * Values are put in as they come: what could steer a terminal, or pass for another line, is escaped here.
 */
import { PlanResponse } from "@belay/modes"
import { printable } from "@belay/message-state"
import * as TaskName from "./TaskName.ts"

const quoted = (title: string): string => `"${printable(title)}"`

/** While another task has the file. */
export const writing = (of: { readonly task: string; readonly path: string }): string =>
  `Waiting for ${quoted(of.task)}, which is writing ${printable(of.path)}.`

/** A service that fails for a while is asked again; `why`: what it said, with its advice. */
export const outage = (why: string): string => {
  const said = printable(why).replace(/ (?:Wait and try|Try) again[^.]*\.$/u, "")
  return `${said[0]?.toUpperCase() ?? ""}${said.slice(1)} The task goes on by itself as soon as it answers.`
}

/** Says that a file has changed since it was shown. */
export const askStale = (path: string): string => `${printable(path)} changed since this was proposed.`

/** Says why a command that was allowed earlier asks again. */
export const alwaysUnconfirmed =
  "An earlier version allowed this command always, in every folder. It holds here once you allow it always here."

/** Says why "always" of an earlier folder does not hold. */
export const alwaysMoved = "What was allowed always in an earlier folder at this path does not hold in this one."

/** A service has answered with a model that nobody asked for. */
export const otherModel = (of: {
  readonly asked: string
  readonly answered: string
  readonly service: string
}): string => `${printable(of.answered)} answered in the place of ${printable(of.asked)} (${printable(of.service)}).`

/** The answer that hands a plan over to a task that carries it out. */
export const handOver = "Start the implementation"

/** Of a task that can go on, and that the process which could have gone on with it cannot host. */
export const waitsElsewhere = (id: string, workspace: string, why: string): string =>
  `Its subtasks have reported, and it waits: ${why}. Resume ${TaskName.shortId(id)} in ${printable(workspace)}.`

/** Answers a plan, as the model reads it, when a person only switches to act mode. */
export const switchedToAct = PlanResponse.PLAN_MODE_TOGGLE_RESPONSE
