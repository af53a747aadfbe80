/** The production functions under proof; a mutant is the same sources with one guard taken out. */
import type * as TaskState from "@belay/task-state"

export type Subject = Pick<typeof TaskState, "Descendants" | "Invariant" | "Protocol" | "Reconcile" | "TaskRecord">
