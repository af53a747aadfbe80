/**
 * The people a task can ask, as the host reaches them.
 *
 * A host answers each ask once, by its id. Where nobody is there, approvals are denied and everything else stops the
 * task with its ask open: never blocked for ever, never allowed.
 */
import type { Grant } from "@belay/approval-policy"
import type { Event } from "@belay/history-store"
import type { TaskId } from "@belay/task-state"
import type { Proposal } from "@belay/tool-executor"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** One ask, as a host shows it. */
export type Ask = Omit<Extract<Event.EventBody, { readonly type: "ask" }>, "type"> & {
  readonly taskId: TaskId.TaskId
  readonly title: string
}

/** The answer of a person to an approval. */
export interface Approval {
  readonly decision: "allow" | "deny"
  readonly text?: string
  /** What the person wants in files instead of what was proposed. */
  readonly edited?: ReadonlyArray<Proposal.Edited>
  /** Allows more than this call, where the ask offers it. */
  readonly grant?: "task" | "always"
}

/** `switchToAct` answers a plan by switching the task to act mode. */
export interface Answer {
  readonly text: string
  readonly switchToAct?: boolean
}

/** Describes what a person has allowed always, and the only folder in which it holds. */
export interface KeptGrant {
  readonly folder: string
  readonly rules: ReadonlyArray<Grant.Rule>
  readonly problem?: string
}

/** Reaches the person at this host. A host that has nobody uses `UserPort.layerUnattended`. */
export class UserPort extends Context.Service<
  UserPort,
  {
    /** Somebody is there, at this moment; otherwise the two functions below are not called. */
    readonly attended: boolean
    /** An answer in words ends a root all the same, and nobody is asked what comes next: the host runs one task. */
    readonly endsWithWords?: boolean
    /** Interrupted when another answer comes first; `undefined`: nobody is there any more. */
    readonly approve: (ask: Ask) => Effect.Effect<Approval | undefined>
    readonly answer: (ask: Ask) => Effect.Effect<Answer | undefined>
    /** Tells what is allowed always from now on, or why that could not be stored: then it holds for the task alone. */
    readonly allowed?: (kept: KeptGrant) => Effect.Effect<void>
  }
>()("@belay/task-engine/UserPort") {
  /** Nobody is there. */
  static readonly layerUnattended: Layer.Layer<UserPort> = Layer.succeed(UserPort, {
    attended: false,
    approve: () => Effect.succeed({ decision: "deny" }),
    answer: () => Effect.never
  })
}
