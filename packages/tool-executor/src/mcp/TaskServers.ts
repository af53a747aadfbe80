/** The servers of one task: those of its process, and besides those that it was given for itself, which no other task has. */
import type { TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Listing, Servers } from "./Servers.ts"

/** Returns the servers of a task. */
export type OfTask = (taskId: TaskId.TaskId) => Effect.Effect<Servers>

/** The same for every task. */
export const same =
  (servers: Servers): OfTask =>
  () =>
    Effect.succeed(servers)

/** `own` are of these names; of two of one name these count. */
export const beside = (all: Servers, own: Servers, names: ReadonlySet<string>): Servers => {
  const of = (name: string): Servers => (names.has(name) ? own : all)
  const both = (theirs: Listing, ours: Listing): Listing => ({
    servers: [...theirs.servers.filter(({ name }) => !names.has(name)), ...ours.servers],
    problems: theirs.problems,
    notes: theirs.notes
  })
  return {
    list: (workspace) => Effect.zipWith(all.list(workspace), own.list(workspace), both),
    start: (workspace) => Effect.zipWith(all.start(workspace), own.start(workspace), both, { concurrent: true }),
    ready: (workspace, name, retry) => of(name).ready(workspace, name, retry),
    restart: (workspace, name) => of(name).restart(workspace, name),
    approve: (workspace, name, tools) => of(name).approve(workspace, name, tools),
    log: (workspace, name) => of(name).log(workspace, name),
    changes: Stream.merge(all.changes, own.changes)
  }
}
