import { forEachChild, type Script, type SyntaxNode } from "unbash"
import { literalOf } from "./literal.ts"

type Span = readonly [number, number]
type Of<T extends SyntaxNode["type"]> = Extract<SyntaxNode, { type: T }>

/** Nothing covers a text with such a span. */
const never: Span = [-1, -1]

/** A piece of the text that has to be exactly this. */
const piece = (source: string, from: number, to: number, pattern: RegExp): Span =>
  pattern.test(source.slice(from, to)) ? [from, to] : never

const next = String.raw`^[ \t]*[;\n][ \t\n]*`

const loop = (node: Of<"For">, source: string): ReadonlyArray<Span> => {
  const { body, end, name, pos, wordlist = [] } = node
  const first = wordlist[0]
  const last = wordlist.at(-1)
  if (first === undefined || last === undefined) return [never]
  return [
    piece(source, pos, name.pos, /^for[ \t]+$/),
    piece(source, name.pos, name.end, /^\w+$/),
    piece(source, name.end, first.pos, /^[ \t\n]+in[ \t]+$/),
    piece(source, last.end, body.pos, new RegExp(`${next}do[ \\t\\n]+$`)),
    piece(source, body.end, end, new RegExp(`${next}done$`))
  ]
}

const whileLoop = ({ body, clause, end, pos }: Of<"While">, source: string): ReadonlyArray<Span> => [
  piece(source, pos, clause.pos, /^while[ \t\n]+$/),
  piece(source, clause.end, body.pos, new RegExp(`${next}do[ \\t\\n]+$`)),
  piece(source, body.end, end, new RegExp(`${next}done$`))
]

const condition = ({ clause, elif, else: other, end, pos, then }: Of<"If">, source: string): ReadonlyArray<Span> => {
  const before = (word: string) => new RegExp(`${next}${word}[ \\t\\n]+$`)
  const spans: Array<Span> = [
    piece(source, pos, clause.pos, /^if[ \t\n]+$/),
    piece(source, clause.end, then.pos, before("then"))
  ]
  let at = then.end
  for (const branch of elif) {
    spans.push(piece(source, at, branch.clause.pos, before("elif")))
    spans.push(piece(source, branch.clause.end, branch.then.pos, before("then")))
    at = branch.then.end
  }
  if (other !== undefined) {
    spans.push(piece(source, at, other.pos, before("else")))
    at = other.end
  }
  return [...spans, piece(source, at, end, new RegExp(`${next}fi$`))]
}

/** Between the words of a `[[ ]]` stand operators only. */
const tested = (node: Of<"TestCommand">, source: string): Span => {
  let at = node.pos
  let isWhole = true
  const visit = (child: SyntaxNode): void => {
    if (child.type !== "Word") return forEachChild(child, visit)
    isWhole &&= /^(?:\[\[|&&|\|\||!|\(|-[A-Za-z]{1,2}|[!=]?=|[ \t\n])+$/.test(
      source.slice(at, child.pos).replaceAll(")", "")
    )
    isWhole &&= substitutes(child, source)
    at = child.end
  }
  forEachChild(node, visit)
  return isWhole && /^[ \t\n)]+\]\]$/.test(source.slice(at, node.end)) ? [node.pos, node.end] : never
}

const brackets = ({ end, pos }: SyntaxNode, source: string, pair: string): ReadonlyArray<Span> =>
  source[pos] === pair[0] && source[end - 1] === pair[1]
    ? [
        [pos, pos + 1],
        [end - 1, end]
      ]
    : [never]

/** What stands beside a process substitution without a blank belongs to the same word. */
const isApart = ({ end, pos }: SyntaxNode, source: string): boolean =>
  /^[ \t]$/.test(source[pos - 1] ?? "") && /^[ \t\n;|&)]?$/.test(source[end] ?? "")

/** The commands of its substitutions are covered, too. */
const substitutes = (node: SyntaxNode, source: string): boolean => {
  let isWhole = true
  const visit = (child: SyntaxNode): void => {
    if (child.type !== "CommandExpansion" && child.type !== "ProcessSubstitution") return forEachChild(child, visit)
    const { end, pos, script } = child
    if (script === undefined || (child.type === "CommandExpansion" && literalOf(child, source) !== undefined)) return
    // Versions of bash differ in where one ends that holds these.
    const text = source.slice(pos, end)
    const isPlain =
      (child.type === "CommandExpansion" || isApart(child, source)) &&
      script.pos === pos + 2 &&
      script.end === end - 1 &&
      !/[#`\\]|<</.test(text)
    isWhole &&= isPlain && isCovered(script, source, script)
  }
  visit(node)
  return isWhole
}

/** Whatever lies between the words, redirections and keywords must be an operator, a blank or a comment. */
export const isCovered = (
  root: Script,
  source: string,
  part: { readonly pos: number; readonly end: number } = { pos: 0, end: source.length }
): boolean => {
  const spans: Array<Span> = []
  const visit = (node: SyntaxNode): void => {
    switch (node.type) {
      case "HereDoc": {
        const redirect = source.slice(node.pos, node.delimiter?.pos)
        if (!/^\d*<<-?[ \t]*$/.test(redirect)) spans.push(never)
        spans.push([node.pos, node.end], [node.body.pos, node.closing?.end ?? node.body.end])
        return
      }
      case "Redirect": {
        const operator = source.slice(node.pos, node.target?.pos)
        if (!/^\d*[<>&|]{1,3}[ \t]*$/.test(operator)) spans.push(never)
        spans.push([node.pos, node.end])
        return
      }
      case "Word":
      case "Assignment":
        spans.push(substitutes(node, source) ? [node.pos, node.end] : never)
        return
      case "Negation":
        spans.push([node.pos, node.end])
        return
      case "Time":
        spans.push(piece(source, node.pos, node.end, /^time(?:[ \t]+-p)?$/))
        return
      case "TestCommand":
        spans.push(tested(node, source))
        return
      case "For":
        spans.push(...loop(node, source))
        for (const word of node.wordlist ?? []) visit(word)
        visit(node.body)
        return
      case "While":
        spans.push(...whileLoop(node, source))
        break
      case "If":
        spans.push(...condition(node, source))
        break
      case "Subshell":
        spans.push(...brackets(node, source, "()"))
        break
      case "BraceGroup":
        spans.push(...brackets(node, source, "{}"))
        break
    }
    forEachChild(node, visit)
  }
  visit(root)
  let at = part.pos
  for (const [start, end] of spans.toSorted(([left], [right]) => left - right)) {
    if (start < at || !isGap(source.slice(at, start), at === part.pos)) return false
    at = end
  }
  return isGap(source.slice(at, part.end), at === part.pos)
}

const isGap = (text: string, first: boolean): boolean => {
  const bare = text.replace(/\\\n/g, " ").replace(first ? /(^|[\s;&|])#[^\n]*/g : /([\s;&|])#[^\n]*/g, "$1")
  return /^(?:[ \t\n]|;|&&|\|\||\|&|\|)*$/.test(bare)
}
