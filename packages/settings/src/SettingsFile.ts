/**
 * A settings file, read and written whole.
 *
 * Nothing is ignored: an unknown name or a wrong value is one line that names the file, the setting and the value.
 */
import { Approvals } from "@belay/approval-policy"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import { closeSync, fstatSync, lstatSync, openSync, readFileSync } from "node:fs"
import * as PrivateFile from "./internal/privateFile.ts"
import { Document } from "./SettingsDocument.ts"

export {
  answersOf,
  checkpointBounds,
  contextOf,
  hooksOf,
  modelIdOf,
  modelsOf,
  variablesOf
} from "./SettingsDocument.ts"
export type { Document } from "./SettingsDocument.ts"

/** A file that is there and cannot be used. */
export class SettingsFileError extends Schema.TaggedError<SettingsFileError>()("SettingsFileError", {
  /** What is wrong, and in which file. */
  what: Schema.String,
  /** What to do. */
  hint: Schema.String
}) {
  override get message() {
    return `${this.what}. ${this.hint}`
  }
}

const decodeDocument = Schema.decodeUnknownResult(Document, { onExcessProperty: "error" })

const format = SchemaIssue.makeFormatterStandardSchemaV1()

const at = (value: unknown, path: ReadonlyArray<string>): unknown =>
  path.reduce<unknown>(
    (found, name) =>
      typeof found === "object" && found !== null ? Object.getOwnPropertyDescriptor(found, name)?.value : undefined,
    value
  )

const short = (value: unknown): string => {
  const text = JSON.stringify(value) ?? "nothing"
  return text.length > 60 ? `${text.slice(0, 59)}…` : text
}

/** Names the first setting that cannot be used, with its value and the reason. */
export interface Wrong {
  readonly setting: string
  readonly value: unknown
  readonly problem: string
}

const wrongOf = (issue: SchemaIssue.Issue, value: unknown): Wrong => {
  const first = format(issue).issues[0]
  const path = (first?.path ?? []).map((part) => String(typeof part === "object" ? part.key : part))
  return { setting: path.join("."), value: at(value, path), problem: first?.message ?? "it cannot be used" }
}

/** Checks a value that was parsed. */
export const decode = (value: unknown): Effect.Effect<Document, Wrong> =>
  Effect.gen(function* () {
    const found = decodeDocument(value)
    if (Result.isFailure(found)) return yield* Effect.fail(wrongOf(found.failure.issue, value))
    const { approvals } = found.success
    if (approvals === undefined) return found.success
    yield* Effect.mapError(Approvals.decode(approvals), ({ field, problem }): Wrong => {
      const path = field === "" ? [] : field.split(".")
      return { setting: ["approvals", ...path].join("."), value: at(approvals, path), problem }
    })
    return found.success
  })

/** Says what is wrong in a file. */
export const refusal = (file: string, { problem, setting, value }: Wrong): SettingsFileError =>
  new SettingsFileError({
    what:
      setting === ""
        ? `the settings cannot be used, ${problem} (${file})`
        : `the setting ${setting} cannot be ${short(value)}, ${problem.replace(/^Expected /u, "expected ")} (${file})`,
    hint: "Correct it or take it out."
  })

const largest = 1_048_576

const codeOf = (cause: unknown): unknown =>
  typeof cause === "object" && cause !== null && "code" in cause ? cause.code : undefined

const readText = (file: string): string | undefined => {
  let handle: number
  try {
    handle = openSync(file, "r")
  } catch (cause) {
    if (codeOf(cause) === "ENOENT" || codeOf(cause) === "ENOTDIR") return undefined
    throw cause
  }
  try {
    const found = fstatSync(handle)
    if (!found.isFile() || found.size > largest) throw new Error("no file of at most 1 MB")
    return readFileSync(handle, "utf8")
  } finally {
    closeSync(handle)
  }
}

/** Gives what a file of at most 1 MB holds, not checked; `undefined` when there is none. */
export const read = (file: string): Effect.Effect<unknown, SettingsFileError> =>
  Effect.suspend(() => {
    let text: string | undefined
    try {
      text = readText(file)
    } catch {
      const what = `the settings cannot be read (${file})`
      return new SettingsFileError({ what, hint: "Check the file and its rights." })
    }
    try {
      return Effect.succeed<unknown>(text === undefined ? undefined : JSON.parse(text))
    } catch {
      return new SettingsFileError({ what: `the settings are not JSON (${file})`, hint: "Correct them." })
    }
  })

/** The settings of a file; none when there is no file. */
export const load = (file: string): Effect.Effect<Document, SettingsFileError> =>
  Effect.flatMap(read(file), (value) =>
    value === undefined ? Effect.succeed({}) : Effect.mapError(decode(value), (wrong) => refusal(file, wrong))
  )

const isLink = (file: string): boolean => lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true

/** Writes a value as JSON: whole or not at all, and never through a link. */
export const write = (file: string, value: unknown): Effect.Effect<void, SettingsFileError> =>
  Effect.suspend(() => {
    const fail = (what: string, hint: string) => Effect.fail(new SettingsFileError({ what: `${what} (${file})`, hint }))
    try {
      if (isLink(file)) return fail("the file is a symbolic link", "Change the file it points to.")
      PrivateFile.replace(file, `${JSON.stringify(value, undefined, 2)}\n`)
      return Effect.void
    } catch {
      return fail("the file cannot be written", "Check the folder's rights and free space.")
    }
  })
