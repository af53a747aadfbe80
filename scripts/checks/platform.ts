// What kind of machine this is, is asked when something is done, so that a test can run it as on another one.
//
// Guarantee: no module of a package or a host reads the platform, or how it spells paths, while it is loaded: outside of
// functions.
import { readFileSync } from "node:fs"
import { parseAst } from "rolldown/parseAst"
import { shown, sourceFiles, workspacePackages } from "./workspace.ts"

const owners: Readonly<Record<string, ReadonlySet<string>>> = {
  process: new Set(["platform"]),
  os: new Set(["platform", "EOL"]),
  path: new Set(["sep", "delimiter"])
}

/** Most sources do not name it at all, and need not be parsed. */
const names = /\b(?:platform|EOL|sep|delimiter)\b/

interface Node {
  readonly type: string
  readonly start: number
  readonly [key: string]: unknown
}

const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null && "type" in value

const isRead = ({ object, property, type }: Node): boolean =>
  type === "MemberExpression" &&
  isNode(object) &&
  isNode(property) &&
  owners[String(object["name"])]?.has(String(property["name"])) === true

/** Where, in characters, a source reads it while the module is loaded. */
export function platformReads(source: string, lang: "ts" | "tsx"): ReadonlyArray<number> {
  if (!names.test(source)) return []
  const found: Array<number> = []
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(visit)
    if (!isNode(value) || /Function|MethodDefinition/.test(value.type)) return
    if (value.type === "PropertyDefinition" && value["static"] !== true) return
    if (isRead(value)) found.push(value.start)
    Object.values(value).forEach(visit)
  }
  visit(parseAst(source, { lang }))
  return found
}

export function checkPlatform(root: string): ReadonlyArray<string> {
  return workspacePackages(root).flatMap(({ folder }) =>
    sourceFiles(folder, "src").flatMap((file) => {
      const source = readFileSync(file, "utf8")
      return platformReads(source, file.endsWith("x") ? "tsx" : "ts").map(
        (at) =>
          `${shown(root, file)}:${source.slice(0, at).split("\n").length} reads the platform while it is loaded: ask for it ` +
          "in a function, or take a machine (@belay/machine) as an argument."
      )
    })
  )
}
