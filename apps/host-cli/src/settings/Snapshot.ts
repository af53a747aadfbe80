/** The settings of a new task: those of the user, with what a trusted folder chooses and narrows. */
import { Approvals } from "@belay/approval-policy"
import { Settings } from "@belay/settings"
import { answersOf, contextOf, type Document, hooksOf, modelIdOf, modelsOf, refusal } from "@belay/settings/file"
import * as Effect from "effect/Effect"
import type { Failure } from "../cli/Failure.ts"
import * as Project from "./Project.ts"
import { failure } from "./SettingsFile.ts"
import * as User from "./User.ts"

const least = (user: number | undefined, project: number | undefined): number | null => {
  const given = [user, project].filter((limit) => limit !== undefined)
  return given.length === 0 ? null : Math.min(...given)
}

const limitsOf = ({ budget: user }: Document, { budget: project }: Document): Settings.Limits => ({
  maxRequests: least(user?.maxRequests, project?.maxRequests),
  maxCostUsd: least(user?.maxCostUsd, project?.maxCostUsd),
  maxTokens: least(user?.maxTokens, project?.maxTokens),
  maxDurationMinutes: least(user?.maxDurationMinutes, project?.maxDurationMinutes)
})

const first = <A>(order: ReadonlyArray<A>, ...given: ReadonlyArray<A | undefined>): A | undefined =>
  order.find((value) => given.includes(value))

/** The stricter of the two holds, whoever says it. */
const confinement = (user: Document, project: Document) =>
  first(["required", "preferred", "off"] as const, user.sandbox, project.sandbox)

const acceptance = (user: Document, project: Document) =>
  first(["ask", "auto"] as const, user.completion, project.completion)

const named = (env: string | undefined): string | undefined => (env === "" ? undefined : env)

export const of = (user: Document, project: Document): Effect.Effect<Settings.TaskSettings, Failure> =>
  Effect.gen(function* () {
    const own = user.approvals === undefined ? Approvals.ask : yield* Approvals.decode(user.approvals)
    const approvals = yield* Project.narrowed(own, project.approvals)
    const model = named(process.env["BELAY_MODEL"])
    const idOf = (mode: "plan" | "act") => model ?? modelIdOf(project, mode) ?? modelIdOf(user, mode)
    const base = Settings.defaults(approvals, idOf("act"))
    return Settings.separated({
      ...base,
      planModel: Settings.named(idOf("plan") ?? base.planModel),
      models: modelsOf(user),
      ...answersOf(user),
      sandbox: confinement(user, project) ?? base.sandbox,
      allowedDomains: user.network?.allowedDomains ?? base.allowedDomains,
      completion: acceptance(user, project) ?? base.completion,
      strictPlanMode: project.strictPlanMode ?? user.strictPlanMode ?? base.strictPlanMode,
      toolCallsPerRequest: project.toolCallsPerRequest ?? user.toolCallsPerRequest ?? base.toolCallsPerRequest,
      focusChain: { ...base.focusChain, ...user.focusChain, ...project.focusChain },
      checkpoints: user.checkpoints?.enabled ?? base.checkpoints,
      hooks: hooksOf(user, project),
      ...contextOf(user),
      ...contextOf(project),
      ...limitsOf(user, project)
    })
  }).pipe(
    Effect.mapError(({ field, problem }) =>
      failure(refusal(User.file(), { setting: `approvals.${field}`, value: undefined, problem }))
    )
  )
