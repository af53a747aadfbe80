/** What keys do, as `?` shows it: a line each in a terminal of 80 columns. */

export const keyHelp: ReadonlyArray<string> = [
  "Enter sends; while the task works, what you send is queued",
  "Ctrl+J, Alt+Enter, or \\ and Enter: a new line · Ctrl+G: in your editor",
  "Esc Esc, or Ctrl+C where nothing is written: the task stops, and can go on",
  "Tab: what waits for you, answered by a number, then Enter; Esc goes back",
  "Shift+Tab: plan or act · Alt+P: the model · Ctrl+Z: to the shell",
  "Up: what you sent before · Alt+Up: the last that is queued",
  "Ctrl+R: what you said before, by what you type · Ctrl+S: put aside",
  "!command: in your shell; !! gives its output to the task, too",
  "Ctrl+V, or a path: an image · @: a file · /: a command",
  "Ctrl+O: all that was said and done · /diff: what has changed",
  "Ctrl+T: other tasks, filtered by what you type · /new: another one",
  "/copy: the last answer · /rewind: go back · /undo · /checklist: its items",
  "/help: all commands · /quit or Ctrl+D: leave"
]
