/** Tools and their catalogue alone: what a model is told of them, without what runs them. Needs no Node. */
export { make as makeCatalog, ToolCatalog } from "./tool/ToolCatalog.ts"
export * as Tool from "./tool/Tool.ts"
