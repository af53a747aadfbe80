/** The names of Claude Code's tools, and how a list of rules parts. It loads nothing: every command line is looked at. */

/** Tools that there is nothing like here, or that need no right here. */
export const absent: ReadonlySet<string> = new Set([
  ..."TodoWrite TodoRead WebSearch NotebookEdit NotebookRead ExitPlanMode BashOutput".split(" "),
  ..."KillShell KillBash SlashCommand Skill AskUserQuestion TaskOutput".split(" ")
])

export const editing: ReadonlySet<string> = new Set(["Edit", "Write", "MultiEdit"])
export const reading: ReadonlySet<string> = new Set(["Read", "Grep", "Glob", "LS"])

/** Tools that rules can be translated for. */
export const known: ReadonlySet<string> = new Set(["Bash", "WebFetch", "Task", "Agent", ...editing, ...reading])

/** The rules of a list, which commas or blanks part outside of parentheses. */
export const split = (list: string): ReadonlyArray<string> =>
  list.match(/[^\s,()]+(?:\([^()]*(?:\([^()]*\)[^()]*)*\)?)?/gu) ?? []

/** Whether a word can only be a rule, or several, so that it stands behind an option of many. */
export const areRules = (word: string): boolean => {
  const names = split(word).map((rule) => rule.replace(/\(.*$/su, ""))
  return names.length > 0 && names.every((name) => known.has(name) || absent.has(name) || name.startsWith("mcp__"))
}
