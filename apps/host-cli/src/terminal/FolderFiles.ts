/** What of a folder its tasks are told, or would be, and what of it they are not, and why. */
import type { ProjectContext } from "@belay/prompt-context"
import { Words } from "@belay/interaction"
import * as Trust from "@belay/settings/trust"
import * as Effect from "effect/Effect"
import * as DataFolder from "@belay/history-store/data-folder"
import * as Help from "../cli/Help.ts"

export interface FolderFiles extends ProjectContext.Survey {
  /** Whether what counts does so now. */
  readonly trusted: boolean
}

export const of = (workspace: string): Effect.Effect<FolderFiles> =>
  Effect.gen(function* () {
    const found = Trust.survey(workspace)
    const trusted = found.counting.length > 0 && (yield* Trust.isTrusted(DataFolder.directory(), workspace))
    return { ...found, trusted }
  })

const section = (title: string, rows: ReadonlyArray<readonly [string, string]>): ReadonlyArray<string> =>
  rows.length === 0 ? [] : [title, ...Help.table(rows.map(([name, about]) => [Words.printable(name), about]))]

/** In the order in which it holds. */
export const found = ({ counting, trusted }: FolderFiles): ReadonlyArray<string> =>
  section(
    trusted ? "Read in this folder, the first holds" : "Read in this folder once it is trusted (belay trust)",
    counting.map(({ kind, name }) => [name, kind])
  )

export const leftOut = ({ leftOut }: Pick<FolderFiles, "leftOut">): ReadonlyArray<string> =>
  section(
    "Left out",
    leftOut.map(({ name, why }) => [name, Words.printable(why)])
  )
