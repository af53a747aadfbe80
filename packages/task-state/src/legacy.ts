/**
 * `@belay/task-state/legacy`: the older single-child shape, its rules, and the way from it to records and back.
 */
export { type LegacyRepair, reconcileDelegationState } from "./legacy/Delegation.ts"
export type { LegacyItem, LegacyStatus } from "./legacy/Item.ts"
export { type Facts, migrate, type Migrated, type Note, type PendingAction, pendingAction } from "./legacy/Migration.ts"
export { assertValidTransition, InvalidTransitionError } from "./legacy/Transitions.ts"
export { project, type Projection } from "./Projection.ts"
