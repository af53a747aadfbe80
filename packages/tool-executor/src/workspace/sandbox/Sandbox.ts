/**
 * The box around a command that no person has looked at.
 *
 * Guarantees: `state` is what a trivial command in the very box showed, once for each workspace, never an assumption;
 * a confined command writes in its workspace and in folders that the user has added only, and there no protected name; of the home folder it sees tool chains
 * alone; it reaches no host but those that the user listed, sees no process and no socket of the host, and leaves none
 * behind. Names that are protected or secret and did not exist before it are set aside under another name when it has
 * ended; with `journal` also when this process is killed, by the next that is made with the same folder.
 */
import type { NetworkRule, PathFact } from "@belay/approval-policy"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { By, State } from "../../tool/Confinement.ts"
import type { Network } from "../../web/Network.ts"
import type { Added } from "./AddedFolders.ts"
import * as BoxJournal from "./BoxJournal.ts"
import * as Bubblewrap from "./Bubblewrap.ts"
import type * as CommandEnvironment from "../process/CommandEnvironment.ts"
import { SandboxError } from "./SandboxError.ts"
import * as Seatbelt from "./Seatbelt.ts"
import * as ShownStates from "./ShownStates.ts"

export { SandboxError }

/** A program as it is spawned. */
export interface Invocation {
  readonly program: string
  readonly args: ReadonlyArray<string>
  readonly env: Record<string, string>
}

/** Says which command is confined and what it may reach. */
export interface Request extends Invocation {
  /** Absolute and resolved, both. */
  readonly workspace: string
  readonly cwd: string
  /** Files outside the workspace that the rules allowed by name. */
  readonly files: ReadonlyArray<PathFact.PathFact>
  /** The rules allowed a git command that writes: the repository's data may change, its hooks and settings may not. */
  readonly writesGit: boolean
  /** It was judged to change nothing: no places of absent protected names are held for it. */
  readonly readOnly?: boolean
  /** Folders beside the workspace that the user opened. */
  readonly added?: ReadonlyArray<Added>
  /** Hosts that the user opened; without any there is no network at all. */
  readonly allowedDomains: NetworkRule.AllowedDomains
}

/** Holds the command to spawn in place of the one that was asked for. */
export interface Confined extends Invocation {
  /** The program writes where it runs to this descriptor, as `{ "child-pid": N }`. */
  readonly reports?: 3
  /** What the program reads from descriptor 4. */
  readonly given?: Uint8Array
  /** To be called when the program has started, with its process, which leads a group. */
  readonly started?: (pid: number) => void
  /**
   * To be run when nothing of the command is left: the protected names that it made, as they are called now, relative to
   * the workspace. Runs once, at the latest when the scope closes.
   */
  readonly setAside: Effect.Effect<ReadonlyArray<string>>
  /** Where hosts are open: what of the network was refused so far, a phrase each. */
  readonly refused?: () => ReadonlyArray<string>
}

/** Confines commands, or says why it cannot. */
export interface Sandbox {
  readonly state: (workspace: string) => Effect.Effect<State>
  /** For what is told of commands, not for what they may: what `state` showed last, in an earlier process also; tried where nothing was. */
  readonly lastState: (workspace: string) => Effect.Effect<State>
  /** Only where `state` says that commands are confined. */
  readonly confine: (request: Request) => Effect.Effect<Confined, SandboxError, Scope.Scope>
}

/** Says how one platform builds the box. */
export interface Platform {
  readonly by: By
  /** Names the programs and the system that the probe depends on. */
  readonly version: (workspace: string) => string
  /** The reason why there is none, or nothing when a trivial command ran in the box. */
  readonly probe: (workspace: string) => Effect.Effect<string | undefined>
  readonly confine: Sandbox["confine"]
}

/** Configures the sandbox. Without options it uses what the machine has. */
export interface Options {
  /** `process.env` by default: PATH is where bubblewrap is looked for, outside the workspace. */
  readonly environment?: CommandEnvironment.Environment
  /** The bash that the user's settings name; found by itself without. */
  readonly bash?: string | undefined
  /** The user's home folder, of which tool chains alone are seen. */
  readonly home?: string
  /** Further folders to hide, such as Belay's own data. */
  readonly hidden?: ReadonlyArray<string>
  /** The folder of Belay's own data: what a killed process has left is recorded there and put in order from there, and what a box showed. */
  readonly journal?: string
  /** Gets a line for people about each command of a killed process whose files were renamed. */
  readonly told?: (line: string) => void
  /** How listed hosts are found and reached; by the system by default. */
  readonly network?: Network
}

/** Makes a sandbox that confines nothing and gives the reason. */
export const unavailable = (reason: string): Sandbox => ({
  state: () => Effect.succeed({ _tag: "Unavailable", reason }),
  lastState: () => Effect.succeed({ _tag: "Unavailable", reason }),
  confine: () => Effect.fail(new SandboxError({ reason }))
})

/** The sandbox of one platform. */
export const of = (platform: Platform, { finish }: BoxJournal.BoxJournal, shown: ShownStates.ShownStates): Sandbox => {
  const states = new Map<string, Effect.Effect<State>>()
  const probe = (workspace: string): Effect.Effect<State> =>
    Effect.map(platform.probe(workspace), (reason) => {
      const state: State =
        reason === undefined ? { _tag: "Confined", by: platform.by } : { _tag: "Unavailable", reason }
      shown.keep(workspace, platform.version(workspace), state)
      return state
    })
  const state: Sandbox["state"] = (workspace) =>
    Effect.suspend(() => {
      finish()
      const known = states.get(workspace) ?? Effect.runSync(Effect.cached(probe(workspace)))
      states.set(workspace, known)
      return known
    })
  return {
    state,
    lastState: (workspace) =>
      Effect.suspend(() => {
        const known = shown.of(workspace, platform.version(workspace))
        return known === undefined ? state(workspace) : Effect.succeed(known)
      }),
    confine: platform.confine
  }
}

/** Puts in order what killed processes have left, at once: what cannot be is said by the commands that come. */
export const make = (options: Options = {}, platform: NodeJS.Platform = process.platform): Sandbox => {
  if (platform !== "linux" && platform !== "darwin") {
    return unavailable("There is no sandbox for commands on this system.")
  }
  const journal = BoxJournal.make(options.journal, options.told)
  journal.finish()
  const box = platform === "linux" ? Bubblewrap.make(options, journal) : Seatbelt.make(options, journal)
  return of(box, journal, ShownStates.make(options.journal))
}
