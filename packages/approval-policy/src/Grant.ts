/**
 * What a person allows beyond one call, for a task or always in one folder: rules that are exact, stated in words before
 * they are given.
 *
 * A grant turns an ask of the policy into a yes, and nothing else: what the policy denies stays denied, and what it asks
 * without offering the grant (the hard floor) is asked every time. Grants never become wider by being stored.
 */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { allow, type Decision, type Grant as Scope } from "./Decision.ts"
import { byName } from "./internal/commandRules.ts"
import { type McpTarget, targetOf } from "./internal/mcpTarget.ts"
import { quote } from "./internal/quote.ts"
import type { PolicyInput } from "./PolicyInput.ts"
import { ToolCategory } from "./ToolCategory.ts"

/** Decodes one remembered permission. */
export const Rule = Schema.Union([
  /** This text in this folder, absolute and resolved, and no other. */
  Schema.Struct({
    type: Schema.Literal("command"),
    command: Schema.String,
    cwd: Schema.String,
    /** Programs of the project that its bare names stand for; without it they are those of the system. */
    own: Schema.optionalKey(Schema.Array(Schema.String))
  }),
  /** An absolute, resolved path: this file, or with `below` every file below this folder. */
  Schema.Struct({
    type: Schema.Literal("path"),
    access: Schema.Literals(["read", "write"]),
    path: Schema.String,
    below: Schema.Boolean
  }),
  /** A tool of an MCP server, as `server/tool`, as long as the server is defined like this. */
  Schema.Struct({
    type: Schema.Literal("mcp"),
    name: Schema.String,
    /** Hash of the definition. */
    definition: Schema.optionalKey(Schema.String)
  }),
  /** A resource of an MCP server, by its exact address. */
  Schema.Struct({
    type: Schema.Literal("resource"),
    server: Schema.String,
    uri: Schema.String,
    definition: Schema.optionalKey(Schema.String)
  }),
  /** A tool of the host, by its name. */
  Schema.Struct({ type: Schema.Literal("tool"), name: Schema.String }),
  /** Fetches from a host, as addresses spell it, with its port where it is not the usual one. */
  Schema.Struct({ type: Schema.Literal("host"), host: Schema.String }),
  /** Every call of a category that names no file and no command. */
  Schema.Struct({ type: Schema.Literal("category"), category: ToolCategory })
])
export type Rule = typeof Rule.Type

const decodeRules = Schema.decodeUnknownOption(Schema.Struct({ grants: Schema.Array(Rule) }))

/** The grants in the settings snapshot of a task; none where there are none to be read. */
export const read = (settings: unknown): ReadonlyArray<Rule> =>
  Option.match(decodeRules(settings), { onNone: () => [], onSome: ({ grants }) => grants })

/** A call as the policy judged it. */
export type Judged = Pick<PolicyInput, "tool" | "category" | "args" | "facts" | "workspace">

const mcpRule = ({ kind, name, server }: McpTarget, definition: string | undefined): Rule => {
  const bound = definition === undefined ? {} : { definition }
  return kind === "tool"
    ? { type: "mcp", name: `${server}/${name}`, ...bound }
    : { type: "resource", server, uri: name, ...bound }
}

const hostOf = (url: string): string | undefined => URL.parse(url)?.host

const folderOf = (file: string): string => file.slice(0, Math.max(file.lastIndexOf("/"), file.lastIndexOf("\\")))

const pathRule = (fact: PolicyInput["facts"]["paths"][number], workspace: string): Rule => {
  const { access, inside, resolved } = fact
  const folder = folderOf(resolved)
  const below = inside && folder !== workspace && folder !== ""
  return { type: "path", access, path: below ? folder : resolved, below }
}

const same = (left: Rule, right: Rule): boolean => JSON.stringify(left) === JSON.stringify(right)

/** The rules that would let this call run, the narrowest that are of use; none where nothing exact can be said. */
export const rulesFor = ({ args, category, facts, tool, workspace }: Judged): ReadonlyArray<Rule> => {
  const { command, fetch, paths } = facts
  if (category === "command") {
    if (command === undefined) return []
    const own = [...new Set(byName(command))]
    const rule = { type: "command", command: command.text, cwd: command.cwd.resolved } as const
    return [own.length === 0 ? rule : { ...rule, own }]
  }
  if (category === "mcp") {
    const target = targetOf(args, facts.mcp)
    return target === undefined || target.server.includes("/") ? [] : [mcpRule(target, facts.mcp?.definition)]
  }
  if (category === "fetch") {
    const host = fetch === undefined ? undefined : hostOf(fetch.url)
    return host === undefined || host === "" ? [] : [{ type: "host", host }]
  }
  // What is said of its name is said of nothing that it reads, writes, runs or fetches.
  if (category === "custom") {
    const isNamed = paths.length === 0 && command === undefined && fetch === undefined
    return isNamed ? [{ type: "tool", name: tool }] : []
  }
  if (paths.length === 0) return category === "edit" ? [] : [{ type: "category", category }]
  const rules = paths.map((fact) => pathRule(fact, workspace))
  return rules.filter((rule, index) => rules.findIndex((other) => same(other, rule)) === index)
}

const isCovered = (fact: PolicyInput["facts"]["paths"][number], rule: Rule): boolean => {
  if (rule.type !== "path" || rule.access !== fact.access || fact.failure !== undefined) return false
  if (!rule.below) return fact.resolved === rule.path
  return fact.resolved.startsWith(rule.path) && /^[/\\]./.test(fact.resolved.slice(rule.path.length))
}

/** Says whether these rules are a yes to the whole call: to each of its paths, or to its very command. */
export const covers = (rules: ReadonlyArray<Rule>, call: Judged): boolean => {
  const { facts } = call
  const wanted = rulesFor(call)
  if (wanted.length === 0) return false
  return wanted.every(({ type }) => type === "path")
    ? facts.paths.every((fact) => rules.some((rule) => isCovered(fact, rule)))
    : wanted.every((rule) => rules.some((given) => same(given, rule)))
}

const granted = {
  task: allow("grant.task", "You allowed it for this task."),
  always: allow("grant.folder", "You allowed it always in this project.")
}

/** The decision with what was granted in one scope: only an ask that offers a grant of that scope can become a yes. */
export const decide = (decision: Decision, rules: ReadonlyArray<Rule>, call: Judged, scope: Scope = "task"): Decision =>
  decision.decision === "ask" && decision.grants.includes(scope) && covers(rules, call)
    ? { ...decision, ...granted[scope] }
    : decision

const relative = (path: string, workspace: string): string | undefined =>
  path.startsWith(workspace) && /^[/\\]/.test(path.slice(workspace.length))
    ? path.slice(workspace.length + 1).replaceAll("\\", "/")
    : undefined

/** A rule in words, on one line. */
export const describe = (rule: Rule, workspace: string): string => {
  switch (rule.type) {
    case "command": {
      const cwd = rule.cwd === workspace ? "" : ` in ${quote(relative(rule.cwd, workspace) ?? rule.cwd)}`
      const own = rule.own === undefined ? "" : ` with ${rule.own.map(quote).join(", ")} of the project`
      return `the command ${quote(rule.command)}${cwd}${own}`
    }
    case "path": {
      const shown = `${relative(rule.path, workspace) ?? rule.path}${rule.below ? "/**" : ""}`
      return `${rule.access === "write" ? "edits of" : "reads of"} ${quote(shown)}`
    }
    case "mcp":
      return `the tool ${quote(rule.name)}`
    case "tool":
      return `the tool ${quote(rule.name)} of this program`
    case "resource":
      return `the resource ${quote(rule.uri)} of ${quote(rule.server)}`
    case "host":
      return `fetches from ${quote(rule.host)}`
    case "category":
      return `every call of the category ${rule.category}`
  }
}

/** Describes what a prompt can offer of one scope. */
export interface Offer {
  readonly scope: "once" | Scope
  readonly allowed: boolean
  /** Each rule that would be kept, in words. */
  readonly rules: ReadonlyArray<string>
  /** Of what is allowed always: the only folder in which it holds, absolute and resolved. */
  readonly folder?: string
  /** Why it is not offered. */
  readonly reason?: string
}

const refusedBy = ({ reason, rule }: Decision): string => `${reason} (rule: ${rule})`

/** `notKept`: why nothing can be allowed always here; it can when that is left out. */
export const offers = (decision: Decision, call: Judged, notKept?: string): ReadonlyArray<Offer> => {
  const rules = rulesFor(call)
  const why = (scope: Scope): string | undefined =>
    !decision.grants.includes(scope)
      ? refusedBy(decision)
      : rules.length === 0
        ? "No exact rule can be made of this call."
        : scope === "always"
          ? notKept
          : undefined
  const offer = (scope: Scope): Offer => {
    const reason = why(scope)
    if (reason !== undefined) return { scope, allowed: false, rules: [], reason }
    const texts = rules.map((rule) => describe(rule, call.workspace))
    return { scope, allowed: true, rules: texts, ...(scope === "always" ? { folder: call.workspace } : {}) }
  }
  return [{ scope: "once", allowed: true, rules: [] }, offer("task"), offer("always")]
}
