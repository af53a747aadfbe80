/**
 * What runs without asking: the settings that `--approvals` and `approvals.*` hold.
 *
 * Decoding fails closed: an unknown field, a wrong value or a pattern that could never match is an error, never
 * ignored. A field left out has its value in the preset `ask`.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import { type Setting as DecisionSetting, strictest } from "./Decision.ts"
import { canonicalArguments } from "./Fingerprint.ts"
import * as mcpKeys from "./internal/mcpKeys.ts"
import * as meet from "./internal/narrow.ts"
import { quote } from "./internal/quote.ts"
import { ofTool } from "./internal/toolSettings.ts"

/** Decodes a setting: run it, ask a person, or refuse it. */
export const Setting = Schema.Literals(["allow", "ask", "deny"])
export type Setting = DecisionSetting

const Text = Schema.String.check(
  Schema.makeFilter((text: string) => (text.trim() === "" || text.includes("\0") ? "must not be empty" : undefined))
)

const unusable = (pattern: string): string | undefined =>
  pattern.trim() === "" || pattern.length > 1024
    ? "must have 1 to 1024 characters"
    : /^(?:[!/~]|[A-Za-z]:)|\\|\0|^\.\/|(?:^|\/)\.\.?(?:\/|$)/.test(pattern)
      ? "must be relative to the workspace, with / and without !, . and .. components"
      : undefined

const Pattern = Schema.String.check(Schema.makeFilter(unusable))

/**
 * An entry for files of the workspace. All entries that match a file count, in any order, and the strictest of them
 * replaces `read` or `edit` for that file; so an entry can widen the general setting, and a deny is never undone by
 * another entry.
 */
export const PathEntry = Schema.Struct({
  pattern: Pattern,
  read: Schema.optionalKey(Setting),
  edit: Schema.optionalKey(Setting)
})
export type PathEntry = typeof PathEntry.Type

const unusableFolder = (folder: string): string | undefined =>
  folder.length > 4096 || folder.includes("\0") || /^(?:[A-Za-z]:)?[\\/]*$/.test(folder)
    ? "must be a folder below the root"
    : /^(?:\/|[A-Za-z]:[\\/])/.test(folder) && !/(?:^|[\\/])\.\.?(?:[\\/]|$)/.test(folder)
      ? undefined
      : "must be absolute, without . and .. components"

const Folder = Schema.String.check(Schema.makeFilter(unusableFolder))

const McpKey = Text.check(Schema.makeFilter(mcpKeys.unusable))

const setting = (value: Setting) => Setting.pipe(Schema.withDecodingDefaultKey(Effect.succeed(value)))
const texts = Schema.Array(Text).pipe(Schema.withDecodingDefaultKey(Effect.succeed([])))

/** Decodes the settings of commands. A field left out gets its value of the preset `ask`. */
export const Commands = Schema.Struct({
  allow: texts,
  deny: texts,
  other: setting("ask"),
  /** Programs that only read, and only inside the workspace: `allow`, as when it is left out, needs no entry. */
  readOnly: Schema.optionalKey(Schema.Literals(["allow", "ask"])),
  /**
   * The project's own checks: tests, linters, builds and checks of types that its manifests name. With `allow` they need
   * no entry in the sandbox, and ask once each without one; left out, they are commands like any other.
   */
  checks: Schema.optionalKey(Schema.Literals(["allow", "ask"]))
})

/** Decodes the settings. A field left out gets its value of the preset `ask`; an unknown field fails. */
export const Approvals = Schema.Struct({
  /** The master switch: false makes everything ask, reads too. It never allows what another field stops. */
  enabled: Schema.Boolean.pipe(Schema.withDecodingDefaultKey(Effect.succeed(true))),
  read: setting("allow"),
  readOutside: setting("ask"),
  edit: setting("ask"),
  editOutside: setting("ask"),
  /**
   * Edits by tools of names of the workspace that a later ordinary command executes, such as package.json: `ask`, as when it
   * is left out, or by `edit` and `paths` as of any other file. No other protected name follows it, and no command.
   */
  protected: Schema.optionalKey(Schema.Literals(["ask", "allow"])),
  delegate: setting("allow"),
  fetch: setting("ask"),
  modeSwitch: setting("ask"),
  commands: Commands.pipe(Schema.withDecodingDefaultKey(Effect.succeed({}))),
  /**
   * Of a tool by `server/tool`, else `server/*`; of a resource by `resource:server/ADDRESS`, else `resource:server/*`; of
   * both else by `*`, else ask. Where `server/*` is stricter than `*`, resources without a key of their own follow it.
   */
  mcp: Schema.Record(McpKey, Setting).pipe(Schema.withDecodingDefaultKey(Effect.succeed({ "*": "ask" as const }))),
  /**
   * Of a tool of the host (category `custom`) by its name, else by `*`, else ask. It never widens what the paths, the
   * command and the address of a call need.
   */
  tools: Schema.optionalKey(Schema.Record(Text, Setting)),
  paths: Schema.Array(PathEntry).pipe(Schema.withDecodingDefaultKey(Effect.succeed([]))),
  /** Folders outside, absolute and resolved, whose files are read and edited by tools as those of the workspace are. */
  folders: Schema.optionalKey(Schema.Array(Folder)),
  /** Pause after so many requests in a row that ran by approval; 0 = never. */
  checkInRequests: Schema.Natural.pipe(Schema.withDecodingDefaultKey(Effect.succeed(0)))
})
export type Approvals = typeof Approvals.Type

/** Returns whether a value is decoded settings. Never throws. */
export const isApprovals: (value: unknown) => value is Approvals = Schema.is(Schema.toType(Approvals))

/** Settings that cannot be used; `field` is the path of the first wrong field, such as `commands.other`. */
export class InvalidApprovals extends Schema.TaggedError<InvalidApprovals>()("InvalidApprovals", {
  field: Schema.String,
  problem: Schema.String
}) {
  override get message() {
    const where = this.field === "" ? "approvals" : `approvals.${this.field}`
    return `The approvals are not valid (${where}: ${this.problem}). Correct the field or leave it out.`
  }
}

/** Asks; only reads in the workspace and delegation run without. */
export const ask: Approvals = {
  enabled: true,
  read: "allow",
  readOutside: "ask",
  edit: "ask",
  editOutside: "ask",
  delegate: "allow",
  fetch: "ask",
  modeSwitch: "ask",
  commands: { allow: [], deny: [], other: "ask" },
  mcp: { "*": "ask" },
  paths: [],
  checkInRequests: 0
}

/** `ask` with edits in the workspace allowed. */
export const edits: Approvals = { ...ask, edit: "allow" }

/** `edits` with the project's own checks allowed in the sandbox. */
export const project: Approvals = { ...edits, commands: { ...edits.commands, checks: "allow" } }

/** Everything is allowed but the hard floor, which always asks. */
export const all: Approvals = {
  ...ask,
  readOutside: "allow",
  edit: "allow",
  editOutside: "allow",
  fetch: "allow",
  modeSwitch: "allow",
  commands: { allow: [], deny: [], other: "allow" },
  mcp: { "*": "allow" },
  tools: { "*": "allow" }
}

/** From the strictest to the widest. */
export const presets = { ask, edits, project, all } as const

/** Names a preset of `--approvals`. */
export type Preset = keyof typeof presets

/** Lists the presets, the strictest first. */
export const presetNames: ReadonlyArray<Preset> = ["ask", "edits", "project", "all"]

/** Returns whether a value names a preset. */
export const isPreset = (value: unknown): value is Preset => typeof value === "string" && Object.hasOwn(presets, value)

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

type Fields = Readonly<Record<string, unknown>>

const differing = (all: Fields, usual: Fields): Fields =>
  Object.fromEntries(Object.entries(all).filter(([name, value]) => !isSame(value, usual[name])))

/** The JSON form without what is as in `ask`: what it says is what these approvals say. */
export const written = ({ commands, tools = {}, ...others }: Approvals): Fields => {
  const { commands: usual, ...rest } = ask
  const own = differing(commands, usual)
  const said = Object.keys(tools).length === 0 ? {} : { tools }
  return { ...differing(others, rest), ...said, ...(Object.keys(own).length === 0 ? {} : { commands: own }) }
}

const sorted = (approvals: Approvals): string => canonicalArguments(written(approvals))

/** The preset that these approvals are. */
export const presetOf = (approvals: Approvals): Preset | undefined =>
  presetNames.find((name) => sorted(presets[name]) === sorted(approvals))

const format = SchemaIssue.makeFormatterStandardSchemaV1()

const invalid = (issue: SchemaIssue.Issue): InvalidApprovals => {
  const first = format(issue).issues[0]
  const path = (first?.path ?? []).map((part) => String(typeof part === "object" ? part.key : part))
  const problem = quote(first?.message ?? "not usable").slice(1, -1)
  return new InvalidApprovals({ field: quote(path.join(".")).slice(1, -1), problem })
}

const decodeJson = Schema.decodeUnknownEffect(Approvals, { onExcessProperty: "error" })

/** The JSON form, parsed, or the name of a preset. */
export const decode = (value: unknown): Effect.Effect<Approvals, InvalidApprovals> =>
  isPreset(value) ? Effect.succeed(presets[value]) : Effect.mapError(decodeJson(value), (error) => invalid(error.issue))

/** Gives what the settings say about a tool of an MCP server; the most specific key decides. */
export const mcpSetting = (approvals: Approvals, server: string, tool: string): Setting =>
  mcpKeys.ofTool(approvals.mcp, server, tool)

/** Gives what the settings say about a tool of the host; nothing said is ask. */
export const toolSetting = ({ tools = {} }: Approvals, name: string): Setting => ofTool(tools, name)

/** Gives what the settings say about a resource of an MCP server, whatever its address; no key of a tool widens it. */
export const resourceSetting = (approvals: Approvals, server: string, uri: string): Setting =>
  mcpKeys.ofResource(approvals.mcp, server, uri)

/**
 * The settings of a child: never wider than its own nor than its parent's, for any call. It may be stricter than
 * either: an allowed command stays only when both list it, even if the other side allows every command.
 */
export const narrow = (child: Approvals, parent: Approvals): Approvals => ({
  enabled: child.enabled && parent.enabled,
  read: strictest(child.read, parent.read),
  readOutside: strictest(child.readOutside, parent.readOutside),
  edit: strictest(child.edit, parent.edit),
  editOutside: strictest(child.editOutside, parent.editOutside),
  ...meet.protectedNames(child, parent),
  delegate: strictest(child.delegate, parent.delegate),
  fetch: strictest(child.fetch, parent.fetch),
  modeSwitch: strictest(child.modeSwitch, parent.modeSwitch),
  commands: meet.commands(child.commands, parent.commands),
  mcp: meet.mcp(child.mcp, parent.mcp),
  ...meet.tools(child, parent),
  paths: meet.paths(child, parent),
  ...meet.folders(child, parent),
  checkInRequests: soonest(child.checkInRequests, parent.checkInRequests)
})

/** 0 means never, so it is the widest. */
const soonest = (left: number, right: number): number =>
  left === 0 ? right : right === 0 ? left : Math.min(left, right)
