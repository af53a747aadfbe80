/** Tasks from outside, whichever process runs them: who has them and how to stop, tell, release or delete. */
export * as Deleting from "./outside/Deleting.ts"
export * as Holding from "./tree/Holding.ts"
export * as Interruption from "./outside/Interruption.ts"
export * as Redacting from "./outside/Redacting.ts"
export * as Releasing from "./outside/Releasing.ts"
export * as Requesting from "./outside/Requesting.ts"
export * as Saying from "./outside/Saying.ts"
export * as TaskNode from "./tree/TaskNode.ts"
