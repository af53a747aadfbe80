/** The texts that edits are made of, as a model writes them, and the lines in which two texts differ. Pure: needs no Node. */
export * as LineDiff from "./workspace/text/LineDiff.ts"
export * as Patch from "./workspace/text/Patch.ts"
export * as SearchReplace from "./workspace/text/SearchReplace.ts"
