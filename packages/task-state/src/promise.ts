/**
 * Records and ids of tasks, and the rules of their states, for programs without Effect: pure and synchronous, and what
 * cannot be read or is forbidden is thrown.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import * as Command from "./Command.ts"
import type { TaskRecord as PlainRecord, TransitionRejected as PlainRejected } from "./plain.ts"
import type { TaskCommand, TaskDecision, TaskRequest, TaskView } from "./plainProtocol.ts"
import * as Protocol from "./Protocol.ts"
import { isTaskId } from "./TaskId.ts"
import * as Record from "./TaskRecord.ts"

export type { InterruptReason, TaskLineage, TaskOutcome, TaskRecord, TaskStatus } from "./plain.ts"
export type {
  TaskChild,
  TaskCommand,
  TaskDecision,
  TaskLease,
  TaskReport,
  TaskRequest,
  TaskSettlement,
  TaskView
} from "./plainProtocol.ts"

/** The class of what a refused command throws. */
export const TransitionRejected: abstract new (...given: never) => PlainRejected = Command.TransitionRejected

/** A value that is no record. */
export class InvalidRecord extends Error {
  readonly _tag = "InvalidRecord"
  /** What is wrong, and where. */
  readonly issues: ReadonlyArray<{ readonly path: string; readonly message: string }>

  constructor(issues: InvalidRecord["issues"]) {
    super(`this is no record of a task: ${issues.map(({ message, path }) => `${path}: ${message}`).join("; ")}`)
    this.name = "InvalidRecord"
    this.issues = issues
  }
}

/** A text that is no id of a task. */
export class InvalidTaskId extends Error {
  readonly _tag = "InvalidTaskId"

  constructor(text: string) {
    super(`${JSON.stringify(text)} is no id of a task: use 1 to 64 letters, digits, "_" and "-"`)
    this.name = "InvalidTaskId"
  }
}

const decodeRecord = Schema.decodeUnknownResult(Record.TaskRecord)
const format = SchemaIssue.makeFormatterStandardSchemaV1()

/** Reads a record of JSON. Throws `InvalidRecord`. */
export const decode = (json: unknown): PlainRecord => {
  const decoded = decodeRecord(json)
  if (Result.isSuccess(decoded)) return decoded.success
  const issues = format(decoded.failure.issue).issues.map(({ message, path = [] }) => ({
    path: path.map((part) => String(typeof part === "object" ? part.key : part)).join("."),
    message
  }))
  throw new InvalidRecord(issues)
}

/** Gives a text that is a safe id of a task, as it is. Throws `InvalidTaskId`. */
export const taskId = (text: string): string => {
  if (!isTaskId(text)) throw new InvalidTaskId(text)
  return text
}

/** Carries a command out on a record that `decode` has read, as the table of states allows. Throws `TransitionRejected`. */
export const transition = (record: PlainRecord, command: TaskCommand): PlainRecord =>
  Result.getOrThrow(Command.transitionAny(record as Record.TaskRecord, command as Command.Command))

/**
 * Decides a request by the facts of one transaction, whose records `decode` has read: everything that is to be written,
 * all of it or nothing. Nothing is to be written where it has happened before. Throws `TransitionRejected`.
 */
export const decide = (view: TaskView, request: TaskRequest): TaskDecision =>
  Result.getOrThrow(Protocol.decide(view as Protocol.View, request as Protocol.Request))
