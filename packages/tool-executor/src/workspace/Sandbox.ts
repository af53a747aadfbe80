/**
 * The box around a command that no person has looked at.
 *
 * Guarantees: `state` is what a trivial command in the very box showed, once for each workspace, never an assumption;
 * a confined command writes in its workspace only, and there no protected name; it reads no secret of the home folder,
 * reaches no host but those that the user listed, sees no process and no socket of the host, and leaves none behind. Names that are protected and did
 * not exist before it are set aside under another name when it has ended.
 */
import type { NetworkRule, PathFact } from "@belay/approval-policy"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type { State } from "../Confinement.ts"
import type { Network } from "../web/Network.ts"
import * as Bubblewrap from "./Bubblewrap.ts"
import type * as CommandEnvironment from "./CommandEnvironment.ts"
import * as Seatbelt from "./Seatbelt.ts"

/** A program as it is spawned. */
export interface Invocation {
  readonly program: string
  readonly args: ReadonlyArray<string>
  readonly env: Record<string, string>
}

export interface Request extends Invocation {
  /** Absolute and resolved, both. */
  readonly workspace: string
  readonly cwd: string
  /** Files outside the workspace that the rules allowed by name. */
  readonly files: ReadonlyArray<PathFact.PathFact>
  /** The rules allowed a git command that writes: the repository's data may change, its hooks and settings may not. */
  readonly writesGit: boolean
  /** Hosts that the user opened; without any there is no network at all. */
  readonly allowedDomains: NetworkRule.AllowedDomains
}

export interface Confined extends Invocation {
  /** The program writes where it runs to this descriptor, as `{ "child-pid": N }`. */
  readonly reports?: 3
  /**
   * To be run when nothing of the command is left: the protected names that it made, as they are called now, relative to
   * the workspace. Runs once, at the latest when the scope closes.
   */
  readonly setAside: Effect.Effect<ReadonlyArray<string>>
  /** Where hosts are open: what of the network was refused so far, a phrase each. */
  readonly refused?: () => ReadonlyArray<string>
}

/** The box cannot be built for this workspace at this moment. */
export class SandboxError extends Schema.TaggedError<SandboxError>()("SandboxError", { reason: Schema.String }) {
  override get message() {
    return `Not run, because it cannot be confined. ${this.reason}`
  }
}

export interface Sandbox {
  readonly state: (workspace: string) => Effect.Effect<State>
  /** Only where `state` says that commands are confined. */
  readonly confine: (request: Request) => Effect.Effect<Confined, SandboxError, Scope.Scope>
}

/** How one platform builds the box. */
export interface Platform {
  readonly by: "bubblewrap" | "seatbelt"
  /** The reason why there is none, or nothing when a trivial command ran in the box. */
  readonly probe: (workspace: string) => Effect.Effect<string | undefined>
  readonly confine: Sandbox["confine"]
}

export interface Options {
  /** `process.env` by default: PATH is where bubblewrap is looked for, outside the workspace. */
  readonly environment?: CommandEnvironment.Environment
  /** The user's home folder; its secrets are hidden. */
  readonly home?: string
  /** Further folders to hide, such as Belay's own data. */
  readonly hidden?: ReadonlyArray<string>
  /** How listed hosts are found and reached; by the system by default. */
  readonly network?: Network
}

export const unavailable = (reason: string): Sandbox => ({
  state: () => Effect.succeed({ _tag: "Unavailable", reason }),
  confine: () => Effect.fail(new SandboxError({ reason }))
})

const probed = (platform: Platform): Sandbox => {
  const states = new Map<string, Effect.Effect<State>>()
  const probe = (workspace: string): Effect.Effect<State> =>
    Effect.map(platform.probe(workspace), (reason) =>
      reason === undefined ? { _tag: "Confined", by: platform.by } : { _tag: "Unavailable", reason }
    )
  return {
    state: (workspace) =>
      Effect.suspend(() => {
        const known = states.get(workspace) ?? Effect.runSync(Effect.cached(probe(workspace)))
        states.set(workspace, known)
        return known
      }),
    confine: platform.confine
  }
}

export const make = (options: Options = {}, platform: NodeJS.Platform = process.platform): Sandbox => {
  if (platform === "linux") return probed(Bubblewrap.make(options))
  if (platform === "darwin") return probed(Seatbelt.make(options))
  return unavailable("There is no sandbox for commands on this system.")
}
