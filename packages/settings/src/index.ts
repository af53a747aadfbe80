export * as Models from "./Models.ts"
export * as Settings from "./Settings.ts"
