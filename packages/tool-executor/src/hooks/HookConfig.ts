/**
 * Hooks as settings write them: by event, in groups with a matcher each, in the form that Claude Code has.
 *
 * Nothing that is written is passed over in silence: what cannot be used is refused with the name of its place.
 */
import * as Schema from "effect/Schema"
import { defaultSeconds, type Hook, OnFailure, type Source } from "./Hook.ts"
import * as HookMatcher from "./HookMatcher.ts"

const Command = Schema.Struct({
  type: Schema.Literal("command"),
  command: Schema.String.check(
    Schema.makeFilter((text: string) => (text.trim() === "" || text.includes("\0") ? "Expected a command" : undefined))
  ),
  /** Seconds. */
  timeout: Schema.optionalKey(Schema.Finite.check(Schema.isBetween({ minimum: 0.1, maximum: 3600 }))),
  /** What it means that it has no answer; a person is asked by default. */
  onFailure: Schema.optionalKey(OnFailure)
})

const Group = Schema.Struct({
  /** Tool names with `|` between them, or a regular expression; every call by default. */
  matcher: Schema.optionalKey(Schema.String.check(Schema.makeFilter(HookMatcher.problem))),
  hooks: Schema.Array(Command)
})

/** Decodes the hooks of a settings file. */
export const Config = Schema.Struct({ PreToolUse: Schema.optionalKey(Schema.Array(Group)) })
export type Config = typeof Config.Type

/** Gives the hooks of one file, in the order in which it has them. */
export const hooksOf = ({ PreToolUse = [] }: Config, source: Source): ReadonlyArray<Hook> =>
  PreToolUse.flatMap(({ hooks, matcher }) =>
    hooks.map(({ command, onFailure = "ask", timeout = defaultSeconds }): Hook => ({
      event: "PreToolUse",
      ...(matcher === undefined ? {} : { matcher }),
      command,
      timeoutSeconds: timeout,
      onFailure,
      source
    }))
  )
