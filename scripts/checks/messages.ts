// docs/messages.md has every sentence that the sources can say: to people, and to models.
//
// Guarantee: the page is what the sources say now. A sentence is a text of at least two words in code that is no SQL, no
// module's name and no style; what is put into it stands in braces. It is read as a whole when something is changed.
import { existsSync, readFileSync } from "node:fs"
import * as path from "node:path"
import { type Node, programOf } from "./imports.ts"
import { shown, sourceFiles, workspacePackages } from "./workspace.ts"

const page = "docs/messages.md"

const head = `# Every sentence that Belay can say

Made by \`node scripts/messages.ts\` of the sources, to be read as a whole; \`npm run checks\` holds it to be current. What is
put into a sentence stands in braces, the end of a line is ⏎. What begins with a small letter is a part of a sentence.
`

/** Parts of tests are said to nobody. */
const silent = /^packages\/(?:testkit\/|[^/]+\/src\/testing\/)/

/** Two words beside each other. */
const isSentence = (text: string): boolean => /\p{L}[\p{L}'’]*[”"',:;.?!)]* +[("“'{]*\p{L}/u.test(text)

/** Not said: code of another language, a list of names, the words of a style. */
const isCode = (text: string): boolean =>
  /^\s*(?:<(?!!--)|SELECT |INSERT |UPDATE |DELETE |CREATE |PRAGMA |WITH |DROP |ALTER |BEGIN |@charset)/.test(text) ||
  /\b(?:FROM|WHERE|VALUES|INTEGER|TEXT NOT NULL|ORDER BY|PRAGMA|IS NULL|LIKE|JOIN|NOT IN|ADD COLUMN)\b|<= \?|= \?|< \?/.test(
    text
  ) ||
  /^\((?:allow|deny|import|version)\b|-src |\$\(|; do(?:ne)?\b|\bconst \w+ = |\(\?[:<!=]|\\[bsdwp]/.test(text) ||
  isList(text)

const joining =
  /^(?:a|an|the|is|are|it|of|to|in|not|no|and|or|for|by|with|that|was|be|on|at|from|as|only|this|its|may|has|had|have|than|your?|they|each|every|one|some)$/i

/** Names beside each other, such as those of programs or files: hardly a word joins them. */
const isList = (text: string): boolean => {
  const words = text.split(/[\s⏎]+/).filter((word) => word !== "")
  const marked = words.some((word) => /[:;,?!{"]$|[({"]|[a-z]\.$/.test(word))
  return words.length > 3 && !marked && words.filter((word) => joining.test(word)).length * 10 < words.length
}

const skipped = new Set(["ImportDeclaration", "ExportAllDeclaration", "TSLiteralType", "TaggedTemplateExpression"])

const nameOf = (node: Node | undefined): string => {
  switch (node?.type) {
    case "Identifier":
      return String(node["name"])
    case "MemberExpression":
      return nameOf(node["property"] as Node)
    case "CallExpression": {
      const [first] = node["arguments"] as ReadonlyArray<Node>
      return nameOf(first) || nameOf(node["callee"] as Node)
    }
    default:
      return ""
  }
}

interface Part {
  readonly value: { readonly cooked: string }
}

/** The text of an expression that is put together of texts; what is not known yet stands in braces. */
const textOf = (node: Node): string => {
  if (node.type === "Literal") return typeof node["value"] === "string" ? node["value"] : "{}"
  if (node.type === "TemplateLiteral") {
    const inner = node["expressions"] as ReadonlyArray<Node>
    return (node["quasis"] as ReadonlyArray<Part>)
      .map(({ value }, n) => value.cooked + (inner[n] === undefined ? "" : `{${nameOf(inner[n])}}`))
      .join("")
  }
  if (isSum(node)) return textOf(node["left"] as Node) + textOf(node["right"] as Node)
  return `{${nameOf(node)}}`
}

const isSum = (node: Node): boolean => node.type === "BinaryExpression" && node["operator"] === "+"

const isText = (node: Node): boolean =>
  node.type === "TemplateLiteral" || (node.type === "Literal" && typeof node["value"] === "string")

const isStyle = (node: Node): boolean =>
  node.type === "JSXAttribute" && /^(?:class|className|style|d|viewBox)$/.test(String((node["name"] as Node)["name"]))

/** The sentences of a text in TypeScript, in their order, each once. */
export function sentencesOf(file: string, text: string): ReadonlyArray<string> {
  const found = new Set<string>()
  const add = (said: string): void => {
    const line = said
      .replaceAll(/\s*\n\s*/g, " ⏎ ")
      .replaceAll(/\p{C}/gu, "�")
      // The icons of VS Code.
      .replaceAll(/\$\([a-z-]+\) ?/g, "")
      .trim()
    if (isSentence(line) && !isCode(line)) found.add(line)
  }
  const look = (value: unknown): void => {
    if (Array.isArray(value)) return value.forEach(look)
    if (typeof value !== "object" || value === null) return
    const node = value as Node
    if (skipped.has(node.type) || (node.type === "JSXAttribute" && isStyle(node))) return
    if (isText(node) || isSum(node)) add(textOf(node))
    if (node.type === "JSXText") add(String(node["value"]))
    // The parts of a sum are in it; what is put in may say something of its own.
    if (isSum(node))
      return partsOf(node)
        .filter((part) => !isText(part))
        .forEach(look)
    for (const [name, child] of Object.entries(node)) {
      if (name !== "quasis" && !(name === "key" && node.type === "Property")) look(child)
    }
  }
  look(programOf(file, text))
  return [...found]
}

const partsOf = (node: Node): ReadonlyArray<Node> =>
  isSum(node) ? [...partsOf(node["left"] as Node), ...partsOf(node["right"] as Node)] : [node]

const told = new Set(["title", "description", "markdownDescription", "enumDescriptions", "contents", "name", "label"])

/** What the editor shows of an extension's package.json. */
export function sentencesOfManifest(text: string): ReadonlyArray<string> {
  const found = new Set<string>()
  const look = (value: unknown, isTold: boolean): void => {
    if (typeof value === "string") return void (isTold && isSentence(value) && found.add(value.replaceAll("\n", " ⏎ ")))
    if (typeof value !== "object" || value === null) return
    for (const [name, child] of Object.entries(value)) look(child, Array.isArray(value) ? isTold : told.has(name))
  }
  look(JSON.parse(text).contributes, false)
  return [...found]
}

/** The page as it has to be. */
export function messagesOf(root: string): string {
  const ours = workspacePackages(root).filter(({ kind }) => kind !== "examples")
  const files = ours.flatMap(({ folder }) => {
    const manifest = path.join(folder, "extension", "package.json")
    const sources = sourceFiles(folder, "src").map(
      (file) => [file, sentencesOf(file, readFileSync(file, "utf8"))] as const
    )
    return existsSync(manifest)
      ? [...sources, [manifest, sentencesOfManifest(readFileSync(manifest, "utf8"))] as const]
      : sources
  })
  const sections = files.flatMap(([file, sentences]) => {
    const name = shown(root, file)
    return sentences.length === 0 || silent.test(name)
      ? []
      : [`\n## ${name}\n\n${sentences.map((line) => `- ${line}\n`).join("")}`]
  })
  return head + sections.join("")
}

/** One sentence when the page is not what the sources say. */
export function checkMessages(root: string): ReadonlyArray<string> {
  const file = path.join(root, page)
  return existsSync(file) && readFileSync(file, "utf8") === messagesOf(root)
    ? []
    : [`${page} is not what the sources say: run node scripts/messages.ts, and read what it changes.`]
}
