/**
 * The files of a workspace that hooks run, as they were when a task began: a task that changes its own guard has none
 * that answers for it.
 *
 * A file counts that is the program of a command of the line, or what an interpreter there runs first.
 */
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import * as path from "node:path"
import type { Hook } from "./Hook.ts"

const interpreters = /^(?:bash|sh|zsh|node|deno|bun|python3?|ruby|perl|php|exec|env|source|\.)$/

const wordsOf = (command: string): ReadonlyArray<string> =>
  [...command.matchAll(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g)].map(([word]) => word.replace(/["']/g, ""))

const runBy = (words: ReadonlyArray<string>): string | undefined => {
  const rest = words.filter((word) => !/^\w+=/.test(word))
  const at = rest.findIndex(
    (word, index) => !word.startsWith("-") && !(interpreters.test(word) && index < rest.length - 1)
  )
  return rest[at]
}

/** The files of a workspace that a command line runs: by name, relative to it, whether they are there or not. */
export const named = (command: string, workspace: string): ReadonlyArray<string> =>
  command
    .replace(/\$\{CLAUDE_PROJECT_DIR\}/g, "$CLAUDE_PROJECT_DIR")
    .split(/[;|&\n(){}]+/)
    .flatMap((simple) => {
      const word = runBy(wordsOf(simple))
      if (word === undefined) return []
      const file = path.resolve(
        workspace,
        word.replace("$CLAUDE_PROJECT_DIR", () => workspace)
      )
      const name = path.relative(workspace, file)
      const isInside = name !== "" && name.split(path.sep)[0] !== ".." && !path.isAbsolute(name)
      return isInside && word.includes("/") ? [name] : []
    })

/** Empty where there is no such file: one that appears later has changed, too. */
const hashOf = (workspace: string, name: string): string => {
  try {
    return createHash("sha256")
      .update(readFileSync(path.join(workspace, name)))
      .digest("hex")
  } catch {
    return ""
  }
}

/** Gives the hooks with the files that they run, as these are now; what is known already stays. */
export const stated = (hooks: ReadonlyArray<Hook>, workspace: string): ReadonlyArray<Hook> =>
  hooks.map((hook) => {
    if (hook.scripts !== undefined) return hook
    const names = named(hook.command, workspace)
    return { ...hook, scripts: Object.fromEntries(names.map((name) => [name, hashOf(workspace, name)])) }
  })

/** Gives the first file of a hook that is not as it was, relative to the workspace. */
export const changed = ({ scripts = {} }: Hook, workspace: string): string | undefined =>
  Object.entries(scripts).find(([name, hash]) => hashOf(workspace, name) !== hash)?.[0]
