/** The settings of a folder, once a person trusts it: they choose and they narrow, and never widen what may run. */
import { Approvals } from "@belay/approval-policy"
import { decode, type Document, refusal } from "@belay/settings/file"
import * as Effect from "effect/Effect"
import * as Trust from "@belay/settings/trust"
import * as path from "node:path"
import { type Failure, usage } from "../cli/Failure.ts"
import { failure } from "./SettingsFile.ts"
import * as Trusting from "./Trusting.ts"

const parse = (file: string, text: string): Effect.Effect<unknown, Failure> =>
  Effect.try({
    try: (): unknown => JSON.parse(text),
    catch: () => usage(`the settings are not JSON (${file})`, "Correct them.")
  })

/** What would widen something whatever its value is. */
const widening = ({
  checkpoints,
  env,
  model,
  models,
  network,
  sandbox,
  shell,
  strictPlanMode
}: Document): string | undefined => {
  if (checkpoints !== undefined) return "checkpoints"
  if (model?.baseUrl !== undefined) return "model.baseUrl"
  if (model?.service !== undefined) return "model.service"
  if (model?.services !== undefined) return "model.services"
  for (const field of ["maxOutputTokens", "firstByteSeconds", "thinking", "temperature"] as const) {
    if (model?.[field] !== undefined) return `model.${field}`
  }
  for (const mode of ["act", "plan"] as const) {
    const own = model?.[mode]
    const other = typeof own === "object" ? Object.keys(own).find((field) => field !== "id") : undefined
    if (other !== undefined) return `model.${mode}.${other}`
  }
  if (models !== undefined) return "models"
  if (env !== undefined) return "env"
  if (network !== undefined) return "network"
  if (shell !== undefined) return "shell"
  if (sandbox === "off") return "sandbox"
  return strictPlanMode === false ? "strictPlanMode" : undefined
}

/** The settings of a workspace that count; `ask` where it was not said whether it is trusted. Errors: one line for trusted settings that cannot be used. */
export const load = (workspace: string, ask: Trusting.Ask | undefined): Effect.Effect<Document, Failure> =>
  Effect.gen(function* () {
    const content = ask === undefined ? Trust.content(workspace) : Trust.everything(workspace)
    if (content._tag !== "Whole" || Trusting.named(content) === "") return {}
    if (!(yield* Trusting.isTrusted(workspace, content, ask)) || content.settings === undefined) return {}
    const file = path.join(workspace, ".belay", "settings.json")
    const document = yield* Effect.mapError(decode(yield* parse(file, content.settings)), (wrong) =>
      failure(refusal(file, wrong))
    )
    const wide = widening(document)
    return wide === undefined
      ? document
      : yield* usage(`a project may not set ${wide} (${file})`, "Take it out; set it for yourself: belay config set.")
  })

type Fields = Readonly<Record<string, unknown>>

const fieldsOf = (approvals: unknown): Fields =>
  typeof approvals === "object" && approvals !== null ? { ...approvals } : {}

/** Fields left out have the user's value; whatever is said, it is never wider than the user's. */
export const narrowed = (
  user: Approvals.Approvals,
  project: unknown
): Effect.Effect<Approvals.Approvals, Approvals.InvalidApprovals> => {
  if (project === undefined) return Effect.succeed(user)
  const said = fieldsOf(project)
  const commands = { ...user.commands, ...fieldsOf(said["commands"]) }
  const whole = typeof project === "string" ? project : { ...user, ...said, commands }
  return Effect.map(Approvals.decode(whole), (own) => Approvals.narrow(own, user))
}
