import {
  Approvals,
  type CommandFact,
  type CommandReading,
  CommandText,
  type PathFact,
  type PolicyInput
} from "@belay/approval-policy"
import { read as readShell, readWords } from "@belay/approval-policy/shell"
import * as path from "node:path"

export const workspace = "/ws/proj"

/** A regular file at `path`, which is relative to the workspace or absolute, without symbolic links. */
export const file = (
  given: string,
  access: PathFact.PathFact["access"],
  more: Partial<PathFact.PathFact> = {}
): PathFact.PathFact => {
  const displayed = given.startsWith("/") ? given : `${workspace}/${given}`
  const resolved = more.resolved ?? displayed
  const lies = (candidate: string) => candidate === workspace || candidate.startsWith(`${workspace}/`)
  const inside = lies(displayed) && lies(resolved)
  return {
    given,
    displayed,
    resolved,
    access,
    inside,
    kind: "file",
    links: 1,
    insensitive: false,
    relative: inside ? resolved.slice(workspace.length + 1) : "",
    ...more
  }
}

export const cwd = (more: Partial<PathFact.PathFact> = {}): PathFact.PathFact => ({
  ...file(workspace, "read"),
  kind: "directory",
  links: 2,
  ...more
})

export const input = (
  more: Partial<PolicyInput.PolicyInput> & Pick<PolicyInput.PolicyInput, "category">
): PolicyInput.PolicyInput => ({
  tool: more.category,
  args: {},
  mode: "act",
  readOnly: more.category === "read",
  approvals: Approvals.ask,
  facts: { paths: [] },
  workspace,
  known: true,
  ...more
})

export const read = (fact: PathFact.PathFact, more: Partial<PolicyInput.PolicyInput> = {}): PolicyInput.PolicyInput =>
  input({ category: "read", tool: "read_file", facts: { paths: [fact] }, ...more })

export const edit = (fact: PathFact.PathFact, more: Partial<PolicyInput.PolicyInput> = {}): PolicyInput.PolicyInput =>
  input({ category: "edit", tool: "write_to_file", facts: { paths: [fact] }, ...more })

/**
 * What a workspace without links would answer: folders are named `sub`, `src`, `dist`, `test`, `docs` or `.`, and hold
 * nothing of interest. A pattern matches one file of its own name.
 */
const look = (given: string, access: PathFact.PathFact["access"]): PathFact.PathFact => {
  const full = path.posix
    .normalize(path.posix.join(given.startsWith("/") ? "" : workspace, given))
    .replace(/(.)\/$/, "$1")
  const isFolder = full === workspace || /\/(?:sub|src|dist|test|docs|packages|node_modules)$/.test(full)
  return { ...file(full, access), given, ...(isFolder ? { kind: "directory", below: {} } : { kind: "file" }) }
}

const factOf = (text: string, folder: PathFact.PathFact, reading: CommandReading.CommandReading) => {
  const files = reading.targets.map(({ glob, path: given, role }) => {
    const access = role === "read" || role === "mention" || role === "program" ? "read" : "write"
    return given === null ? [] : [{ ...look(given, access), ...(glob ? { matched: true as const } : {}) }]
  })
  return { text, cwd: folder, reading, files } satisfies CommandFact.CommandFact
}

export const fact = (text: string, folder: PathFact.PathFact = cwd()): CommandFact.CommandFact =>
  factOf(text, folder, readShell(text, { home: "/users/me", folder: folder.resolved }))

const commandInput = (command: CommandFact.CommandFact, args: object, more: Partial<PolicyInput.PolicyInput>) =>
  input({ category: "command", tool: "execute_command", args, facts: { paths: [], command }, ...more })

export const command = (
  text: string,
  more: Partial<PolicyInput.PolicyInput> = {},
  folder: PathFact.PathFact = cwd()
): PolicyInput.PolicyInput => commandInput(fact(text, folder), { command: text }, more)

/** The form without a shell. */
export const words = (
  argv: ReadonlyArray<string>,
  more: Partial<PolicyInput.PolicyInput> = {}
): PolicyInput.PolicyInput => {
  const [program, ...args] = argv
  return commandInput(factOf(CommandText.ofWords(argv), cwd(), readWords(argv)), { program, args }, more)
}

/** `ask` with these commands allowed. */
export const listing = (...allow: ReadonlyArray<string>): Approvals.Approvals => ({
  ...Approvals.ask,
  commands: { allow, deny: [], other: "ask" }
})
