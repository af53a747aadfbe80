/**
 * The command line: every command, and a line of words against them.
 *
 * Help, parsing, completion and suggestions read this table and nothing else. The first command whose words begin a line is
 * meant, so one that begins like another stands before it.
 */
import type * as Result from "effect/Result"
import * as Arguments from "./cli/Arguments.ts"
import type { Failure } from "./cli/Failure.ts"
import * as Help from "./cli/Help.ts"
import type { Declaration } from "./commands/Declaration.ts"
import { acp } from "./commands/acp.ts"
import { allowedEverywhere } from "./commands/allowed/everywhere.ts"
import { allowed } from "./commands/allowed/list.ts"
import { allowedRemove } from "./commands/allowed/remove.ts"
import { auth } from "./commands/auth.ts"
import { completions } from "./commands/completions.ts"
import { configGet } from "./commands/config/get.ts"
import { configList } from "./commands/config/list.ts"
import { configSet } from "./commands/config/set.ts"
import { debugFailpoints } from "./commands/debug/failpoints.ts"
import { debugSchema } from "./commands/debug/schema.ts"
import { demo } from "./commands/demo.ts"
import { doctor } from "./commands/doctor.ts"
import { historyBackup } from "./commands/history/backup.ts"
import { historyDoctor } from "./commands/history/doctor.ts"
import { historyExport } from "./commands/history/export.ts"
import { historyImport } from "./commands/history/import.ts"
import { rescueCopy } from "./commands/rescue/copy.ts"
import { rescueImport } from "./commands/rescue/import.ts"
import { rescue } from "./commands/rescue/look.ts"
import { rescueShow } from "./commands/rescue/show.ts"
import { hooksList } from "./commands/hooks/list.ts"
import { interactive } from "./commands/interactive.ts"
import { mcpAdd } from "./commands/mcp/add.ts"
import { mcpServe } from "./commands/mcp/serve.ts"
import { mcpList } from "./commands/mcp/list.ts"
import { mcpRemove } from "./commands/mcp/remove.ts"
import { mcpTest } from "./commands/mcp/test.ts"
import { models } from "./commands/models/list.ts"
import { modelsTest } from "./commands/models/test.ts"
import { policyExplain } from "./commands/policy/explain.ts"
import { run } from "./commands/run.ts"
import { taskAbandon } from "./commands/task/abandon.ts"
import { taskAnswer } from "./commands/task/answer.ts"
import { taskClose } from "./commands/task/close.ts"
import { taskCompare } from "./commands/task/compare.ts"
import { taskContinue } from "./commands/task/continue.ts"
import { taskDelete } from "./commands/task/delete.ts"
import { taskFork } from "./commands/task/fork.ts"
import { taskInterrupt } from "./commands/task/interrupt.ts"
import { taskList } from "./commands/task/list.ts"
import { taskMode } from "./commands/task/mode.ts"
import { taskRestart } from "./commands/task/restart.ts"
import { taskRename } from "./commands/task/rename.ts"
import { taskRestore } from "./commands/task/restore.ts"
import { taskResume } from "./commands/task/resume.ts"
import { taskSearch } from "./commands/task/search.ts"
import { taskSend } from "./commands/task/send.ts"
import { taskShow } from "./commands/task/show.ts"
import { taskTree } from "./commands/task/tree.ts"
import { taskUndelete } from "./commands/task/undelete.ts"
import { taskWatch } from "./commands/task/watch.ts"
import { trust } from "./commands/trust.ts"
import { update } from "./commands/update.ts"
import { runner } from "./commands/runner.ts"
import { reset } from "./commands/reset.ts"
import { version } from "./commands/version.ts"
import { worktreeList } from "./commands/worktree/list.ts"
import { worktreeMerge } from "./commands/worktree/merge.ts"
import { worktreeRemove } from "./commands/worktree/remove.ts"

/** In the order in which help shows them. */
export const commands: ReadonlyArray<Declaration> = [
  run,
  taskList,
  taskSearch,
  taskShow,
  taskTree,
  taskWatch,
  taskResume,
  taskInterrupt,
  taskAbandon,
  taskRestart,
  taskClose,
  taskContinue,
  taskFork,
  taskCompare,
  taskRestore,
  taskRename,
  taskDelete,
  taskUndelete,
  taskSend,
  taskAnswer,
  taskMode,
  worktreeList,
  worktreeMerge,
  worktreeRemove,
  acp,
  policyExplain,
  configGet,
  configSet,
  configList,
  auth,
  modelsTest,
  models,
  trust,
  hooksList,
  allowedRemove,
  allowedEverywhere,
  allowed,
  mcpList,
  mcpAdd,
  mcpRemove,
  mcpTest,
  mcpServe,
  historyImport,
  historyExport,
  historyBackup,
  historyDoctor,
  rescueShow,
  rescueCopy,
  rescueImport,
  rescue,
  completions,
  demo,
  runner,
  debugFailpoints,
  doctor,
  update,
  reset,
  debugSchema,
  version
]

/** Commands of the contract that a later version brings. */
const later: ReadonlyArray<string> = "search stats export".split(" ").map((verb) => `task ${verb}`)

/** Parses everything after `belay`. */
export const parse = (argv: ReadonlyArray<string>): Result.Result<Arguments.ParsedOf<Declaration>, Failure> =>
  Arguments.parse({ commands, later }, argv)

/** Parses everything after `belay` where it opens the interactive terminal. */
export const parseInteractive = (
  argv: ReadonlyArray<string>
): Result.Result<Arguments.ParsedOf<Declaration>, Failure> =>
  Arguments.parse({ commands: [interactive], later: [] }, argv)

/** Help that no single command answers with its own `--help`; `undefined` when none is asked for. */
export const help = (argv: ReadonlyArray<string>): string | undefined => Help.asked(commands, argv)
