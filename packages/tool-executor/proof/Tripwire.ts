/**
 * What must not happen, whatever the settings: a change outside of the workspace or of a protected name, a secret that is
 * shown or copied, a program of the tree that starts while git only reads, and in plan mode any change at all.
 */
import { CommandRule, ProtectedPath } from "@belay/approval-policy"
import * as path from "node:path"
import type { Observed } from "./Box.ts"
import type { Question } from "./Question.ts"
import type { Setting } from "./Settings.ts"
import * as Tree from "./Tree.ts"

export interface Harm {
  /** A few words, the same for the same kind of harm. */
  readonly kind: string
  /** What it happened to, relative to the tree. */
  readonly to: string
}

type Change = Observed["changes"][number]

const verbs = { made: "made", changed: "changed", gone: "removed" } as const

const isGit = (argv: ReadonlyArray<string | null>): boolean => path.posix.basename(argv[0] ?? "") === "git"

/** What git keeps for itself; not what makes it start programs, but in a repository that it makes. */
const isOwn = ({ path: file, what }: Change, { facts }: Question): boolean => {
  const actions = facts.command.reading.actions.filter(({ argv }) => isGit(argv))
  const below = /\/\.git(?:\/(.*))?$/.exec(file)
  if (below === null || actions.length === 0) return false
  if (!/^(?:config|hooks|info\/attributes|modules|commondir)(?!.*\.sample$)/.test(below[1] ?? "")) return true
  const makes = actions.some(({ argv }) => argv.some((word) => word === "init" || word === "clone"))
  return makes && what === "made" && !(below[1] ?? "").startsWith("hooks/")
}

/** When git changes something its hooks and settings run: that is what was allowed. */
const onlyReadsWithGit = ({ facts }: Question): boolean => {
  const actions = facts.command.reading.actions.filter(({ argv }) => isGit(argv))
  return actions.length > 0 && actions.every(({ readOnly }) => readOnly)
}

const isInside = (workspace: string, file: string): boolean => file === workspace || file.startsWith(`${workspace}/`)

/** What was committed comes back: names of it may be protected. */
const checksOut = ({ facts }: Question): boolean =>
  facts.command.reading.actions.some(({ argv, readOnly }) => isGit(argv) && !readOnly)

/** Whoever removes a folder by its name, or lets git remove what it does not keep, has said what is lost: no secret, no repository. */
const isNamedLoss = (change: Change, { facts: { command } }: Question, found: ProtectedPath.Match): boolean =>
  change.what === "gone" &&
  command.reading.actions.some(({ argv, targets }) => {
    if (isGit(argv)) return true
    if (!/^(?:rm|rmdir)$/.test(path.posix.basename(argv[0] ?? ""))) return false
    if (found.rule === "path.secret" || change.path.includes("/.git")) return false
    return targets.some((index) =>
      (command.files[index] ?? []).some(({ displayed }) => change.path.startsWith(`${displayed}/`))
    )
  })

const guarded = (change: Change, question: Question): string =>
  checksOut(question) && change.what !== "gone"
    ? "checked out a protected name"
    : `${verbs[change.what]} a protected name`

const tripped = (change: Change, question: Question, root: string, setting: Setting): ReadonlyArray<Harm> => {
  const workspace = Tree.workspaceOf(root)
  const to = path.relative(root, change.path)
  const verb = verbs[change.what]
  if (!isInside(workspace, change.path)) return [{ kind: `${verb} outside`, to }]
  const relative = path.relative(workspace, change.path)
  const found = ProtectedPath.match(relative, "write")
  const harms: Array<Harm> = []
  const isGits = isOwn(change, question)
  if (found !== undefined && !isGits && !isNamedLoss(change, question, found)) {
    harms.push({ kind: guarded(change, question), to })
  }
  if (found?.rule !== "path.secret" && !isGits) {
    if (change.holds.includes("secret")) harms.push({ kind: "copied a secret", to })
    if (change.holds.includes("outside") && setting.approvals.readOutside !== "allow") {
      harms.push({ kind: "copied from outside", to })
    }
  }
  if (setting.mode === "plan" && !/(?:^|\/)\.git\/index$/.test(relative))
    harms.push({ kind: "changed in plan mode", to })
  if (setting.mayChange?.(relative) === false) harms.push({ kind: "changed what a pattern keeps", to })
  return harms
}

/** Everything that went wrong under a setting that allowed the line. */
export const harms = (question: Question, seen: Observed, root: string, setting: Setting): ReadonlyArray<Harm> => [
  ...(seen.shown.includes("secret") ? [{ kind: "showed a secret", to: "output" }] : []),
  ...(seen.shown.includes("outside") && setting.approvals.readOutside !== "allow"
    ? [{ kind: "showed what lies outside", to: "output" }]
    : []),
  ...(seen.fired && (setting.mode === "plan" || onlyReadsWithGit(question))
    ? [{ kind: "started a program", to: "of the tree" }]
    : []),
  ...(CommandRule.isReadOnly(question.facts.command) && setting.mode === "act"
    ? seen.changes
        .filter(({ path: file }) => !file.endsWith("/.git/index"))
        .map((change) => ({ kind: "changed something though it only reads", to: path.relative(root, change.path) }))
    : []),
  ...seen.changes.flatMap((change) => tripped(change, question, root, setting))
]
