/** Commands of the interface itself: they are said to no task. */

export interface OwnCommand {
  readonly name: string
  readonly description: string
}

/** In the order in which they are shown. */
export const ownCommands = [
  { name: "new", description: "What you send next begins a new task" },
  { name: "tasks", description: "Choose among the tasks, as Ctrl+T" },
  { name: "open", description: "Show a task: /open, or /open ID" },
  { name: "checklist", description: "The checklist; with a number that item is checked" },
  { name: "transcript", description: "All that was said and done, as Ctrl+O" },
  { name: "diff", description: "What this task has changed in the files" },
  { name: "rewind", description: "Go back to before something was said: files, conversation, or both" },
  { name: "undo", description: "Take the last /rewind back" },
  { name: "resume", description: "Go on with the task that is shown, where it was stopped" },
  { name: "stop", description: "Stop the task that is shown" },
  { name: "quit", description: "Leave" }
] as const satisfies ReadonlyArray<OwnCommand>

export type Name = (typeof ownCommands)[number]["name"]

/** The command of this name, where it is one of the interface. */
export const named = (name: string): Name | undefined => ownCommands.find((one) => one.name === name)?.name

/** Those that a line may mean of which nothing but the name is written. */
export const beginning = (line: string): ReadonlyArray<OwnCommand> =>
  /^\/\w*$/u.test(line) ? ownCommands.filter(({ name }) => name.startsWith(line.slice(1))) : []
