/** What the engine itself says to people, and the words that it has in common with what shows tasks. Without Node. */
export { duration } from "./text/duration.ts"
export * as McpServer from "./text/McpServer.ts"
export * as Sentences from "./text/Sentences.ts"
export { interruption, type StopFacts } from "./text/StopText.ts"
export { shortId, title } from "./text/TaskName.ts"
export * as TaskState from "./text/TaskState.ts"
