export * as Agent from "./Agent.ts"
export * as Folder from "./Folder.ts"
export * as Import from "./Import.ts"
export type * as Plan from "./Plan.ts"
