/** `belay policy explain`: why something would be allowed, asked or denied; nothing is run. */
import { Approvals } from "@belay/approval-policy"
import type { Settings } from "@belay/settings"
import { Words } from "@belay/interaction"
import { Looked } from "@belay/approval-policy/facts"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as ApprovalSettings from "../../settings/Approvals.ts"
import { isSet, type Parsed, text } from "../../cli/Arguments.ts"
import * as Explain from "../../policy/Explain.ts"
import * as FamiliarOptions from "../../session/FamiliarOptions.ts"
import * as ToolRules from "../../settings/ToolRules.ts"
import * as Environment from "./environment.ts"
import { type ExitCode, Failure, usage } from "../../cli/Failure.ts"
import * as Home from "../../settings/Home.ts"
import * as Lines from "../../terminal/Lines.ts"
import * as Explanation from "../../policy/Explanation.ts"
import type { Sink } from "../../output/Sink.ts"
import * as Project from "../../settings/Project.ts"
import * as Snapshot from "../../settings/Snapshot.ts"
import * as Trusting from "../../settings/Trusting.ts"
import * as User from "../../settings/User.ts"

const readArgs = (given: string): Effect.Effect<unknown, Failure> =>
  Effect.try({
    try: (): unknown => JSON.parse(given),
    catch: () => usage("the arguments are not JSON (--args)", 'Give an object such as {"path":"src/a.ts"}.')
  })

/** The settings that a task in a folder would begin with; of a project's own only those that are trusted already. */
const settings = (sink: Sink) => {
  const known = new Map<string, Settings.TaskSettings>()
  return (workspace: string): Effect.Effect<Settings.TaskSettings, Failure> => {
    const found = known.get(workspace)
    if (found !== undefined) return Effect.succeed(found)
    return Effect.gen(function* () {
      const made = yield* Snapshot.of(yield* User.load, yield* Project.load(workspace, undefined))
      yield* Trusting.advise(workspace, sink)
      known.set(workspace, made)
      return made
    })
  }
}

const questionOf = Effect.fnUntraced(function* (parsed: Parsed, sink: Sink) {
  const command = parsed.args.join(" ")
  const given = text(parsed, "args")
  const tool = text(parsed, "tool")
  const rules = yield* FamiliarOptions.rulesOf(parsed)
  if (command === "" && tool === undefined) {
    return yield* usage("nothing to explain", "Name a command, or a tool with --tool and --args.")
  }
  if (command !== "" && (tool !== undefined || given !== undefined)) {
    return yield* usage("a command and --tool cannot be explained together", "Leave one of them out.")
  }
  const workspace = yield* Effect.fromResult(Home.workspace(text(parsed, "cwd")))
  const { allowedDomains, approvals, hooks, sandbox, strictPlanMode, unconfirmed } = yield* settings(sink)(workspace)
  const own = text(parsed, "approvals")
  return {
    tool: tool ?? "execute_command",
    args: command === "" ? yield* readArgs(given ?? "{}") : { command },
    mode: text(parsed, "mode") === "plan" ? ("plan" as const) : ("act" as const),
    approvals: ToolRules.approvalsOf(rules, own === undefined ? approvals : yield* ApprovalSettings.decode(own)),
    withoutTools: ToolRules.withoutOf(rules),
    sandboxSetting: sandbox,
    allowedDomains,
    hooks,
    strictPlanMode,
    unconfirmed: own === undefined ? unconfirmed : [],
    workspace,
    attended: !isSet(parsed, "unattended")
  }
})

/** What lists of tools have become, as text or as JSON beside nothing else; nothing without them. */
const translated = Effect.fnUntraced(function* (parsed: Parsed, sink: Sink) {
  const rules = yield* FamiliarOptions.rulesOf(parsed)
  const isAlone = parsed.args.length === 0 && text(parsed, "tool") === undefined
  if (rules.length === 0) return false
  if (text(parsed, "output") !== "json") {
    sink.out(rules.map(({ rule, to, verb }) => `${Words.printable(`${verb} ${rule}: ${to}`)}\n`).join(""))
  } else if (isAlone) {
    sink.data(`${JSON.stringify({ rules: rules.map(({ rule, to, verb }) => ({ verb, rule, to })) })}\n`)
  }
  return isAlone
})

const one = Effect.fnUntraced(function* (parsed: Parsed, sink: Sink) {
  if (yield* translated(parsed, sink)) return
  const question = yield* questionOf(parsed, sink)
  const explanation = yield* Explain.explain(question)
  const added = yield* Explain.suggestions(question)
  if (text(parsed, "output") === "json") sink.data(Explanation.line(explanation))
  else sink.out(Explanation.forPeople(question, explanation, added))
})

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Why a line is denied, as its reason. */
const wrong = (reason: string): Failure => new Failure({ code: 2, tag: "UsageError", what: reason, hint: "" })

const fields = new Set(["tool", "args", "mode", "approvals", "cwd", "attended"])

/** Where the lines of a batch ask: what is found holds until more lines come. */
interface Asked {
  readonly settingsOf: ReturnType<typeof settings>
  readonly looked: Looked.Looked
  readonly parsed: Parsed
}

/** One line of the batch; a line that is not understood is a reason for people. */
const parseLine = (
  line: string,
  decoded: (value: unknown) => Effect.Effect<Approvals.Approvals, Approvals.InvalidApprovals>,
  { looked, parsed, settingsOf }: Asked
) =>
  Effect.gen(function* () {
    const value = yield* Effect.try({
      try: (): unknown => JSON.parse(line),
      catch: () => wrong("The line is not JSON.")
    })
    if (!isRecord(value)) return yield* wrong("The line is not an object.")
    const other = Object.keys(value).find((name) => !fields.has(name))
    if (other !== undefined) return yield* wrong(`The line has an unknown field ${JSON.stringify(other)}.`)
    const { approvals, args = {}, attended = true, cwd = text(parsed, "cwd"), mode = "act", tool } = value
    if (typeof tool !== "string") return yield* wrong("The line names no tool.")
    if (mode !== "plan" && mode !== "act") return yield* wrong("The mode is plan or act.")
    if (typeof attended !== "boolean") return yield* wrong("attended is true or false.")
    if (cwd !== undefined && typeof cwd !== "string") return yield* wrong("cwd is the path of a folder.")
    const workspace = looked.once(["workspace", cwd], () => Home.workspace(cwd))
    if (Result.isFailure(workspace)) return yield* wrong(workspace.failure.message)
    const own = yield* settingsOf(workspace.success)
    const { allowedDomains, approvals: usual, hooks, sandbox, strictPlanMode, unconfirmed } = own
    return {
      tool,
      args,
      mode,
      approvals: approvals === undefined ? usual : yield* decoded(approvals),
      sandboxSetting: sandbox,
      allowedDomains,
      hooks,
      strictPlanMode,
      unconfirmed: approvals === undefined ? unconfirmed : [],
      workspace: workspace.success,
      attended,
      looked
    } as const
  })

/** The settings of a batch are few: each is decoded once. */
const decoder = () => {
  const known = new Map<string, Approvals.Approvals>()
  return (value: unknown): Effect.Effect<Approvals.Approvals, Approvals.InvalidApprovals> => {
    const key = JSON.stringify(value)
    const found = known.get(key)
    if (found !== undefined) return Effect.succeed(found)
    return Effect.tap(Approvals.decode(value), (approvals) => Effect.sync(() => known.set(key, approvals)))
  }
}

/** A caller that has its answers may change files before it gives more. */
const forgetting = async function* (input: AsyncIterable<Buffer | string>, { forget }: Looked.Looked) {
  for await (const piece of input) {
    forget()
    yield piece
  }
}

const batch = Effect.fnUntraced(function* (parsed: Parsed, sink: Sink) {
  if (parsed.args.length > 0 || text(parsed, "tool") !== undefined) {
    return yield* usage("--batch reads what to explain from stdin", "Leave the command and --tool out.")
  }
  const decoded = decoder()
  const asked = { settingsOf: settings(sink), looked: Looked.make(), parsed }
  // Settings that cannot be used stop all of it.
  yield* User.load
  const lines = Lines.of(forgetting(process.stdin, asked.looked))
  for (;;) {
    const next = yield* Effect.promise(() => lines.next())
    if (next.done === true) return
    if (next.value.trim() === "") continue
    const explanation = yield* Effect.matchEffect(parseLine(next.value, decoded, asked), {
      onFailure: (error) => Effect.succeed(Explain.denied(error instanceof Failure ? error.what : error.message)),
      onSuccess: Explain.explain
    })
    sink.data(Explanation.line(explanation))
  }
})

const asked = (parsed: Parsed, sink: Sink) => {
  if (!isSet(parsed, "env")) return isSet(parsed, "batch") ? batch(parsed, sink) : one(parsed, sink)
  if (parsed.args.length === 0 && text(parsed, "tool") === undefined && !isSet(parsed, "batch")) {
    return Environment.run(parsed, sink)
  }
  return usage("--env explains the environment alone", "Leave the command, --tool and --batch out.")
}

export const run = (parsed: Parsed, sink: Sink): Effect.Effect<ExitCode, Failure> =>
  asked(parsed, sink).pipe(Effect.as(0 as const), Effect.provide(Explain.layer))
