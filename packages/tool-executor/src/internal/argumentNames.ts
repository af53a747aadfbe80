/**
 * The names of parameters as models write them: those that mean one of a tool, and those that must not be passed over.
 */

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** A name without case, blanks and punctuation. */
export const plainName = (name: string): string => name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "")

/** By a parameter of ours: what other agents call the same, as plain names. */
const synonyms: ReadonlyMap<string, ReadonlyArray<string>> = new Map([
  ["path", ["filepath", "targetfile"]],
  ["command", ["cmd"]],
  ["cwd", ["workdir", "workingdirectory"]],
  ["content", ["filetext", "contents"]],
  ["patch", ["input", "patchtext"]],
  ["regex", ["pattern", "filter"]],
  ["file_pattern", ["glob", "include"]],
  ["message", ["prompt"]],
  ["background", ["runinbackground", "isbackground"]],
  ["id", ["bashid", "shellid", "taskid"]],
  ["server", ["servername"]],
  ["tool", ["toolname"]]
])

/** The parameter that a name means which the tool does not declare. */
export const meant = (name: string, parameters: ReadonlySet<string>): string | undefined => {
  const plain = plainName(name)
  return [...parameters].find((own) => plainName(own) === plain || synonyms.get(own)?.includes(plain) === true)
}

const frame = "------- SEARCH, the text as it is, =======, the new text, +++++++ REPLACE, each on lines of their own"
const byLines = { names: ["offset", "limit", "viewrange"], takes: "start_line and end_line" }
const byBlocks = { names: ["oldstring", "newstring", "oldstr", "newstr", "search", "replace"], takes: `diff: ${frame}` }
const byLine = { names: ["env", "stdin"], takes: "both in the command line" }

/** Names that change what a call does, and what the tool takes instead. */
const mattering: ReadonlyMap<string, { readonly names: ReadonlyArray<string>; readonly takes: string }> = new Map([
  ["read_file", byLines],
  ["replace_in_file", byBlocks],
  ["execute_command", byLine]
])

/** What a tool takes instead of a name that it does not declare and that must not be passed over. */
export const takesInstead = (tool: string, name: string): string | undefined => {
  const entry = mattering.get(tool)
  return entry?.names.includes(plainName(name)) === true ? entry.takes : undefined
}
