// The module specifiers that a TypeScript file names.
//
// Found in the syntax tree, so comments and strings do not count: `import`, `export ... from`, `import()`,
// `import("x").T` in types, `import x = require("x")`, `require("x")` and `import.meta.resolve("x")`, type-only or not.
import { parseSync } from "rolldown/utils"

export interface Import {
  /** Undefined for `import(expression)`: no check can know what that loads. */
  readonly specifier: string | undefined
  readonly line: number
}

export interface Node {
  readonly type: string
  readonly start: number
  readonly [key: string]: unknown
}

/** Throws if the text cannot be parsed: a file that cannot be read must not pass a check. */
export function importsOf(file: string, text: string): ReadonlyArray<Import> {
  const found: Array<Import> = []
  const add = (node: Node, source: unknown): void => {
    found.push({ specifier: literal(source), line: text.slice(0, node.start).split("\n").length })
  }
  visit(programOf(file, text), (node) => {
    switch (node.type) {
      case "ImportDeclaration":
      case "ImportExpression":
      case "TSImportType":
      case "ExportAllDeclaration":
        return add(node, node["source"])
      case "ExportNamedDeclaration":
        return node["source"] ? add(node, node["source"]) : undefined
      case "TSExternalModuleReference":
        return add(node, node["expression"])
      case "CallExpression":
        return isLoader(node["callee"] as Node)
          ? add(node, (node["arguments"] as ReadonlyArray<unknown>)[0])
          : undefined
    }
  })
  return found
}

/** The syntax tree of a text. Throws if it cannot be parsed. */
export function programOf(file: string, text: string): unknown {
  const parsed = parseSync(file, text, { lang: file.endsWith("x") ? "tsx" : "ts" })
  if (parsed.errors.length > 0) throw new Error(`${file} cannot be parsed: ${parsed.errors[0]?.message}`)
  return parsed.program
}

/** `require`, `require.resolve` and `import.meta.resolve`. */
function isLoader(callee: Node): boolean {
  if (callee.type === "Identifier") return callee["name"] === "require"
  if (callee.type !== "MemberExpression") return false
  const object = callee["object"] as Node
  const property = callee["property"] as Node
  if (property["name"] !== "resolve") return false
  return object.type === "MetaProperty" || (object.type === "Identifier" && object["name"] === "require")
}

/** The text of a literal, or of a template without parts. */
export function literal(source: unknown): string | undefined {
  const node = source as Node | undefined
  if (node?.type === "Literal" && typeof node["value"] === "string") return node["value"]
  if (node?.type !== "TemplateLiteral") return undefined
  const quasis = node["quasis"] as ReadonlyArray<{ readonly value: { readonly cooked: string } }>
  return quasis.length === 1 ? quasis[0]?.value.cooked : undefined
}

export function visit(value: unknown, enter: (node: Node) => void): void {
  if (Array.isArray(value)) {
    for (const item of value) visit(item, enter)
  } else if (typeof value === "object" && value !== null) {
    if (typeof (value as Node).type === "string") enter(value as Node)
    for (const child of Object.values(value)) if (typeof child === "object") visit(child, enter)
  }
}
