// Names that the glossary has retired occur in no source.
import { readFileSync } from "node:fs"
import * as path from "node:path"
import { shown, sourceFiles, workspacePackages } from "./workspace.ts"

/** The rows of the table of retired names: `old` and what it is called now. */
export function retiredNames(glossary: string): ReadonlyMap<string, string> {
  const table = glossary.split(/^## Retired names$/m)[1] ?? ""
  const rows = [...table.matchAll(/^\| `(\w+)` \| `(\w+)` \|$/gm)]
  return new Map(rows.map(([, old = "", now = ""]) => [old, now]))
}

/** "line: what" for every line of code that has a retired name; lines that are comments are words for readers. */
export function retiredViolations(text: string, names: ReadonlyMap<string, string>): ReadonlyArray<string> {
  const pattern = new RegExp(`\\b(?:${[...names.keys()].join("|")})\\b`)
  return text.split("\n").flatMap((line, index) => {
    const found = /^\s*(?:\/?\*|\/\/)/.test(line) ? null : pattern.exec(line)
    return found === null ? [] : [`${index + 1} says ${found[0]}: it is called ${names.get(found[0])} now.`]
  })
}

export function checkRetired(root: string): ReadonlyArray<string> {
  const names = retiredNames(readFileSync(path.join(root, "docs", "glossary.md"), "utf8"))
  if (names.size === 0) return ["docs/glossary.md has no table of retired names."]
  return workspacePackages(root)
    .flatMap(({ folder }) => sourceFiles(folder, "src"))
    .flatMap((file) =>
      retiredViolations(readFileSync(file, "utf8"), names).map((violation) => `${shown(root, file)}:${violation}`)
    )
}
