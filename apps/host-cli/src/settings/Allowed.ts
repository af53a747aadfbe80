/** What the person has allowed always, as the commands of `belay allowed` count it. */
import { Approvals, Grant } from "@belay/approval-policy"
import * as DataFolder from "@belay/history-store/data-folder"
import { Settings } from "@belay/settings"
import * as FolderGrants from "@belay/task-engine/unstable/folder-grants"
import * as Effect from "effect/Effect"
import { isSet, type Parsed, text } from "../cli/Arguments.ts"
import type { Failure } from "../cli/Failure.ts"
import * as Home from "./Home.ts"
import * as User from "./User.ts"

export interface Row {
  /** Its place in the list, from 1. */
  readonly n: number
  readonly entry: FolderGrants.Entry
  readonly text: string
}

export const store = (): FolderGrants.FolderGrants => FolderGrants.make(DataFolder.directory())

/** The words by which a person may name a rule, besides its description. */
export const namesOf = (rule: Grant.Rule): ReadonlyArray<string> => {
  switch (rule.type) {
    case "command":
      return [rule.command]
    case "path":
      return [rule.path]
    case "mcp":
    case "tool":
      return [rule.name]
    case "resource":
      return [rule.uri]
    case "host":
      return [rule.host]
    case "category":
      return [rule.category]
  }
}

/** Of this folder, or with `--all` of every one; folder by folder, the oldest first. */
export const rows = (
  parsed: Parsed
): Effect.Effect<{ readonly rows: ReadonlyArray<Row>; readonly problems: ReadonlyArray<string> }, Failure> =>
  Effect.gen(function* () {
    const found = isSet(parsed, "all")
      ? yield* store().all
      : yield* store().of(yield* Effect.fromResult(Home.workspace(text(parsed, "cwd"))))
    const sorted = found.entries.toSorted((left, right) =>
      left.folder < right.folder ? -1 : left.folder > right.folder ? 1 : left.givenAt - right.givenAt
    )
    return {
      problems: found.problems,
      rows: sorted.map((entry, index) => ({
        n: index + 1,
        entry,
        text: Grant.describe(entry.rule, entry.folder)
      }))
    }
  })

/** Commands of the user's settings that an earlier version may have allowed always, and whether they were confirmed. */
export const earlier: Effect.Effect<
  ReadonlyArray<{ readonly command: string; readonly everywhere: boolean }>,
  Failure
> = Effect.gen(function* () {
  const { approvals } = yield* User.load
  const decoded = yield* Effect.orElseSucceed(Approvals.decode(approvals ?? "ask"), () => Approvals.ask)
  const { unconfirmed } = Settings.separated(Settings.defaults(decoded))
  const confirmed = yield* store().everywhere
  return unconfirmed.map((command) => ({ command, everywhere: confirmed.has(command) }))
})
