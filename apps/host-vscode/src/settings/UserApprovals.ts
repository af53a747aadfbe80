/**
 * What the user's own `belay.approvals` settings allow in every folder, an entry each, never those of a project.
 *
 * Exactly the entry that was shown is taken away. What is allowed always in one folder is no setting: it is told here.
 */
import { CommandRule } from "@belay/approval-policy"
import type { KeptGrant } from "@belay/task-engine"
import { Words } from "@belay/interaction"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as PubSub from "effect/PubSub"
import * as Semaphore from "effect/Semaphore"
import * as vscode from "vscode"
import { perform, type EditorError } from "../vscode/Bridge.ts"

/** Entries of the user's `approvals` settings. */
export interface Setting {
  readonly commands?: { readonly allow: ReadonlyArray<string> }
  readonly paths?: ReadonlyArray<{ readonly pattern: string; readonly edit?: "allow"; readonly read?: "allow" }>
  readonly mcp?: Readonly<Record<string, "allow">>
}

/** The command that an entry of an earlier version may have allowed in every folder; it holds in none by itself. */
export const unconfirmedIn = ({ commands }: Setting): string | undefined => {
  const [entry] = commands?.allow ?? []
  return entry === undefined || CommandRule.exactText(entry) === entry ? undefined : CommandRule.exactText(entry)
}

/** What the entry allows, in words. */
export const words = ({ commands, mcp = {}, paths = [] }: Setting): string => {
  const said = [
    ...(commands?.allow ?? []).map((entry) => {
      const shown = Words.printable(CommandRule.exactText(entry))
      return CommandRule.isExact(entry)
        ? `this exact command: ${shown}`
        : `"${shown}", also with further arguments (never such that run programs or write files)`
    }),
    ...paths.map(({ edit, pattern }) => `${edit === "allow" ? "edits of" : "reads of"} ${Words.printable(pattern)}`),
    ...Object.keys(mcp).map((name) =>
      name.startsWith("resource:")
        ? `the resource ${Words.printable(name.slice("resource:".length))}`
        : `the tool ${Words.printable(name)}`
    )
  ]
  return said.join(", ")
}

const json = (value: unknown): string => JSON.stringify(value)

const without = <A>(list: ReadonlyArray<A>, gone: ReadonlyArray<A>): ReadonlyArray<A> =>
  list.filter((one) => !gone.some((other) => json(other) === json(one)))

interface Commands {
  readonly allow?: ReadonlyArray<string>
}

const update = (name: string, value: unknown) => {
  const config = vscode.workspace.getConfiguration("belay")
  const usual = json(value) === json(config.inspect(name)?.defaultValue)
  return perform(() => config.update(name, usual ? undefined : value, vscode.ConfigurationTarget.Global))
}

/** What the user's settings allow, an entry each. */
export const entries = (): ReadonlyArray<Setting> => {
  const config = vscode.workspace.getConfiguration("belay.approvals")
  const { allow = [] } = config.get<Commands>("commands", {})
  const paths = config.get<NonNullable<Setting["paths"]>>("paths", [])
  const tools = Object.entries(config.get<Readonly<Record<string, unknown>>>("mcp", {}))
  return [
    ...allow.map((entry) => ({ commands: { allow: [entry] } })),
    ...paths.filter(({ edit, read }) => edit === "allow" || read === "allow").map((entry) => ({ paths: [entry] })),
    ...tools.filter(([, setting]) => setting === "allow").map(([name]) => ({ mcp: { [name]: "allow" as const } }))
  ]
}

/** The settings with an entry taken away; they cannot be set by a workspace. */
const forget = ({ commands, mcp, paths }: Setting) =>
  Effect.gen(function* () {
    const config = vscode.workspace.getConfiguration("belay.approvals")
    if (commands !== undefined) {
      const now = config.get<Commands>("commands", {})
      yield* update("approvals.commands", { ...now, allow: without(now.allow ?? [], commands.allow) })
    }
    if (paths !== undefined) yield* update("approvals.paths", without(config.get<typeof paths>("paths", []), paths))
    if (mcp !== undefined) {
      const now = Object.entries(config.get<Readonly<Record<string, unknown>>>("mcp", {}))
      const entries = without(now, Object.entries(mcp))
      yield* update("approvals.mcp", Object.fromEntries(entries))
    }
  })

export class UserApprovals extends Context.Service<
  UserApprovals,
  {
    readonly forget: (setting: Setting) => Effect.Effect<void, EditorError>
    /** Says of a tool of an MCP server, as `server/tool`, whether its calls ask. */
    readonly setMcp: (name: string, setting: "allow" | "ask") => Effect.Effect<void, EditorError>
    /** What was allowed always in a folder, as it is allowed. */
    readonly kept: PubSub.PubSub<KeptGrant>
  }
>()("@belay/host-vscode/UserApprovals") {
  static readonly layer: Layer.Layer<UserApprovals> = Layer.effect(
    UserApprovals,
    Effect.gen(function* () {
      const kept = yield* PubSub.unbounded<KeptGrant>()
      const one = yield* Semaphore.make(1)
      return UserApprovals.of({
        kept,
        setMcp: (name, setting) =>
          one.withPermit(
            Effect.suspend(() => {
              const now = vscode.workspace
                .getConfiguration("belay.approvals")
                .get<Readonly<Record<string, unknown>>>("mcp", {})
              return update("approvals.mcp", { ...now, [name]: setting })
            })
          ),
        forget: (setting) => one.withPermit(forget(setting))
      })
    })
  )
}
