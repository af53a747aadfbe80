/**
 * The settings of this machine and user, read when a task begins: it keeps a snapshot, and no window changes it.
 *
 * All that widens what may run has the scope `machine`, so a workspace cannot set it. What cannot be used stops the
 * task before it starts, with the name of the setting. Of the file of the `belay` command it takes the models, and when to condense.
 */
import { Approvals, NetworkRule } from "@belay/approval-policy"
import * as Services from "@belay/model-client/services"
import { Settings } from "@belay/settings"
import { defaultConcurrency } from "@belay/task-engine"
import * as SettingsFile from "@belay/settings/file"
import type { PassedVariables } from "@belay/tool-executor/workspace"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import * as path from "node:path"
import { workspace } from "vscode"
import { Refusal } from "../vscode/Bridge.ts"
import * as Home from "../activation/Home.ts"

const approvalFields =
  "read readOutside edit editOutside protected delegate fetch modeSwitch commands mcp tools paths checkInRequests".split(
    " "
  )

const config = () => workspace.getConfiguration("belay")

const openSettings = [{ title: "Open settings", command: "belay.openSettings" }]

const refuse = (field: string, problem: string) => {
  const line = `Belay did not start the task: the setting belay.${field} is not valid (${problem}). Correct it.`
  return new Refusal({ line, actions: openSettings })
}

const Count = Schema.Natural
const Amount = Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0))

const Address = Schema.String.check(
  Schema.makeFilter((url: string) =>
    url.trim() === "" || /^https?:\/\/[^/]/u.test(url.trim()) ? undefined : "must be an address such as https://host"
  )
)

const ServiceName = Schema.Literals(["", ...Services.names])

/** All settings but the approvals, which have a schema of their own; a name that is not here is read by nobody. */
const Fields = Schema.Struct({
  "model.act": Schema.String,
  "model.plan": Schema.String,
  "model.service": ServiceName,
  "model.actService": ServiceName,
  "model.planService": ServiceName,
  "model.baseUrl": Address,
  "model.actBaseUrl": Address,
  "model.planBaseUrl": Address,
  "model.thinking": Schema.Literals(["", "off", "low", "medium", "high"]),
  "budget.maxCostUsd": Amount,
  "budget.maxRequests": Count,
  "budget.maxDurationMinutes": Amount,
  sandbox: Schema.Literals(["required", "preferred", "off"]),
  "network.allowedDomains": NetworkRule.AllowedDomains,
  completion: Schema.Literals(["ask", "auto"]),
  "focusChain.enabled": Schema.Boolean,
  "focusChain.remindAfter": Count.check(Schema.isGreaterThanOrEqualTo(1)),
  "focusChain.completionNeedsAllDone": Schema.Boolean,
  "tasks.concurrency": Count.check(Schema.isGreaterThanOrEqualTo(1)),
  "checkpoints.enabled": Schema.Boolean,
  "shell.bash": Schema.String,
  "history.home": Schema.String
})
type Fields = typeof Fields.Type

const decodeFields = Schema.decodeUnknownEffect(Fields)
const format = SchemaIssue.makeFormatterStandardSchemaV1()

const fields: Effect.Effect<Fields, Refusal> = Effect.suspend(() => {
  const given = Object.keys(Fields.fields).map((name) => [name, config().get<unknown>(name)] as const)
  return Effect.mapError(decodeFields(Object.fromEntries(given)), ({ issue }) => {
    const [first] = format(issue).issues
    const [name] = first?.path ?? []
    return refuse(String(typeof name === "object" ? name.key : name), first?.message ?? "not usable")
  })
})

/** In a folder that is not trusted every command, every tool of a server or of the program and every protected name asks; what is denied stays denied. */
const restricted = (approvals: Approvals.Approvals): Approvals.Approvals => {
  const asked = (setting: Approvals.Setting): Approvals.Setting => (setting === "deny" ? "deny" : "ask")
  const all = (settings: Readonly<Record<string, Approvals.Setting>>) =>
    Object.fromEntries(Object.entries(settings).map(([name, setting]) => [name, asked(setting)]))
  return {
    ...approvals,
    protected: "ask",
    commands: {
      ...approvals.commands,
      allow: [],
      other: asked(approvals.commands.other),
      readOnly: "ask",
      checks: "ask"
    },
    mcp: all(approvals.mcp),
    tools: all(approvals.tools ?? {})
  }
}

const approvals: Effect.Effect<Approvals.Approvals, Refusal> = Effect.suspend(() => {
  const given = approvalFields.map((field) => [field, config().get<unknown>(`approvals.${field}`)] as const)
  const set = Object.fromEntries(given.filter(([, value]) => value !== undefined))
  return Approvals.decode(set).pipe(
    Effect.map((decoded) => (workspace.isTrusted ? decoded : restricted(decoded))),
    Effect.mapError(({ field, problem }) => refuse(`approvals.${field}`, problem))
  )
})

/** What the settings say of MCP tools, as the view shows it. */
export const mcpApprovals: Effect.Effect<Approvals.Approvals> = Effect.suspend(() =>
  Effect.orElseSucceed(approvals, () => Approvals.ask)
)

/** A snapshot as a window on a folder that is not trusted may go on with it. */
export const narrowed = (settings: Settings.TaskSettings): Settings.TaskSettings =>
  workspace.isTrusted
    ? settings
    : {
        ...settings,
        approvals: restricted(settings.approvals),
        allowedDomains: [],
        grants: [],
        folderGrants: false,
        unconfirmed: []
      }

const text = (name: string): string | undefined => {
  const value = String(config().get<unknown>(name, "")).trim()
  return value === "" ? undefined : value
}

const limit = (name: string): number | null => {
  const value = config().get<unknown>(name)
  return typeof value === "number" && value > 0 ? value : null
}

/** The server of a mode alone; without a mode, of both. */
export const baseUrl = (mode?: "plan" | "act"): string | undefined =>
  text(mode === undefined ? "model.baseUrl" : `model.${mode}BaseUrl`)

/** The service of a mode alone, by its name; without a mode, of both. */
export const service = (mode?: "plan" | "act"): string | undefined =>
  text(mode === undefined ? "model.service" : `model.${mode}Service`)

export const concurrency = (): number => limit("tasks.concurrency") ?? defaultConcurrency

/** The model of a mode, where the settings name one. */
export const model = (mode: "plan" | "act"): string | undefined => text(`model.${mode}`)

/** What both hosts take from `settings.json` of the data folder: limits and prices of models, how long an answer may be, when to condense, hooks. */
export const shared: Effect.Effect<Partial<Settings.TaskSettings>, Refusal> = Effect.suspend(() =>
  SettingsFile.load(path.join(Home.directory(), "settings.json")).pipe(
    Effect.map((document) => ({
      models: SettingsFile.modelsOf(document),
      ...SettingsFile.answersOf(document),
      ...SettingsFile.contextOf(document),
      hooks: SettingsFile.hooksOf(document, {})
    })),
    Effect.mapError(({ message }) => new Refusal({ line: `Belay did not start the task: ${message}` }))
  )
)

/** Which variables commands and servers see, as `settings.json` of the data folder says; a file that cannot be used passes no more. */
export const variables: Effect.Effect<PassedVariables.Rules> = Effect.suspend(() =>
  SettingsFile.load(path.join(Home.directory(), "settings.json")).pipe(
    Effect.map(SettingsFile.variablesOf),
    Effect.orElseSucceed(() => ({ pass: [], block: ["*"] }))
  )
)

/** The bash that is named here, else in `settings.json` of the data folder. */
export const bash: Effect.Effect<string | undefined> = Effect.suspend(() => {
  const own = text("shell.bash")
  return own === undefined
    ? SettingsFile.load(path.join(Home.directory(), "settings.json")).pipe(
        Effect.map(({ shell }) => shell?.bash),
        Effect.orElseSucceed(() => undefined)
      )
    : Effect.succeed(own)
})

/** The snapshot of a task that begins now. Errors: `Refusal` that names the setting. */
export const forTask: Effect.Effect<Settings.TaskSettings, Refusal> = Effect.gen(function* () {
  const given = yield* fields
  const approved = yield* approvals
  const base = Settings.defaults(approved, model("act") ?? process.env["BELAY_MODEL"] ?? undefined)
  return Settings.separated({
    ...base,
    folderGrants: workspace.isTrusted,
    ...(yield* shared),
    ...(given["model.thinking"] === "" ? {} : { thinking: given["model.thinking"] }),
    checkpoints: config().get<boolean>("checkpoints.enabled") !== false,
    planModel: Settings.named(model("plan") ?? base.planModel),
    sandbox: given.sandbox,
    allowedDomains: workspace.isTrusted ? given["network.allowedDomains"] : [],
    completion: given.completion,
    focusChain: {
      enabled: given["focusChain.enabled"],
      remindAfter: given["focusChain.remindAfter"],
      completionNeedsAllDone: given["focusChain.completionNeedsAllDone"]
    },
    maxRequests: limit("budget.maxRequests"),
    maxCostUsd: limit("budget.maxCostUsd"),
    maxDurationMinutes: limit("budget.maxDurationMinutes")
  })
})
