// No file names the machine it was written on, a package registry's host, or anything outside the repository; and no source
// of a package names a command of one host: who reads it may have another one.
import { existsSync, readFileSync, statSync } from "node:fs"
import * as path from "node:path"
import { repositoryFiles } from "./workspace.ts"

const banned: ReadonlyArray<{ readonly what: string; readonly pattern: RegExp }> = [
  { what: "a path of one machine", pattern: /(?<![\w.~})\]-])\/(?:work|root|home)\/[\w.-]*/ },
  { what: "a registry's host", pattern: /registry\.(?:npmjs|yarnpkg|npmmirror)\.\w+|npm\.pkg\.github\.com/i },
  { what: "a folder outside the repository", pattern: /\.\.\/shared\b/ }
]

/** This list itself. */
const exempt = new Set(["scripts/checks/words.ts"])

export function checkWords(root: string): ReadonlyArray<string> {
  const files = repositoryFiles(root).filter((name) => !exempt.has(name))
  return files.flatMap((name) => {
    const file = path.join(root, name)
    if (!existsSync(file) || !statSync(file).isFile()) return []
    const text = readFileSync(file, "utf8")
    const found = [...wordViolations(text), ...(/^packages\/[^/]+\/src\//.test(name) ? commandViolations(text) : [])]
    return found.map((violation) => `${name}:${violation}`)
  })
}

/** "line: what" for every banned word in a text; binary texts have none. */
export function wordViolations(text: string): ReadonlyArray<string> {
  if (text.includes("\0")) return []
  return text.split("\n").flatMap((line, index) =>
    banned.flatMap(({ pattern, what }) => {
      const found = pattern.exec(line)
      return found === null ? [] : [`${index + 1} names ${what}: ${found[0]}`]
    })
  )
}

const commands =
  "acp|allowed|auth|completions|config|demo|doctor|history|hooks|mcp|models|policy|rescue|reset|run|runner|task|trust|update|worktree"
const command = new RegExp(`(?<![.\\w/-])belay (?:${commands})\\b`)

/** "line: what" for every command of `belay` in a text of a source; comments may. */
export function commandViolations(source: string): ReadonlyArray<string> {
  return source.split("\n").flatMap((line, index) => {
    if (/^\s*(?:\/?\*|\/\/)/.test(line)) return []
    const found = command.exec(line.replace(/ \/\/ .*$/, ""))
    return found === null ? [] : [`${index + 1} names a command of one host: ${found[0]}`]
  })
}
