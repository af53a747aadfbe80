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

/** The fields beside one, by the path of that. */
const fieldsBeside = (field: string): ReadonlyArray<string> => {
  const [first, ...below] = field.split(".")
  if (below.length === 0) return Object.keys(Approvals.Approvals.fields)
  return Object.keys(first === "commands" ? Approvals.Commands.fields : Approvals.PathEntry.fields)
}

const said = (value: unknown, field: string): string => {
  const found = field
    .split(".")
    .reduce((at: unknown, key) => (typeof at === "object" && at !== null ? Reflect.get(at, key) : undefined), value)
  const text = JSON.stringify(found) ?? "left out"
  return text.length <= 60 ? text : `${text.slice(0, 59)}…`
}

const refused = (value: unknown, { field, problem }: Approvals.InvalidApprovals): Failure => {
  if (/excess property|unexpected/i.test(problem)) {
    return usage(`unknown field "${field}" in --approvals`, `Fields: ${fieldsBeside(field).join(", ")}.`)
  }
  const [, choices] = /^Expected ("\w+"(?: \| "\w+")+)/u.exec(problem) ?? []
  if (choices !== undefined) {
    return usage(
      `approvals.${field} cannot be ${said(value, field)} (--approvals)`,
      `Use ${choices.replaceAll('"', "").split(" | ").join(", ")}.`
    )
  }
  const where = field === "" ? "--approvals" : `approvals.${field}`
  return usage(`the approvals are not valid, ${problem} (${where})`, "Correct the field or leave it out.")
}

/** Errors: one line that names the field. */
export const decode = (given: string): Effect.Effect<Approvals.Approvals, Failure> =>
  Effect.flatMap(readSettings(given), (value) =>
    Effect.mapError(Approvals.decode(value), (error) => refused(value, error))
  )
