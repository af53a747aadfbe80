/** What was said before, brought back with Up and Down while nothing else is written: pure. */
import type { Row } from "@belay/interaction"

/** Texts of the person, the newest first, each once; one that is shown cut is left out. */
export const saidBefore = (rows: ReadonlyArray<Row.Row>): ReadonlyArray<string> => {
  const texts = new Set<string>()
  for (const row of rows.toReversed()) {
    if (row.kind === "said" && row.by === "you" && row.cut === undefined && row.text.trim() !== "") texts.add(row.text)
  }
  return [...texts]
}

/**
 * The text in the place of another: `by` 1 is older, -1 newer, and before the newest there is an empty one. Nothing where
 * a person has written something of their own, or nothing is older.
 */
export const recalled = (texts: ReadonlyArray<string>, shown: string, by: 1 | -1): string | undefined => {
  const at = shown === "" ? -1 : texts.indexOf(shown)
  if (shown !== "" && at < 0) return undefined
  const next = at + by
  return next === -1 ? "" : texts[next]
}
