/** What axe finds wrong in a frame: the rule and the places, nothing when all is well. */
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import type { Inside } from "./View.ts"

const source = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

interface Found {
  readonly violations: ReadonlyArray<{
    readonly id: string
    readonly nodes: ReadonlyArray<{ readonly html: string; readonly failureSummary?: string }>
  }>
}

/** Given to the frame as a debugger does, which its policy does not forbid. `rules`: all of them when absent. */
export const check = async (frame: Inside, rules?: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
  const known = await frame.evaluate("typeof globalThis.axe")
  if (known === "undefined") await frame.evaluate(source)
  const options = { resultTypes: ["violations"], ...(rules === undefined ? {} : { runOnly: rules }) }
  const found = await frame.evaluate<Found>(`axe.run(document, ${JSON.stringify(options)})`)
  return found.violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`))
}
