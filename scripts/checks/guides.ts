// The guides show code that runs: each block of TypeScript is, to the letter, a part of a program that the tests run.
import { globSync, readdirSync, readFileSync } from "node:fs"
import * as path from "node:path"

const guides = path.join("docs", "guides")

/** Programs that are run as they are: the examples, the templates, and the examples of READMEs. */
const programs = [
  "examples/src/*.ts",
  "apps/create-belay/templates/**/*.ts",
  "packages/*/README.md",
  "apps/sdk/README.md"
]

export function checkGuides(root: string): ReadonlyArray<string> {
  const sources = globSync(programs, { cwd: root })
    .filter((name) => !name.includes("node_modules"))
    .map((name) => readFileSync(path.join(root, name), "utf8"))
  return readdirSync(path.join(root, guides)).flatMap((name) =>
    unknownCode(readFileSync(path.join(root, guides, name), "utf8"), sources).map(
      (violation) => `docs/guides/${name}:${violation}`
    )
  )
}

/** "line what" for every block of TypeScript that is part of no source. */
export const unknownCode = (guide: string, sources: ReadonlyArray<string>): ReadonlyArray<string> =>
  [...guide.matchAll(/^```ts\n(.*?)^```$/gms)].flatMap(({ 1: code = "", index }) =>
    sources.some((source) => source.includes(code))
      ? []
      : [`${guide.slice(0, index).split("\n").length} shows code that no test runs: ${code.split("\n")[0]?.trim()}`]
  )
