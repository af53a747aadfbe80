/**
 * The extension's changelog: what the changesets of all packages say, since they share one version and are one product.
 *
 * Changes that are not released yet stand first; a change that several packages name stands once.
 */
import { globSync, readFileSync } from "node:fs"
import * as path from "node:path"

const read = (root: string, pattern: string): ReadonlyArray<string> =>
  globSync(pattern, { cwd: root })
    .sort()
    .map((file) => readFileSync(path.join(root, file), "utf8"))

/** The text of a changeset after its front matter, as one entry: its own list stands below its first line. */
const pending = (root: string): ReadonlyArray<string> =>
  read(root, ".changeset/*.md").flatMap((text) => {
    const body = /^---\n[\s\S]*?---\n([\s\S]*)$/.exec(text)?.[1]?.trim()
    return body === undefined ? [] : [`- ${body.replaceAll(/\n(?=.)/g, "\n  ")}`]
  })

/** An entry without the commit that it came with. */
const entryOf = (text: string): string => `- ${text.replace(/^- (?:[0-9a-f]{7,}: )?/, "").trim()}`

/** The entries of each version, the newest first, as Changesets writes them. */
const released = (texts: ReadonlyArray<string>): ReadonlyMap<string, ReadonlySet<string>> => {
  const versions = new Map<string, Set<string>>()
  for (const text of texts) {
    for (const section of text.split(/^## /m).slice(1)) {
      const [version = "", ...lines] = section.split("\n")
      const entries = versions.get(version) ?? new Set()
      versions.set(version, entries)
      for (const entry of lines.join("\n").split(/^(?=- )/m)) {
        if (entry.startsWith("- ") && !entry.startsWith("- Updated dependencies")) {
          entries.add(entryOf(entry.replace(/^###[\s\S]*/m, "")))
        }
      }
    }
  }
  return versions
}

/** `root` is the repository. */
export const changelog = (root: string): string => {
  const unreleased = pending(root)
  const sections = [...released(read(root, "{packages,apps}/*/CHANGELOG.md"))]
    .sort(([left], [right]) => right.localeCompare(left, "en", { numeric: true }))
    .map(([version, entries]) => [version, [...entries]] as const)
  const all = unreleased.length === 0 ? sections : [["Not released yet", unreleased] as const, ...sections]
  return `# Changelog\n\n${all.map(([name, entries]) => `## ${name}\n\n${entries.join("\n")}\n`).join("\n")}`
}
