/**
 * Lists of tools in the syntax of Claude Code, as `--allowed-tools` and `--disallowed-tools` take them, in ours.
 *
 * A rule becomes what allows no more, or denies no less, than it says; one for which there is nothing such is refused. What
 * a rule names that is not here at all changes nothing, and is said. The syntax:
 * https://code.claude.com/docs/en/permissions
 */
import type { Approvals } from "@belay/approval-policy"
import { ForeignTools } from "@belay/tool-executor"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { type Failure, usage } from "../cli/Failure.ts"
import { absent, editing, known, reading, split } from "../cli/ToolNames.ts"

export type Verb = "allow" | "deny"

/** What one rule has become. */
export interface Translated {
  /** As it was given. */
  readonly rule: string
  readonly verb: Verb
  /** In words: `commands.allow "git diff"`. */
  readonly to: string
  readonly change: (approvals: Approvals.Approvals) => Approvals.Approvals
  /** Tools that there are none of for the task. */
  readonly without: ReadonlyArray<string>
}

type Change = Translated["change"]
const unchanged: Change = (approvals) => approvals

const commands =
  (change: (commands: Approvals.Approvals["commands"]) => Partial<Approvals.Approvals["commands"]>): Change =>
  (approvals) => ({ ...approvals, commands: { ...approvals.commands, ...change(approvals.commands) } })

const set =
  (fields: Partial<Approvals.Approvals>): Change =>
  (approvals) => ({ ...approvals, ...fields })

type Setting = Approvals.Approvals["edit"]

/** What is denied stays denied. */
const raised = (setting: Setting): Setting => (setting === "deny" ? "deny" : "allow")

const raise =
  (...fields: ReadonlyArray<"read" | "readOutside" | "edit" | "fetch" | "delegate">): Change =>
  (approvals) => ({ ...approvals, ...Object.fromEntries(fields.map((field) => [field, raised(approvals[field])])) })

type Found = Omit<Translated, "rule" | "verb">
type Judged = Result.Result<Found, UntranslatableError>

/** A rule of another program has no equivalent here; the message says why, in a few words. */
class UntranslatableError extends Schema.TaggedError<UntranslatableError>()("UntranslatableError", {
  message: Schema.String
}) {}

const no = (message: string) => Result.fail(new UntranslatableError({ message }))

const found = (to: string, change: Change, without: ReadonlyArray<string> = []): Judged =>
  Result.succeed({ to, change, without })

/** `git diff:*` and `git diff *` are a beginning, a text without a star is the whole command. */
const command = (specifier: string, verb: Verb): Judged => {
  const begins = /^(.*?)(?::\*| \*)$/u.exec(specifier)
  const text = (begins?.[1] ?? specifier).trim()
  if (text === "" || text.includes("*")) return no("a star counts only at its end, such as Bash(npm run test:*)")
  if (/[|&;<>$`\n]/u.test(text)) return no("an entry is one command, without chains and redirections")
  if (verb === "deny") {
    return found(
      `commands.deny ${JSON.stringify(text)}`,
      commands(({ deny }) => ({ deny: [...deny, text] }))
    )
  }
  const entry = begins === null ? `=${text}` : text
  return found(
    `commands.allow ${JSON.stringify(entry)}`,
    commands(({ allow }) => ({ allow: [...allow, entry] }))
  )
}

/** A pattern of files as git ignores them, relative to the workspace: without a slash it is a name at any depth. */
const pattern = (specifier: string): string | undefined => {
  if (/^(?:\/\/|~|!|[A-Za-z]:)|\\|(?:^|\/)\.\.(?:\/|$)/u.test(specifier)) return undefined
  const plain = specifier.replace(/^\.?\//u, "")
  const whole = plain.endsWith("/") ? `${plain}**` : plain
  if (whole === "") return undefined
  return specifier.includes("/") || whole.startsWith("**") ? whole : `**/${whole}`
}

const files = (tool: string, specifier: string, verb: Verb): Judged => {
  const at = pattern(specifier)
  if (at === undefined) return no("entries of files are relative to the workspace")
  const what = editing.has(tool) ? "edit" : "read"
  return found(`paths ${JSON.stringify({ pattern: at, [what]: verb })}`, (approvals) => ({
    ...approvals,
    paths: [...approvals.paths, { pattern: at, [what]: verb }]
  }))
}

const server = (tool: string, verb: Verb): Judged => {
  const [, name = "", own = "*"] = /^mcp__([A-Za-z0-9][A-Za-z0-9_-]*?)(?:__(.+))?$/u.exec(tool) ?? []
  if (name === "" || (own !== "*" && own.includes("*"))) return no("it names no server")
  const key = `${name}/${own}`
  const whole = `${name}/*`
  return found(`mcp ${JSON.stringify({ [key]: verb })}`, (approvals) => {
    const { mcp } = approvals
    if (verb === "allow") {
      const setting = raised(mcp[key] ?? mcp[whole] ?? mcp["*"] ?? "ask")
      return { ...approvals, mcp: { ...mcp, [key]: setting } }
    }
    const denied = Object.keys(mcp).filter((one) => key === whole && one.startsWith(`${name}/`))
    return { ...approvals, mcp: { ...mcp, ...Object.fromEntries([...denied, key].map((one) => [one, "deny"])) } }
  })
}

const allowed = (tool: string): Judged => {
  if (tool === "Bash")
    return found(
      'commands.other "allow"',
      commands(({ other }) => ({ other: raised(other) }))
    )
  if (tool === "Read") return found('read, readOutside "allow"', raise("read", "readOutside"))
  if (reading.has(tool)) return found('read "allow"', raise("read"))
  if (editing.has(tool)) return found('edit "allow"', raise("edit"))
  if (tool === "WebFetch") return found('fetch "allow"', raise("fetch"))
  return found('delegate "allow"', raise("delegate"))
}

/** A tool that is gone, and the right to what it does where no other tool does it. */
const withheld = (tool: string): Judged => {
  const gone = editing.has(tool) ? [...ForeignTools.named(tool), "apply_patch"] : ForeignTools.named(tool)
  const to = `no ${gone.join(", ")}`
  if (tool === "Bash")
    return found(
      to,
      commands(() => ({ allow: [], other: "deny", readOnly: "ask" })),
      gone
    )
  if (tool === "WebFetch") return found(to, set({ fetch: "deny" }), gone)
  if (tool === "Task" || tool === "Agent") return found(to, set({ delegate: "deny" }), gone)
  return found(to, unchanged, gone)
}

const judged = (tool: string, specifier: string | undefined, verb: Verb): Judged => {
  if (tool.startsWith("mcp__") && specifier === undefined) return server(tool, verb)
  if (absent.has(tool)) return found("nothing: there is no such tool here", unchanged)
  if (!known.has(tool)) return no("no tool has this name")
  if (specifier === undefined || specifier === "*") return verb === "allow" ? allowed(tool) : withheld(tool)
  if (tool === "Bash") return command(specifier, verb)
  // A rule for reading does not hold for programs, there as here; a search is no file.
  if (tool === "Read" || editing.has(tool)) return files(tool, specifier, verb)
  return no(`nothing here can limit ${tool} to this`)
}

const one = (rule: string, verb: Verb): Result.Result<Translated, Failure> => {
  const parts = /^([A-Za-z]\w*(?:[\w*-]*))(?:\(([\s\S]*)\))?$/u.exec(rule)
  const outcome = parts?.[1] === undefined ? no("it is not a rule") : judged(parts[1], parts[2], verb)
  return Result.isSuccess(outcome)
    ? Result.succeed({ rule, verb, ...outcome.success })
    : Result.fail(
        usage(
          `the rule "${rule}" cannot be translated, ${outcome.failure.message} (--${verb === "allow" ? "allowed" : "disallowed"}-tools)`,
          "Leave it out, or say it in --approvals; belay policy explain shows what would run."
        )
      )
}

/** The rules of all lists. Errors: exit 2 with the first that cannot be translated. */
export const translate = (
  lists: ReadonlyArray<string>,
  verb: Verb
): Result.Result<ReadonlyArray<Translated>, Failure> => {
  const all: Array<Translated> = []
  for (const rule of lists.flatMap(split)) {
    const next = one(rule, verb)
    if (Result.isFailure(next)) return Result.fail(next.failure)
    all.push(next.success)
  }
  return Result.succeed(all)
}

/** The approvals with what all rules say, in whatever order: what is denied by a rule or before stays denied. */
export const approvalsOf = (rules: ReadonlyArray<Translated>, approvals: Approvals.Approvals): Approvals.Approvals =>
  (["allow", "deny"] as const)
    .flatMap((verb) => rules.filter((rule) => rule.verb === verb))
    .reduce((changed, { change }) => change(changed), approvals)

/** The tools that there are none of. */
export const withoutOf = (rules: ReadonlyArray<Translated>): ReadonlyArray<string> => [
  ...new Set(rules.flatMap(({ without }) => without))
]
