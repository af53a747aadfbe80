/**
 * Values that stand for others in a definition: `${NAME}`, `${NAME:-default}`, `${env:NAME}` and `${workspaceFolder}`.
 *
 * Nothing else is put in, and a value is looked at once: what it holds is text. One that is not set and has no default is an
 * error, never an empty text.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

/** What a definition needs is not there; `name` as it is written, without its marks. */
export class UnsetVariable extends Schema.TaggedError<UnsetVariable>()("UnsetVariable", { name: Schema.String }) {
  override get message() {
    return `the environment has no ${this.name}`
  }
}

export interface Around {
  /** Empty for a project's servers. */
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly workspace: string
  /** Told of each value of the environment that was put in, by its name. */
  readonly onValue: (name: string, value: string) => void
}

const variable = /\$\{(?:(env|input):)?([A-Za-z_][\w-]*)(?::-([^}]*))?\}/g

/** Whether a text has one. */
export const isIn = (text: string): boolean => text.search(variable) !== -1

/** A text with its values in place. */
export const expand = (
  text: string,
  { environment, onValue, workspace }: Around
): Result.Result<string, UnsetVariable> => {
  let missing: string | undefined
  const whole = text.replaceAll(variable, (written, kind: string | undefined, name: string, other?: string) => {
    if (kind === undefined && name === "workspaceFolder") return workspace
    const found = kind === "input" ? undefined : environment[name]
    if (found !== undefined && (found !== "" || other === undefined)) {
      onValue(name, found)
      return found
    }
    if (other === undefined) missing ??= kind === "input" ? written.slice(2, -1) : name
    return other ?? ""
  })
  return missing === undefined ? Result.succeed(whole) : Result.fail(new UnsetVariable({ name: missing }))
}

/** The values of a record, or of a list, with theirs in place. */
export const expandAll = <Values extends Readonly<Record<string, string>> | ReadonlyArray<string>>(
  values: Values,
  around: Around
): Result.Result<Values, UnsetVariable> => {
  const found: Array<readonly [string, string]> = []
  for (const [key, value] of Object.entries(values)) {
    const expanded = expand(value, around)
    if (Result.isFailure(expanded)) return Result.fail(expanded.failure)
    found.push([key, expanded.success])
  }
  const all = Array.isArray(values) ? found.map(([, value]) => value) : Object.fromEntries(found)
  return Result.succeed(all as unknown as Values)
}
