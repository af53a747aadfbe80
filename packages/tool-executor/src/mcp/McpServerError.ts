/** Why a server did not do what it was asked. */
import * as Schema from "effect/Schema"

/** A server, or a tool of it, cannot be used, or it is not known whether a call took effect; the message is a sentence. */
export class McpServerError extends Schema.TaggedError<McpServerError>()("McpServerError", {
  server: Schema.String,
  /**
   * `absent`: there is no such server or tool; `off`: the user has switched it off; `untrusted`: it is a project's that
   * nobody has trusted; `values`: the environment lacks what its definition needs; `start`: it is not there; `refused`:
   * it said no; `unknown`: it may have happened.
   */
  reason: Schema.Literals(["absent", "off", "untrusted", "values", "start", "refused", "unknown"]),
  /** A sentence. */
  problem: Schema.String
}) {
  override get message() {
    return this.problem
  }
}
