/**
 * Which files of a workspace git and `.belayignore` leave out.
 *
 * Guarantees: `.gitignore` of every folder from the workspace down counts, the deepest that decides wins, as in git;
 * the `.belayignore` of the workspace cannot be undone by another file (`BelayIgnore`); `.git` is always ignored.
 */
import { BelayIgnore } from "@belay/approval-policy/facts"
import { Folder } from "@belay/machine"
import ignore, { type Ignore } from "ignore"
import * as path from "node:path"

interface Rule {
  readonly folder: string
  readonly matcher: Ignore
}

/** The rules that hold for the entries of one folder. */
interface Rules {
  readonly isIgnored: (name: string, isFolder: boolean) => boolean
}

export interface IgnoreRules {
  /** `top` is where the user started: rules above it do not count when they would hide it itself. */
  readonly at: (folder: string, top: string) => Rules
  /** For a file under `top`: it, or a folder between the two, is ignored. */
  readonly isFileIgnored: (file: string, top: string) => boolean
}

const test = ({ folder, matcher }: Rule, file: string, isFolder: boolean) => {
  const relative = path.relative(folder, file).replaceAll(path.sep, "/")
  return ignore.isPathValid(relative) ? matcher.test(isFolder ? `${relative}/` : relative) : undefined
}

const decide = (rules: ReadonlyArray<Rule>, file: string, isFolder: boolean): boolean => {
  let ignored = false
  for (const rule of rules) {
    const result = test(rule, file, isFolder)
    if (result?.ignored === true) ignored = true
    else if (result?.unignored === true) ignored = false
  }
  return ignored
}

export const make = (workspace: string): IgnoreRules => {
  const loaded = new Map<string, Ignore | undefined>()
  const rulesOf = (folder: string): ReadonlyArray<Rule> => {
    if (!loaded.has(folder)) loaded.set(folder, BelayIgnore.load(path.join(folder, ".gitignore")))
    const matcher = loaded.get(folder)
    return matcher === undefined ? [] : [{ folder, matcher }]
  }
  const chain = (folder: string, top: string): ReadonlyArray<Rule> => {
    const above = folder === top ? [] : chain(path.dirname(folder), top)
    return [...above, ...rulesOf(folder)]
  }
  const isHidden = (file: string, isFolder: boolean) => BelayIgnore.isLeftOut(workspace, file, isFolder)
  const isLeftOut = (folder: string) => {
    for (let at = folder; at !== workspace; at = path.dirname(at)) {
      if (decide(chain(path.dirname(at), workspace), at, true)) return true
    }
    return false
  }
  const tops = new Map<string, string>()
  const topOf = (top: string) => {
    const known = tops.get(top)
    if (known !== undefined) return known
    const from = Folder.contains(workspace, top) && !isLeftOut(top) ? workspace : top
    tops.set(top, from)
    return from
  }
  const at = (folder: string, top: string): Rules => {
    const rules = chain(folder, topOf(top))
    return {
      isIgnored: (name, isFolder) => {
        if (name.toLowerCase() === ".git") return true
        const file = path.join(folder, name)
        return isHidden(file, isFolder) || decide(rules, file, isFolder)
      }
    }
  }
  const isFileIgnored = (file: string, top: string): boolean => {
    if (file === top || !Folder.contains(top, file)) return isHidden(file, false)
    let isFolder = false
    for (let each = file; each !== top; each = path.dirname(each)) {
      if (at(path.dirname(each), top).isIgnored(path.basename(each), isFolder)) return true
      isFolder = true
    }
    return isHidden(top, true)
  }
  return { at, isFileIgnored }
}
