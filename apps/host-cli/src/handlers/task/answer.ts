/**
 * `belay task answer`: answers the ask of a task, or one of several by its id; the first answer counts. A yes without an id
 * is confirmed in a terminal.
 */
import * as Effect from "effect/Effect"
import { isSet, type Parsed, text } from "../../cli/Arguments.ts"
import { type ExitCode, type Failure, usage } from "../../cli/Failure.ts"
import type { Sink } from "../../output/Sink.ts"
import * as MessageCommand from "../../tasks/MessageCommand.ts"

const isAskId = (word: string): boolean => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/u.test(word)

export const run = (parsed: Parsed, sink: Sink): Effect.Effect<ExitCode, Failure> => {
  const allow = isSet(parsed, "allow")
  const deny = isSet(parsed, "deny")
  const [, second] = parsed.args
  // Words in the place of an ask are the answer to the only one.
  const isWords = second !== undefined && !allow && !deny && text(parsed, "text") === undefined && !isAskId(second)
  const said = isWords ? second : text(parsed, "text")
  if (allow && deny) return Effect.fail(usage("--allow and --deny exclude each other", "Give one of them."))
  if (!allow && !deny && (said ?? "").trim() === "") {
    return Effect.fail(usage("there is no answer", "Give --allow, --deny or --text."))
  }
  const named = isWords ? undefined : second
  return Effect.gen(function* () {
    const askId = named ?? (yield* MessageCommand.unnamed(parsed, sink, allow))
    if (askId === undefined) {
      sink.out("Nothing is answered.\n")
      return 0
    }
    return yield* MessageCommand.run(parsed, sink, {
      kind: "answer",
      askId,
      ...(allow || deny ? { decision: allow ? "allow" : "deny" } : {}),
      ...(said === undefined ? {} : { text: said })
    })
  })
}
