export * as Folder from "./Folder.ts"
export * as Machine from "./Machine.ts"
export * as ReplaceFile from "./ReplaceFile.ts"
export * as Share from "./Share.ts"
