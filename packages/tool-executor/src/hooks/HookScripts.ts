/**
 * The files of a workspace that hooks run, as they were when a task began: a task that changes its own guard has none
 * that answers for it.
 *
 * A file counts that is the program of a command of the line, or what an interpreter there runs first. What such a file
 * reads or runs itself does not.
 */
import { createHash } from "node:crypto"
import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs"
import * as path from "node:path"
import type { Hook } from "./Hook.ts"

/** Programs that run a file of the folder they are in, also one that is named without a slash. */
const interpreters = /^(?:(?:ba|z|da|k)?sh|node|deno|bun|tsx|uv|python[\d.]*|ruby|perl|php|source|\.)$/

/** Words before the program that is meant. */
const leading = /^(?:exec|env|command|time|timeout|nohup|npx|if|while|until|then|else|do|!|run|\d+[smhd]?)$/

const wordsOf = (command: string): ReadonlyArray<string> =>
  [...command.matchAll(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g)].map(([word]) => word.replace(/["']/g, ""))

const baseOf = (word: string): string => word.slice(word.lastIndexOf("/") + 1)

/** The words of one command that name what runs: programs by their path, and what an interpreter reads. */
const runBy = (words: ReadonlyArray<string>): ReadonlyArray<string> => {
  const rest = words.filter((word) => !/^\w+=/.test(word) && !word.startsWith("-"))
  const isBefore = (word: string) => interpreters.test(baseOf(word)) || leading.test(baseOf(word))
  const at = rest.findIndex((word, index) => !isBefore(word) || index === rest.length - 1)
  const before = rest.slice(0, Math.max(0, at))
  // A script of a package has a name, too.
  const isRead = (word: string) => word.includes(".") || !before.includes("run")
  const isOfInterpreter = before.some((word) => interpreters.test(baseOf(word)))
  return rest
    .slice(0, at + 1)
    .filter((word, index) => word.includes("/") || (index === at && isOfInterpreter && isRead(word)))
}

const projectFolder = /\$(?:\{(?:CLAUDE_PROJECT_DIR|PWD)\}|(?:CLAUDE_PROJECT_DIR|PWD)\b)/g

/** The files of a workspace that a command line runs: by name, relative to it with `/`, whether they are there or not. */
export const named = (command: string, workspace: string): ReadonlyArray<string> =>
  command
    .replace(projectFolder, "$CLAUDE_PROJECT_DIR")
    .split(/[;|&\n(){}]+/)
    .flatMap((simple) => runBy(wordsOf(simple)))
    .flatMap((word) => {
      const file = path.resolve(
        workspace,
        word.replace("$CLAUDE_PROJECT_DIR", () => workspace)
      )
      const names = path.relative(workspace, file).split(path.sep)
      const isInside = names[0] !== "" && names[0] !== ".." && !path.isAbsolute(names.join(path.sep))
      return isInside ? [names.join("/")] : []
    })

/** Empty where there is no such file: one that appears later has changed, too. A pipe or a device is none. */
const hashOf = (workspace: string, name: string): string => {
  try {
    const handle = openSync(path.join(workspace, name), constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
    try {
      return fstatSync(handle).isFile() ? createHash("sha256").update(readFileSync(handle)).digest("hex") : ""
    } finally {
      closeSync(handle)
    }
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
