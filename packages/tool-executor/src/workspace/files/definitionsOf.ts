/**
 * The definitions of source files, by their grammars: what each begins with, and from which line to which it goes.
 *
 * As slow as the files are large: it runs in a thread of its own. A grammar is loaded with the first file of its
 * language. What stands in the body of a function is no definition here, and a line with several is told once.
 */
import * as fs from "node:fs"
import { createRequire } from "node:module"
import * as path from "node:path"
import { Language, type Node, Parser } from "web-tree-sitter"
import { type Kinds, languages } from "./Languages.ts"

export interface Sources {
  readonly files: ReadonlyArray<{ readonly language: string; readonly text: string }>
  /** A folder with the grammars and the runtime; those of the installed packages by default. */
  readonly grammars?: string | undefined
}

/** Lines count from 1. */
export interface Definition {
  readonly from: number
  readonly to: number
  readonly depth: number
  readonly text: string
}

const resolve = (name: string): string => createRequire(import.meta.url).resolve(name)

const runtimeOf = (grammars: string | undefined): string =>
  grammars === undefined ? resolve("web-tree-sitter/web-tree-sitter.wasm") : path.join(grammars, "web-tree-sitter.wasm")

const grammarOf = (grammars: string | undefined, name: string): string =>
  path.join(grammars ?? path.dirname(resolve("@vscode/tree-sitter-wasm")), `tree-sitter-${name}.wasm`)

/** The line with its name, which decorators and the like may stand before. */
const headOf = (node: Node): number =>
  (node.childForFieldName("name") ?? node.childForFieldName("declarator") ?? node).startPosition.row

const isFunction = (node: Node | null): boolean =>
  node !== null && /^(?:arrow_function|function_expression|function|class)$/.test(node.type)

/** `export const` and the like. */
const isExported = (declarator: Node): boolean => declarator.parent?.parent?.type === "export_statement"

const walk = (
  node: Node,
  kinds: Kinds,
  lines: ReadonlyArray<string>,
  depth: number,
  found: Array<Definition & { readonly head: number }>
): void => {
  for (const child of node.namedChildren) {
    if (child === null) continue
    const outer = kinds.outer.includes(child.type)
    const bodiless = kinds.needsBody.includes(child.type) && child.childForFieldName("body") === null
    const assigned = child.type === "variable_declarator" && isFunction(child.childForFieldName("value"))
    const constant = child.type === "variable_declarator" && !assigned && isExported(child)
    const isOne = (outer || kinds.inner.includes(child.type) || assigned || constant) && !bodiless
    const head = headOf(child)
    if (isOne && found.at(-1)?.head !== head) {
      const text = (lines[head] ?? "").trim()
      found.push({ from: child.startPosition.row + 1, to: child.endPosition.row + 1, depth, text, head })
    }
    if (outer || constant) walk(child, kinds, lines, isOne ? depth + 1 : depth, found)
    else if (!kinds.inner.includes(child.type) && !kinds.closed.includes(child.type) && !assigned) {
      walk(child, kinds, lines, depth, found)
    }
  }
}

/** The definitions of each file, in its order. */
export const definitionsOf = async ({
  files,
  grammars
}: Sources): Promise<ReadonlyArray<ReadonlyArray<Definition>>> => {
  await Parser.init({ wasmBinary: fs.readFileSync(runtimeOf(grammars)) })
  const parser = new Parser()
  const loaded = new Map<string, Language>()
  const all: Array<ReadonlyArray<Definition>> = []
  for (const { language, text } of files) {
    const kinds = languages[language]
    const grammar =
      loaded.get(language) ?? (await Language.load(fs.readFileSync(grammarOf(grammars, kinds?.grammar ?? language))))
    loaded.set(language, grammar)
    parser.setLanguage(grammar)
    const tree = parser.parse(text)
    const found: Array<Definition & { readonly head: number }> = []
    if (tree !== null && kinds !== undefined) walk(tree.rootNode, kinds, text.split("\n"), 0, found)
    tree?.delete()
    all.push(found.map(({ head: _, ...definition }) => definition))
  }
  return all
}
