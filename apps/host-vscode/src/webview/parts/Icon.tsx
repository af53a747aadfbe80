/** A sign of the editor's icon font, beside words that say the same: it is read aloud by nobody. */

/** Where the font has each. */
const signs = {
  add: 0xea60,
  "arrow-up": 0xeaa1,
  attach: 0xec34,
  "bell-dot": 0xeb9a,
  check: 0xeab2,
  checklist: 0xeab3,
  "chevron-down": 0xeab4,
  "chevron-left": 0xeab5,
  "chevron-right": 0xeab6,
  "circle-outline": 0xeabc,
  "circle-slash": 0xeabd,
  close: 0xea76,
  comment: 0xea6b,
  "debug-continue": 0xeacf,
  "debug-pause": 0xead1,
  "debug-stop": 0xead7,
  diff: 0xeae1,
  discard: 0xeae2,
  edit: 0xea73,
  ellipsis: 0xea7c,
  error: 0xea87,
  history: 0xea82,
  mention: 0xeb1f,
  output: 0xeb9d,
  pass: 0xeba4,
  "play-circle": 0xeba6,
  question: 0xeb32,
  shield: 0xeb53,
  sync: 0xea77,
  "type-hierarchy-sub": 0xebba,
  "vm-active": 0xeb79,
  warning: 0xea6c
} as const

type Name = keyof typeof signs

const isName = (name: string): name is Name => Object.hasOwn(signs, name)

/** `name`: as the editor calls it; one that moves while something is at work. */
export const Icon = ({ name }: { readonly name: string }) => {
  const [still = "", moves] = name.split("~")
  const known = isName(still) ? still : "circle-outline"
  return (
    <span aria-hidden="true" className={moves === undefined ? "icon" : "icon moves"}>
      {String.fromCodePoint(signs[known])}
    </span>
  )
}
