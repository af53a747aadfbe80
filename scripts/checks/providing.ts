// Who provides services.
//
// Guarantee: no source of a package calls `Effect.provide`: what a function needs stands in its type, and whoever composes
// the program provides it, once. Layers are put together with `Layer.provide`, and hosts provide at their edges.
import { readFileSync } from "node:fs"
import { type Node, programOf, visit } from "./imports.ts"
import { shown, sourceFiles, workspacePackages } from "./workspace.ts"

export function checkProviding(root: string): ReadonlyArray<string> {
  return workspacePackages(root)
    .filter(({ kind }) => kind === "packages")
    .flatMap(({ folder }) =>
      sourceFiles(folder, "src").flatMap((file) =>
        provisions(file, readFileSync(file, "utf8")).map((violation) => `${shown(root, file)}:${violation}`)
      )
    )
}

/** "line: what" for every layer or context that a text provides to an effect. */
export function provisions(file: string, text: string): ReadonlyArray<string> {
  const found: Array<string> = []
  visit(programOf(file, text), (node) => {
    if (node.type !== "MemberExpression" || !isNamed(node["object"], "Effect")) return
    if (!isNamed(node["property"], "provide")) return
    const line = text.slice(0, node.start).split("\n").length
    found.push(`${line}: it provides what nobody can replace; require it, and let the host provide it.`)
  })
  return found
}

const isNamed = (node: unknown, name: string): boolean => (node as Node)["name"] === name
