/**
 * What a person allows always: entries of the user's own `belay.approvals` settings, never of a project's.
 *
 * Exactly the entry that was shown is added, and exactly it is taken away again.
 */
import { CommandRule, type Grant } from "@belay/approval-policy"
import { Words } from "@belay/task-engine/protocol"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as PubSub from "effect/PubSub"
import * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"
import * as vscode from "vscode"
import { perform, type EditorError } from "./Bridge.ts"

const Text = Schema.String
const Entry = Schema.Struct({
  pattern: Text,
  edit: Schema.optionalKey(Schema.Literal("allow")),
  read: Schema.optionalKey(Schema.Literal("allow"))
})
const Setting = Schema.Struct({
  commands: Schema.optionalKey(Schema.Struct({ allow: Schema.Array(Text) })),
  paths: Schema.optionalKey(Schema.Array(Entry)),
  mcp: Schema.optionalKey(Schema.Record(Text, Schema.Literal("allow")))
})

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Setting), { onExcessProperty: "error" })

/** An entry as an ask offers it. */
export const parse = (rule: string): Grant.Setting | undefined => Option.getOrUndefined(decode(rule))

/** What the entry allows, in words. */
export const words = ({ commands, mcp = {}, paths = [] }: Grant.Setting): string => {
  const said = [
    ...(commands?.allow ?? []).map((entry) => {
      const shown = Words.printable(CommandRule.exactText(entry))
      return CommandRule.isExact(entry)
        ? `this exact command: ${shown}`
        : `"${shown}", also with further arguments (never such that run programs or write files)`
    }),
    ...paths.map(({ edit, pattern }) => `${edit === "allow" ? "edits of" : "reads of"} ${Words.printable(pattern)}`),
    ...Object.keys(mcp).map((name) => `the tool ${Words.printable(name)}`)
  ]
  return said.join(", ")
}

const json = (value: unknown): string => JSON.stringify(value)

const without = <A>(list: ReadonlyArray<A>, gone: ReadonlyArray<A>): ReadonlyArray<A> =>
  list.filter((one) => !gone.some((other) => json(other) === json(one)))

const union = <A>(list: ReadonlyArray<A>, added: ReadonlyArray<A>): ReadonlyArray<A> => [
  ...without(list, added),
  ...added
]

type Change = <A>(list: ReadonlyArray<A>, of: ReadonlyArray<A>) => ReadonlyArray<A>

interface Commands {
  readonly allow?: ReadonlyArray<string>
}

const update = (name: string, value: unknown) => {
  const config = vscode.workspace.getConfiguration("belay")
  const usual = json(value) === json(config.inspect(name)?.defaultValue)
  return perform(() => config.update(name, usual ? undefined : value, vscode.ConfigurationTarget.Global))
}

/** What the user's settings allow, an entry each. */
export const entries = (): ReadonlyArray<Grant.Setting> => {
  const config = vscode.workspace.getConfiguration("belay.approvals")
  const { allow = [] } = config.get<Commands>("commands", {})
  const paths = config.get<NonNullable<Grant.Setting["paths"]>>("paths", [])
  const tools = Object.entries(config.get<Readonly<Record<string, unknown>>>("mcp", {}))
  return [
    ...allow.map((entry) => ({ commands: { allow: [entry] } })),
    ...paths.filter(({ edit, read }) => edit === "allow" || read === "allow").map((entry) => ({ paths: [entry] })),
    ...tools.filter(([, setting]) => setting === "allow").map(([name]) => ({ mcp: { [name]: "allow" as const } }))
  ]
}

/** The settings with an entry added or taken away; they cannot be set by a workspace. */
const change = ({ commands, mcp, paths }: Grant.Setting, by: Change) =>
  Effect.gen(function* () {
    const config = vscode.workspace.getConfiguration("belay.approvals")
    if (commands !== undefined) {
      const now = config.get<Commands>("commands", {})
      yield* update("approvals.commands", { ...now, allow: by(now.allow ?? [], commands.allow) })
    }
    if (paths !== undefined) yield* update("approvals.paths", by(config.get<typeof paths>("paths", []), paths))
    if (mcp !== undefined) {
      const entries = by(Object.entries(config.get<Readonly<Record<string, unknown>>>("mcp", {})), Object.entries(mcp))
      yield* update("approvals.mcp", Object.fromEntries(entries))
    }
  })

export class UserApprovals extends Context.Service<
  UserApprovals,
  {
    /** False when the settings could not be written. */
    readonly keep: (setting: Grant.Setting) => Effect.Effect<boolean>
    readonly forget: (setting: Grant.Setting) => Effect.Effect<void, EditorError>
    /** Says of a tool of an MCP server, as `server/tool`, whether its calls ask. */
    readonly setMcp: (name: string, setting: "allow" | "ask") => Effect.Effect<void, EditorError>
    /** Each entry that was kept. */
    readonly kept: PubSub.PubSub<Grant.Setting>
  }
>()("@belay/host-vscode/UserApprovals") {
  static readonly layer: Layer.Layer<UserApprovals> = Layer.effect(
    UserApprovals,
    Effect.gen(function* () {
      const kept = yield* PubSub.unbounded<Grant.Setting>()
      const one = yield* Semaphore.make(1)
      return UserApprovals.of({
        kept,
        keep: (setting) =>
          one.withPermit(change(setting, union)).pipe(
            Effect.andThen(PubSub.publish(kept, setting)),
            Effect.as(true),
            Effect.orElseSucceed(() => false)
          ),
        setMcp: (name, setting) =>
          one.withPermit(
            Effect.suspend(() => {
              const now = vscode.workspace
                .getConfiguration("belay.approvals")
                .get<Readonly<Record<string, unknown>>>("mcp", {})
              return update("approvals.mcp", { ...now, [name]: setting })
            })
          ),
        forget: (setting) => one.withPermit(change(setting, without))
      })
    })
  )
}
