/** The history for commands that write: what is secret in this process is in nothing that it stores. */
import { layerSqlite } from "@belay/history-store"
import * as DataFolder from "@belay/history-store/data-folder"
import { Redacting } from "@belay/task-engine/outside"
import { redaction } from "./Redaction.ts"

export const layer = (directory: string = DataFolder.directory()) =>
  Redacting.history(redaction, layerSqlite({ directory, kind: "cli" }))
