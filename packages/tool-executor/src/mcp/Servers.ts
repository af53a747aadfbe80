/**
 * The MCP servers of a user and of a project: which there are, how they are, and the connections to them.
 *
 * A server is started when something is wanted of it, once for a workspace, and again after it died, when the next thing
 * is wanted. One that did not start is not tried again by itself until its definition changes or a person restarts it.
 * A project's servers are read only from what a person has trusted; no name, environment or mark of the user's frees them.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as PubSub from "effect/PubSub"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as path from "node:path"
import type { Environment } from "../workspace/process/CommandEnvironment.ts"
import type { Rules } from "../workspace/process/PassedVariables.ts"
import * as Approved from "./Approved.ts"
import * as Library from "./library.ts"
import { McpServerError } from "./McpServerError.ts"
import type { Described } from "./ServerConnection.ts"
import * as ServerConfig from "./ServerConfig.ts"
import type * as ServerFile from "./ServerFile.ts"
import * as ServerState from "./ServerState.ts"
import type { Listing, Ready, Tool } from "./ServerState.ts"

export type { ProjectText } from "./ServerConfig.ts"
export type { Listing, Ready, Server, State, Tool } from "./ServerState.ts"

/** Says where servers are defined and which variables they get. */
export interface Options {
  /** The data folder, with `mcp.json` of the user and `mcp-approved.json`. */
  readonly directory: string
  readonly project?: (workspace: string) => Effect.Effect<ServerConfig.ProjectText>
  /** Servers of the user for this process alone. */
  readonly given?: ServerFile.ServerFile | undefined
  /** There are no others of the user. */
  readonly onlyGiven?: boolean
  readonly environment?: Environment
  /** What the user's settings pass of it and block. */
  readonly rules?: Rules
  /** A value of `env` or `headers` that no output may hold. */
  readonly onSecret?: (value: string) => void
}

/** The user's file in the data folder. */
export const userFile = (directory: string): string => path.join(directory, "mcp.json")

/** Knows and runs the MCP servers of all workspaces of a process. */
export interface Servers {
  /** The servers as they are; nothing is started. */
  readonly list: (workspace: string) => Effect.Effect<Listing>
  /** Starts what can be started and was not tried, and waits for it; at most half a minute. */
  readonly start: (workspace: string) => Effect.Effect<Listing>
  /** A server that can be used, started when it is not. `retry`: also one that failed before. */
  readonly ready: (workspace: string, name: string, retry?: boolean) => Effect.Effect<Ready, McpServerError>
  /** Ends it, and starts it again. */
  readonly restart: (workspace: string, name: string) => Effect.Effect<Ready, McpServerError>
  /** Approves tools as they describe themselves now; all of the server when none is named. */
  readonly approve: (
    workspace: string,
    name: string,
    tools?: ReadonlyArray<string>
  ) => Effect.Effect<void, McpServerError>
  /** What a server last said besides its answers. */
  readonly log: (workspace: string, name: string) => string
  /** Something of a server has changed. */
  readonly changes: Stream.Stream<void>
}

/** Why a server is not started, whatever it is. */
const refusalOf = ({ definition, name, untrusted }: ServerConfig.ServerConfig): McpServerError | undefined => {
  if (untrusted !== undefined) return new McpServerError({ server: name, reason: "untrusted", problem: untrusted })
  if (definition.disabled !== true) return undefined
  return new McpServerError({ server: name, reason: "off", problem: `The server '${name}' is switched off.` })
}

const absent = (name: string, { defined, problems }: Pick<ServerConfig.Found, "defined" | "problems">) => {
  const names = defined.map((one) => one.name).join(", ")
  const known = names === "" ? "None is defined." : `There are: ${names}.`
  const problem = `There is no MCP server '${name.slice(0, 64)}'. ${problems[0] ?? known}`
  return new McpServerError({ server: name, reason: "absent", problem })
}

/** What is kept of each server, and its connection: one for a workspace, which ends with the scope. */
const makeConnections = (options: Options) =>
  Effect.gen(function* () {
    const environment = options.environment ?? process.env
    const all = new Map<string, ServerState.Kept>()
    const changed = yield* PubSub.unbounded<void>()
    const tell = PubSub.publish(changed, undefined)
    const outer = yield* Effect.scope

    const keptOf = (workspace: string, { name }: Pick<ServerConfig.ServerConfig, "name">): ServerState.Kept => {
      const id = JSON.stringify([workspace, name])
      const found = all.get(id)
      if (found !== undefined) return found
      const fresh = ServerState.fresh()
      all.set(id, fresh)
      return fresh
    }

    const end = (kept: ServerState.Kept) =>
      Effect.suspend(() => {
        const { connection, scope } = kept
        kept.log = connection?.log() ?? kept.log
        kept.connection = undefined
        kept.scope = undefined
        return scope === undefined ? Effect.void : Scope.close(scope, Exit.void)
      })

    const connect = (workspace: string, defined: ServerConfig.ServerConfig, kept: ServerState.Kept) =>
      Effect.gen(function* () {
        const here = { environment, workspace }
        const resolved = ServerConfig.resolved(defined, here, (value) => options.onSecret?.(value))
        if (Result.isFailure(resolved)) return yield* resolved.failure
        kept.starting = true
        yield* tell
        const { make: connection } = yield* Library.load(defined.name)
        const scope = yield* Scope.fork(outer)
        kept.scope = scope
        const { name } = defined
        const { rules } = options
        const passed = { environment, ...(rules === undefined ? {} : { rules }) }
        const made = yield* connection({ name, ...resolved.success, workspace, ...passed }).pipe(
          Scope.provide(scope),
          Effect.tapCause(() => end(kept))
        )
        kept.connection = made
        return made
      }).pipe(
        Effect.ensuring(
          Effect.suspend(() => {
            kept.starting = false
            return tell
          })
        )
      )

    return { changes: Stream.fromPubSub(changed), connect, end, keptOf, tell }
  })

/** Makes the servers of a process. Closing the scope ends every server. */
export const make = (options: Options): Effect.Effect<Servers, never, Scope.Scope> =>
  Effect.gen(function* () {
    const file = options.onlyGiven === true ? undefined : userFile(options.directory)
    const sources = { file, project: options.project, given: options.given }
    const files = (workspace: string) => ServerConfig.find(sources, workspace)
    const approvedTools = Approved.make(path.join(options.directory, "mcp-approved.json"))
    const { changes, connect, end, keptOf, tell } = yield* makeConnections(options)

    const marked =
      (defined: ServerConfig.ServerConfig, approved: Approved.Tools, marks: ReadonlyMap<string, ServerFile.Mark>) =>
      (tool: Described): Tool => {
        const mark = marks.get(`${defined.name}/${tool.name}`)
        // A name is all that a mark knows, and a project chooses its own: what it names may be barred by it, never freed.
        const counts = defined.origin === "user" || mark === "disabled"
        return { ...tool, approved: approved.get(tool.name) === tool.hash, mark: counts ? mark : undefined }
      }

    const hashes = (tools: Iterable<Described>): Approved.Tools =>
      new Map([...tools].map(({ hash, name }) => [name, hash]))

    /** A live connection with its lists. `retry`: a failure of before is no answer. */
    const readyOf = (
      workspace: string,
      defined: ServerConfig.ServerConfig,
      marks: ReadonlyMap<string, ServerFile.Mark>,
      retry: boolean
    ): Effect.Effect<Ready, McpServerError> => {
      const kept = keptOf(workspace, defined)
      const refused = refusalOf(defined)
      if (refused !== undefined) return Effect.fail(refused)
      const { definition } = defined
      const hash = Approved.hashOf(definition)
      const key = ServerConfig.keyOf(workspace, defined)
      return Effect.gen(function* () {
        if (kept.definition !== hash) {
          yield* end(kept)
          Object.assign(kept, { definition: hash, failed: undefined, seen: undefined })
        }
        if (kept.connection !== undefined && kept.connection.ended() !== undefined) yield* end(kept)
        if (kept.failed !== undefined && !retry) return yield* kept.failed
        const connection = kept.connection ?? (yield* connect(workspace, defined, kept))
        const lists = yield* connection.lists
        const before = yield* approvedTools.get(key, hash)
        // The first time: the user has just defined or trusted it.
        if (before === undefined) yield* approvedTools.add(key, hash, hashes(lists.tools.values()), true)
        const describe = marked(defined, before ?? hashes(lists.tools.values()), marks)
        const tools = new Map([...lists.tools].map(([tool, described]) => [tool, describe(described)]))
        const isNew = kept.seen === undefined || JSON.stringify([...kept.seen.tools]) !== JSON.stringify([...tools])
        kept.seen = { tools, resources: lists.resources }
        kept.failed = undefined
        if (isNew) yield* tell
        return { key, definition: hash, connection, tools, resources: lists.resources }
      }).pipe(
        Effect.tapError((error) =>
          Effect.suspend(() => {
            const isNew = kept.failed?.message !== error.message
            kept.failed = error
            return Effect.andThen(end(kept), isNew ? tell : Effect.void)
          })
        ),
        (looked) => kept.semaphore.withPermit(looked)
      )
    }

    const listing = (workspace: string, found: ServerConfig.Found): Listing => ({
      servers: found.defined.map((defined) => ({
        name: defined.name,
        origin: defined.origin,
        definition: defined.definition,
        state: ServerState.of(keptOf(workspace, defined), defined)
      })),
      problems: found.problems,
      notes: found.notes
    })

    const ready: Servers["ready"] = (workspace, name, retry = true) =>
      Effect.gen(function* () {
        const found = yield* files(workspace)
        const one = found.defined.find((candidate) => candidate.name === name)
        if (one !== undefined) return yield* readyOf(workspace, one, found.marks, retry)
        return yield* absent(name, found)
      })

    return {
      list: (workspace) => Effect.map(files(workspace), (found) => listing(workspace, found)),
      start: (workspace) =>
        Effect.gen(function* () {
          const found = yield* files(workspace)
          yield* Effect.forEach(
            found.defined,
            (defined) => Effect.ignore(readyOf(workspace, defined, found.marks, false)),
            { concurrency: "unbounded", discard: true }
          )
          return listing(workspace, found)
        }),
      ready,
      restart: (workspace, name) =>
        Effect.gen(function* () {
          const kept = keptOf(workspace, { name })
          yield* kept.semaphore.withPermit(end(kept))
          kept.failed = undefined
          return yield* ready(workspace, name)
        }),
      approve: (workspace, name, only) =>
        Effect.gen(function* () {
          const { definition, key, tools } = yield* ready(workspace, name)
          const chosen = [...tools.values()].filter((tool) => only === undefined || only.includes(tool.name))
          yield* approvedTools.add(key, definition, hashes(chosen), only === undefined)
          yield* Effect.ignore(ready(workspace, name))
        }),
      log: (workspace, name) => {
        const kept = keptOf(workspace, { name })
        return kept.connection?.log() ?? kept.log
      },
      changes
    }
  })

/** `Servers` as a service. */
export class McpServers extends Context.Service<McpServers, Servers>()("@belay/tool-executor/McpServers") {
  /** Servers end with the layer. */
  static readonly layer = (options: Options): Layer.Layer<McpServers> => Layer.effect(McpServers, make(options))
}
