/** How a server is: what is kept of it between two looks, and what of this people see. */
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import * as Approved from "./Approved.ts"
import type { McpServerError } from "./McpServerError.ts"
import type { Connection, Described, Resource } from "./ServerConnection.ts"
import type * as ServerConfig from "./ServerConfig.ts"
import type * as ServerFile from "./ServerFile.ts"

/** A tool with what the user says of it. */
export interface Tool extends Described {
  readonly approved: boolean
  readonly mark: ServerFile.Mark | undefined
}

/** The state of a server. */
export type State =
  | { readonly _tag: "Idle" }
  | { readonly _tag: "Starting" }
  | { readonly _tag: "Connected"; readonly tools: ReadonlyArray<Tool>; readonly resources: ReadonlyArray<Resource> }
  /** A sentence. */
  | { readonly _tag: "Failed"; readonly reason: string }
  | { readonly _tag: "Disabled" }
  /** A sentence. */
  | { readonly _tag: "Untrusted"; readonly why: string }

/** Describes a server. */
export interface Server {
  readonly name: string
  readonly origin: "user" | "project"
  readonly definition: ServerFile.Definition
  readonly state: State
}

/** Lists the servers of a workspace. */
export interface Listing {
  readonly servers: ReadonlyArray<Server>
  /** What is wrong with a file; one line each. */
  readonly problems: ReadonlyArray<string>
  /** What was read in another way than it is written; one line each. */
  readonly notes: ReadonlyArray<string>
}

/** A connection that can be used now, with what it offers. */
export interface Ready {
  readonly key: string
  /** The hash of the definition. */
  readonly definition: string
  readonly connection: Connection
  readonly tools: ReadonlyMap<string, Tool>
  readonly resources: ReadonlyArray<Resource>
}

/** What is kept of a server. */
export interface Kept {
  readonly semaphore: Semaphore.Semaphore
  /** What is running or was tried, by the hash of its definition. */
  definition: string
  scope: Scope.Closeable | undefined
  connection: Connection | undefined
  failed: McpServerError | undefined
  starting: boolean
  log: string
  /** What was seen of its tools and resources last. */
  seen: { readonly tools: ReadonlyMap<string, Tool>; readonly resources: ReadonlyArray<Resource> } | undefined
}

/** Of a server that nobody has wanted anything of. */
export const fresh = (): Kept => ({
  semaphore: Semaphore.makeUnsafe(1),
  definition: "",
  scope: undefined,
  connection: undefined,
  failed: undefined,
  starting: false,
  log: "",
  seen: undefined
})

/** What people see of it. */
export const of = (kept: Kept, defined: ServerConfig.ServerConfig): State => {
  if (defined.untrusted !== undefined) return { _tag: "Untrusted", why: defined.untrusted }
  if (defined.definition.disabled === true) return { _tag: "Disabled" }
  if (kept.definition !== "" && kept.definition !== Approved.hashOf(defined.definition)) return { _tag: "Idle" }
  if (kept.starting) return { _tag: "Starting" }
  if (kept.failed !== undefined) return { _tag: "Failed", reason: kept.failed.message }
  const ended = kept.connection?.ended()
  if (ended !== undefined) return { _tag: "Failed", reason: `The server ${ended}.` }
  if (kept.connection === undefined || kept.seen === undefined) return { _tag: "Idle" }
  return { _tag: "Connected", tools: [...kept.seen.tools.values()], resources: kept.seen.resources }
}
