/** Package managers and compilers that keep settings outside of the project: what they set, later commands obey. */
import type { Findings, Word } from "../table/spec.ts"

const managers = /^(?:npm|pnpm|yarn|bun)$/

const sets = (program: string, verbs: ReadonlyArray<string>, flags: ReadonlyArray<string>): boolean => {
  const [first, second] = verbs
  if (managers.test(program))
    return (
      first === "set" ||
      (/^c(?:onfig)?$/.test(first ?? "") && second !== undefined && !/^(?:get|list|ls)$/.test(second))
    )
  if (program === "go") return first === "env" && flags.some((flag) => /^--?[wu]$/.test(flag))
  if (program === "pip") return first === "config" && /^(?:set|unset|edit)$/.test(second ?? "")
  if (program === "poetry") return first === "config" && (verbs.length > 2 || flags.includes("--unset"))
  if (program === "conda" || program === "mamba")
    return first === "config" && flags.some((flag) => /^--(?:set|add|append|prepend|remove)/.test(flag))
  if (program === "bundle") return first === "config" && verbs.length > 2
  return (
    program === "composer" &&
    (first === "global" || (first === "config" && flags.some((flag) => /^(?:-g|--global)$/.test(flag))))
  )
}

/** A write of a file that the text does not name. */
export const settled = (program: string, words: ReadonlyArray<Word>, findings: Findings): void => {
  const texts = words.map(({ text }) => text ?? "")
  const flags = texts.filter((text) => text.startsWith("-"))
  const verbs = texts.filter((text) => !text.startsWith("-"))
  if (!sets(program, verbs, flags)) return
  findings.target({ text: null, glob: false, written: program, at: 0 }, "write")
}
