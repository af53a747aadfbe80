/**
 * The command line as data: commands, their flags, and what a later version brings.
 *
 * Help, parsing, completion and suggestions read this table and nothing else.
 */
import { beginning, type Command, command, running, widening } from "./Command.ts"
import { machineCommands } from "./MachineCommands.ts"
import { setupCommands } from "./SetupCommands.ts"
import { taskCommands } from "./TaskCommands.ts"
import { worktreeCommands } from "./WorktreeCommands.ts"

export type { Command, Flag } from "./Command.ts"

export const commands: ReadonlyArray<Command> = [
  command(
    "run",
    "[prompt...]",
    "Run one task; stdin goes with the prompt, or is the prompt",
    [0, Infinity],
    [...beginning, ...running],
    [
      'belay run "fix the failing test" --approvals edits',
      'git diff | belay run "is this right?" --mode plan --output json'
    ],
    widening
  ),
  ...taskCommands,
  ...worktreeCommands,
  ...setupCommands,
  ...machineCommands
]

/** Commands of the contract that a later version brings. */
export const later: ReadonlyArray<string> = [
  ..."search stats export".split(" ").map((verb) => `task ${verb}`),
  "rescue",
  "mcp serve",
  "acp"
]
