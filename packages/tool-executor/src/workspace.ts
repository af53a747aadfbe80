/**
 * The tools that touch a workspace: files and commands.
 *
 * Each resolves the paths it is given, states them as facts for the policy, and checks again when it opens them; none
 * needs anything from its environment. Requires Node.
 */
import * as os from "node:os"
import type * as Tool from "./Tool.ts"
import type { CommandRunner as Runner } from "./workspace/CommandRunner.ts"
import * as ApplyPatch from "./workspace/ApplyPatch.ts"
import * as ExecuteCommand from "./workspace/ExecuteCommand.ts"
import * as ListDefinitions from "./workspace/ListDefinitions.ts"
import * as ListFiles from "./workspace/ListFiles.ts"
import * as ReadCommandOutput from "./workspace/ReadCommandOutput.ts"
import * as ReadFile from "./workspace/ReadFile.ts"
import * as ReplaceInFile from "./workspace/ReplaceInFile.ts"
import * as SearchFiles from "./workspace/SearchFiles.ts"
import * as StopCommand from "./workspace/StopCommand.ts"
import * as WriteToFile from "./workspace/WriteToFile.ts"

export * as CommandEnvironment from "./workspace/CommandEnvironment.ts"
export * as CommandRunner from "./workspace/CommandRunner.ts"
export * as FileNames from "./workspace/FileNames.ts"
export * as GivenBytes from "./workspace/GivenBytes.ts"
export * as LineDiff from "./workspace/LineDiff.ts"
export * as Manifests from "./workspace/Manifests.ts"
export * as Overview from "./workspace/Overview.ts"
export * as OutputStore from "./workspace/OutputStore.ts"
export type * as PassedVariables from "./workspace/PassedVariables.ts"
export * as PathLocks from "./workspace/PathLocks.ts"
export * as PathResolver from "./workspace/PathResolver.ts"
export * as Programs from "./workspace/Programs.ts"
export * as Sandbox from "./workspace/Sandbox.ts"
export * as SafeFile from "./workspace/SafeFile.ts"
export * as SafeWrite from "./workspace/SafeWrite.ts"
export * as SearchReplace from "./workspace/SearchReplace.ts"

export interface WorkspaceToolsOptions {
  readonly runner: Runner
  /** What `~` stands for; the user's home by default. */
  readonly home?: string
  /** Absolute path of ripgrep, where the host brings its own. */
  readonly ripgrep?: string
  /**
   * Further files that a search leaves out, such as the policy's secret files. Gets a path relative to the workspace, or
   * an absolute one outside of it.
   */
  readonly isSecret?: (file: string) => boolean
  /** Where a bundled host has the entry `readable-worker`. */
  readonly workerUrl?: URL
  /** A folder with `web-tree-sitter.wasm` and the grammars, where a host brings its own; absolute. */
  readonly grammars?: string
}

/** The tools of a workspace; read_command_output and stop_command where the runner keeps outputs. */
export const make = (options: WorkspaceToolsOptions): ReadonlyArray<Tool.Tool> => {
  const home = options.home ?? os.homedir()
  const { background, outputs } = options.runner
  return [
    ReadFile.make({ home, workerUrl: options.workerUrl }),
    ListFiles.make({ home }),
    SearchFiles.make({ home, ripgrep: options.ripgrep, isSecret: options.isSecret }),
    ListDefinitions.make({ ...options, home }),
    WriteToFile.make({ home }),
    ReplaceInFile.make({ home }),
    ApplyPatch.make({ home }),
    ExecuteCommand.make({ home, runner: options.runner }),
    ...(background === undefined || outputs === undefined
      ? []
      : [
          ReadCommandOutput.make({ background, outputs, ripgrep: options.ripgrep }),
          StopCommand.make({ background, outputs })
        ])
  ]
}
