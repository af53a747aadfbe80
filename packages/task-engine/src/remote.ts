/** Remote tasks, whichever process runs them: who has them and how to stop, tell, release or delete them. */
export * as Deleting from "./remote/Deleting.ts"
export * as Holding from "./tree/Holding.ts"
export * as Interruption from "./remote/Interruption.ts"
export * as Releasing from "./remote/Releasing.ts"
export * as Requesting from "./remote/Requesting.ts"
export * as Saying from "./remote/Saying.ts"
export * as Sharing from "./remote/Sharing.ts"
export * as TaskNode from "./tree/TaskNode.ts"
