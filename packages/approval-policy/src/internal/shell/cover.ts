import { forEachChild, type Script, type SyntaxNode } from "unbash"

/** Whatever lies between the words and redirections must be an operator, a blank or a comment. */
export const isCovered = (root: Script, source: string): boolean => {
  const spans: Array<readonly [number, number]> = []
  const visit = (node: SyntaxNode): void => {
    if (node.type === "HereDoc") {
      const redirect = source.slice(node.pos, node.delimiter?.pos)
      if (!/^\d*<<-?[ \t]*$/.test(redirect)) spans.push([-1, -1])
      spans.push([node.pos, node.end], [node.body.pos, node.closing?.end ?? node.body.end])
      return
    }
    if (node.type === "Redirect") {
      const operator = source.slice(node.pos, node.target?.pos)
      if (!/^\d*[<>&|]{1,3}[ \t]*$/.test(operator)) spans.push([-1, -1])
      spans.push([node.pos, node.end])
      return
    }
    if (node.type === "Word" || node.type === "Assignment") {
      spans.push([node.pos, node.end])
      return
    }
    forEachChild(node, visit)
  }
  visit(root)
  let at = 0
  for (const [start, end] of spans.toSorted(([left], [right]) => left - right)) {
    if (start < at || !isGap(source.slice(at, start), at === 0)) return false
    at = end
  }
  return isGap(source.slice(at), at === 0)
}

const isGap = (text: string, first: boolean): boolean => {
  const bare = text.replace(/\\\n/g, " ").replace(first ? /(^|[\s;&|])#[^\n]*/g : /([\s;&|])#[^\n]*/g, "$1")
  return /^(?:[ \t\n]|;|&&|\|\||\|&|\|)*$/.test(bare)
}
