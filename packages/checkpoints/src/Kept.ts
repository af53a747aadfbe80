/**
 * A file that a restore leaves as it is.
 */

/**
 * - `notRecorded`: what is there now is in no checkpoint (ignored, too large), so that it could not be brought back
 * - `leftOut`: it was there at the time of the checkpoint, which does not hold it
 * - `changed`: it was changed while the restore ran
 * - `blocked`: a folder that is not empty, or a file where a folder belongs, is in its way
 * - `behindLink`: a folder of its path is a symbolic link
 * - `protected`: its name belongs to git
 * - `noLinks`: this user may make no symbolic links (Windows without Developer Mode)
 * - `unwritable`: the system refused it
 * - `lost`: its content is missing in the store
 */
export type KeptReason =
  | "notRecorded"
  | "leftOut"
  | "changed"
  | "blocked"
  | "behindLink"
  | "protected"
  | "noLinks"
  | "unwritable"
  | "lost"

/** Reports a path that a restore did not touch, and the reason. */
export interface Kept {
  readonly path: string
  readonly reason: KeptReason
}
