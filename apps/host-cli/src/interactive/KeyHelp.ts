/** What keys do, as `?` shows it. */

export const keyHelp: ReadonlyArray<string> = [
  "Enter sends; while the task works, what you send is queued",
  "Ctrl+J, Alt+Enter, or \\ and Enter: a new line",
  "Esc Esc, or Ctrl+C where nothing is written: the task stops, and can go on",
  "Tab: what waits for you, answered by a number, then Enter; Esc goes back",
  "Shift+Tab: plan or act · Up: what you sent before · Alt+Up: the last that is queued",
  "Ctrl+T: other tasks, filtered by what you type · /new: another one · Ctrl+Z: to the shell",
  "/checklist: its items · /help: commands · /quit or Ctrl+D: leave"
]
