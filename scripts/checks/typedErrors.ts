// What an effect fails with.
//
// Guarantee: in no source of a package or app an effect, a stream, a layer or a result is declared to fail with a string,
// and none fails with a text that is written there: an error is a tagged class, which a caller can tell from others, and
// its message is the line for people.
import { readFileSync } from "node:fs"
import { type Node, programOf, visit } from "./imports.ts"
import { shown, sourceFiles, workspacePackages } from "./workspace.ts"

/** The types whose second argument is an error, by their module; each is the type of that name in it, too. */
const failing = new Set(["Effect", "Exit", "Layer", "Result", "Stream"])

export function checkTypedErrors(root: string): ReadonlyArray<string> {
  return workspacePackages(root).flatMap(({ folder }) =>
    sourceFiles(folder, "src").flatMap((file) =>
      stringErrors(file, readFileSync(file, "utf8")).map((violation) => `${shown(root, file)}:${violation}`)
    )
  )
}

/** "line: what" for every error of a text that is a string. */
export function stringErrors(file: string, text: string): ReadonlyArray<string> {
  const found: Array<string> = []
  const add = ({ start }: Node, what: string): unknown =>
    found.push(`${text.slice(0, start).split("\n").length}: ${what}; make it a tagged error.`)
  visit(programOf(file, text), (node) => {
    if (node.type === "TSTypeReference" && isFailing(node["typeName"])) {
      const { params = [] } = (node["typeArguments"] ?? {}) as { readonly params?: ReadonlyArray<Node> }
      if (isString(params[1])) add(node, "it fails with a string")
    }
    if (node.type !== "CallExpression" || !isFailing(node["callee"], "fail")) return
    const [given] = node["arguments"] as ReadonlyArray<Node>
    if (given !== undefined && isText(given)) add(node, "it fails with a text")
  })
  return found
}

/** `Effect.Effect` and the like; with a name, `Effect.fail`. */
function isFailing(node: unknown, member?: string): boolean {
  const { left, object, property, right } = node as Record<string, { readonly name?: string } | undefined>
  const module = (left ?? object)?.name ?? ""
  return failing.has(module) && (right ?? property)?.name === (member ?? module)
}

function isString(type: Node | undefined): boolean {
  if (type?.type === "TSUnionType") return (type["types"] as ReadonlyArray<Node>).some(isString)
  return type?.type === "TSStringKeyword"
}

const isText = (node: Node): boolean =>
  node.type === "TemplateLiteral" || (node.type === "Literal" && typeof node["value"] === "string")
