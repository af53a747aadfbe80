/** The flags that `run` and `task resume` share, decoded. */
import { Approvals } from "@belay/approval-policy"
import { Models, Settings } from "@belay/settings"
import type { TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { type Parsed, duration, isSet, number, text } from "../cli/Arguments.ts"
import * as ApprovalSettings from "../settings/Approvals.ts"
import { type Failure, usage } from "../cli/Failure.ts"
import * as FamiliarOptions from "./FamiliarOptions.ts"
import { isOfTask } from "../lineage/OfTask.ts"
import * as Appearance from "../output/Appearance.ts"
import type { Sink } from "../output/Sink.ts"

export interface RunOptions {
  readonly output: "text" | "json" | "stream-json" | "claude-stream-json"
  /** Answers and messages come on stdin. */
  readonly input: "stream-json" | undefined
  readonly mode: "plan" | "act" | undefined
  readonly model: string | undefined
  readonly planModel: string | undefined
  readonly thinking: Settings.Answers["thinking"]
  readonly approvals: Approvals.Approvals | undefined
  readonly sandbox: Settings.TaskSettings["sandbox"] | undefined
  readonly maxRequests: number | undefined
  readonly maxCostUsd: number | undefined
  readonly maxTokens: number | undefined
  readonly timeoutMs: number | undefined
  readonly completion: Settings.TaskSettings["completion"] | undefined
  readonly concurrency: number
  /** How text looks on stderr and on stdout. */
  readonly look: Appearance.Appearance
  readonly outLook: Appearance.Appearance
  /** Each line begins with what it is, and none is replaced. */
  readonly reader: boolean
  readonly familiar: FamiliarOptions.FamiliarOptions
}

const outputOf = (parsed: Parsed): RunOptions["output"] => (text(parsed, "output") ?? "text") as RunOptions["output"]

const inputOf = (parsed: Parsed): Result.Result<RunOptions["input"], Failure> => {
  const value = text(parsed, "input")
  return value === undefined || value === "stream-json"
    ? Result.succeed(value)
    : Result.fail(usage(`--input cannot be "${value}"`, "Use stream-json."))
}

const decodeThinking = Schema.decodeUnknownOption(Settings.Thinking)

const thinkingOf = (parsed: Parsed): Result.Result<RunOptions["thinking"], Failure> => {
  const value = text(parsed, "thinking")
  if (value === undefined) return Result.succeed(undefined)
  const found = decodeThinking(/^\d+$/.test(value) ? Number(value) : value)
  return Option.match(found, {
    onNone: () =>
      Result.fail(usage(`--thinking cannot be "${value}"`, "Use off, low, medium, high, or 1024 tokens or more.")),
    onSome: Result.succeed
  })
}

export const decode = (parsed: Parsed): Effect.Effect<RunOptions, Failure> =>
  Effect.gen(function* () {
    const approvals = text(parsed, "approvals")
    const familiar = yield* FamiliarOptions.decode(parsed)
    return {
      output: outputOf(parsed),
      input: yield* Effect.fromResult(inputOf(parsed)),
      mode: (text(parsed, "mode") as RunOptions["mode"]) ?? familiar.mode,
      model: text(parsed, "model"),
      planModel: text(parsed, "plan-model"),
      thinking: yield* Effect.fromResult(thinkingOf(parsed)),
      // What a task starts has no more rights than any task, whatever the settings of its user are.
      approvals: isOfTask()
        ? Approvals.ask
        : approvals === undefined
          ? familiar.approvals
          : yield* ApprovalSettings.decode(approvals),
      sandbox: text(parsed, "sandbox") as RunOptions["sandbox"],
      maxRequests: (yield* Effect.fromResult(number(parsed, "max-requests"))) ?? familiar.maxRequests,
      maxCostUsd: yield* Effect.fromResult(number(parsed, "max-cost-usd", true)),
      maxTokens: yield* Effect.fromResult(number(parsed, "max-tokens")),
      timeoutMs: yield* Effect.fromResult(duration(parsed, "timeout")),
      completion: text(parsed, "completion") as RunOptions["completion"],
      concurrency: (yield* Effect.fromResult(number(parsed, "concurrency"))) ?? 4,
      look: Appearance.of(parsed, "stderr"),
      outLook: Appearance.of(parsed),
      reader: isSet(parsed, "screen-reader") || process.env["BELAY_SCREEN_READER"] === "1",
      familiar
    }
  })

/** The limits that the flags give. */
export const limits = ({ maxCostUsd, maxRequests, maxTokens, timeoutMs }: RunOptions): Partial<Settings.Limits> => ({
  ...(maxRequests === undefined ? {} : { maxRequests }),
  ...(maxCostUsd === undefined ? {} : { maxCostUsd }),
  ...(maxTokens === undefined ? {} : { maxTokens }),
  ...(timeoutMs === undefined ? {} : { maxDurationMinutes: timeoutMs / 60_000 })
})

/** How much is thought holds for both modes. */
const thought = ({ act, plan }: Settings.TaskSettings, { thinking }: RunOptions): Partial<Settings.TaskSettings> => {
  if (thinking === undefined) return {}
  const both = { thinking }
  return { ...both, ...(act && { act: { ...act, ...both } }), ...(plan && { plan: { ...plan, ...both } }) }
}

/** With the MCP servers that the task has from an earlier process, unless others are given. */
export const onwards = (options: RunOptions, id: TaskId.TaskId, sink: Sink): Effect.Effect<RunOptions, Failure> =>
  options.familiar.mcp === undefined
    ? Effect.map(
        Effect.flatMap(
          Effect.promise(() => import("./GivenServers.ts")),
          ({ ofTask }) => ofTask(id, sink)
        ),
        (mcp) => (mcp === undefined ? options : { ...options, familiar: { ...options.familiar, mcp } })
      )
    : Effect.succeed(options)

/** The snapshot of a task with what the flags say; flags that were not given leave it as it is. */
export const applied = (snapshot: Settings.TaskSettings, options: RunOptions): Settings.TaskSettings =>
  FamiliarOptions.applied(
    {
      ...snapshot,
      actModel: Settings.named(options.model ?? snapshot.actModel),
      planModel: Settings.named(options.planModel ?? options.model ?? snapshot.planModel),
      ...thought(snapshot, options),
      approvals: options.approvals ?? snapshot.approvals,
      unconfirmed: options.approvals === undefined ? snapshot.unconfirmed : [],
      sandbox: options.sandbox ?? snapshot.sandbox,
      completion: options.completion ?? snapshot.completion,
      ...limits(options)
    },
    options.familiar
  )

const example = `'{"input":1,"output":4,"cacheRead":0.1,"cacheWrite":1}'`

/** Errors: one line for a limit of cost that cannot hold, before anything is asked. */
export const priced = (settings: Settings.TaskSettings, mode: "plan" | "act"): Effect.Effect<void, Failure> => {
  const model = Models.unpriced(settings, mode)
  if (model === undefined) return Effect.void
  const what = `the price of ${model} is not known, so $${settings.maxCostUsd} cannot limit its cost`
  const hint = `Set it: belay config set models.${model}.price ${example}, or limit requests with --max-requests.`
  return usage(what, hint)
}
