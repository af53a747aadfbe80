/** Runs one command line: parses it, loads the command that it names, and turns every failure into one line. */
import * as DataFolder from "@belay/history-store/data-folder"
import { Copy } from "@belay/interaction"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as References from "effect/References"
import * as Result from "effect/Result"
import { statSync } from "node:fs"
import { isSet, type Parsed, text } from "./cli/Arguments.ts"
import * as CommandLine from "./CommandLine.ts"
import * as DetachedChannel from "./output/DetachedChannel.ts"
import { type ExitCode, Failure, fromError, line, usage } from "./cli/Failure.ts"
import * as Familiar from "./cli/Familiar.ts"
import * as Help from "./cli/Help.ts"
import * as Log from "./output/Log.ts"
import * as Opening from "./cli/Opening.ts"
import * as Sink from "./output/Sink.ts"

const noTerminal = usage("this needs a terminal", 'Use "belay run" in scripts.')

const fail = async (parsed: Parsed | undefined, failure: Failure, sink: Sink.Sink): Promise<ExitCode> => {
  const output = parsed === undefined ? undefined : text(parsed, "output")
  if (output === "json" || output === "stream-json") {
    const { withoutTask } = await import("./result/ResultObject.ts")
    const object = withoutTask(failure)
    sink.data(`${JSON.stringify(output === "json" ? object : { type: "result", ...object })}\n`)
  }
  if (output === "claude-stream-json") {
    const { failed } = await import("./result/ClaudeStream.ts")
    sink.data(`${JSON.stringify(failed(`${failure.what}. ${failure.hint}`))}\n`)
  }
  sink.err(line(failure))
  if (parsed !== undefined && isSet(parsed, "verbose") && failure.cause instanceof Error) {
    sink.err(`${failure.cause.stack ?? failure.cause.message}\n`)
  }
  return failure.code
}

const failureOf = (cause: Cause.Cause<Failure>): Failure => {
  const found = Cause.findErrorOption(cause)
  return Option.isSome(found) ? found.value : fromError(Cause.squash(cause))
}

/** For a shell, at every TAB: whatever is wrong, it says nothing and does nothing. */
const complete = async (words: ReadonlyArray<string>, sink: Sink.Sink): Promise<ExitCode> => {
  const Completion = await import("./Completion.ts")
  const found = await Effect.runPromiseExit(Completion.complete(words))
  if (Exit.isSuccess(found)) sink.out(found.value.map(({ about, value }) => `${value}\t${about}\n`).join(""))
  return 0
}

/** One that cannot be looked at is told of by whoever opens it. */
const isFile = (name: string): boolean => {
  try {
    return statSync(name).isFile()
  } catch {
    return false
  }
}

/** A file in the place of the data folder would read as a history without tasks. */
const noFolder = (): Failure | undefined => {
  const folder = DataFolder.find()
  if (folder === undefined) {
    return usage("this user has no home folder, so there is no place for data", "Set HOME or BELAY_HOME.")
  }
  if (!isFile(folder)) return undefined
  const what = `the data folder is not a folder (${folder})`
  return new Failure({ code: 5, tag: "HistoryError", what, hint: "Set BELAY_HOME to a folder, or move the file." })
}

const dispatch = async (typed: ReadonlyArray<string>, sink: Sink.Sink): Promise<ExitCode> => {
  if (typed[0] === "__complete") return complete(typed.slice(typed[1] === "--" ? 2 : 1), sink)
  const isInteractive = Opening.isMeant(typed) && Opening.isAttended()
  if (typed.length === 0 && !isInteractive) return fail(undefined, noTerminal, sink)
  const args = isInteractive ? Familiar.options(typed) : Familiar.words(typed)
  const asked = isInteractive ? undefined : CommandLine.help(args)
  if (asked !== undefined) {
    sink.out(asked)
    return 0
  }
  const parsed = isInteractive
    ? CommandLine.parseInteractive(args)
    : CommandLine.parse(args[0] === "help" ? args.slice(1) : args)
  if (Result.isFailure(parsed)) return fail(undefined, parsed.failure, sink)
  const { command } = parsed.success
  if (parsed.success.help) {
    sink.out(Help.ofCommand(command))
    return 0
  }
  if (command.widens !== undefined) {
    const { refusal } = await import("./Widening.ts")
    const refused = refusal(parsed.success)
    if (refused !== undefined) return fail(parsed.success, refused, sink)
  }
  // What is wrong with a folder is the doctor's to say.
  const isDoctor = command.path.join(" ") === "doctor" && DataFolder.find() !== undefined
  const misplaced = command.withoutData === true || isDoctor ? undefined : noFolder()
  if (misplaced !== undefined) return fail(parsed.success, misplaced, sink)
  const { run } = await command.load()
  const exit = await run(parsed.success, sink).pipe(
    Log.to(sink, isSet(parsed.success, "verbose")),
    // Nobody listens: a span for each statement of SQL would be made for nothing.
    Effect.provideService(References.TracerEnabled, false),
    Effect.runPromiseExit
  )
  return Exit.isSuccess(exit) ? exit.value : fail(parsed.success, failureOf(exit.cause), sink)
}

/** Said when it is found, which is once for a folder of ours: it is closed then. */
const keepPrivate = (sink: Sink.Sink): void => {
  const folder = DataFolder.find()
  // A file that stands there is none of ours.
  if (folder === undefined || noFolder() !== undefined) return
  const kept = DataFolder.keepPrivate(folder)
  if (kept !== "private") sink.err(`${Copy.openedFolder(folder, kept)}\n`)
}

export const main = async (args: ReadonlyArray<string>): Promise<ExitCode> => {
  const sink = Sink.make()
  if (args[0] !== "__complete" && args[0] !== "demo") keepPrivate(sink)
  const code = await dispatch(args, sink).catch((cause: unknown) => fail(undefined, fromError(cause), sink))
  await sink.flush()
  DetachedChannel.close()
  return code
}
