/**
 * Why a checkpoint could not be made, compared or restored.
 */
import * as Schema from "effect/Schema"

/** Names what keeps a checkpoint from being made, read or restored. */
export const Reason = Schema.Literals([
  "noGit",
  "oldGit",
  "homeFolder",
  "rootFolder",
  "dataFolder",
  "noFolder",
  "tooSlow",
  "notFound",
  "store"
])
export type Reason = typeof Reason.Type

const sentences: Readonly<Record<Reason, (subject: string) => string>> = {
  noGit: () => "Checkpoints are off: git was not found. Install git 2.32 or newer and put it on PATH.",
  oldGit: (version) => `Checkpoints are off: git ${version} is too old. Install git 2.32 or newer.`,
  homeFolder: () => "Checkpoints are off: this folder is your home folder.",
  rootFolder: () => "Checkpoints are off: this folder is the root of a disk or holds your home folder.",
  dataFolder: () => "Checkpoints are off: this folder holds the history itself.",
  noFolder: (folder) => `Checkpoints are off: ${folder} is not a folder that can be read.`,
  tooSlow: (seconds) => `The checkpoint took more than ${seconds} s and was left out.`,
  notFound: (id) => `There is no checkpoint ${id} of this task. List its checkpoints and choose one of them.`,
  store: (detail) =>
    `The checkpoints could not be read or written (${detail}). Check the data folder and its free space.`
}

/**
 * Nothing in the workspace or in the user's repository was changed.
 *
 * `homeFolder`, `rootFolder`, `dataFolder` and `noFolder` hold as long as the workspace is what it is, `noGit` and
 * `oldGit` until git is installed; after `tooSlow` a caller best makes no more checkpoints for the task.
 */
export class CheckpointError extends Schema.TaggedError<CheckpointError>()("CheckpointError", {
  reason: Reason,
  /** What the sentence is about: a version, a folder, an id, seconds, or what git said. */
  subject: Schema.String,
  cause: Schema.optionalKey(Schema.Defect())
}) {
  override get message() {
    return sentences[this.reason](this.subject)
  }
}
