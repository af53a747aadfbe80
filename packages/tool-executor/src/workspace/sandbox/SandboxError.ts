import * as Schema from "effect/Schema"

/** The box cannot be built for this workspace at this moment. */
export class SandboxError extends Schema.TaggedError<SandboxError>()("SandboxError", { reason: Schema.String }) {
  override get message() {
    return `Not run, because it cannot be confined. ${this.reason}`
  }
}
