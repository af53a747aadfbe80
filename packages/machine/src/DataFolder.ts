/** Where a host keeps its data. */
import * as Context from "effect/Context"
import * as Layer from "effect/Layer"

/**
 * The one folder of a host's history, checklists and checkpoints, which the engine protects from tools. A history in a
 * folder provides it, so that whatever stands on the history has the same one.
 */
export class DataFolder extends Context.Service<
  DataFolder,
  {
    /** Absolute. */
    readonly directory: string
  }
>()("@belay/machine/DataFolder") {
  /** A folder that a host names itself, where its history is in none. */
  static readonly layer = (directory: string): Layer.Layer<DataFolder> => Layer.succeed(DataFolder, { directory })
}
