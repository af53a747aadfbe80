/**
 * What was denied as a run tells it at its end: with the entry of the approvals that would have let it run, tried on the
 * policy itself, and the flag with which all of it runs the next time.
 */
import { Approvals } from "@belay/approval-policy"
import type { TaskHistory } from "@belay/history-store"
import { Settings } from "@belay/settings"
import { AskText, McpCall, Transcript, Words } from "@belay/interaction"
import { TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Denied } from "./Denials.ts"
import * as Entry from "./Entry.ts"
import * as Explain from "./Explain.ts"

export interface Denial {
  readonly taskId: string
  readonly tool: string
  /** The command, the path, the address: what the call was about. */
  readonly what: string
  readonly rule: string
  readonly reason: string
  /** With this in the approvals it would have run; null where nothing can allow it beforehand. */
  readonly allow: Entry.Entry | null
}

/** What a run tells of it. */
export interface Told {
  readonly denials: ReadonlyArray<Denial>
  /** For people; none when nothing was denied. */
  readonly lines: ReadonlyArray<string>
}

const settingsOf = (history: TaskHistory["Service"], taskId: string) =>
  Effect.gen(function* () {
    const row = yield* history.row(TaskId.TaskId.make(taskId))
    if (Option.isNone(row)) return undefined
    const own = yield* Effect.option(Settings.decode(row.value.meta.settings))
    return Option.isNone(own) ? undefined : { ...row.value.meta, settings: own.value }
  })

type Owner = Effect.Success<ReturnType<typeof settingsOf>>

const entryFor = (denied: Denied, owner: NonNullable<Owner>) =>
  Effect.gen(function* () {
    const { settings } = owner
    const question: Explain.Question = {
      tool: denied.tool,
      args: denied.args,
      mode: owner.mode,
      approvals: settings.approvals,
      sandboxSetting: settings.sandbox,
      allowedDomains: settings.allowedDomains,
      strictPlanMode: settings.strictPlanMode,
      unconfirmed: settings.unconfirmed,
      workspace: owner.workspace,
      attended: false
    }
    const { resolved, rule } = denied
    return (yield* Entry.of(question, { rule, resolved: resolved ?? {} })) ?? null
  })

/** The approvals as the flag takes them: a preset, or what differs from `ask`. */
const flagOf = (approvals: Approvals.Approvals): string => {
  const preset = Approvals.presetOf(approvals)
  if (preset !== undefined) return preset
  const all = Approvals.written(approvals)
  return `'${JSON.stringify(all).replaceAll("'", "'\\''")}'`
}

/** Further ones are counted. */
const shown = 10

const lineOf = ({ args, rule, tool }: Denied, { allow, reason }: Denial, times: number): string => {
  const payload = { question: `${tool} ${JSON.stringify(args)}` }
  const what = AskText.line({ kind: "approval", callId: null, payload })
  const often = times === 1 ? "" : `, ${times} times`
  // An entry that is there and does not cover it needs to be told why.
  const [short = ""] = /^An entry for .* does not cover .*(?=; others: )/su.exec(reason) ?? []
  const why =
    allow === null
      ? ` Nothing allows it beforehand: ${Words.printable(reason)}`
      : `${short === "" ? "" : ` ${Words.printable(short)}.`} Entry: ${JSON.stringify(allow)}`
  return `Denied${often}: ${what} (${rule}).${why}`
}

/** What was denied, with what would have allowed it. */
export const of = Effect.fnUntraced(function* (history: TaskHistory["Service"], all: ReadonlyArray<Denied>) {
  const denials: Array<Denial> = []
  const lines = new Map<string, { readonly of: readonly [Denied, Denial]; times: number }>()
  let wide: Approvals.Approvals | undefined
  for (const denied of all) {
    const { args, reason, rule, taskId, tool } = denied
    const key = JSON.stringify([tool, args, rule])
    const known = lines.get(key)
    const owner = known === undefined ? yield* settingsOf(history, taskId) : undefined
    const allow = known?.of[1].allow ?? (owner === undefined ? null : yield* entryFor(denied, owner))
    const mcp = McpCall.of(args)
    const what = mcp === undefined ? Transcript.subjectOf(args) : McpCall.title(mcp)
    const denial: Denial = { taskId, tool, what, rule, reason, allow }
    denials.push(denial)
    if (known !== undefined) known.times += 1
    else lines.set(key, { of: [denied, denial], times: 1 })
    if (owner !== undefined && allow !== null) wide = Entry.widened(wide ?? owner.settings.approvals, allow)
  }
  const listed = [...lines.values()].map(({ of, times }) => lineOf(...of, times))
  const more = listed.length > shown ? [`Denied: ${listed.length - shown} more.`] : []
  const flag = wide === undefined ? [] : [`To allow this: --approvals ${flagOf(wide)}`]
  const told: Told = { denials, lines: [...listed.slice(0, shown), ...more, ...flag] }
  return told
}, Effect.provide(Explain.layer))
