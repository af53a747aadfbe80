/**
 * What an approval binds to besides the call: the content of a file that is edited, the place of everything else.
 *
 * Guarantees: another content, or another file or folder at the same path, gives another text; what cannot be looked at
 * gives a text, too. Reading, growing and touching a file keep its place.
 */
import type { PathFact } from "@belay/approval-policy"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import * as SafeFile from "./SafeFile.ts"

const stats = (fact: PathFact.PathFact): fs.BigIntStats | undefined => {
  try {
    return fs.lstatSync(fact.resolved, { bigint: true, throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

/** Which file or folder it is. */
export const place = (fact: PathFact.PathFact): Effect.Effect<string> =>
  Effect.sync(() => {
    const found = stats(fact)
    return found === undefined ? "absent" : `${found.dev}:${found.ino}`
  })

/** The `SafeFile.hash` of its bytes, `"absent"`, or for what is not read whole its place, size and time of change. */
export const content = (fact: PathFact.PathFact, limit: number): Effect.Effect<string> =>
  fact.kind === "absent"
    ? Effect.succeed("absent")
    : Effect.match(SafeFile.readAll(fact, limit), {
        onSuccess: SafeFile.hash,
        onFailure: ({ reason }) => {
          const found = stats(fact)
          return found === undefined ? reason : `${found.dev}:${found.ino}:${found.size}:${found.mtimeNs}`
        }
      })
