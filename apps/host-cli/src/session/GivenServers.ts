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
import * as path from "node:path"
import { type Failure, usage } from "../cli/Failure.ts"
import type { Sink } from "../output/Sink.ts"
import { reading } from "../tasks/Reading.ts"

/** Servers, and where they came from. */
export interface Given {
  readonly servers: ServerFile.ServerFile
  readonly from: ReadonlyArray<Settings.McpConfig>
}

/** Loaded with the first server. */
const load = Effect.promise(() => import("@belay/tool-executor/mcp"))

const unusable = ({ file, problem }: Pick<ServerFile.ServerFileError, "file" | "problem">): Failure =>
  usage(`the MCP servers cannot be used, ${problem} (${file})`, "Correct it.")

const parsed = (text: string, file: string): Effect.Effect<ServerFile.ServerFile, Failure> =>
  Effect.gen(function* () {
    const { ServerFile } = yield* load
    const found = yield* Effect.mapError(ServerFile.parse(text, { file, whose: "user" }), unusable)
    // What is said for this run is wanted whole.
    const [problem] = found.problems
    if (problem !== undefined) return yield* unusable({ file, problem })
    return found
  })

/** Of `--mcp-config`, each a file or its text; `texts` are what they say. */
export const of = (
  given: ReadonlyArray<{ readonly said: string; readonly text: string }>
): Effect.Effect<Given, Failure> =>
  Effect.gen(function* () {
    const { GivenFile } = yield* load
    const all = yield* Effect.forEach(given, ({ said, text }) =>
      Effect.map(parsed(text, said === text ? "--mcp-config" : said), (servers) => ({
        servers,
        from: {
          ...(said === text ? {} : { file: path.resolve(said) }),
          hash: GivenFile.hashOf(text),
          names: [...servers.servers.keys()]
        }
      }))
    )
    return { servers: GivenFile.joined(all.map(({ servers }) => servers)), from: all.map(({ from }) => from) }
  })

const found = (from: Settings.McpConfig, sink: Sink): Effect.Effect<ReadonlyArray<ServerFile.ServerFile>, Failure> =>
  Effect.gen(function* () {
    const { GivenFile } = yield* load
    const again = yield* Effect.mapError(GivenFile.again(from), unusable)
    if (again._tag === "Found") return [again.servers]
    const file = from.file === undefined ? "FILE|JSON" : Words.printable(from.file)
    sink.err(`${again.why}. To give ${from.names.length === 1 ? "it" : "them"} again: --mcp-config ${file}\n`)
    return []
  })

/** Those that the task was given in an earlier process; none where it was given none. */
export const ofTask = (id: TaskId.TaskId, sink: Sink): Effect.Effect<Given | undefined, Failure> =>
  Effect.gen(function* () {
    const row = yield* reading(Effect.flatMap(TaskHistory, (history) => history.row(id)))
    const settings = Option.isNone(row) ? Option.none() : yield* Effect.option(Settings.decode(row.value.meta.settings))
    const from = Option.isNone(settings) ? [] : (settings.value.mcpConfig ?? [])
    if (from.length === 0) return undefined
    const { GivenFile } = yield* load
    return { servers: GivenFile.joined((yield* Effect.forEach(from, (one) => found(one, sink))).flat()), from }
  })
