import { Approvals, type PathFact, type PolicyInput } from "@belay/approval-policy"

export const workspace = "/ws/proj"

/** A regular file at `path`, which is relative to the workspace or absolute, without symbolic links. */
export const path = (
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
  ...path(workspace, "read"),
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

export const command = (
  text: string,
  more: Partial<PolicyInput.PolicyInput> = {},
  folder: PathFact.PathFact = cwd()
): PolicyInput.PolicyInput =>
  input({
    category: "command",
    tool: "execute_command",
    args: { command: text },
    facts: { paths: [], command: { text, cwd: folder } },
    ...more
  })

/** `ask` with these exact commands allowed. */
export const listing = (...allow: ReadonlyArray<string>): Approvals.Approvals => ({
  ...Approvals.ask,
  commands: { allow, deny: [], other: "ask" }
})
