import { Arbitrary, Schema } from "effect"
import type { Checklist } from "@belay/focus-chain"

const oneOf = <const A>(values: readonly [A, ...ReadonlyArray<A>]): Arbitrary.Arbitrary<A> =>
  Arbitrary.map(Arbitrary.schema(Schema.Natural), (n) => values[n % values.length] ?? values[0])

/** Pieces that matter to the grammar, put together at random, so that every state of the reader is met. */
const piece = oneOf([
  "\n- [ ] a <!-- one -->\n",
  "\n  * [x] b c <!-- two -->\n",
  "\n- [-] a\n",
  "\n## T\n",
  "\n```\n",
  "\n<!--\n",
  "\n-->\n",
  "- [ ] ",
  "- [x] ",
  "* [X] ",
  "+ [-] ",
  "  1. [ ] ",
  "2) [x] ",
  "\t- [ ] ",
  "- [ ]",
  "- ",
  "# ",
  "> ",
  "a",
  "b c",
  "é😀",
  "<!--",
  "-->",
  "<!-- one -->",
  "<!-- two -->",
  "<!-- a b -->",
  "<!--x-->",
  "<!-->",
  "--",
  ">",
  "<!",
  "```",
  "~~~~",
  "```ts",
  "\n",
  "\n",
  "\n",
  "\r\n",
  "\r",
  "\uFEFF",
  "\u2028",
  "\u0000",
  "\u001b[31m",
  "\ud800",
  " ",
  "   ",
  "[ ]",
  "&gt;"
])

export const markdown = Arbitrary.map(Arbitrary.array(piece, { maxLength: 40 }), (pieces) => pieces.join(""))

/** What a model may send as the text of an item: line ends, comment marks, controls. */
export const text = Arbitrary.map(Arbitrary.array(piece, { maxLength: 6 }), (pieces) => pieces.join(""))

const id = oneOf(["one", "two", "three", "four", "", "not an id", "x-->", "A_1-b"])
export const state = oneOf(["open", "doing", "done"] as const)

const item: Arbitrary.Arbitrary<Checklist.Item> = Arbitrary.all({ id, text, state })
export const items = Arbitrary.array(item, { maxLength: 8 })

const patch: Arbitrary.Arbitrary<Checklist.Patch> = Arbitrary.map(
  Arbitrary.all({ id, text, state, after: id, bits: Arbitrary.schema(Schema.Natural) }),
  ({ after, bits, id, state, text }) => ({
    ...(bits & 1 ? { id } : {}),
    ...(bits & 2 ? { text } : {}),
    ...(bits & 4 ? { state } : {}),
    ...(bits & 8 ? { after } : {}),
    ...(bits & 16 ? { remove: true } : {})
  })
)
export const patches = Arbitrary.array(patch, { maxLength: 4 })
