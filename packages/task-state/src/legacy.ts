/**
 * `@belay/task-state/legacy`: the older single-child shape, its rules, and the way from it to records and back.
 *
 * For programs that keep records of that shape, and for what imports them. Belay's own histories are decided by
 * `TaskStateMachine`, and by nothing here.
 */
export { type LegacyRepair, reconcileDelegationState } from "./legacy/Delegation.ts"
export type { LegacyItem, LegacyStatus } from "./legacy/Item.ts"
export { type Facts, migrate, type Migrated, type Note, type PendingAction, pendingAction } from "./legacy/Migration.ts"
export { assertValidTransition, InvalidTransitionError } from "./legacy/Transitions.ts"
export { project, type Projection } from "./Projection.ts"
