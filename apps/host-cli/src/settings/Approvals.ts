/** `--approvals`: a preset, a JSON object, or a file that holds one. */
import { Approvals } from "@belay/approval-policy"
import * as Effect from "effect/Effect"
import { readFileSync } from "node:fs"
import { type Failure, usage } from "../cli/Failure.ts"

const parseJson = (text: string, where: string) =>
  Effect.try({
    try: (): unknown => JSON.parse(text),
    catch: () => usage(`the approvals are not JSON (${where})`, "Correct it, or use ask, edits, project or all.")
  })

const readSettings = (given: string): Effect.Effect<unknown, Failure> => {
  if (Approvals.isPreset(given)) return Effect.succeed(given)
  if (given.trimStart().startsWith("{")) return parseJson(given, "--approvals")
  return Effect.flatMap(
    Effect.try({
      try: () => readFileSync(given, "utf8"),
      catch: () =>
        usage(`the approvals cannot be read (${given})`, "Use ask, edits, project, all, a file or a JSON object.")
    }),
    (text) => parseJson(text, given)
  )
}

/** Errors: one line that names the field. */
export const decode = (given: string): Effect.Effect<Approvals.Approvals, Failure> =>
  Effect.flatMap(readSettings(given), (value) =>
    Effect.mapError(Approvals.decode(value), (error) => {
      if (/excess property|unexpected/i.test(error.problem)) {
        const known = Object.keys(Approvals.Approvals.fields).join(", ")
        return usage(`unknown field "${error.field}" in --approvals`, `Fields: ${known}.`)
      }
      const where = error.field === "" ? "--approvals" : `approvals.${error.field}`
      return usage(`the approvals are not valid, ${error.problem} (${where})`, "Correct the field or leave it out.")
    })
  )
