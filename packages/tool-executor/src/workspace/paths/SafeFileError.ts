/** Why a file could not be opened, read or written, as one line for the model. */
import type { PathFact } from "@belay/approval-policy"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

const sentences = {
  missing: "does not exist",
  denied: "may not be accessed (permission denied)",
  held: "is held open by another program; close it there, then try again",
  folder: "is a folder, not a file",
  notFolder: "lies under something that is not a folder",
  notRegular: "is not a regular file",
  changed: "changed in the meantime; read it again",
  moved: "was replaced or redirected while it was opened; nothing was done",
  noSpace: "could not be written: no space is left",
  readOnly: "lies on a read-only file system",
  tooLarge: "is too large",
  schema: "would name a schema elsewhere that nobody was asked about; make the call again",
  unsaved: "has unsaved changes in the user's editor",
  unresolved: "could not be resolved",
  failed: "could not be accessed"
} as const

/** Names what is wrong with the file. */
export type Reason = keyof typeof sentences

/** A file that cannot be read or written. `message` is one line for the model and for people. */
export class SafeFileError extends Schema.TaggedError<SafeFileError>()("SafeFileError", {
  path: Schema.String,
  reason: Schema.Literals(Object.keys(sentences) as Array<Reason>),
  detail: Schema.optionalKey(Schema.String),
  cause: Schema.optionalKey(Schema.Defect())
}) {
  override get message() {
    return `${this.path} ${sentences[this.reason]}${this.detail === undefined ? "" : ` (${this.detail})`}`
  }
}

const codes: Record<string, Reason> = {
  ENOENT: "missing",
  EACCES: "denied",
  EPERM: "denied",
  EISDIR: "folder",
  ENOTDIR: "notFolder",
  ELOOP: "moved",
  EMLINK: "moved",
  EEXIST: "changed",
  ENXIO: "notRegular",
  ENOSPC: "noSpace",
  EDQUOT: "noSpace",
  EROFS: "readOnly",
  EBUSY: "held"
}

/** Thrown within `attempt`. */
export class Refused {
  readonly reason: Reason
  readonly detail: string | undefined
  constructor(reason: Reason, detail?: string) {
    this.reason = reason
    this.detail = detail
  }
}

/** Runs what may throw `Refused` or an error of the file system. */
export const attempt = <A>(fact: PathFact.PathFact, run: () => A): Effect.Effect<A, SafeFileError> =>
  Effect.try({
    try: run,
    catch: (cause) => {
      if (cause instanceof Refused) {
        const { detail, reason } = cause
        return new SafeFileError({ path: fact.given, reason, ...(detail === undefined ? {} : { detail }) })
      }
      const code = (cause as NodeJS.ErrnoException | undefined)?.code ?? ""
      const reason = codes[code] ?? "failed"
      return new SafeFileError({
        path: fact.given,
        reason,
        ...(reason === "failed" && code !== "" ? { detail: code } : {}),
        cause
      })
    }
  })
