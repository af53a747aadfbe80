/** Which commands of the shell leave the variables of a loop alone. */
import type { Simple } from "./simple.ts"
import type { Value } from "./words.ts"

/** Commands of the shell that leave its variables alone. */
const calm = new Set("echo cd pwd true false : exit break continue type sleep test [ [[ printf".split(" "))
const builtins = new Set(
  ". alias bg bind builtin caller command compgen complete compopt coproc declare dirs disown enable eval exec export fc fg getopts hash help history jobs kill let local logout mapfile popd pushd read readarray readonly return set shift shopt source suspend times trap typeset ulimit umask unalias unset wait".split(
    " "
  )
)

/** Beside what may set variables nothing is known of a loop. */
export const keepsVariables = ({ assignments, words }: Simple): boolean => {
  const [program, ...rest] = words
  if (assignments.length > 0 && program === undefined) return false
  if (program === undefined) return true
  if (program.text === null || program.glob || builtins.has(program.text)) return false
  if (!calm.has(program.text)) return true
  const isFlagged = ({ glob, split, text }: Value) =>
    text === null || split === true || (glob ? /^[-*?]/ : /^-[vR]/).test(text)
  if (program.text === "printf") return rest[0] === undefined || !isFlagged(rest[0])
  return !/^(?:test|\[)$/.test(program.text) || !rest.some(isFlagged)
}
