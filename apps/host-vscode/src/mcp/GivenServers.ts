/**
 * MCP servers that a run of the command line was given by `--mcp-config`, for a task that this window has taken over: for it
 * and its subtasks alone. Those that are not found again are told once.
 */
import { TaskHistory } from "@belay/history-store"
import { Settings } from "@belay/settings"
import { Words } from "@belay/interaction"
import type { TaskId } from "@belay/task-state"
import { GivenFile, type ServerFile, Servers, TaskServers } from "@belay/tool-executor/mcp"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import * as vscode from "vscode"

const tell = (line: string): void => void vscode.window.showWarningMessage(Words.printable(line))

const found = (from: Settings.McpConfig): Effect.Effect<ReadonlyArray<ServerFile.ServerFile>> =>
  GivenFile.again(from).pipe(
    Effect.map((one) => {
      if (one._tag === "Found") return [one.servers]
      tell(`${one.why}. Start it in a terminal with --mcp-config to give it again.`)
      return []
    }),
    Effect.catch(({ message }) => Effect.sync(() => (tell(message), [])))
  )

/** `all` are the window's; `options` those of the servers that are started besides. They end with the scope. */
export const make = (all: Servers.Servers, options: Omit<Servers.Options, "given" | "onlyGiven">) =>
  Effect.gen(function* () {
    const history = yield* TaskHistory
    const scope = yield* Effect.scope
    const known = new Map<string, Servers.Servers>()
    const semaphore = Semaphore.makeUnsafe(1)

    const rootOf = (taskId: TaskId.TaskId) =>
      Effect.gen(function* () {
        const row = Option.getOrUndefined(yield* history.row(taskId))
        return row === undefined ? undefined : Option.getOrUndefined(yield* history.row(row.record.lineage.rootId))
      }).pipe(Effect.orElseSucceed(() => undefined))

    const ofTask: TaskServers.OfTask = (taskId) =>
      semaphore.withPermit(
        Effect.gen(function* () {
          const root = yield* rootOf(taskId)
          const settings =
            root === undefined ? Option.none() : yield* Effect.option(Settings.decode(root.meta.settings))
          const from = Option.isNone(settings) ? [] : (settings.value.mcpConfig ?? [])
          if (root === undefined || from.length === 0) return all
          const before = known.get(root.record.id)
          if (before !== undefined) return before
          const given = GivenFile.joined((yield* Effect.forEach(from, found)).flat())
          const own = yield* Effect.provideService(
            Servers.make({ ...options, given, onlyGiven: true }),
            Scope.Scope,
            scope
          )
          const both = TaskServers.beside(all, own, new Set(given.servers.keys()))
          known.set(root.record.id, both)
          return both
        })
      )
    return ofTask
  })
