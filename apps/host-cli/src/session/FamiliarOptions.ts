/** What the options that other agents have, too, change of a task. */
import { Approvals } from "@belay/approval-policy"
import type { Settings } from "@belay/settings"
import { ResultSchema } from "@belay/task-engine"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import { readFileSync } from "node:fs"
import { number, type Parsed, text, texts } from "../cli/Arguments.ts"
import * as AddedFolder from "../settings/AddedFolder.ts"
import { type Failure, usage } from "../cli/Failure.ts"
import type { Given } from "./GivenServers.ts"
import * as Home from "../settings/Home.ts"
import * as ToolRules from "../settings/ToolRules.ts"

export interface FamiliarOptions {
  /** Whatever mode a task that goes on was in. */
  readonly mode?: "plan" | "act"
  readonly approvals?: Approvals.Approvals
  readonly maxRequests?: number
  readonly rules: ReadonlyArray<ToolRules.Translated>
  readonly system?: Settings.SystemText
  readonly resultSchema?: Schema.Json
  /** Folders that count as the workspace does, absolute and resolved. */
  readonly folders: ReadonlyArray<string>
  /** MCP servers of this run. */
  readonly mcp?: Given
}

type Permission = Pick<FamiliarOptions, "mode" | "approvals">

const permissions: Readonly<Record<string, Permission>> = {
  default: { mode: "act", approvals: Approvals.ask },
  acceptEdits: { mode: "act", approvals: Approvals.edits },
  bypassPermissions: { mode: "act", approvals: Approvals.all },
  plan: { mode: "plan" }
}

const permission = (parsed: Parsed): Effect.Effect<Permission, Failure> => {
  const given = text(parsed, "permission-mode")
  if (given === undefined) return Effect.succeed({})
  const found = Object.hasOwn(permissions, given) ? permissions[given] : undefined
  if (found === undefined) {
    const hint =
      given === "dontAsk"
        ? "Run it without a terminal, where what would ask is denied."
        : `Use one of ${Object.keys(permissions).join(", ")}.`
    return Effect.fail(usage(`--permission-mode cannot be "${given}"`, hint))
  }
  if (found.approvals !== undefined && text(parsed, "approvals") !== undefined) {
    return Effect.fail(usage("--permission-mode and --approvals say the same thing", "Leave one of them out."))
  }
  return found.mode === "plan" && text(parsed, "mode") === "act"
    ? Effect.fail(usage("--permission-mode plan and --mode act contradict each other", "Leave one of them out."))
    : Effect.succeed(found)
}

/** JSON itself, or the text of a file. */
const textOf = (given: string, what: string, flag: string): Effect.Effect<string, Failure> =>
  given.trimStart().startsWith("{")
    ? Effect.succeed(given)
    : Effect.try({
        try: () => readFileSync(given, "utf8"),
        catch: () => usage(`${what} cannot be read (${given}, ${flag})`, "Give a file, or the JSON itself.")
      })

const foldersOf = (parsed: Parsed): Effect.Effect<ReadonlyArray<string>, Failure> =>
  Effect.forEach(texts(parsed, "add-dir"), (given) =>
    Effect.flatMap(Effect.fromResult(Home.workspace(text(parsed, "cwd"))), (workspace) =>
      AddedFolder.of(given, workspace)
    )
  )

/** The servers of all files. */
const serversOf = (parsed: Parsed): Effect.Effect<Pick<FamiliarOptions, "mcp">, Failure> =>
  Effect.gen(function* () {
    const given = texts(parsed, "mcp-config")
    if (given.length === 0) return {}
    const { of } = yield* Effect.promise(() => import("./GivenServers.ts"))
    const all = yield* Effect.forEach(given, (said) =>
      Effect.map(textOf(said, "the MCP servers", "--mcp-config"), (text) => ({ said, text }))
    )
    return { mcp: yield* of(all) }
  })

/** The rules of both lists; what is denied is said last, so that it holds. */
export const rulesOf = (parsed: Parsed): Effect.Effect<ReadonlyArray<ToolRules.Translated>, Failure> =>
  Effect.gen(function* () {
    const allowed = yield* Effect.fromResult(ToolRules.translate(texts(parsed, "allowed-tools"), "allow"))
    const denied = yield* Effect.fromResult(ToolRules.translate(texts(parsed, "disallowed-tools"), "deny"))
    return [...allowed, ...denied]
  })

const systemOf = (parsed: Parsed): Pick<FamiliarOptions, "system"> => {
  const [replace, append] = [text(parsed, "system-prompt"), text(parsed, "append-system-prompt")]
  if (replace === undefined && append === undefined) return {}
  return { system: { ...(replace === undefined ? {} : { replace }), ...(append === undefined ? {} : { append }) } }
}

/** A schema of which all can be checked. */
const schemaOf = (parsed: Parsed): Effect.Effect<Pick<FamiliarOptions, "resultSchema">, Failure> =>
  Effect.gen(function* () {
    const given = text(parsed, "json-schema")
    if (given === undefined) return {}
    const whole = yield* textOf(given, "the JSON Schema", "--json-schema")
    const resultSchema = yield* Effect.try({
      try: (): Schema.Json => JSON.parse(whole),
      catch: () => usage("the JSON Schema is not JSON (--json-schema)", "Correct it.")
    })
    yield* Effect.mapError(ResultSchema.read(resultSchema), ({ why }) =>
      usage(`the JSON Schema cannot be used, ${why.replace(/\.$/u, "")} (--json-schema)`, "Write it another way.")
    )
    return { resultSchema }
  })

export const decode = (parsed: Parsed): Effect.Effect<FamiliarOptions, Failure> =>
  Effect.gen(function* () {
    const turns = yield* Effect.fromResult(number(parsed, "max-turns"))
    return {
      ...(yield* permission(parsed)),
      ...(turns === undefined ? {} : { maxRequests: turns }),
      rules: yield* rulesOf(parsed),
      folders: yield* foldersOf(parsed),
      ...(yield* serversOf(parsed)),
      ...systemOf(parsed),
      ...(yield* schemaOf(parsed))
    }
  })

const withFolders = (approvals: Approvals.Approvals, folders: ReadonlyArray<string>): Approvals.Approvals =>
  folders.length === 0 ? approvals : { ...approvals, folders: [...new Set([...(approvals.folders ?? []), ...folders])] }

/** The snapshot of a task with what they say. */
export const applied = (
  snapshot: Settings.TaskSettings,
  { folders, mcp, resultSchema, rules, system }: FamiliarOptions
): Settings.TaskSettings => {
  const without = [...new Set([...(snapshot.withoutTools ?? []), ...ToolRules.withoutOf(rules)])]
  return {
    ...snapshot,
    approvals: withFolders(ToolRules.approvalsOf(rules, snapshot.approvals), folders),
    ...(without.length === 0 ? {} : { withoutTools: without }),
    ...(system === undefined ? {} : { system: { ...snapshot.system, ...system } }),
    ...(resultSchema === undefined ? {} : { resultSchema }),
    ...(mcp === undefined ? {} : { mcpConfig: mcp.from })
  }
}
