// What the glossary has retired, names of code and words of people, occurs in no source, no document and no text that is shown.
//
// Guarantee: no line of code has a retired name or word; comments, and the words of stored histories in quotes, may. No
// document has a retired word, nor a retired name as code or as a file; `docs/messages.md` has every sentence that people
// read, and the golden texts of the command what the model reads. The glossary's own tables say what is retired.
import { existsSync, readFileSync } from "node:fs"
import * as path from "node:path"
import { repositoryFiles, shown, sourceFiles, workspacePackages } from "./workspace.ts"

/** What is retired, each with what it is called now. */
export interface Retired {
  readonly names: ReadonlyMap<string, string>
  readonly words: ReadonlyMap<string, string>
}

/** Spellings that are still understood and shown nowhere: the whole line of `docs/messages.md`. */
const hiddenAliases = new Set(["- task redelegate"])

const goldenTexts = "apps/host-cli/test/fixtures/texts/"

/** The rows of the glossary's two tables: `old` and what it is called now. */
export function retiredOf(glossary: string): Retired {
  const rows = (title: string, row: RegExp) => {
    const [, after = ""] = glossary.split(new RegExp(`^## ${title}$`, "m"))
    const [table = ""] = after.split(/^## /m)
    return new Map([...table.matchAll(row)].map(([, old = "", now = ""]) => [old, now]))
  }
  return {
    names: rows("Retired names", /^\| `(\w+)` \| `(\w+)` \|$/gm),
    words: rows("Retired words", /^\| `([\w ]+)` \| ([^|]+) \|$/gm)
  }
}

const found = (line: string, all: ReadonlyMap<string, string>, pattern: (either: string) => RegExp) =>
  [...line.matchAll(pattern([...all.keys()].join("|")))].map(([, old = ""]) => {
    const now = all.get(old) ?? all.get(old.toLowerCase())
    return `says ${old}: it is called ${now} now.`
  })

const namesIn = (line: string, { names }: Retired) =>
  found(line, names, (either) => new RegExp(`\\b(${either})\\b`, "g"))

const wordsIn = (line: string, { words }: Retired) =>
  found(line, words, (either) => new RegExp(`\\b(${either})(?:s|d|ed|ing)?\\b`, "gi"))

/** "line what" for every line of code that has a retired name or word; lines that are comments are words for readers. */
export function retiredViolations(text: string, retired: Retired): ReadonlyArray<string> {
  return text.split("\n").flatMap((line, index) => {
    if (/^\s*(?:\/?\*|\/\/)/.test(line)) return []
    const code = line.replace(/(["'`])(?:(?!\1)[^\\]|\\.)*\1/g, '""').replace(/\s\/\/ .*$/, "")
    return [...namesIn(line, retired), ...wordsIn(code, retired)].map((what) => `${index + 1} ${what}`)
  })
}

/** "line what" for every line of a document that has a retired word, or a retired name in backticks or as a source's name. */
export function retiredInDocument(text: string, retired: Retired): ReadonlyArray<string> {
  let fenced = false
  return text.split("\n").flatMap((line, index) => {
    if (hiddenAliases.has(line)) return []
    if (/^\s*```/.test(line)) fenced = !fenced
    const code = fenced ? line : [...line.matchAll(/`[^`]+`|[\w/-]+\.tsx?\b/g)].join(" ")
    return [...namesIn(code, retired), ...wordsIn(line, retired)].map((what) => `${index + 1} ${what}`)
  })
}

/** The titles and descriptions of the editor's commands and settings stand in its manifest. */
const isDocument = (file: string): boolean =>
  file === "apps/host-vscode/extension/package.json" ||
  (file.endsWith(".md") && (file.startsWith(goldenTexts) || !/(?:^|\/)fixtures\//.test(file)))

/** A document without the tables of what is retired. */
const withoutTables = (text: string): string => text.split(/^## Retired /m)[0] ?? ""

export function checkRetired(root: string): ReadonlyArray<string> {
  const read = (file: string): string => readFileSync(path.join(root, file), "utf8")
  const retired = retiredOf(read("docs/glossary.md"))
  if (retired.names.size === 0 || retired.words.size === 0) {
    return ["docs/glossary.md has no tables of retired names and words."]
  }
  const documents = repositoryFiles(root).filter((file) => isDocument(file) && existsSync(path.join(root, file)))
  return [
    ...workspacePackages(root)
      .flatMap(({ folder }) => sourceFiles(folder, "src"))
      .map((file) => shown(root, file))
      .flatMap((file) => retiredViolations(read(file), retired).map((violation) => `${file}:${violation}`)),
    ...documents.flatMap((file) => {
      const text = file === "docs/glossary.md" ? withoutTables(read(file)) : read(file)
      return retiredInDocument(text, retired).map((violation) => `${file}:${violation}`)
    })
  ]
}
