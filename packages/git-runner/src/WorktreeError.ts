/** Why a worktree of a task was not made, merged or removed: one line with what to do, and nothing was changed. */
import * as Schema from "effect/Schema"

export class WorktreeError extends Schema.TaggedError<WorktreeError>()("WorktreeError", {
  /** What happened, to what. */
  what: Schema.String,
  /** What to do, as a sentence. */
  advice: Schema.String,
  /** What a host can offer besides: the list of worktrees, or to merge this one. */
  hint: Schema.optionalKey(Schema.Literals(["listWorktrees", "mergeWorktree"])),
  /** The worktree that the hint is about. */
  worktree: Schema.optionalKey(Schema.String)
}) {
  override get message() {
    return `${this.what}. ${this.advice}`
  }
}

const most = 3

const some = (names: ReadonlyArray<string>): string =>
  `${names.slice(0, most).join(", ")}${names.length > most ? ` and ${names.length - most} more` : ""}`

const count = (n: number, one: string): string => `${n} ${one}${n === 1 ? "" : "s"}`

export const noRepository = (folder: string) =>
  new WorktreeError({ what: `this is not a git repository (${folder})`, advice: "Run git init and commit first." })

export const noCommit = (folder: string) =>
  new WorktreeError({ what: `the repository has no commit yet (${folder})`, advice: "Commit something first." })

export const badName = (name: string) =>
  new WorktreeError({
    what: `"${name}" cannot be the name of a worktree`,
    advice: "Use letters, digits, dots, dashes and underscores."
  })

export const unknown = (name: string) =>
  new WorktreeError({
    what: `there is no worktree "${name}"`,
    advice: "Look at the list of those that there are.",
    hint: "listWorktrees"
  })

export const dirty = (folder: string, names: ReadonlyArray<string>) =>
  new WorktreeError({
    what: `${folder} has changes that are not committed (${some(names)})`,
    advice: "Commit or stash them, then merge again."
  })

export const conflicts = (of: {
  readonly name: string
  readonly folder: string
  readonly into: string
  readonly names: ReadonlyArray<string>
}) =>
  new WorktreeError({
    what: `"${of.name}" conflicts with ${of.into}${of.names.length === 0 ? "" : ` (${some(of.names)})`}`,
    advice: `Nothing was merged. Resolve it in its folder: git -C ${JSON.stringify(of.folder)} merge ${of.into}`
  })

export const overwrites = (name: string) =>
  new WorktreeError({
    what: `"${name}" has files that lie here untracked`,
    advice: "Nothing was merged. Move them away, then merge again."
  })

export const unmerged = (name: string, ahead: number, changed: number) => {
  const parts = [
    ...(ahead === 0 ? [] : [count(ahead, "commit")]),
    ...(changed === 0 ? [] : [count(changed, "changed file")])
  ]
  return new WorktreeError({
    what: `"${name}" has work that is not merged (${parts.join(", ")})`,
    advice: "Merge it first, or remove it by force to lose that.",
    hint: "mergeWorktree",
    worktree: name
  })
}
