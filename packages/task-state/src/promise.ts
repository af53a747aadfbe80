/**
 * Records and ids of tasks for programs without Effect: pure and synchronous, and what cannot be read is thrown.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import * as Command from "./Command.ts"
import type { TaskRecord as PlainRecord, TransitionRejected as PlainRejected } from "./plain.ts"
import { isTaskId } from "./TaskId.ts"
import * as Record from "./TaskRecord.ts"

export type { InterruptReason, TaskLineage, TaskOutcome, TaskRecord, TaskStatus } from "./plain.ts"

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
