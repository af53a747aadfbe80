/**
 * A call as hooks see it: under the name and with the fields that Claude Code gives the same kind of tool. Pure.
 *
 * What a hook writes back is taken for the fields that have one meaning on both sides; anything else is a problem in words.
 */
import * as path from "node:path"
import { isObject } from "../internal/argumentNames.ts"
import * as SearchReplace from "../workspace/text/SearchReplace.ts"
import * as Result from "effect/Result"

/** Describes a call for hooks; a matcher sees the name, its aliases and the tool's own name. */
export interface HookCall {
  readonly name: string
  readonly aliases: ReadonlyArray<string>
  readonly input: Fields
}

type Fields = Readonly<Record<string, unknown>>

/** What of the arguments a field stands for, where a hook may write it. */
interface Row {
  readonly name: string
  readonly aliases?: ReadonlyArray<string>
  readonly input: (args: Fields, workspace: string) => Fields
  /** The argument of each field that a hook may change, with how its value is turned. */
  readonly writable?: Readonly<Record<string, readonly [argument: string, of?: (value: unknown) => unknown]>>
}

const given = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))

const absolute = (value: unknown, workspace: string): unknown =>
  typeof value === "string" ? path.resolve(workspace, value) : value

/** A word as bash takes it literally. */
const quoted = (word: string): string => (/^[\w./:=@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)

const lineOf = ({ args, command, program }: Fields): unknown =>
  typeof program === "string"
    ? [program, ...(Array.isArray(args) ? args : [])].map(String).map(quoted).join(" ")
    : command

const timesThousand = (value: unknown): unknown => (typeof value === "number" ? value * 1000 : value)
const seconds = (value: unknown): unknown => (typeof value === "number" ? Math.max(1, Math.ceil(value / 1000)) : value)

const editsOf = ({ diff, replace_all }: Fields) => {
  const blocks = typeof diff === "string" ? SearchReplace.parse(diff) : undefined
  const found = blocks !== undefined && Result.isSuccess(blocks) ? blocks.success : []
  return found.map(({ replace, search }) => given({ old_string: search, new_string: replace, replace_all }))
}

const replacing = (args: Fields, workspace: string): HookCall => {
  const edits = editsOf(args)
  const file_path = absolute(args["path"], workspace)
  const [first, ...others] = edits
  return first !== undefined && others.length === 0
    ? { name: "Edit", aliases: ["MultiEdit"], input: { file_path, ...first } }
    : { name: "MultiEdit", aliases: ["Edit"], input: given({ file_path, edits }) }
}

const placeOf = (value: unknown, workspace: string) => absolute(value ?? ".", workspace)

const rows: Readonly<Record<string, Row>> = {
  execute_command: {
    name: "Bash",
    input: (args) =>
      given({ command: lineOf(args), timeout: timesThousand(args["timeout"]), run_in_background: args["background"] }),
    writable: { command: ["command"], timeout: ["timeout", seconds], run_in_background: ["background"] }
  },
  write_to_file: {
    name: "Write",
    input: ({ content, path: file }, workspace) => given({ file_path: absolute(file, workspace), content }),
    writable: { file_path: ["path"], content: ["content"] }
  },
  apply_patch: {
    name: "apply_patch",
    aliases: ["Edit", "Write"],
    input: ({ patch }) => given({ command: patch }),
    writable: { command: ["patch"] }
  },
  read_file: {
    name: "Read",
    input: ({ end_line: end, path: file, start_line: start }, workspace) =>
      given({
        file_path: absolute(file, workspace),
        offset: start,
        limit: typeof end === "number" ? end - (typeof start === "number" ? start : 1) + 1 : undefined
      }),
    writable: { file_path: ["path"] }
  },
  list_files: {
    name: "LS",
    aliases: ["Glob"],
    input: (args, workspace) => given({ path: placeOf(args["path"], workspace), pattern: args["pattern"] })
  },
  search_files: {
    name: "Grep",
    input: (args, workspace) =>
      given({ pattern: args["regex"], path: placeOf(args["path"], workspace), glob: args["file_pattern"] }),
    writable: { pattern: ["regex"], path: ["path"], glob: ["file_pattern"] }
  },
  fetch_url: { name: "WebFetch", input: ({ url }) => given({ url }), writable: { url: ["url"] } },
  new_task: {
    name: "Agent",
    aliases: ["Task"],
    input: ({ agent = "general-purpose", message }) =>
      given({ description: firstLine(message), prompt: message, subagent_type: agent }),
    writable: { prompt: ["message"] }
  },
  load_skill: { name: "Skill", input: ({ name }) => given({ skill: name }), writable: { skill: ["name"] } },
  update_focus_chain: { name: "TodoWrite", input: (args) => args },
  ask_followup_question: { name: "AskUserQuestion", input: (args) => args },
  plan_mode_respond: { name: "ExitPlanMode", input: ({ response }) => given({ plan: response }) }
}

const firstLine = (value: unknown): unknown =>
  typeof value === "string" ? value.split("\n")[0]?.slice(0, 100) : undefined

const text = (value: unknown): string => (typeof value === "string" ? value : "")

const serverTool = ({ arguments: own, server, tool }: Fields): HookCall => ({
  name: `mcp__${text(server)}__${text(tool)}`,
  aliases: [],
  input: isObject(own) ? own : {}
})

const fieldsOf = (args: unknown): Fields => (isObject(args) ? args : {})

/** Gives the call as hooks see it; a tool without a row has its own name and its own arguments. */
export const of = (tool: string, args: unknown, workspace: string): HookCall => {
  const fields = fieldsOf(args)
  if (tool === "use_mcp_tool") return serverTool(fields)
  if (tool === "replace_in_file") return replacing(fields, workspace)
  const row = Object.hasOwn(rows, tool) ? rows[tool] : undefined
  return row === undefined
    ? { name: tool, aliases: [], input: fields }
    : { name: row.name, aliases: row.aliases ?? [], input: row.input(fields, workspace) }
}

/** Gives every name under which a matcher finds the call. */
export const namesOf = (tool: string, { aliases, name }: HookCall): ReadonlyArray<string> => [
  ...new Set([name, ...aliases, tool])
]

const isEqual = (left: unknown, right: unknown): boolean => JSON.stringify(left) === JSON.stringify(right)

/** The fields that a hook changed. */
const changed = (before: Fields, after: Fields): ReadonlyArray<readonly [string, unknown]> =>
  Object.entries(after).filter(([name, value]) => !isEqual(value, before[name]))

/**
 * Gives the arguments with what a hook wrote, not checked: they are decoded and judged as any other call is. A text says
 * why they cannot be taken.
 */
export const updated = (tool: string, args: unknown, workspace: string, input: Fields): Fields | string => {
  const fields = fieldsOf(args)
  const before = of(tool, args, workspace).input
  if (tool === "use_mcp_tool") return { ...fields, arguments: input }
  const writable = Object.hasOwn(rows, tool) ? (rows[tool]?.writable ?? {}) : {}
  const next: Record<string, unknown> = { ...fields }
  for (const [name, value] of changed(before, input)) {
    const target = Object.hasOwn(writable, name) ? writable[name] : undefined
    if (target === undefined) return `it changed ${JSON.stringify(name)}, which cannot be changed here`
    const [argument, turned = (same: unknown) => same] = target
    next[argument] = turned(value)
    // A line of bash stands in the place of a program with its words.
    if (argument === "command") {
      delete next["program"]
      delete next["args"]
    }
  }
  return next
}
