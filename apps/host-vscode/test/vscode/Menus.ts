/** What the manifest offers on a row, by the row's context: conditions are a view and an expression, joined by "&&". */
import { readFileSync } from "node:fs"
import * as path from "node:path"

interface Entry {
  readonly command: string
  readonly when: string
}

const { contributes } = JSON.parse(
  readFileSync(path.resolve(import.meta.dirname, "../../extension/package.json"), "utf8")
)
const entries: ReadonlyArray<Entry> = contributes.menus["view/item/context"]

const holds = (when: string, view: string, context: string): boolean => {
  const [, wanted, expression] = /^view == (\S+) && viewItem =~ \/(.*)\/$/u.exec(when) ?? []
  if (wanted === undefined || expression === undefined) throw new Error(`a condition of another kind: ${when}`)
  return wanted === view && new RegExp(expression, "u").test(context)
}

/** The commands without their prefix, each once. */
export const offered = (view: string, context: string): ReadonlyArray<string> => [
  ...new Set(
    entries.flatMap(({ command, when }) => (holds(when, view, context) ? [command.replace("belay.", "")] : []))
  )
]
