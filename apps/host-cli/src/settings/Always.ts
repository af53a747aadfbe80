/**
 * What a person allows always: entries of the user's own settings file, never of a project's.
 *
 * Guarantee: exactly the entry that was shown is added, to a file that is valid before and after; else nothing is written.
 */
import { Approvals, type Grant } from "@belay/approval-policy"
import { decode } from "@belay/task-engine/settings-file"
import * as Effect from "effect/Effect"
import * as Names from "./Names.ts"
import * as SettingsFile from "./SettingsFile.ts"
import * as User from "./User.ts"

const list = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

const union = (before: ReadonlyArray<unknown>, added: ReadonlyArray<unknown>): ReadonlyArray<unknown> => {
  const json = (value: unknown) => JSON.stringify(value)
  return [...before.filter((one) => !added.some((other) => json(other) === json(one))), ...added]
}

/** A preset as the object that it stands for, so that something can be added to it. */
const opened = (settings: unknown): unknown => {
  const preset = Names.get(settings, ["approvals"])
  return preset === "ask" || preset === "edits" || preset === "all"
    ? Names.put(settings, ["approvals"], Approvals.presets[preset])
    : settings
}

const adding = (settings: unknown, { commands, mcp, paths }: Grant.Setting): unknown => {
  const at = (way: ReadonlyArray<string>, added: ReadonlyArray<unknown>) => (value: unknown) =>
    Names.put(value, way, union(list(Names.get(value, way)), added))
  const changes = [
    ...(commands === undefined ? [] : [at(["approvals", "commands", "allow"], commands.allow)]),
    ...(paths === undefined ? [] : [at(["approvals", "paths"], paths)]),
    ...Object.entries(mcp ?? {}).map(
      ([name, setting]) =>
        (value: unknown) =>
          Names.put(value, ["approvals", "mcp", name], setting)
    )
  ]
  return changes.reduce<unknown>((value, change) => change(value), opened(settings))
}

/** The line that takes the change back; nothing when the settings could not be written. */
export const keep = (setting: Grant.Setting): Effect.Effect<string | undefined> =>
  Effect.gen(function* () {
    const file = User.file()
    const before = (yield* SettingsFile.read(file)) ?? {}
    const after = adding(before, setting)
    yield* decode(after)
    yield* SettingsFile.write(file, after)
    const old = Names.get(before, ["approvals"])
    return `belay config set approvals '${JSON.stringify(old ?? null).replaceAll("'", "'\\''")}'`
  }).pipe(Effect.orElseSucceed(() => undefined))
