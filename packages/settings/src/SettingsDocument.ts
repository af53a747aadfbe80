/** What a settings file may say, as one schema for all files and for whatever reads or writes them, and what follows. */
import { NetworkRule } from "@belay/approval-policy"
import * as Services from "@belay/model-client/services"
import { type Hook, HookConfig } from "@belay/tool-executor/hooks"
import * as Schema from "effect/Schema"
import * as Settings from "./Settings.ts"

const Above0 = Schema.Finite.check(Schema.isGreaterThan(0))
const WholeAbove0 = Schema.Int.check(Schema.isGreaterThan(0))
const Tokens = WholeAbove0
const Name = Schema.NonEmptyString

/** A login in a URL would be a key in a file that is shown. */
const unusable = (text: string): string | undefined => {
  if (!URL.canParse(text)) return "Expected a URL"
  const { password, protocol, username } = new URL(text)
  if (protocol !== "https:" && protocol !== "http:") return "Expected a URL of http or https"
  return username === "" && password === "" ? undefined : "Expected a URL without a login"
}

/** One of the services that have a name. */
const ServiceName = Schema.String.check(
  Schema.makeFilter((name: string) =>
    Services.find(name) === undefined ? `Expected one of ${Services.names.join(", ")}` : undefined
  )
)

const BaseUrl = Schema.String.check(Schema.makeFilter(unusable))

/** A service that one mode has for itself. Its key is stored for the mode and this host, never in a file of settings. */
const Service = Schema.Struct({ baseUrl: BaseUrl })

/** What is asked of answers. */
const Answers = {
  thinking: Schema.optionalKey(Settings.Thinking),
  maxOutputTokens: Schema.optionalKey(Tokens),
  temperature: Schema.optionalKey(Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 2 })))
}

/** A model by its name, or with what its mode has for itself; what is left out is as for both modes. */
const ModelOfMode = Schema.Union([
  Name,
  Schema.Struct({
    id: Schema.optionalKey(Name),
    service: Schema.optionalKey(ServiceName),
    baseUrl: Schema.optionalKey(BaseUrl),
    ...Answers
  })
])

const Model = Schema.Struct({
  act: Schema.optionalKey(ModelOfMode),
  plan: Schema.optionalKey(ModelOfMode),
  /** A service by its name; with a base URL it is there. */
  service: Schema.optionalKey(ServiceName),
  /** Whose key is used is decided by its host. */
  baseUrl: Schema.optionalKey(BaseUrl),
  /** In which the first byte of an answer has to come. */
  firstByteSeconds: Schema.optionalKey(WholeAbove0),
  ...Answers,
  /** Servers of the modes, as earlier versions have them. */
  services: Schema.optionalKey(Schema.Struct({ act: Schema.optionalKey(Service), plan: Schema.optionalKey(Service) }))
})

/** Tokens, and US dollars per million tokens. */
const Limits = Schema.Struct({
  ...Settings.ModelLimits.fields,
  inputLimit: Schema.optionalKey(Tokens),
  outputReserve: Schema.optionalKey(Tokens),
  maxOutput: Schema.optionalKey(Tokens)
})

const Budget = Schema.Struct({
  maxRequests: Schema.optionalKey(WholeAbove0),
  maxCostUsd: Schema.optionalKey(Above0),
  maxTokens: Schema.optionalKey(WholeAbove0),
  maxDurationMinutes: Schema.optionalKey(Above0)
})

const FocusChain = Schema.Struct({
  enabled: Schema.optionalKey(Schema.Boolean),
  remindAfter: Schema.optionalKey(WholeAbove0),
  completionNeedsAllDone: Schema.optionalKey(Schema.Boolean)
})

const Checkpoints = Schema.Struct({
  enabled: Schema.optionalKey(Schema.Boolean),
  /** Of all workspaces together. */
  maxGigabytes: Schema.optionalKey(Above0),
  maxAgeDays: Schema.optionalKey(Above0)
})

/** `condenseAt` is in percent of what the model can take. */
const Context = Schema.Struct({
  condenseAt: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 20, maximum: 95 }))),
  autoCondense: Schema.optionalKey(Schema.Boolean)
})

const Network = Schema.Struct({
  /** Exact hosts that confined commands reach, with a port each or its usual ones. */
  allowedDomains: Schema.optionalKey(NetworkRule.AllowedDomains)
})

/** A name, or the beginning of names with a `*` behind it; never all of them. */
const Variable = Schema.String.check(
  Schema.makeFilter((name: string) =>
    /^[A-Za-z_][A-Za-z0-9_.()-]*\*?$/.test(name) ? undefined : "Expected a name, or how names begin, with a * behind it"
  )
)

/** Variables of the environment that commands and servers see besides what is passed anyway, and those that they do not. */
const Variables = Schema.Struct({
  pass: Schema.optionalKey(Schema.Array(Variable)),
  block: Schema.optionalKey(Schema.Array(Variable))
})

/** The program that command lines run in. */
const Shell = Schema.Struct({ bash: Schema.optionalKey(Name) })

/** What keys do in the composer of the terminal. */
const Keys = Schema.Struct({
  editor: Schema.optionalKey(Schema.Literals(["plain", "vim"])),
  /** How often Escape is pressed until the task stops. */
  escape: Schema.optionalKey(Schema.Literals(["once", "twice"]))
})

/** How the conversation is shown in a terminal, and what is asked of it. */
const Terminal = Schema.Struct({
  /** Who wraps what is said. */
  wrap: Schema.optionalKey(Schema.Literals(["words", "terminal"])),
  /** It has the title of the task. */
  title: Schema.optionalKey(Schema.Boolean),
  /** Keys that have one code are told apart, or never. */
  keys: Schema.optionalKey(Schema.Literals(["enhanced", "plain"])),
  escapeMs: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1000 })))
})

/** How a person who looks elsewhere hears of what waits for them: `osc` through the terminal, where it can. */
const Notify = Schema.Struct({ osc: Schema.optionalKey(Schema.Boolean) })

export const Document = Schema.Struct({
  /** A preset or an object; read by the policy's own schema. */
  approvals: Schema.optionalKey(Schema.Unknown),
  sandbox: Schema.optionalKey(Schema.Literals(["required", "preferred", "off"])),
  network: Schema.optionalKey(Network),
  env: Schema.optionalKey(Variables),
  shell: Schema.optionalKey(Shell),
  keys: Schema.optionalKey(Keys),
  notify: Schema.optionalKey(Notify),
  terminal: Schema.optionalKey(Terminal),
  completion: Schema.optionalKey(Schema.Literals(["ask", "auto"])),
  strictPlanMode: Schema.optionalKey(Schema.Boolean),
  toolCallsPerRequest: Schema.optionalKey(Schema.Literals(["many", "one"])),
  focusChain: Schema.optionalKey(FocusChain),
  model: Schema.optionalKey(Model),
  models: Schema.optionalKey(Schema.Record(Schema.String, Limits)),
  budget: Schema.optionalKey(Budget),
  checkpoints: Schema.optionalKey(Checkpoints),
  context: Schema.optionalKey(Context),
  /** Commands that are asked before calls; those of a project narrow only. */
  hooks: Schema.optionalKey(HookConfig.Config)
})

/** A file that was checked; `approvals` is as it was written, since fields left out may come from elsewhere. */
export type Document = typeof Document.Type

/** Says when a conversation is condensed with these settings; what is left out is as by default. */
export const contextOf = ({
  context: { autoCondense, condenseAt } = {}
}: Document): Partial<Pick<Settings.TaskSettings, "condenseAt" | "autoCondense">> => ({
  ...(condenseAt === undefined ? {} : { condenseAt: condenseAt / 100 }),
  ...(autoCondense === undefined ? {} : { autoCondense })
})

/** What one mode has for itself. */
const ownOf = (model: Document["model"], mode: "plan" | "act"): Exclude<typeof ModelOfMode.Type, string> => {
  const said = model?.[mode]
  return typeof said === "string" ? { id: said } : (said ?? {})
}

/** The name of the model of a mode. */
export const modelIdOf = ({ model }: Document, mode: "plan" | "act"): string | undefined => ownOf(model, mode).id

const asked = ({ maxOutputTokens, temperature, thinking }: Settings.Answers): Settings.Answers => ({
  ...(thinking === undefined ? {} : { thinking }),
  ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
  ...(temperature === undefined ? {} : { temperature })
})

/** Gives what is asked of answers with these settings, in both modes and in each. */
export const answersOf = ({
  model = {}
}: Document): Settings.Answers & Partial<Pick<Settings.TaskSettings, "act" | "plan">> => {
  const own = (mode: "plan" | "act") => {
    const said = asked(ownOf(model, mode))
    return Object.keys(said).length === 0 ? {} : { [mode]: said }
  }
  return { ...asked(model), ...own("act"), ...own("plan") }
}

/** Which variables of the environment pass, as `CommandRunner` and `McpServers` take it. */
export const variablesOf = ({
  env: { block = [], pass = [] } = {}
}: Document): { readonly pass: ReadonlyArray<string>; readonly block: ReadonlyArray<string> } => ({ pass, block })

/** Gives the hooks of the user and of a trusted project, in this order. */
export const hooksOf = (user: Document, project: Document): ReadonlyArray<Hook.Hook> => [
  ...HookConfig.hooksOf(user.hooks ?? {}, "user"),
  ...HookConfig.hooksOf(project.hooks ?? {}, "project")
]

/** Gives what the user says of models. */
export const modelsOf = ({ models = {} }: Document): Settings.TaskSettings["models"] => models

/** Says how long checkpoints are kept and how much of them, as `Checkpoints.layerNode` takes it. */
export const checkpointBounds = ({
  checkpoints = {}
}: Document): { readonly maxAge?: `${number} days`; readonly maxBytes?: number } => ({
  ...(checkpoints.maxAgeDays === undefined ? {} : { maxAge: `${checkpoints.maxAgeDays} days` }),
  ...(checkpoints.maxGigabytes === undefined ? {} : { maxBytes: checkpoints.maxGigabytes * 1_000_000_000 })
})
