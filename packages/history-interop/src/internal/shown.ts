/** Which turns of a stored log its program no longer sent to the model: those that a summary or a mark stands for. */
import { type Fields, fieldsOf, listOf, text } from "./fields.ts"

/** The ids of summaries and marks that are there. */
const idsOf = (turns: ReadonlyArray<Fields>, mark: string, id: string): ReadonlySet<string> =>
  new Set(turns.flatMap((turn) => (turn[mark] === true ? (text(turn[id]) ?? []) : [])))

const isOf = (ids: ReadonlySet<string>, id: unknown): boolean => typeof id === "string" && ids.has(id)

/**
 * The places of the turns that are not shown to a model. A summary stands for everything before it; a range that was deleted
 * is that of Cline, both ends included.
 */
export const hidden = (stored: ReadonlyArray<unknown>, deleted: unknown): ReadonlySet<number> => {
  const turns = stored.map(fieldsOf)
  const summary = turns.findLastIndex((turn) => turn["isSummary"] === true)
  const condensed = idsOf(turns, "isSummary", "condenseId")
  const truncated = idsOf(turns, "isTruncationMarker", "truncationId")
  const [from, to] = listOf(deleted)
  const isDeleted = (at: number) => typeof from === "number" && typeof to === "number" && at >= from && at <= to
  return new Set(
    turns.flatMap((turn, at) =>
      turn["hidden"] === true ||
      at < summary ||
      isOf(condensed, turn["condenseParent"]) ||
      isOf(truncated, turn["truncationParent"]) ||
      isDeleted(at)
        ? [at]
        : []
    )
  )
}
