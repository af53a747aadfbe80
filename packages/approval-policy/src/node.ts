/**
 * Judges commands and paths of this machine: looks up what they lead to and asks the policy, in one call.
 *
 * Guarantees: nothing is run but git, to ask what it would change; a look-up that fails denies, settings that cannot be
 * read reject with `InvalidApprovals`, and an abort rejects with the reason of its signal. Nothing of Effect is in the types.
 */
import { Machine } from "@belay/machine"
import { run } from "@belay/machine/promise"
import * as Effect from "effect/Effect"
import * as nodeFs from "node:fs"
import * as nodePath from "node:path"
import * as ApprovalPolicy from "./ApprovalPolicy.ts"
import * as Approvals from "./Approvals.ts"
import { type Decision, deny } from "./Decision.ts"
import * as CommandFacts from "./facts/CommandFacts.ts"
import * as GitFolders from "./facts/GitFolders.ts"
import * as PathResolver from "./facts/PathResolver.ts"
import * as SearchPath from "./facts/SearchPath.ts"
import type { PolicyInput } from "./PolicyInput.ts"

export type { Decision, Grant, Resolved, Setting, Verdict } from "./Decision.ts"

/** Settings that cannot be used: `field` is the path of the first wrong one. */
export const InvalidApprovals: abstract new (...given: never) => Error & {
  readonly _tag: "InvalidApprovals"
  readonly field: string
  readonly problem: string
} = Approvals.InvalidApprovals

/** Says for whom and where something is judged. */
export interface JudgeOptions {
  /** The folder of the project. */
  readonly workspace: string
  /** A preset, or the settings as JSON has them: a field left out is as in `ask`. `"ask"` by default. */
  readonly approvals?: "ask" | "edits" | "project" | "all" | Readonly<Record<string, unknown>>
  /** `"plan"` refuses every change; `"act"` by default. */
  readonly mode?: "plan" | "act"
  readonly signal?: AbortSignal
}

/** Says how a command would be started. */
export interface JudgeCommandOptions extends JudgeOptions {
  /** The folder that it runs in, absolute or relative to the workspace, which it is by default. */
  readonly cwd?: string
  /** What it would see of the environment, PATH and HOME (`~`) above all; that of this process by default. */
  readonly environment?: Readonly<Record<string, string | undefined>>
}

/** Says what `~` stands for. */
export interface JudgePathsOptions extends JudgeOptions {
  /** The home folder of this process by default. */
  readonly home?: string
}

/** Names a path and what it is wanted for. */
export interface WantedPath {
  /** Absolute, or relative to the workspace; `~` and `file:` are spelt out. */
  readonly path: string
  readonly access: "read" | "write"
}

type Asked = Pick<PolicyInput, "args" | "category" | "facts" | "readOnly" | "tool">

/** What a decision is made on besides the call; undefined where the workspace is no folder. */
const workspaceOf = ({ workspace }: JudgeOptions): string | undefined => {
  if (!nodePath.isAbsolute(workspace)) return undefined
  const real = nodeFs.realpathSync.native(workspace)
  return nodeFs.statSync(real).isDirectory() ? real : undefined
}

const refused = (reason: string): Decision => ({ ...deny("path.unresolved", reason), resolved: {} })

const decide = Effect.fnUntraced(function* (options: JudgeOptions, look: (workspace: string) => Effect.Effect<Asked>) {
  const approvals = yield* Approvals.decode(options.approvals ?? "ask")
  const judged = Effect.gen(function* () {
    const workspace = workspaceOf(options)
    if (workspace === undefined) return refused("The workspace is no folder: give the absolute path of one.")
    const asked = yield* look(workspace)
    const facts = [...asked.facts.paths, ...(asked.facts.command?.files.flat() ?? [])]
    const gitFolders = facts.some(({ access }) => access === "write") ? GitFolders.of(workspace, facts) : []
    if (facts.length === 0 && asked.facts.command === undefined) return refused("The call names no path.")
    return ApprovalPolicy.decide({
      ...asked,
      approvals,
      mode: options.mode ?? "act",
      workspace,
      known: true,
      gitFolders
    })
  })
  return yield* Effect.catchDefect(judged, () =>
    Effect.succeed(refused("What the call leads to could not be looked up."))
  )
})

/**
 * May this command line run? It is judged as `bash --noprofile --norc -p -c -- TEXT` would run it: patterns become the
 * names that match now, links are followed, and git is asked what it would change. Ask a person for `"ask"`; where nobody
 * is there, treat it as `"deny"`. Judge right before you run, in a shell and an environment that are the same.
 */
export const judgeCommand = (text: string, options: JudgeCommandOptions): Promise<Decision> =>
  run(
    decide(options, (workspace) => {
      const environment = options.environment ?? process.env
      const home = environment["HOME"] ?? Machine.home()
      const cwd = PathResolver.resolve(options.cwd ?? ".", { workspace, home, access: "read" })
      const searchPath = SearchPath.pathOf(environment)
      return Effect.map(CommandFacts.of({ text }, { workspace, home, cwd, environment, searchPath }), (command) => ({
        tool: "execute_command",
        category: "command" as const,
        args: { command: text },
        readOnly: false,
        facts: { paths: [], command }
      }))
    }),
    options
  )

/**
 * May these files be read or written, all of them by one call? Links are followed, so that a file is judged by where it
 * lies. No path at all is denied.
 */
export const judgePaths = (paths: ReadonlyArray<WantedPath>, options: JudgePathsOptions): Promise<Decision> =>
  run(
    decide(options, (workspace) =>
      Effect.sync(() => {
        const home = options.home ?? Machine.home()
        const facts = paths.map(({ access, path }) => PathResolver.resolve(path, { workspace, home, access }))
        const writes = paths.some(({ access }) => access === "write")
        return {
          tool: writes ? "write_to_file" : "read_file",
          category: writes ? ("edit" as const) : ("read" as const),
          args: {},
          readOnly: !writes,
          facts: { paths: facts }
        }
      })
    ),
    options
  )
