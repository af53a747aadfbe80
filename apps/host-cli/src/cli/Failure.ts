/**
 * What ends a command badly: one plain line for people, a tag for programs, and the exit code.
 *
 * The line says what happened, to what, and what to do; it never holds a stack or a key.
 */
import { Words } from "@belay/interaction"
import * as Data from "effect/Data"
import * as Hints from "./Hints.ts"

/** 2: usage. 3: a person is needed. 4: no key or no service. 5: no history. 130: a signal. */
export type ExitCode = 0 | 1 | 2 | 3 | 4 | 5 | 130

export class Failure extends Data.TaggedError("Failure")<{
  readonly code: ExitCode
  readonly tag: string
  /** What happened, to what. */
  readonly what: string
  /** What to do. */
  readonly hint: string
  readonly cause?: unknown
}> {
  override get message() {
    return `${this.what}. ${this.hint}`
  }
}

export const usage = (what: string, hint: string): Failure => new Failure({ code: 2, tag: "UsageError", what, hint })

/** Splits a sentence pair such as those of our errors into what happened and what to do. */
const split = (message: string): readonly [string, string] => {
  const at = message.indexOf("). ")
  if (at > 0) return [message.slice(0, at + 1), message.slice(at + 3)]
  const dot = message.lastIndexOf(". ", message.length - 2)
  return dot > 0 ? [message.slice(0, dot), message.slice(dot + 2)] : [message.replace(/\.$/, ""), "Run it again."]
}

const codes: Record<string, ExitCode> = {
  ModelError: 4,
  HistoryError: 5,
  TransitionRejected: 2,
  GitRefused: 2,
  RequestRefused: 2,
  CheckpointError: 2,
  FolderError: 2,
  ExportError: 2,
  BackupError: 2
}

const tagOf = (error: unknown): string =>
  typeof error === "object" && error !== null && "_tag" in error ? String(error._tag) : "Defect"

/** A command that the task's state forbids, without the name that the engine has for it. */
const refused = (error: unknown): readonly [what: string, hint: string] | undefined => {
  if (tagOf(error) !== "TransitionRejected" || !(error instanceof Error) || !("taskId" in error)) return undefined
  const reference = Words.shortId(String(error.taskId))
  const why = error.message.slice(error.message.indexOf(": ") + 2)
  return [`task ${reference} is unchanged: ${why}`, `See it: belay task show ${reference}`]
}

/** Any error of the engine as a failure of the command. */
export const fromError = (error: unknown): Failure => {
  if (error instanceof Failure) return error
  const tag = tagOf(error)
  const message = error instanceof Error ? error.message : String(error)
  const words = Hints.of(error)
  const [what, hint] = refused(error) ?? split([message, words ?? ""].join(" ").replaceAll(/\s+/g, " ").trim())
  return new Failure({ code: codes[tag] ?? 1, tag, what, hint, cause: error })
}

export const line = (failure: Failure): string => `belay: ${Words.printable(`${failure.what}. ${failure.hint}`)}\n`
