/**
 * The tools that touch a workspace: files and commands.
 *
 * Each resolves the paths it is given, states them as facts for the policy, and checks again when it opens them; none
 * needs anything from its environment. Requires Node.
 */
import { Machine } from "@belay/machine"
import type * as Tool from "./tool/Tool.ts"
import type { CommandRunner as Runner } from "./workspace/command/CommandRunner.ts"
import * as ApplyPatch from "./workspace/tools/ApplyPatch.ts"
import * as ExecuteCommand from "./workspace/tools/ExecuteCommand.ts"
import * as ListDefinitions from "./workspace/tools/ListDefinitions.ts"
import * as ListFiles from "./workspace/tools/ListFiles.ts"
import * as ReadCommandOutput from "./workspace/tools/ReadCommandOutput.ts"
import * as ReadFile from "./workspace/tools/ReadFile.ts"
import * as ReplaceInFile from "./workspace/tools/ReplaceInFile.ts"
import * as SearchFiles from "./workspace/tools/SearchFiles.ts"
import * as StopCommand from "./workspace/tools/StopCommand.ts"
import * as WriteToFile from "./workspace/tools/WriteToFile.ts"

export * as CommandEnvironment from "./workspace/process/CommandEnvironment.ts"
export * as CommandRunner from "./workspace/command/CommandRunner.ts"
export * as FileNames from "./workspace/paths/FileNames.ts"
export * as GivenBytes from "./workspace/files/GivenBytes.ts"
export * as HookRunner from "./hooks/HookRunner.ts"
export * as LineDiff from "./workspace/text/LineDiff.ts"
export * as Manifests from "./workspace/command/Manifests.ts"
export * as Overview from "./workspace/paths/Overview.ts"
export * as OutputStore from "./workspace/output/OutputStore.ts"
export type * as PassedVariables from "./workspace/process/PassedVariables.ts"
export * as PathLocks from "./workspace/paths/PathLocks.ts"
export * as Programs from "./workspace/command/Programs.ts"
export * as Sandbox from "./workspace/sandbox/Sandbox.ts"
export * as SafeFile from "./workspace/paths/SafeFile.ts"
export * as SafeWrite from "./workspace/paths/SafeWrite.ts"
export * as SearchReplace from "./workspace/text/SearchReplace.ts"

/** Configures the tools of a workspace. */
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
  const home = options.home ?? Machine.home()
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
