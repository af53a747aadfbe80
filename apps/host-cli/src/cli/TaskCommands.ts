/** The commands of `belay task`. */
import { type Command, color, command, cwd, followed, plain, record, running, verbose } from "./Command.ts"

export const taskCommands: ReadonlyArray<Command> = [
  command(
    "task list",
    "",
    "Tasks, those of this folder first",
    [0, 0],
    [
      { name: "limit", value: "50", about: "how many" },
      { name: "cursor", value: "C", about: "go on after an earlier page" },
      { name: "status", value: "S", about: "created, active, delegated, interrupted or completed" },
      { name: "cwd", value: "D", about: "only tasks of this workspace" },
      { name: "since", value: "7d", about: "only tasks with an event since then (m, h, d)" },
      { name: "root", about: "only tasks without a parent" },
      { name: "all", about: "finished ones too (text output)" },
      { name: "deleted", about: "deleted ones instead, with the days in which they can be taken back" },
      record,
      plain,
      color,
      verbose
    ],
    ["belay task list", "belay task list --status interrupted --output json"]
  ),
  command(
    "task search",
    "TEXT",
    "Find tasks by the words of titles, messages and file names",
    [1, Infinity],
    [{ name: "limit", value: "50", about: "how many" }, record, plain, color, verbose],
    ['belay task search "flaky test"', "belay task search parser is:interrupted after:2026-10-01 in:api"]
  ),
  command(
    "task show",
    "ID",
    "One task: record, asks, calls, checklist",
    [1, 1],
    [
      { name: "messages", about: "with the conversation as stored" },
      { name: "context", about: "with what the model would be sent now" },
      record,
      cwd,
      color,
      plain,
      verbose
    ],
    ["belay task show last", "belay task show 3f9c --messages --output json"]
  ),
  command(
    "task tree",
    "ID",
    "A task and its subtasks",
    [1, 1],
    [record, cwd, color, plain, verbose],
    ["belay task tree last"]
  ),
  command(
    "task watch",
    "ID",
    "Follow a task, wherever it runs",
    [1, 1],
    [
      { name: "from", value: "SEQ", about: "show the stored events again from number SEQ on (1)" },
      followed,
      cwd,
      color,
      plain,
      verbose
    ],
    ["belay task watch last", "belay task watch 3f9c --output stream-json --from 100"]
  ),
  command(
    "task resume",
    "ID [message...]",
    "Go on with a task that stopped",
    [1, Infinity],
    [
      ...running,
      { name: "take-over", about: "take it from the process that has it" },
      { name: "only", value: "CHILD", about: "resume only this subtask" }
    ],
    ["belay task resume last", 'belay task resume 3f9c "use the second approach" --mode act'],
    true
  ),
  command(
    "task interrupt",
    "ID",
    "Stop a task; it stays resumable",
    [1, 1],
    [
      { name: "take-over", about: "take it from a process that is gone or does not answer" },
      record,
      cwd,
      color,
      verbose
    ],
    ["belay task interrupt last"]
  ),
  command(
    "task abandon",
    "CHILD",
    "Go on without a subtask; its parent is told",
    [1, 1],
    [{ name: "yes", about: "without asking" }, record, cwd, color, verbose],
    ["belay task abandon 3f9c"]
  ),
  command(
    "task redelegate",
    "CHILD [message...]",
    "Start a stopped subtask over, with the same or other instructions",
    [1, Infinity],
    [record, cwd, color, verbose],
    ["belay task redelegate 3f9c", 'belay task redelegate 3f9c "only the parser"'],
    true
  ),
  command(
    "task close",
    "ID [note...]",
    "End a stopped task; the note is its result",
    [1, Infinity],
    [
      { name: "outcome", value: "succeeded|failed|cancelled", about: "how it ended (cancelled)" },
      record,
      cwd,
      color,
      verbose
    ],
    ['belay task close last --outcome succeeded "done by hand"'],
    true
  ),
  command(
    "task continue",
    "ID text...",
    "Go on after a completed task, in a new one with its conversation",
    [2, Infinity],
    running,
    ['belay task continue last "now the documentation"'],
    true
  ),
  command(
    "task fork",
    "ID [text...]",
    "A new task from a message of another",
    [1, Infinity],
    [{ name: "to", value: "MESSAGE", about: "the last message it has, counted from 0" }, ...running],
    ['belay task fork last --to 4 "try it without a cache"'],
    true
  ),
  command(
    "task compare",
    "ID",
    "What has changed in the workspace since a message of a task",
    [1, 1],
    [{ name: "to", value: "MESSAGE", about: "the message, counted from 0" }, record, cwd, color, verbose],
    ["belay task compare last --to 4"]
  ),
  command(
    "task restore",
    "ID",
    "Take files and conversation of a stopped task back to a message",
    [1, 1],
    [
      { name: "to", value: "MESSAGE", about: "the last message that stays, counted from 0" },
      { name: "only", value: "files|conversation", about: "only the files, or only the conversation" },
      { name: "undo", about: "take the last restore back instead" },
      record,
      cwd,
      color,
      verbose
    ],
    ["belay task restore last --to 4", "belay task restore 3f9c --undo"]
  ),
  command(
    "task rename",
    "ID TITLE",
    "Give a task another title",
    [2, Infinity],
    [record, cwd, color, verbose],
    ['belay task rename last "Release 2.0"']
  ),
  command(
    "task delete",
    "ID",
    "Delete a task that does not run; for 30 days it can be taken back",
    [1, 1],
    [
      { name: "children", value: "delete|keep", about: "what happens to its subtasks" },
      { name: "forever", about: "erase it at once, or what was deleted before" },
      { name: "yes", about: "without asking" },
      record,
      cwd,
      color,
      verbose
    ],
    ["belay task delete 3f9c --children delete", "belay task delete 3f9c --forever"]
  ),
  command(
    "task undelete",
    "ID",
    "Take the deletion of a task back, within 30 days",
    [1, 1],
    [record, verbose],
    ["belay task undelete 3f9c", "belay task undelete last"]
  ),
  command(
    "task send",
    "ID TEXT",
    "Say something to a task, wherever it runs",
    [2, Infinity],
    [record, cwd, color, verbose],
    ['belay task send last "leave the tests alone"'],
    true
  ),
  command(
    "task answer",
    "ID [ASKID|TEXT]",
    "Answer what a task asks, by the id of the ask where it asks several things; the first answer counts. Without the id a yes is confirmed in a terminal",
    [1, 2],
    [
      { name: "allow", about: "what it asks for may happen" },
      { name: "deny", about: "what it asks for may not happen" },
      { name: "text", value: "T", about: "an answer in words, or what to do instead" },
      record,
      cwd,
      color,
      verbose
    ],
    ["belay task answer last --deny", 'belay task answer 3f9c "blue"', 'belay task answer 3f9c ASKID --text "blue"'],
    true
  ),
  command(
    "task mode",
    "ID plan|act",
    "Switch a task; act answers a plan that waits",
    [2, 2],
    [{ name: "text", value: "T", about: "what the task is to know with it" }, record, cwd, color, verbose],
    ["belay task mode last act"],
    true
  )
]
