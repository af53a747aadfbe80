/** What the errors of the packages hint at, in the words of the command line. */

interface Hinting {
  readonly hint: string
  readonly taskId?: unknown
  readonly worktree?: unknown
}

const words: Readonly<Record<string, (error: Hinting) => string>> = {
  showTask: ({ taskId }) => `See "belay task show ${String(taskId)}".`,
  restoreBackup: () => '"belay history backup" makes one while all is well.',
  chooseFolder: () => "BELAY_HOME names it.",
  listWorktrees: () => "See: belay worktree list",
  mergeWorktree: ({ worktree }) =>
    `Merge it: belay worktree merge ${String(worktree)}. To lose it: belay worktree remove ${String(worktree)} --force`
}

const isHinting = (error: unknown): error is Hinting =>
  typeof error === "object" &&
  error !== null &&
  "hint" in error &&
  typeof error.hint === "string" &&
  Object.hasOwn(words, error.hint)

/** A sentence; nothing where the error has no hint. */
export const of = (error: unknown): string | undefined => (isHinting(error) ? words[error.hint]?.(error) : undefined)
