// How layers are named: `X.layer` for the one implementation of a service, `X.layerMemory` and the like for variants.
//
// Guarantee: in packages, a module that declares a service exports no layer beside its class; what is exported and is a
// layer, or gives one, is called `layer` or `layerSomething`; and the first entry point of a package exports no bare
// `layer`, `Options` or `Reason`, of which a reader could not say whose it is. Layers of several services at once are exported by their variant. A
// function of a layer is no layer. Hosts name the layer of each of their contributions by its module.
import { readFileSync } from "node:fs"
import { entriesOf, namesIn } from "./exports.ts"
import { programOf, visit, type Node } from "./imports.ts"
import { shown, sourceFiles, workspacePackages } from "./workspace.ts"

export function checkLayers(root: string): ReadonlyArray<string> {
  return workspacePackages(root)
    .filter(({ kind }) => kind === "packages")
    .flatMap(({ folder, manifest }) => {
      const [index = ""] = entriesOf(folder, manifest)
      return [
        ...namesIn(index, (file) => readFileSync(file, "utf8"))
          .filter((name) => ownerless.has(name))
          .map((name) => `${shown(root, index)} exports a bare ${name}: say whose it is.`),
        ...sourceFiles(folder, "src").flatMap((file) =>
          layerViolations(file, readFileSync(file, "utf8")).map((violation) => `${shown(root, file)}:${violation}`)
        )
      ]
    })
}

/** Names that say nothing where they are imported. */
const ownerless = new Set(
  "layer Options Reason Kind Side State Change Kept Seen Stored Written Failure Listener Result Error Config make".split(
    " "
  )
)

const named = /^layer(?:[A-Z]\w*)?$/

/** "line: what" for every layer of a module whose name or place is another one. */
export function layerViolations(file: string, text: string): ReadonlyArray<string> {
  const found: Array<string> = []
  const add = ({ start }: Node, what: string): unknown =>
    found.push(`${text.slice(0, start).split("\n").length} ${what}`)
  const program = programOf(file, text) as { readonly body: ReadonlyArray<Node> }
  const service = program.body.map(serviceOf).find((name) => name !== undefined)
  for (const node of program.body) {
    const declaration = node.type === "ExportNamedDeclaration" ? (node["declaration"] as Node | null) : null
    if (declaration?.type === "VariableDeclaration") {
      for (const { id, init } of declaration["declarations"] as ReadonlyArray<Node>) {
        const name = nameOf(id)
        if (named.test(name) && service !== undefined)
          add(node, `exports ${name} beside ${service}: make it ${service}.${name}.`)
        else if (!named.test(name) && isLayer(id, init))
          add(node, `exports the layer ${name}: call it layer or layer${name[0]?.toUpperCase()}${name.slice(1)}.`)
      }
    }
  }
  visit(program, (node) => {
    if (node.type !== "PropertyDefinition" || node["static"] !== true) return
    const name = nameOf(node["key"])
    if (!named.test(name) && isLayer(node, node["value"]))
      add(node, `has the static layer ${name}: call it layer or layerSomething.`)
  })
  return found
}

const nameOf = (node: unknown): string => {
  const name = (node as { readonly name?: unknown } | null)?.name
  return typeof name === "string" ? name : ""
}

/** The name of the service that a statement declares. */
function serviceOf(statement: Node): string | undefined {
  const declared = (statement["declaration"] as Node | null | undefined) ?? statement
  if (declared.type !== "ClassDeclaration") return undefined
  let parent = declared["superClass"] as Node | null
  while (parent?.type === "CallExpression") parent = parent["callee"] as Node
  const isService =
    parent?.type === "MemberExpression" &&
    nameOf(parent["object"]) === "Context" &&
    nameOf(parent["property"]) === "Service"
  return isService ? nameOf(declared["id"]) : undefined
}

/** Whether something is annotated as a layer, returns what is, or is made by a function of the module `Layer`. */
function isLayer(annotated: unknown, value: unknown): boolean {
  const node = value as Node | null
  const parameters = (node?.["params"] ?? []) as ReadonlyArray<Node>
  if (parameters.some(({ name }) => name === "layer")) return false
  if (isLayerType((annotated as Node)["typeAnnotation"])) return true
  if (node?.type === "ArrowFunctionExpression") return isLayerType(node["returnType"]) || isMade(node["body"] as Node)
  return isMade(node)
}

const isLayerType = (annotation: unknown): boolean => {
  const type = (annotation as { readonly typeAnnotation?: Node } | null | undefined)?.typeAnnotation
  const name = type?.type === "TSTypeReference" ? (type["typeName"] as Node) : undefined
  return name?.type === "TSQualifiedName" && nameOf(name["left"]) === "Layer" && nameOf(name["right"]) === "Layer"
}

/** `Layer.effect(...)`, also with a pipe behind it. */
function isMade(node: Node | null): boolean {
  if (node?.type !== "CallExpression") return false
  const callee = node["callee"] as Node
  if (callee.type === "CallExpression") return isMade(callee)
  if (callee.type !== "MemberExpression") return false
  const object = callee["object"] as Node
  return nameOf(object) === "Layer" || (nameOf(callee["property"]) === "pipe" && isMade(object))
}
