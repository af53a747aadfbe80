/**
 * The history for commands that write: what is secret in this process is in nothing that is stored, and one line says what
 * had to be repaired first.
 */
import { layerSqlite, RepairNotice } from "@belay/history-store"
import * as DataFolder from "@belay/history-store/data-folder"
import { Redacting } from "@belay/task-engine/outside"
import { RepairText } from "@belay/interaction"
import { TaskStateMachine } from "@belay/task-state"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { redaction } from "../output/Redaction.ts"

const told: RepairNotice.RepairNotice = (reconciled) => {
  const line = RepairText.line(reconciled)
  return line === undefined ? Effect.void : Effect.logInfo(`${line}.`)
}

/** Decided by the `TaskStateMachine` that is composed with it. */
export const layerUndecided = (directory: string) =>
  Layer.merge(
    Redacting.history(redaction, layerSqlite({ directory, kind: "cli" })),
    Layer.succeed(RepairNotice.RepairNotice, told)
  )

export const layer = (directory: string = DataFolder.directory()) =>
  layerUndecided(directory).pipe(Layer.provide(TaskStateMachine.layer))
