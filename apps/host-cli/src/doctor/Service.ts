/** Settings, key, service and model of each mode, as a task would use them. Counting tokens costs nothing. */
import * as DataFolder from "@belay/history-store/data-folder"
import { Message } from "@belay/message-state"
import { ModelClient, ModelError, Proxies } from "@belay/model-client"
import * as Servers from "@belay/model-client/servers"
import * as Reach from "@belay/model-client/reach"
import { TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { type Failure, fromError } from "../cli/Failure.ts"
import * as Key from "../settings/Key.ts"
import * as Snapshot from "../settings/Snapshot.ts"
import * as User from "../settings/User.ts"
import { failed, type Finding, ok, warning } from "./Finding.ts"

const limit = "15 seconds"

const asked = (model: string, mode: Key.Mode): Parameters<ModelClient.ModelClient["Service"]["countTokens"]>[0] => ({
  taskId: TaskId.TaskId.make("doctor"),
  model,
  mode,
  system: [],
  tools: [],
  messages: [Message.user(Message.text("Are you there?"))],
  maxTokens: 1
})

/** The first sentence is what happened, the rest what to do. */
const ofFailure = (name: string, failure: Failure): Finding => failed(name, failure.what, failure.hint)

const refused = (server: Key.Server, model: string, error: ModelError.ModelError): Finding => {
  const finding = ofFailure("service", fromError(error))
  const { _tag } = error.reason
  if (_tag === "InvalidRequest")
    return { ...finding, name: "model", cure: `Is there a model "${model}"? ${finding.cure}` }
  return _tag === "Unreachable"
    ? server.service?.isOwn === true
      ? { ...finding, cure: `Start ${server.service.title}, or say where it is: belay config set model.baseUrl URL` }
      : { ...finding, cure: "Check the network, the address (model.baseUrl, ANTHROPIC_BASE_URL) and the proxy." }
    : finding
}

const reached = (access: Key.Access, server: Key.Server, model: string, mode: Key.Mode) =>
  ModelClient.ModelClient.use((client) => client.countTokens(asked(model, mode))).pipe(
    Effect.provide(
      Reach.layer({
        ...access,
        server,
        maxRetries: 0,
        countsTokens: true,
        directory: DataFolder.directory(),
        env: process.env,
        proxies: Proxies.ofEnvironment(process.env)
      })
    ),
    Effect.timeoutOption(limit),
    Effect.match({
      onFailure: (error): ReadonlyArray<Finding> => [refused(server, model, error)],
      onSuccess: Option.match({
        onNone: () => [
          failed("service", `${Key.titled(server)} said nothing within ${limit}`, "Check the network and the proxy.")
        ],
        onSome: (tokens) => [
          ...(isAsked(server) ? [ok("service", `${Key.titled(server)} answers`)] : []),
          Option.isSome(tokens)
            ? ok("model", `${model} is there`)
            : warning("model", `${model}: ${unsaid(server)}`, `To find out: belay models test ${model}`)
        ]
      })
    })
  )

/** A cloud that cannot count tokens is not asked; every other one answers at least that it cannot. */
const isAsked = (server: Key.Server): boolean => !Servers.isCloud(server) || server.service?.countsTokens === true

const unsaid = (server: Key.Server): string =>
  isAsked(server)
    ? "this service cannot say whether it is there"
    : `${Key.titled(server)} cannot say whether it is there without an answer`

const keyOf = (server: Key.Server, { from }: Key.Access): string => {
  if (Servers.isCloud(server)) return `${Key.titled(server)} has credentials of its own`
  return from === undefined
    ? `none for ${Key.titled(server)}, which needs none unless it was set up to`
    : `there is one for ${Key.told(server)} (${from})`
}

const named =
  (mode: Key.Mode, isOne: boolean) =>
  (finding: Finding): Finding =>
    isOne ? finding : { ...finding, name: `${finding.name} (${mode})` }

const ofMode = (way: Key.Way, model: string, mode: Key.Mode): Effect.Effect<ReadonlyArray<Finding>> =>
  Result.match(way.access, {
    onFailure: (failure) => Effect.succeed([ofFailure("key", failure)]),
    onSuccess: (access) =>
      Effect.map(reached(access, way.server, model, mode), (found) => [ok("key", keyOf(way.server, access)), ...found])
  })

/** A mode that has no key of its own does not keep the other from being looked at. */
const waysOf = (configured: Key.Configured) =>
  Effect.catch(Key.ways("act", configured), (act) => Effect.catch(Key.ways("plan", configured), () => Effect.fail(act)))

export const findings: Effect.Effect<ReadonlyArray<Finding>> = Effect.gen(function* () {
  const user = yield* User.load
  const settings = yield* Snapshot.of(user, {})
  const ways = yield* Effect.result(waysOf(user.model))
  const good = ok("settings", User.file())
  if (Result.isFailure(ways)) return [good, ofFailure("key", ways.failure)]
  const { act, plan } = ways.success
  const isOne = act === plan && settings.actModel === settings.planModel
  const acting = yield* ofMode(act, settings.actModel, "act")
  const planning = isOne ? [] : yield* ofMode(plan, settings.planModel, "plan")
  return [good, ...acting.map(named("act", isOne)), ...planning.map(named("plan", isOne))]
}).pipe(Effect.catch((failure) => Effect.succeed([ofFailure("settings", failure)])))
