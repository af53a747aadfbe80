/** What `[[ ]]` tests, as words of a program that only reads. */
import type { SyntaxNode, Word } from "unbash"
import { NotPlain } from "./notPlain.ts"
import { type Known, type Value, valueOf } from "./words.ts"

type Test = Extract<SyntaxNode, { type: "TestCommand" }>

const unary = /^-[edfrwxsznLh]$/
const binary = /^(?:==?|!=|-nt|-ot|-ef)$/
const numeric = /^-(?:eq|ne|gt|ge|lt|le)$/

/** The words of `[[ ]]`, as far as none of them is calculated. */
const tested = (node: SyntaxNode, known: Known): ReadonlyArray<Value> => {
  const operator = (text: string): Value => ({ text, glob: false, written: text })
  // Nothing is split or expanded there.
  const whole = (word: Word, compares: boolean): Value => {
    const value = valueOf(word, known)
    if (!compares && (value.text === null || value.glob)) throw new NotPlain("it has a test of what is not known")
    return value.text === null || value.glob ? operator(value.written) : value
  }
  switch (node.type) {
    case "TestUnary":
      if (!unary.test(node.operator)) break
      return [operator(node.operator), whole(node.operand, /^-[zn]$/.test(node.operator))]
    case "TestBinary": {
      const words = [node.left, node.right]
      if (numeric.test(node.operator) && words.every((word) => /^(?:-?\d+|\$\?)$/.test(word.text)))
        return [operator(node.left.text), operator(node.operator), operator(node.right.text)]
      if (!binary.test(node.operator)) break
      const compares = node.operator.includes("=")
      return [whole(node.left, compares), operator(node.operator), whole(node.right, compares)]
    }
    case "TestLogical":
      return node.operands.flatMap((operand) => tested(operand, known))
    case "TestNot":
      return [operator("!"), ...tested(node.operand, known)]
    case "TestGroup":
      return tested(node.expression, known)
  }
  throw new NotPlain("it has a test that may calculate")
}

/** What a `[[ ]]` is to the rules. */
export const testOf = (node: Test, known: Known): ReadonlyArray<Value> => [
  { text: "[[", glob: false, written: "[[" },
  ...tested(node.expression, known),
  { text: "]", glob: false, written: "]]" }
]
