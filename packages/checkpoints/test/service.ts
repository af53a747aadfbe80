import { TaskId } from "@belay/task-state"
import { it } from "@effect/vitest"
import { Effect } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { type CheckpointId, Checkpoints, type CheckpointsOptions as Options } from "@belay/checkpoints"
import { contentsOf, environmentOf, temporary } from "./folders.ts"

export const task = TaskId.TaskId.make("task-a")
export const otherTask = TaskId.TaskId.make("task-b")

export interface World {
  readonly checkpoints: Checkpoints["Service"]
  readonly workspace: string
  readonly home: string
  readonly directory: string
  readonly place: { readonly taskId: TaskId.TaskId; readonly workspace: string }
  /** Records before or after the given message, whatever comes of it. */
  readonly before: (messageIndex: number, taskId?: TaskId.TaskId) => Effect.Effect<CheckpointId, unknown>
  readonly after: (messageIndex: number, taskId?: TaskId.TaskId) => Effect.Effect<CheckpointId, unknown>
  readonly restore: (to: CheckpointId, paths?: ReadonlyArray<string>) => ReturnType<Checkpoints["Service"]["restore"]>
  readonly contents: () => Readonly<Record<string, string>>
}

/** A home with an empty workspace in it and a data folder beside. */
export const folders = () => {
  const home = temporary()
  const workspace = path.join(home, "project")
  const directory = path.join(home, "data")
  fs.mkdirSync(workspace)
  return { home, workspace, directory }
}

export const optionsOf = ({ directory, home }: ReturnType<typeof folders>): Options => ({
  directory,
  environment: environmentOf(home)
})

export const worldOf = (
  checkpoints: Checkpoints["Service"],
  { directory, home, workspace }: ReturnType<typeof folders>
): World => {
  const record =
    (moment: "before" | "after") =>
    (messageIndex: number, taskId: TaskId.TaskId = task) =>
      Effect.map(checkpoints.record({ workspace, taskId, messageIndex, moment }), ({ id }) => id)
  const place = { taskId: task, workspace }
  return {
    checkpoints,
    workspace,
    home,
    directory,
    place,
    before: record("before"),
    after: record("after"),
    restore: (to, paths) => checkpoints.restore({ ...place, to, ...(paths === undefined ? {} : { paths }) }),
    contents: () => contentsOf(workspace)
  }
}

const running =
  (run: typeof it.effect) =>
  (statement: string, body: (world: World) => Effect.Effect<void, unknown>, options: Partial<Options> = {}) =>
    run(statement, () => {
      const made = folders()
      const layer = Checkpoints.layerNode({ ...optionsOf(made), ...options })
      return Effect.provide(
        Checkpoints.use((checkpoints) => body(worldOf(checkpoints, made))),
        layer
      )
    })

/** A statement about the service over fresh folders. */
export const test = Object.assign(running(it.effect), {
  skipIf: (condition: boolean) => running(it.effect.skipIf(condition) as typeof it.effect)
})
