// The exports of a package: from its entry points through whatever re-exports to the declarations.
import * as path from "node:path"
import { parseSync } from "rolldown/utils"
import type { Node } from "./imports.ts"
import type { Manifest } from "./workspace.ts"

/** A value and a type of one name are one declaration, and so are overloads. */
interface Declared {
  /** What its doc comment says, without its marks; undefined without one. */
  readonly doc: string | undefined
  readonly line: number
  /** The text of all its parts, each with its `export`. */
  readonly text: string
}

interface Elsewhere {
  /** As written: a relative path, or a package. */
  readonly source: string
  /** The name there; `*`: the whole module. */
  readonly name: string
}

interface Module {
  readonly declared: ReadonlyMap<string, Declared>
  readonly imported: ReadonlyMap<string, Elsewhere>
  /** By the name that importers see: a local name, or a name of another module. */
  readonly exported: ReadonlyMap<string, string | Elsewhere>
  /** `export * from`. */
  readonly all: ReadonlyArray<string>
}

/** An export that is declared in this workspace. */
export interface Export extends Declared {
  readonly file: string
  readonly name: string
}

/** The sources that `exports` of a manifest names. */
export const entriesOf = (folder: string, { exports }: Manifest): ReadonlyArray<string> =>
  Object.values(exports ?? {}).flatMap((entry) => {
    const source = (entry as Readonly<Record<string, string>> | null)?.["@belay/source"]
    return source === undefined ? [] : [path.join(folder, source)]
  })

/** Every export that is reached from these files, each declaration once. What other packages declare is theirs. */
export function exportsOf(
  entries: ReadonlyArray<string>,
  textOf: (file: string) => string | undefined
): ReadonlyArray<Export> {
  const modules = new Map<string, Module>()
  const found = new Map<string, Export>()
  const seen = new Set<string>()
  const moduleOf = (file: string): Module => {
    const known = modules.get(file)
    if (known !== undefined) return known
    const text = textOf(file)
    if (text === undefined) throw new Error(`${file} is exported and does not exist.`)
    const module = parse(file, text)
    modules.set(file, module)
    return module
  }
  const follow = (from: string, { name, source }: Elsewhere): void => {
    if (!source.startsWith(".")) return
    const file = path.join(path.dirname(from), source)
    if (name === "*") everything(file)
    else one(file, name)
  }
  const local = (file: string, name: string): void => {
    const { declared, imported } = moduleOf(file)
    const elsewhere = imported.get(name)
    const declaration = declared.get(name)
    if (declaration !== undefined) found.set(`${file}\0${name}`, { file, name, ...declaration })
    else if (elsewhere !== undefined) follow(file, elsewhere)
  }
  const one = (file: string, name: string): boolean => {
    const { all, exported } = moduleOf(file)
    const target = exported.get(name)
    if (typeof target === "string") local(file, target)
    else if (target !== undefined) follow(file, target)
    else return all.some((source) => source.startsWith(".") && one(path.join(path.dirname(file), source), name))
    return true
  }
  const everything = (file: string): void => {
    if (seen.has(file)) return
    seen.add(file)
    const { all, exported } = moduleOf(file)
    for (const name of exported.keys()) one(file, name)
    for (const source of all) follow(file, { source, name: "*" })
  }
  for (const entry of entries) everything(entry)
  return [...found.values()]
}

/** The names that a module exports itself; of a namespace its own name alone. */
export const namesIn = (file: string, textOf: (file: string) => string): ReadonlyArray<string> => {
  const { all, exported } = parse(file, textOf(file))
  const others = all.filter((source) => source.startsWith("."))
  return [...exported.keys(), ...others.flatMap((source) => namesIn(path.join(path.dirname(file), source), textOf))]
}

const nameOf = (node: unknown): string => {
  const { name, value } = node as { readonly name?: string; readonly value?: string }
  return name ?? value ?? ""
}

/** The names that a declaration declares; parts of a pattern are one by one. */
function namesOf(node: Node): ReadonlyArray<string> {
  if (node.type !== "VariableDeclaration") return node["id"] ? [nameOf(node["id"])] : []
  return (node["declarations"] as ReadonlyArray<Node>).flatMap(({ id }) => patternNames(id as Node))
}

function patternNames(node: Node): ReadonlyArray<string> {
  switch (node.type) {
    case "ObjectPattern":
      return (node["properties"] as ReadonlyArray<Node>).flatMap(({ argument, value }) =>
        patternNames((value ?? argument) as Node)
      )
    case "ArrayPattern":
      return (node["elements"] as ReadonlyArray<Node | null>).flatMap((element) =>
        element === null ? [] : patternNames(element)
      )
    case "AssignmentPattern":
      return patternNames(node["left"] as Node)
    default:
      return [nameOf(node)]
  }
}

function parse(file: string, text: string): Module {
  const { comments, errors, program } = parseSync(file, text, { lang: file.endsWith("x") ? "tsx" : "ts" })
  if (errors.length > 0) throw new Error(`${file} cannot be parsed: ${errors[0]?.message}`)
  const docs = comments.filter(({ type, value }) => type === "Block" && value.startsWith("*"))
  const docOf = ({ start }: Node): string | undefined =>
    docs
      .find(({ end }) => end <= start && text.slice(end, start).trim() === "")
      ?.value.replaceAll(/^\s*\* ?/gm, "")
      .trim()
  const declared = new Map<string, Declared>()
  const imported = new Map<string, Elsewhere>()
  const exported = new Map<string, string | Elsewhere>()
  const all: Array<string> = []
  const declare = (node: Node, at: Node): ReadonlyArray<string> => {
    const names = namesOf(node)
    for (const name of names) {
      const before = declared.get(name)
      const line = before?.line ?? text.slice(0, at.start).split("\n").length
      const parts = [...(before === undefined ? [] : [before.text]), text.slice(at.start, at["end"] as number)]
      declared.set(name, { doc: before?.doc ?? docOf(at), line, text: parts.join("\n") })
    }
    return names
  }
  for (const node of program.body as unknown as ReadonlyArray<Node>) {
    const source = node["source"] ? nameOf(node["source"]) : undefined
    const specifiers = (node["specifiers"] ?? []) as ReadonlyArray<Node>
    if (node.type === "ImportDeclaration" && source !== undefined) {
      for (const specifier of specifiers) {
        const name = specifier.type === "ImportNamespaceSpecifier" ? "*" : nameOf(specifier["imported"] ?? "default")
        imported.set(nameOf(specifier["local"]), { source, name: name === "" ? "default" : name })
      }
    } else if (node.type === "ExportAllDeclaration" && source !== undefined) {
      if (node["exported"]) exported.set(nameOf(node["exported"]), { source, name: "*" })
      else all.push(source)
    } else if (node.type === "ExportNamedDeclaration" && node["declaration"]) {
      for (const name of declare(node["declaration"] as Node, node)) exported.set(name, name)
    } else if (node.type === "ExportNamedDeclaration") {
      for (const specifier of specifiers) {
        const name = nameOf(specifier["local"])
        exported.set(nameOf(specifier["exported"]), source === undefined ? name : { source, name })
      }
    } else if (node.type === "ExportDefaultDeclaration") {
      const line = text.slice(0, node.start).split("\n").length
      declared.set("default", { doc: docOf(node), line, text: text.slice(node.start, node["end"] as number) })
      exported.set("default", "default")
    } else declare(node, node)
  }
  return { declared, imported, exported, all }
}
