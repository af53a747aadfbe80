/**
 * Where keys are kept between runs: one for each host, never given for another one.
 *
 * A key is `Redacted` from the moment it is read. What cannot be trusted, such as a file that others can read, is an
 * error and never an absent key.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"

const problems = {
  symlink: "is a symbolic link, which is never followed. Replace it by the file itself",
  notAFile: "is not a regular file. Move it away",
  exposed: "can be read by others, so the keys in it are not used. Replace them, and run chmod 600 on it",
  foreign: "belongs to another user. Remove it",
  damaged: "does not hold keys. Correct or remove it",
  unreadable: "cannot be read. Check its rights",
  unwritable: "cannot be written. Check the rights of its folder and the free space"
} as const

/** Names what is wrong with the file of keys. */
export const Problem = Schema.Literals([
  "symlink",
  "notAFile",
  "exposed",
  "foreign",
  "damaged",
  "unreadable",
  "unwritable"
])
export type Problem = typeof Problem.Type

/** The place of the keys cannot be used; nothing was changed. */
export class SecretsError extends Schema.TaggedError<SecretsError>()("SecretsError", {
  problem: Problem,
  path: Schema.String
}) {
  override get message() {
    return `the stored keys cannot be used (${this.path}). It ${problems[this.problem]}.`
  }
}

/** Keeps one key per host. Errors: `SecretsError`. */
export class Secrets extends Context.Service<
  Secrets,
  {
    /** The key of a host, such as `api.anthropic.com` or `127.0.0.1:1234`. */
    readonly get: (host: string) => Effect.Effect<Option.Option<Redacted.Redacted>, SecretsError>
    /** Keeps it in place of an earlier one, and says where, in words. */
    readonly set: (host: string, key: Redacted.Redacted) => Effect.Effect<string, SecretsError>
    /** Removes it wherever it is; the places in words, none when there was no key. */
    readonly remove: (host: string) => Effect.Effect<ReadonlyArray<string>, SecretsError>
  }
>()("@belay/model-client/Secrets") {}
