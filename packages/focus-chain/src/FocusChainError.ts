/**
 * Why a checklist file could not be read or written.
 */
import * as Schema from "effect/Schema"

const reasons = {
  symlink: "is a symbolic link, which is never followed. Replace it by what it points to",
  notAFile: "is not a regular file. Move it away",
  tooLarge: "is, or would become, larger than 1 MB. Shorten it",
  invalidUtf8: "is not valid UTF-8. Save it as UTF-8",
  unreadable: "could not be read. Check its permissions and those of its folder",
  unwritable: "could not be written. Check the folder's permissions and the free space"
} as const

/** Names what is wrong with the file. */
export const Reason = Schema.Literals(["symlink", "notAFile", "tooLarge", "invalidUtf8", "unreadable", "unwritable"])
export type Reason = typeof Reason.Type

/** The file could not be read or written, and was not changed. */
export class FocusChainError extends Schema.TaggedError<FocusChainError>()("FocusChainError", {
  reason: Reason,
  path: Schema.String,
  cause: Schema.optionalKey(Schema.Defect())
}) {
  override get message() {
    return `The checklist file ${this.path} ${reasons[this.reason]}; it was left as it is.`
  }
}

/** The largest file that is read or written, in bytes. */
export const maxBytes = 1_048_576
