/**
 * What a look at the histories of this computer found, as it is printed for programs. Nothing of a conversation is in it.
 *
 * Fields may be added within a version; what is here stays as it is.
 */
import * as Schema from "effect/Schema"
import { agents } from "../Agent.ts"

const maybe = Schema.optionalKey
const Ref = Schema.String.annotate({ description: 'The program and the id of a task there, such as "roo:00af".' })
const Time = Schema.String.annotate({ description: "ISO 8601, UTC." })
const AgentName = Schema.Literals(agents)

/** Describes one folder that was looked into. */
export const Place = Schema.Struct({
  agent: AgentName,
  path: Schema.String,
  kind: Schema.Literals(["tasks", "sessions", "transcripts", "rollouts", "trees", "messages"]).annotate({
    description: "How its tasks are laid out."
  }),
  tasks: Schema.Natural,
  bytes: Schema.Natural,
  state: Schema.Literals(["read", "denied", "empty"])
})
export type Place = typeof Place.Type

/**
 * A: whole, and in no list. B: a torn or doubled piece of a file. C: a pointer to what was never written. D: a call without
 * a result, or a result without a call. E: a lost subtask. F: about to be deleted. G: in another store. H: never on the disk.
 */
export const Class = Schema.Literals(["A", "B", "C", "D", "E", "F", "G", "H"])
export type Class = typeof Class.Type

/** Describes one damage, and whether it can be put right. */
export const Damage = Schema.Struct({
  class: Class,
  code: Schema.String,
  file: maybe(Schema.String),
  evidence: Schema.String,
  repair: Schema.Literals(["exact", "lossy", "none"]).annotate({
    description: "exact: nothing is missing afterwards; lossy: what cannot be read is; none: it cannot be helped"
  })
})
export type Damage = typeof Damage.Type

/** Describes what has become of a subtask, as its parent knows it. */
export const Child = Schema.Struct({
  ref: Ref,
  callId: maybe(Schema.String),
  state: Schema.Literals(["delivered", "undelivered", "stopped", "lost", "detached"])
})
export type Child = typeof Child.Type

/** Describes one task of another program. */
export const Task = Schema.Struct({
  ref: Ref,
  agent: AgentName,
  place: Schema.String,
  id: Schema.String,
  title: Schema.String,
  workspace: Schema.String,
  createdAt: Time,
  updatedAt: Time,
  turns: Schema.NullOr(Schema.Natural).annotate({
    description: "null: it was not read whole, as nothing spoke for damage."
  }),
  state: Schema.Literals(["sound", "damaged", "unreadable"]),
  inUse: maybe(Schema.Literal(true)).annotate({ description: "Written within the last minute, or locked." }),
  parent: maybe(Ref),
  children: Schema.Array(Child),
  damages: Schema.Array(Damage),
  expiresAt: maybe(Time).annotate({ description: "When its program deletes it." })
})
export type Task = typeof Task.Type

/** The whole report. `written` names the files that a copy made; a look makes none. */
export const Found = Schema.Struct({
  version: Schema.Literal(1),
  places: Schema.Array(Place),
  tasks: Schema.Array(Task),
  written: Schema.Array(Schema.String)
})
export type Found = typeof Found.Type
