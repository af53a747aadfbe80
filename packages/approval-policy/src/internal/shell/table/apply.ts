/** What a command does, by the row of its program. */
import { parseFlags, written } from "./flags.ts"
import type { Findings, Spec, Word } from "./spec.ts"

/** What everybody can see afterwards. */
export const publishes = /^(?:publish|unpublish|deprecate|yank|upload|push|deploy)$/

/** Reads the arguments of a program by its row of the table. */
export const apply = (words: ReadonlyArray<Word>, spec: Spec, findings: Findings): void => {
  const { exact } = spec
  spec.always?.(words, findings)
  if (exact !== undefined) {
    findings.changes()
    findings.hides()
    findings.takes()
    for (const [index, word] of words.entries()) {
      findings.hazard(word.at, exact)
      findings.target(word, word.text === null ? "read" : "mention")
      if (word.text?.startsWith("-") === true) written(word, words[index + 1], findings)
    }
    return
  }
  if (spec.hides === true) findings.hides()
  if (spec.read !== undefined) return spec.read(words, findings)
  if (spec.readOnly !== true) findings.changes()
  const { sub } = spec
  const parsed = parseFlags(words, sub === undefined ? spec : { ...spec, posix: true }, findings)
  if (sub !== undefined) {
    const [first, ...rest] = parsed.operands
    if (first === undefined) return
    const own = first.text !== null && Object.hasOwn(sub, first.text) ? sub[first.text] : undefined
    if (own !== undefined && own.readOnly !== true)
      findings.hazard(
        first.at,
        own.named ?? `${first.written} changes something`,
        own.named === undefined ? "changes" : undefined
      )
    if (own !== undefined) return apply(rest, own, findings)
    findings.changes()
    if (spec.elsewhere === true || parsed.operands.some(({ text }) => publishes.test(text ?? "")))
      findings.floor("remote")
    findings.hazard(first.at, `${first.written} may run programs or change files`)
    for (const [index, word] of rest.entries()) {
      findings.hazard(word.at, `what ${first.written} does with it is not known`)
      findings.target(word, "mention")
      if (word.text?.startsWith("-") === true) written(word, rest[index + 1], findings)
      else findings.target(word, "output")
    }
    return
  }
  if (typeof spec.operands === "function") return spec.operands(parsed, findings)
  const role = spec.operands ?? "read"
  if (role === "text") return
  for (const word of parsed.operands) findings.target(word, role)
}
