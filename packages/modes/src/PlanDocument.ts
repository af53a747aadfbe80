/**
 * The plan that deep planning writes: eight sections, each with something in it, rendered as Markdown.
 *
 * Names of sections are recognised in any spelling: `Implementation Order`, `implementation_order`, `implementationOrder`.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

/** Lists the sections of a plan in the order in which they are rendered. */
export const sections = [
  "Overview",
  "Types",
  "Files",
  "Functions",
  "Classes",
  "Dependencies",
  "Testing",
  "Implementation Order"
] as const
/** Names a section. */
export type Section = (typeof sections)[number]

/** In the root of the workspace. */
export const fileName = "implementation_plan.md"

/** Nothing was rendered. */
export class PlanIncomplete extends Schema.TaggedError<PlanIncomplete>()("PlanIncomplete", {
  missing: Schema.Array(Schema.String),
  empty: Schema.Array(Schema.String),
  /** Named, and no section of a plan. */
  unknown: Schema.Array(Schema.String)
}) {
  override get message() {
    const told = [
      ...(this.missing.length === 0 ? [] : [`missing: ${this.missing.join(", ")}`]),
      ...(this.empty.length === 0 ? [] : [`empty: ${this.empty.join(", ")}`]),
      ...(this.unknown.length === 0 ? [] : [`unknown: ${this.unknown.join(", ")}`])
    ]
    return `The plan was not saved, because of its sections (${told.join("; ")}). Send all of ${sections.join(", ")}; where there is nothing to do, say so.`
  }
}

const plain = (name: string): string => name.toLowerCase().replaceAll(/[^a-z]/gu, "")

const shown = (name: string): string => name.replaceAll(/\s+/gu, " ").slice(0, 60)

/** The document, which begins with a heading. */
export const render = (
  title: string,
  given: Readonly<Record<string, string>>
): Result.Result<string, PlanIncomplete> => {
  const found = new Map(Object.entries(given).map(([name, text]) => [plain(name), text.trim()] as const))
  const known = new Set(sections.map(plain))
  const missing = sections.filter((name) => !found.has(plain(name)))
  const empty = sections.filter((name) => found.get(plain(name)) === "")
  const unknown = Object.keys(given).filter((name) => !known.has(plain(name)))
  if (missing.length + empty.length + unknown.length > 0) {
    return Result.fail(new PlanIncomplete({ missing, empty, unknown: unknown.map(shown) }))
  }
  const heading = shown(title).trim()
  const parts = sections.map((name) => `## ${name}\n\n${found.get(plain(name)) ?? ""}\n`)
  return Result.succeed([`# ${heading === "" ? "Implementation plan" : heading}\n`, ...parts].join("\n"))
}
