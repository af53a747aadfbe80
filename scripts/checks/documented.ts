// Whoever imports a package reads, for each name, what it guarantees.
//
// Guarantee: every export that is reached from an entry point of a package, through whatever re-exports, has a doc comment
// (`/** ... */`) directly before its declaration, which opens with what the export is or does: with a noun or a verb, not with
// a pronoun or a question. A value and a type of one name are one export, and so are overloads.
import { existsSync, readFileSync } from "node:fs"
import { entriesOf, exportsOf } from "./exports.ts"
import { shown, workspacePackages } from "./workspace.ts"

export function checkDocumented(root: string): ReadonlyArray<string> {
  const violations = workspacePackages(root)
    .filter(({ kind }) => kind === "packages")
    .flatMap(({ folder, manifest }) => exportsOf(entriesOf(folder, manifest), read))
    .flatMap(({ doc, file, line, name }) => {
      const wrong = docViolation(doc)
      return wrong === undefined ? [] : [`${shown(root, file)}:${line} exports ${name} ${wrong}.`]
    })
  return [...new Set(violations)]
}

const opener = /^(?:It|They|Those|These|This|What|Whether|How|Why|Who|Where|When)\b/

/** What is wrong with a doc comment, or that there is none. */
export function docViolation(doc: string | undefined): string | undefined {
  if (doc === undefined) return "without a doc comment"
  const [first] = opener.exec(doc.trim()) ?? []
  return first === undefined ? undefined : `with a doc that opens with "${first}": say what it is or does`
}

const read = (file: string): string | undefined => (existsSync(file) ? readFileSync(file, "utf8") : undefined)
