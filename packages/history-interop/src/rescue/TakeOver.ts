/** Takes tasks that were found over into the history, by their refs, as an import of their folders does. */
import type { HistoryError, TaskHistory } from "@belay/history-store"
import * as Effect from "effect/Effect"
import type { FolderError } from "../Folder.ts"
import * as Import from "../Import.ts"
import type { Looked } from "./Look.ts"

const inFolder = ({ folder }: Looked, refs: ReadonlySet<string>, options: Import.Options) =>
  Effect.gen(function* () {
    const isMeant = (id: string): boolean => folder !== undefined && refs.has(`${folder.agent}:${id}`)
    if (folder === undefined || !folder.tasks.some(isMeant)) return []
    const { progress } = options
    const plan = yield* Import.plan(folder.root, folder.agent, progress === undefined ? {} : { progress })
    const tasks = plan.tasks.filter(({ summary }) => isMeant(summary.id))
    const ids = new Set(tasks.map(({ record }) => record.id))
    const damaged = new Set(tasks.flatMap(({ summary }) => summary.damage.map(({ path }) => path)))
    const mended = plan.mended.filter(({ taskId }) => ids.has(taskId))
    const own = { ...plan, tasks, skipped: [], mended, damaged: plan.damaged.filter(({ path }) => damaged.has(path)) }
    return [yield* Import.run(own, options)]
  })

/** Imports the tasks of these refs; what was imported before stays as it is. */
export const run = (
  looked: ReadonlyArray<Looked>,
  refs: ReadonlySet<string>,
  options: Import.Options
): Effect.Effect<Import.Report, FolderError | HistoryError.HistoryError, TaskHistory> =>
  Effect.map(
    Effect.forEach(looked, (one) => inFolder(one, refs, options)),
    (all) => {
      const reports = all.flat()
      return {
        imported: reports.flatMap(({ imported }) => imported),
        skipped: reports.flatMap(({ skipped }) => skipped),
        repairs: reports.flatMap(({ repairs }) => repairs),
        quarantined: reports.flatMap(({ quarantined }) => quarantined)
      }
    }
  )
