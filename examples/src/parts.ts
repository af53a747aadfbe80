/** What the examples of a tool and of a model have around them: all of a host but its model, in memory. */
import { ApprovalPolicy } from "@belay/approval-policy"
import { Checkpoints } from "@belay/checkpoints"
import { FocusChain } from "@belay/focus-chain"
import { layerMemory, Ownership } from "@belay/history-store"
import { DataFolder } from "@belay/machine"
import { TaskEvents, UserPort } from "@belay/task-engine"
import { Reconciler, TaskStateMachine } from "@belay/task-state"
import * as Layer from "effect/Layer"
import { tmpdir } from "node:os"
import * as path from "node:path"

/** A folder that stays empty: nothing of these examples is stored. */
const home = path.join(tmpdir(), "belay-examples")

/** Nobody is there to answer, so that a call that asks is denied. */
export const parts = Layer.mergeAll(
  ApprovalPolicy.ApprovalPolicy.layer,
  FocusChain.layerMemory,
  Checkpoints.layer().pipe(Layer.provideMerge(DataFolder.layer(home))),
  UserPort.layerUnattended,
  TaskEvents.layer,
  layerMemory.pipe(
    Layer.provide(Layer.merge(TaskStateMachine.layer, Reconciler.layer)),
    Layer.provideMerge(Ownership.layerMemory)
  )
)
