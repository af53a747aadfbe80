/**
 * What can go wrong with the history itself, in one plain line each. A history that cannot be used is never changed.
 */
import * as Schema from "effect/Schema"

/** Says why the history could not be read or written. */
export const Reason = Schema.Literals([
  "corrupt",
  "full",
  "permission",
  "readOnly",
  "newer",
  "moved",
  "network",
  "unreachable",
  "unauthorized",
  "older",
  "unsupported",
  "busy",
  "unknown",
  "illegal",
  "failed"
])
export type Reason = typeof Reason.Type

const advice: Record<Reason, (detail: string) => string> = {
  corrupt: (detail) =>
    `${detail}. Nothing was changed; put a backup in its place, or move it and the files beside it away to start a new history`,
  full: () => "the disk is full. Free space and run it again; what was stored before stays",
  permission: () => "permission denied. Check the rights of the folder and its owner",
  readOnly: () => "it is read-only. Use a folder that can be written, or check the rights of this one",
  newer: (detail) => `it was written by a newer Belay (${detail}). Update Belay to go on; nothing was changed`,
  moved: (detail) =>
    `${detail} while it was in use. Put it and the files beside it back, or start Belay again with a new one; what was done since is not stored`,
  network: (detail) => `${detail}. Use a folder on a local disk`,
  unreachable: (detail) => `the server does not answer (${detail}). Check its address and that it runs`,
  unauthorized: (detail) => `the server refuses it (${detail}). Check the name, the password and the rights there`,
  older: (detail) => `${detail}. Whoever owns it has to migrate it first`,
  unsupported: (detail) => `${detail}. Use Node 22.19 or newer`,
  busy: () => "another program has kept it locked for 30 seconds. Run it again",
  unknown: (detail) => `${detail}. Whether it was stored is not known: look at the task before you do it again`,
  illegal: (detail) => `${detail}. Nothing was written; go on with the task, and report this as a fault of Belay`,
  failed: (detail) => `${detail}. Check the folder and run it again`
}

const hints: Partial<Record<Reason, "restoreBackup" | "chooseFolder">> = {
  corrupt: "restoreBackup",
  readOnly: "chooseFolder",
  network: "chooseFolder"
}

/** A history that cannot be opened, read or written. `message` is one line for people; a host says how `hint` is done. */
export class HistoryError extends Schema.TaggedError<HistoryError>()("HistoryError", {
  reason: Reason,
  path: Schema.String,
  detail: Schema.String,
  /** Only what belongs to this task is damaged, as far as is known. */
  taskId: Schema.optionalKey(Schema.String),
  /** It was open, and something could not be stored. */
  writing: Schema.optionalKey(Schema.Literal(true)),
  cause: Schema.optionalKey(Schema.Defect())
}) {
  override get message() {
    if (this.taskId !== undefined) {
      return `task ${this.taskId} cannot be read completely (${this.path}): ${this.detail}. Nothing was changed; restore a backup to have it back.`
    }
    if (this.reason === "unknown") return `the history gave no answer (${this.path}): ${advice.unknown(this.detail)}.`
    if (this.reason === "illegal") return `the history refused a write (${this.path}): ${advice.illegal(this.detail)}.`
    if (this.reason === "moved") return `the history is gone (${this.path}): ${advice.moved(this.detail)}.`
    if (this.reason === "newer") return `the history cannot be changed (${this.path}): ${advice.newer(this.detail)}.`
    const what = this.writing === true ? "written to" : "opened"
    return `the history cannot be ${what} (${this.path}): ${advice[this.reason](this.detail)}.`
  }

  get hint(): "restoreBackup" | "chooseFolder" | undefined {
    return this.taskId === undefined ? hints[this.reason] : "restoreBackup"
  }
}

/** True when this process can write nothing more to the history that it has open, whatever it tries. */
export const isFinal = (error: unknown): error is HistoryError =>
  error instanceof HistoryError && (error.reason === "newer" || error.reason === "moved")

const field = (cause: unknown, name: string): unknown =>
  typeof cause === "object" && cause !== null && name in cause ? (cause as Record<string, unknown>)[name] : undefined

/** The innermost cause: `SqlError` wraps a reason that wraps what SQLite threw. */
const innermost = (cause: unknown): unknown => {
  let current = cause
  for (let depth = 0; depth < 5; depth++) {
    const next = field(current, "reason") ?? field(current, "cause")
    if (typeof next !== "object" || next === null) return current
    current = next
  }
  return current
}

/** What a client of a server makes of an error that has no code. */
const taggedReasons: Record<string, Reason> = { ConnectionError: "unreachable", AuthenticationError: "unauthorized" }

/** SQLite's result codes, primary and where they say more extended: https://www.sqlite.org/rescode.html */
const reasons: Record<number, Reason> = {
  3: "permission",
  5: "busy",
  6: "busy",
  8: "readOnly",
  11: "corrupt",
  13: "full",
  14: "permission",
  23: "permission",
  26: "corrupt",
  // SQLITE_IOERR_SHMSIZE: the file beside the database that its users share has no room.
  4874: "full"
}

const systemReasons: Record<string, Reason> = {
  EACCES: "permission",
  EPERM: "permission",
  EROFS: "readOnly",
  ENOSPC: "full",
  EDQUOT: "full",
  ENOTDIR: "permission",
  EEXIST: "permission",
  ECONNREFUSED: "unreachable",
  ECONNRESET: "unreachable",
  EPIPE: "unreachable",
  ETIMEDOUT: "unreachable",
  EHOSTUNREACH: "unreachable",
  ENETUNREACH: "unreachable",
  ENOTFOUND: "unreachable",
  EAI_AGAIN: "unreachable"
}

/** Postgres's codes and classes of them: https://www.postgresql.org/docs/current/errcodes-appendix.html */
const serverReasons: ReadonlyArray<readonly [beginning: string, reason: Reason]> = [
  ["08", "unreachable"],
  ["57P", "unreachable"],
  ["25P03", "unreachable"],
  ["28", "unauthorized"],
  ["42501", "unauthorized"],
  ["25006", "readOnly"],
  ["40001", "busy"],
  ["40P01", "busy"],
  ["55P03", "busy"],
  ["53100", "full"],
  ["53300", "unreachable"],
  ["XX", "corrupt"]
]

const ofCode = (code: string): Reason | undefined =>
  systemReasons[code] ?? serverReasons.find(([beginning]) => code.length === 5 && code.startsWith(beginning))?.[1]

/** The error of something that could not be stored. */
export const ofWrite = (error: HistoryError): HistoryError => {
  const { cause, detail, path, reason, taskId } = error
  const rest = { ...(taskId === undefined ? {} : { taskId }), ...(cause === undefined ? {} : { cause }) }
  return new HistoryError({ reason, path, detail, writing: true, ...rest })
}

const tagged = (cause: unknown): Reason | undefined => taggedReasons[String(field(field(cause, "reason"), "_tag"))]

/** The typed error for anything that a database or the file system threw; `taskId` names whose rows were found damaged. */
export const fromCause = (path: string, cause: unknown, taskId?: string): HistoryError => {
  if (cause instanceof HistoryError) return cause
  const inner = innermost(cause)
  if (inner instanceof HistoryError) return inner
  const errcode = field(inner, "errcode")
  const code = field(inner, "code")
  const known =
    typeof errcode === "number"
      ? (reasons[errcode] ?? reasons[errcode & 0xff])
      : typeof code === "string"
        ? (ofCode(code) ?? tagged(cause))
        : tagged(cause)
  const text = inner instanceof Error ? inner.message : String(inner)
  return new HistoryError({
    reason: known ?? "failed",
    path,
    detail: known === "corrupt" ? `it is damaged (${text})` : text,
    ...(known === "corrupt" && taskId !== undefined ? { taskId } : {}),
    cause: inner
  })
}
