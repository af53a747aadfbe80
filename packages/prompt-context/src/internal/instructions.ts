/**
 * The instruction files of a folder, those of other agents among them, and what each means for a task.
 *
 * The nearest folder comes first, up to the root of the repository; in one folder the order is that of `own` and
 * `familiar`. Where two disagree the first one holds.
 */
import * as path from "node:path"
import * as Files from "./files.ts"
import { frontMatter, listOf, textOf } from "./frontMatter.ts"
import { type IsSecret, withImports } from "./imports.ts"

/** What only the folder of the task has. */
const own = (folder: string): ReadonlyArray<Files.Seen> => [
  ...Files.below(folder, ".belay/rules", ".md"),
  ...Files.one(folder, ".clinerules"),
  ...Files.below(folder, ".clinerules", ".md"),
  ...Files.below(folder, ".roo/rules", "")
]

const importing = ["CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md", "GEMINI.md"]

/** What other agents read. */
const familiar = (folder: string): ReadonlyArray<Files.Seen> => [
  ...importing.flatMap((name) => Files.one(folder, name)),
  ...Files.below(folder, ".claude/rules", ".md"),
  ...Files.below(folder, ".cursor/rules", ".mdc", ".md"),
  ...Files.one(folder, ".cursorrules"),
  ...Files.one(folder, ".github/copilot-instructions.md"),
  ...Files.one(folder, ".windsurfrules")
]

/** All of them, in the order in which they hold. */
export const find = (workspace: string, isSecret: IsSecret): ReadonlyArray<Files.Seen> => {
  const read = new Set<string>()
  return Files.upwards(workspace).flatMap((folder) => {
    const seen = [...Files.one(folder, "AGENTS.md"), ...(folder === workspace ? own(folder) : []), ...familiar(folder)]
    return seen.flatMap((one) => {
      const name = folder === workspace ? one.name : path.join(folder, one.name).replaceAll(path.sep, "/")
      const named = { ...one, name }
      if (importing.includes(one.name)) return withImports(workspace, named, isSecret, read)
      const at = path.resolve(workspace, name)
      if (read.has(at)) return []
      read.add(at)
      return [named]
    })
  })
}

/** What a file means: always, for some files, when the model finds that it needs it, or only when it is mentioned. */
export type Meaning =
  | { readonly _tag: "Rule"; readonly text: string }
  | { readonly _tag: "Skill"; readonly name: string; readonly description: string; readonly text: string }
  | { readonly _tag: "LeftOut"; readonly why: string }

/** Rules for some files; the files have to be known. */
const scoped = (globs: unknown, text: string): Meaning => {
  const names = listOf(globs) ?? []
  return names.length === 0
    ? { _tag: "LeftOut", why: "its front matter does not name the files that it is for" }
    : { _tag: "Rule", text: `(Only for files that match ${names.join(", ")})\n${text}` }
}

/** A field that says something. */
const isSaid = (value: unknown): boolean => value !== undefined && value !== null && value !== ""

/** https://cursor.com/docs/context/rules: always, by its globs, by its description, or when it is mentioned. */
const ofCursor = ({ name, text: whole }: Files.File): Meaning => {
  const { broken, fields, text } = frontMatter(whole)
  if (broken !== undefined) return { _tag: "LeftOut", why: broken }
  const { alwaysApply, globs } = fields
  const description = textOf(fields["description"])
  const says = text.trim()
  if (textOf(alwaysApply) === "true" || Object.keys(fields).length === 0) return { _tag: "Rule", text: says }
  if (isSaid(globs)) return scoped(globs, says)
  const skill = path.posix.basename(name).replace(/\.mdc?$/u, "")
  if (description !== "") return { _tag: "Skill", name: skill, description, text: says }
  return { _tag: "LeftOut", why: `it counts only where it is mentioned: @/${name}` }
}

const ofClaude = ({ text: whole }: Files.File): Meaning => {
  const { broken, fields, text } = frontMatter(whole)
  if (broken !== undefined) return { _tag: "LeftOut", why: broken }
  const { paths } = fields
  return !isSaid(paths) ? { _tag: "Rule", text: text.trim() } : scoped(paths, text.trim())
}

export const meaningOf = (file: Files.File): Meaning => {
  if (/(?:^|\/)\.cursor\/rules\//u.test(file.name)) return ofCursor(file)
  if (/(?:^|\/)\.claude\/rules\//u.test(file.name)) return ofClaude(file)
  return { _tag: "Rule", text: file.text.trim() }
}
