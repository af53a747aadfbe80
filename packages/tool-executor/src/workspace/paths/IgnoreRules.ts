/**
 * Which files of a workspace git and `.belayignore` leave out.
 *
 * Guarantees: `.gitignore` of every folder from the workspace down counts, the deepest that decides wins, as in git;
 * the `.belayignore` of the workspace cannot be undone by another file (`BelayIgnore`); `.git` is always ignored.
 */
import { BelayIgnore } from "@belay/approval-policy/facts"
import { Folder } from "@belay/machine"
import type { Ignore } from "ignore"
import * as path from "node:path"

interface Rule {
  readonly matcher: Ignore
  /** From the folder of the file with patterns to that of an entry: empty, or `a/b/`. */
  readonly above: string
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

const decide = (rules: ReadonlyArray<Rule>, name: string, isFolder: boolean): boolean => {
  let ignored = false
  for (const { above, matcher } of rules) {
    const result = matcher.test(`${above}${name}${isFolder ? "/" : ""}`)
    if (result.ignored) ignored = true
    else if (result.unignored) ignored = false
  }
  return ignored
}

export const make = (workspace: string): IgnoreRules => {
  const loaded = new Map<string, Ignore | undefined>()
  const rulesOf = (folder: string, above: string): ReadonlyArray<Rule> => {
    if (!loaded.has(folder)) loaded.set(folder, BelayIgnore.load(path.join(folder, ".gitignore")))
    const matcher = loaded.get(folder)
    return matcher === undefined ? [] : [{ matcher, above }]
  }
  const chain = (folder: string, top: string, above = ""): ReadonlyArray<Rule> => {
    const outer = folder === top ? [] : chain(path.dirname(folder), top, `${path.basename(folder)}/${above}`)
    return [...outer, ...rulesOf(folder, above)]
  }
  const isLeftOut = (folder: string) => {
    for (let at = folder; at !== workspace; at = path.dirname(at)) {
      if (decide(chain(path.dirname(at), workspace), path.basename(at), true)) return true
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
    const isHidden = BelayIgnore.of(workspace)
    return {
      isIgnored: (name, isFolder) =>
        name.toLowerCase() === ".git" || isHidden(path.join(folder, name), isFolder) || decide(rules, name, isFolder)
    }
  }
  const isFileIgnored = (file: string, top: string): boolean => {
    if (file === top || !Folder.contains(top, file)) return BelayIgnore.isLeftOut(workspace, file, false)
    let isFolder = false
    for (let each = file; each !== top; each = path.dirname(each)) {
      if (at(path.dirname(each), top).isIgnored(path.basename(each), isFolder)) return true
      isFolder = true
    }
    return BelayIgnore.isLeftOut(workspace, top, true)
  }
  return { at, isFileIgnored }
}
