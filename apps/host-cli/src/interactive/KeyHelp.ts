/** What keys do, as `?` shows it. */

export const keyHelp: ReadonlyArray<string> = [
  "Enter sends; while the task works, what you send is queued",
  "Ctrl+J, Alt+Enter, or \\ and Enter: a new line",
  "Esc Esc, or Ctrl+C where nothing is written: the task stops, and can go on",
  "Tab: what waits for you, answered by a number, then Enter; Esc goes back",
  "Shift+Tab: plan or act · Up: what you sent before · Alt+Up: the last that is queued",
  "Ctrl+R: what you said before, by what you type · Ctrl+S: put aside · Ctrl+G: in your editor",
  "!command: in your shell; !! gives its output to the task, too · Ctrl+V, or a path: an image",
  "Ctrl+O: all that was said and done · /diff: what has changed · /rewind: go back · /undo",
  "Ctrl+T: other tasks, filtered by what you type · /new: another one · Ctrl+Z: to the shell",
  "Alt+P: the model · /copy: the last answer · /cost: what was used · /history: search all that was said",
  "/checklist: its items · /help: commands · /quit or Ctrl+D: leave"
]
