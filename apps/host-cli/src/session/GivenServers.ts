/**
 * The MCP servers that a run was given for itself: where they came from is kept with the task, so that whoever goes on with
 * it finds them.
 *
 * Of a file that says what it said they count again; a file that says something else by now, and servers that were given as
 * JSON, are told of in one line and left out: nobody has said that they are wanted. What may be secret in them is not kept.
 */
import { TaskHistory } from "@belay/history-store"
import { Settings } from "@belay/settings"
import { Words } from "@belay/interaction"
import type { TaskId } from "@belay/task-state"
import type { ServerFile } from "@belay/tool-executor/mcp"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import * as path from "node:path"
import { type Failure, usage } from "../cli/Failure.ts"
import type { Sink } from "../output/Sink.ts"
import { reading } from "../tasks/Reading.ts"

/** Servers, and where they came from. */
export interface Given {
  readonly servers: ServerFile.ServerFile
  readonly from: ReadonlyArray<Settings.McpConfig>
}

const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex")

const parsed = (text: string, file: string): Effect.Effect<ServerFile.ServerFile, Failure> =>
  Effect.flatMap(
    Effect.promise(() => import("@belay/tool-executor/mcp")),
    ({ ServerFile }) =>
      Effect.mapError(ServerFile.parse(text, { file, whose: "user" }), ({ problem }) =>
        usage(`the MCP servers cannot be used, ${problem} (${file})`, "Correct it.")
      )
  )

const joined = (files: ReadonlyArray<ServerFile.ServerFile>): ServerFile.ServerFile => ({
  servers: new Map(files.flatMap((file) => [...file.servers])),
  marks: new Map(files.flatMap((file) => [...file.marks]))
})

/** Of `--mcp-config`, each a file or its text; `texts` are what they say. */
export const of = (
  given: ReadonlyArray<{ readonly said: string; readonly text: string }>
): Effect.Effect<Given, Failure> =>
  Effect.map(
    Effect.forEach(given, ({ said, text }) =>
      Effect.map(parsed(text, said === text ? "--mcp-config" : said), (servers) => ({
        servers,
        from: {
          ...(said === text ? {} : { file: path.resolve(said) }),
          hash: hashOf(text),
          names: [...servers.servers.keys()]
        }
      }))
    ),
    (all) => ({ servers: joined(all.map(({ servers }) => servers)), from: all.map(({ from }) => from) })
  )

const textOf = (file: string): string | undefined => {
  try {
    return readFileSync(file, "utf8")
  } catch {
    return undefined
  }
}

const lost = ({ file, names }: Settings.McpConfig, what: string): string => {
  const servers = names.length === 1 ? `The MCP server ${names[0]} is` : `The MCP servers ${names.join(", ")} are`
  const again = file === undefined ? "FILE|JSON" : Words.printable(file)
  return `${servers} not there for this task: ${what}. To give ${names.length === 1 ? "it" : "them"} again: --mcp-config ${again}\n`
}

const found = (from: Settings.McpConfig, sink: Sink): Effect.Effect<ReadonlyArray<ServerFile.ServerFile>, Failure> => {
  if (from.file === undefined) {
    sink.err(lost(from, "it was said on the command line of an earlier run"))
    return Effect.succeed([])
  }
  const text = textOf(from.file)
  if (text !== undefined && hashOf(text) === from.hash) return Effect.map(parsed(text, from.file), (one) => [one])
  sink.err(lost(from, text === undefined ? "the file cannot be read" : "the file has changed"))
  return Effect.succeed([])
}

/** Those that the task was given in an earlier process; none where it was given none. */
export const ofTask = (id: TaskId.TaskId, sink: Sink): Effect.Effect<Given | undefined, Failure> =>
  Effect.gen(function* () {
    const row = yield* reading(Effect.flatMap(TaskHistory, (history) => history.row(id)))
    const settings = Option.isNone(row) ? Option.none() : yield* Effect.option(Settings.decode(row.value.meta.settings))
    const from = Option.isNone(settings) ? [] : (settings.value.mcpConfig ?? [])
    if (from.length === 0) return undefined
    return { servers: joined((yield* Effect.forEach(from, (one) => found(one, sink))).flat()), from }
  })
