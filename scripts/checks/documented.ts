// Whoever imports a package reads, for each name, what it guarantees.
//
// Guarantee: every export that is reached from an entry point of a package, through whatever re-exports, has a doc comment
// (`/** ... */`) directly before its declaration. A value and a type of one name are one export, and so are overloads.
import { existsSync, readFileSync } from "node:fs"
import { entriesOf, exportsOf } from "./exports.ts"
import { shown, workspacePackages } from "./workspace.ts"

export function checkDocumented(root: string): ReadonlyArray<string> {
  const violations = workspacePackages(root)
    .filter(({ kind }) => kind === "packages")
    .flatMap(({ folder, manifest }) => exportsOf(entriesOf(folder, manifest), read))
    .filter(({ doc }) => doc === undefined)
    .map(({ file, line, name }) => `${shown(root, file)}:${line} exports ${name} without a doc comment.`)
  return [...new Set(violations)]
}

const read = (file: string): string | undefined => (existsSync(file) ? readFileSync(file, "utf8") : undefined)
