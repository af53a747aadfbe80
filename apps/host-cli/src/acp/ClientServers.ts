/**
 * The MCP servers that a client passes with a session: for its tasks alone, started when one of them needs it, and ended
 * with the session. Nothing of them is stored, and what is in their environments and headers is secret.
 */
import type * as Protocol from "@agentclientprotocol/sdk"
import * as DataFolder from "@belay/history-store/data-folder"
import { TaskHistory } from "@belay/history-store"
import { ServerFile, Servers, TaskServers } from "@belay/tool-executor/mcp"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import { redaction } from "../output/Redaction.ts"
import * as Refused from "./Refused.ts"
import type { Session } from "./Session.ts"

type Definitions = ReadonlyMap<string, ServerFile.Definition>

const pairs = (all: ReadonlyArray<{ readonly name: string; readonly value: string }>): Record<string, string> =>
  Object.fromEntries(all.map(({ name, value }) => [name, value]))

/** What a client says of a server, as a file would say it. */
const asEntry = (server: Protocol.McpServer): unknown => {
  if ("command" in server) return { command: server.command, args: server.args, env: pairs(server.env) }
  return server.type === "http" ? { url: server.url, headers: pairs(server.headers) } : undefined
}

/** Names of tools are made of it. */
const nameOf = (name: string): string => name.replaceAll(/[^\w-]+/gu, "-").slice(0, 64)

/** Errors: `invalid` for a server that is of no offered kind, or that cannot be used. */
export const decode = (given: ReadonlyArray<Protocol.McpServer>): Effect.Effect<Definitions, Refused.Refused> =>
  Effect.gen(function* () {
    const found = new Map<string, ServerFile.Definition>()
    for (const server of given) {
      const entry = asEntry(server)
      if (entry === undefined) {
        return yield* Refused.refuse(
          "invalid",
          `The MCP server "${server.name}" is of a kind that is not offered: sse.`
        )
      }
      const one = ServerFile.definition(nameOf(server.name), entry)
      if (Result.isFailure(one)) {
        return yield* Refused.refuse(
          "invalid",
          `The MCP server "${server.name}" cannot be used: ${one.failure.message}.`
        )
      }
      found.set(nameOf(server.name), one.success)
    }
    return found
  })

/** Which session's tasks have which servers besides those of the user and the folder. */
export class ClientServers {
  readonly #sessions: () => Iterable<Session>
  readonly #one = Semaphore.makeUnsafe(1)
  readonly #own = new Map<Session, { readonly servers: Servers.Servers; readonly scope: Scope.Closeable }>()

  constructor(sessions: () => Iterable<Session>) {
    this.#sessions = sessions
  }

  /** `all` are the process's. Of two of one name, the client's gets another one. */
  readonly ofTask =
    (all: Servers.Servers, history: TaskHistory["Service"], scope: Scope.Scope): TaskServers.OfTask =>
    (taskId) =>
      this.#one.withPermit(
        Effect.gen({ self: this }, function* () {
          const row = Option.getOrUndefined(yield* Effect.orElseSucceed(history.row(taskId), () => Option.none()))
          const root = row?.record.lineage.rootId ?? taskId
          const session = [...this.#sessions()].find(({ tip }) => tip === root)
          if (session === undefined || session.servers.size === 0) return all
          const known = this.#own.get(session)
          if (known !== undefined) return known.servers
          const taken = new Set((yield* all.list(session.workspace)).servers.map(({ name }) => name))
          const servers = new Map(
            [...session.servers].map(([name, one]) => [taken.has(name) ? `${name}-client` : name, one])
          )
          const inner = yield* Scope.fork(scope)
          const own = yield* Servers.make({
            directory: DataFolder.directory(),
            given: { ...ServerFile.empty, servers },
            onlyGiven: true,
            onSecret: redaction.add
          }).pipe(Effect.provideService(Scope.Scope, inner))
          const both = TaskServers.beside(all, own, new Set(servers.keys()))
          this.#own.set(session, { servers: both, scope: inner })
          return both
        })
      )

  /** Ends the servers of a session. */
  readonly end = (session: Session): Effect.Effect<void> =>
    Effect.suspend(() => {
      const own = this.#own.get(session)
      this.#own.delete(session)
      return own === undefined ? Effect.void : Scope.close(own.scope, Exit.void)
    })
}
