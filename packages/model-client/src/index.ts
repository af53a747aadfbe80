export * as ModelClient from "./ModelClient.ts"
export * as ModelError from "./ModelError.ts"
export * as ModelEvent from "./ModelEvent.ts"
export * as ModelRequest from "./ModelRequest.ts"
