// The longest function of the sources.
//
// Guarantee: no function, method or closure of a package or app has more lines than a reader takes in at once, what it
// holds counted with it. Tables and schemas are no functions, and tests are no sources: those neither that a package
// publishes for who implements it again, in `src/testing/`.
import { readFileSync } from "node:fs"
import * as path from "node:path"
import { type Node, programOf, visit } from "./imports.ts"
import { shown, sourceFiles, workspacePackages } from "./workspace.ts"

/** Lines from the first parameter or keyword to the closing brace. */
const most = 120

export interface Function {
  /** As it is declared; empty where it has no name of its own. */
  readonly name: string
  readonly line: number
  readonly lines: number
}

export function checkFunctions(root: string): ReadonlyArray<string> {
  const sources = workspacePackages(root)
    .flatMap(({ folder }) => sourceFiles(folder, "src"))
    .filter((file) => !file.includes(`${path.sep}testing${path.sep}`))
  return sources.flatMap((source) => functionViolations(shown(root, source), readFileSync(source, "utf8")))
}

export function functionViolations(file: string, text: string): ReadonlyArray<string> {
  return tooLong(functionsOf(file, text)).map(({ line, lines, name }) => {
    const what = name === "" ? "a function" : name
    return `${file}:${line}: ${what} has ${lines} lines, more than ${most}: part it by what it does.`
  })
}

/** Of one inside another the outer one alone, where both are one declaration. */
function tooLong(functions: ReadonlyArray<Function>): ReadonlyArray<Function> {
  return functions.filter(({ lines, name }, at) => {
    const before = functions[at - 1]
    return lines > most && !(name === "" && before !== undefined && before.lines > most)
  })
}

/** Every function of a text, in the order in which they begin. */
export function functionsOf(file: string, text: string): ReadonlyArray<Function> {
  const found: Array<Function> = []
  const names = new Map<unknown, string>()
  const lineAt = (offset: number): number => text.slice(0, offset).split("\n").length
  visit(programOf(file, text), (node) => {
    const named = nameOf(node)
    if (named !== undefined) names.set(named.of, named.name)
    if (!isFunction(node)) return
    const [first, last] = [lineAt(node.start), lineAt(node["end"] as number)]
    found.push({ name: names.get(node) ?? declared(node["id"]), line: first, lines: last - first + 1 })
  })
  return found.toSorted((left, right) => left.line - right.line)
}

const functions = new Set(["FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression"])

const isFunction = (node: Node): boolean => functions.has(node.type) && node["body"] !== null

/** What a declaration, a property or a method calls the function in it. */
function nameOf(node: Node): { readonly name: string; readonly of: unknown } | undefined {
  switch (node.type) {
    case "VariableDeclarator":
      return { name: declared(node["id"]), of: within(node["init"]) }
    case "Property":
    case "MethodDefinition":
    case "PropertyDefinition":
      return { name: declared(node["key"]), of: within(node["value"]) }
    default:
      return undefined
  }
}

/** The function that a value is, or that the calls around it are given last. */
function within(value: unknown): unknown {
  const node = value as Node | null
  if (node?.type !== "CallExpression") return node
  return within((node["arguments"] as ReadonlyArray<unknown>).at(-1) ?? null)
}

function declared(node: unknown): string {
  const name = (node as Node | null)?.["name"]
  return typeof name === "string" ? name : ""
}
