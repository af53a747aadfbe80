/** Settings, key, service and model of each mode, as a task would use them. Counting tokens costs nothing. */
import { Message } from "@belay/message-state"
import { ModelClient, ModelError } from "@belay/model-client"
import * as Anthropic from "@belay/model-client/anthropic"
import { TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { type Failure, fromError } from "../Failure.ts"
import * as Key from "../Key.ts"
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

const refused = (model: string, error: ModelError.ModelError): Finding => {
  const finding = ofFailure("service", fromError(error))
  const { _tag } = error.reason
  if (_tag === "InvalidRequest")
    return { ...finding, name: "model", cure: `Is there a model "${model}"? ${finding.cure}` }
  return _tag === "Unreachable"
    ? { ...finding, cure: "Check the network, the address (model.baseUrl, ANTHROPIC_BASE_URL) and the proxy." }
    : finding
}

const reached = (access: Key.Access, host: string, model: string, mode: Key.Mode) =>
  ModelClient.ModelClient.use((client) => client.countTokens(asked(model, mode))).pipe(
    Effect.provide(Anthropic.layer({ ...access, maxRetries: 0 })),
    Effect.timeoutOption(limit),
    Effect.match({
      onFailure: (error): ReadonlyArray<Finding> => [refused(model, error)],
      onSuccess: Option.match({
        onNone: () => [failed("service", `${host} said nothing within ${limit}`, "Check the network and the proxy.")],
        onSome: (tokens) => [
          ok("service", `${host} answers`),
          Option.isSome(tokens)
            ? ok("model", `${model} is there`)
            : warning("model", `${model}: this service cannot say whether it is there`, "A first task shows it.")
        ]
      })
    })
  )

const named =
  (mode: Key.Mode, isOne: boolean) =>
  (finding: Finding): Finding =>
    isOne ? finding : { ...finding, name: `${finding.name} (${mode})` }

const ofMode = (way: Key.Way, model: string, mode: Key.Mode): Effect.Effect<ReadonlyArray<Finding>> =>
  Result.match(way.access, {
    onFailure: (failure) => Effect.succeed([ofFailure("key", failure)]),
    onSuccess: (access) =>
      Effect.map(reached(access, way.server.host, model, mode), (found) => [
        ok("key", `there is one for ${Key.told(way.server)}`),
        ...found
      ])
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
