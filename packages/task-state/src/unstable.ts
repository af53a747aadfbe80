/**
 * Tests and hosts of this repository look into these: places at which a process can be killed, and records that are computed
 * again from what was logged.
 *
 * No promise holds for them: any release may change them.
 */
export * as Failpoint from "./Failpoint.ts"
export * as Replay from "./Replay.ts"
