/**
 * One search with ripgrep.
 *
 * Guarantees: arguments only, no shell, no configuration file, no environment, no PCRE2 (linear time), links not
 * followed; ends after 20 seconds, or as soon as `onLine` has enough; no process is left. Lines over 1,000,000 characters
 * of JSON are dropped.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as ProcessGroup from "../process/ProcessGroup.ts"

export interface Line {
  readonly file: string
  readonly number: number
  readonly text: string
  readonly isMatch: boolean
  /** Of its first byte in the file. */
  readonly offset: number
  /** Byte offset of the first match in the line. */
  readonly column: number
}

export interface SearchOptions {
  /** Absolute path of the program; the one of `@vscode/ripgrep` by default. */
  readonly program?: string | undefined
  readonly cwd: string
  readonly target: string
  readonly regex: string
  /** A glob of file names, which leaves ignored files ignored. */
  readonly namePattern?: string | undefined
  /** In order; a later one wins. */
  readonly globs: ReadonlyArray<{ readonly glob: string; readonly foldsCase: boolean }>
  readonly ignoreFile?: string | undefined
  /** Files are text, whatever bytes are in them. */
  readonly isText?: boolean
  /** Lines around a match that `onLine` gets, too. */
  readonly context: number
  /** Called for each line in order; true: enough. */
  readonly onLine: (line: Line) => boolean
}

interface SearchEnd {
  readonly reason: "complete" | "enough" | "timeout"
  /** What ripgrep said on standard error, at most 2,000 characters. */
  readonly errors: string
  /** 0 matches found, 1 none, 2 an error; -1 when it was stopped. */
  readonly code: number
  readonly dropped: number
}

class NoRipgrepError extends Schema.TaggedError<NoRipgrepError>()("NoRipgrepError", {
  cause: Schema.Defect()
}) {
  override get message() {
    return "ripgrep is not installed, so files cannot be searched. Install it: npm install @vscode/ripgrep"
  }
}

const longestLine = 1_000_000
const longestErrors = 2000
const limit = "20 seconds"

// Imported when it is first needed: the package throws where it has no program for the platform.
const bundled = Effect.tryPromise({
  try: () => import("@vscode/ripgrep").then(({ rgPath }) => rgPath),
  catch: (cause) => new NoRipgrepError({ cause })
})

const fixedArguments = [
  "--no-config",
  "--json",
  "--engine=default",
  "--no-follow",
  "--hidden",
  "--no-require-git",
  "--no-ignore-global",
  "--no-ignore-dot",
  "--max-filesize=50M",
  "--sort=path"
]

const argumentsOf = (options: SearchOptions): ReadonlyArray<string> => [
  ...fixedArguments,
  `--context=${options.context}`,
  ...(options.isText === true ? ["--text"] : []),
  ...(options.ignoreFile === undefined ? [] : [`--ignore-file=${options.ignoreFile}`]),
  ...(options.namePattern === undefined ? [] : [`--type-add=belay:${options.namePattern}`, "--type=belay"]),
  ...options.globs.map(({ foldsCase, glob }) => `--${foldsCase ? "iglob" : "glob"}=${glob}`),
  `--regexp=${options.regex}`,
  "--",
  options.target
]

/** ripgrep gives text, or base64 for what is not UTF-8. */
const Text = Schema.Union([Schema.Struct({ text: Schema.String }), Schema.Struct({ bytes: Schema.String })])

const Event = Schema.fromJsonString(
  Schema.Struct({
    type: Schema.Literals(["match", "context"]),
    data: Schema.Struct({
      path: Text,
      lines: Text,
      line_number: Schema.Natural,
      absolute_offset: Schema.Natural,
      submatches: Schema.Array(Schema.Struct({ start: Schema.Natural }))
    })
  })
)

const decodeEvent = Schema.decodeUnknownOption(Event)

const textOf = (value: typeof Text.Type) =>
  "text" in value ? value.text : Buffer.from(value.bytes, "base64").toString("utf8")

const toLine = (json: string): Line | undefined => {
  const event = decodeEvent(json)
  if (event._tag === "None") return undefined
  const { data, type } = event.value
  return {
    file: textOf(data.path),
    number: data.line_number,
    text: textOf(data.lines).replace(/\r?\n$/, ""),
    isMatch: type === "match",
    offset: data.absolute_offset,
    column: data.submatches[0]?.start ?? 0
  }
}

/** Cuts a stream into lines; one that is too long is dropped and counted. */
const splitter = (onLine: (line: string) => void) => {
  let rest = ""
  let dropping = false
  let dropped = 0
  const push = (chunk: string) => {
    const lines = (rest + chunk).split("\n")
    rest = lines.pop() ?? ""
    for (const line of lines) {
      if (!dropping) onLine(line)
      dropping = false
    }
    if (rest.length > longestLine) {
      if (!dropping) dropped++
      dropping = true
      rest = ""
    }
  }
  return { push, dropped: () => dropped }
}

export const search = Effect.fnUntraced(function* (options: SearchOptions) {
  const program = options.program ?? (yield* bundled)
  const enough = yield* Deferred.make<void>()
  let errors = ""
  let stopped = false
  const lines = splitter((json) => {
    const line = stopped ? undefined : toLine(json)
    if (line === undefined || !options.onLine(line)) return
    stopped = true
    Deferred.doneUnsafe(enough, Effect.void)
  })
  const systemRoot = process.env["SystemRoot"]
  const group = yield* ProcessGroup.spawn({
    alone: true,
    program,
    args: argumentsOf(options),
    cwd: options.cwd,
    env: systemRoot === undefined ? {} : { SystemRoot: systemRoot },
    onOutput: (chunk, stream) => {
      if (stream === "stdout") lines.push(chunk)
      else if (errors.length < longestErrors) errors += chunk.slice(0, longestErrors - errors.length)
    }
  })
  const end = yield* Effect.race(
    Effect.as(group.closed, "complete" as const),
    Effect.as(Deferred.await(enough), "enough" as const)
  ).pipe(Effect.timeoutOrElse({ duration: limit, orElse: () => Effect.succeed("timeout" as const) }))
  const reason = stopped ? "enough" : end
  const exit = reason === "complete" ? yield* group.exit : undefined
  const code = exit?._tag === "Exited" ? exit.code : -1
  return { reason, errors, code, dropped: lines.dropped() } satisfies SearchEnd
}, Effect.scoped)
