/**
 * What a decision is made on, looked up in the file system: where paths lead, what commands name, what git would run.
 * Nothing here decides. Requires Node.
 */
export * as BelayIgnore from "./facts/BelayIgnore.ts"
export * as CommandFacts from "./facts/CommandFacts.ts"
export * as CommandFiles from "./facts/CommandFiles.ts"
export * as GitFolders from "./facts/GitFolders.ts"
export * as Looked from "./facts/Looked.ts"
export * as OwnPrograms from "./facts/OwnPrograms.ts"
export * as PathResolver from "./facts/PathResolver.ts"
export * as ProgramSearch from "./facts/ProgramSearch.ts"
export * as SearchPath from "./facts/SearchPath.ts"
