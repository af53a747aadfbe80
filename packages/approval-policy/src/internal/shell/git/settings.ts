/** Settings of git: those of one run, and those that are kept. */
import type { Findings, Spec, Word } from "../table/spec.ts"
import { runs } from "../table/programSettings.ts"
import * as running from "./running.ts"

/** A setting for this one run, before the words `rest`: a command, or an alias that takes those behind it. */
export const configured = (word: Word, rest: ReadonlyArray<Word>, findings: Findings): void => {
  const [name = "", value] = word.text?.split(/=(.*)/s) ?? []
  if (value !== undefined) set(name, { ...word, text: value }, rest, findings)
}

/** The same; null for a value that a variable has. */
export const set = (name: string, word: Word, rest: ReadonlyArray<Word>, findings: Findings): void => {
  const value = word.text
  const alias = /^alias\.(.*)$/is.exec(name)?.[1]
  if (alias !== undefined && value === null) runs(word, value, findings)
  else if (alias !== undefined && value !== null) {
    findings.script({ ...word, text: value.startsWith("!") ? value.slice(1) : `git ${value}` })
    const at = rest.findIndex(({ text }) => text?.toLowerCase() === alias.toLowerCase())
    const given = value.split(/\s+/).map((text): Word => ({ ...word, text, written: text }))
    if (at >= 0 && !value.startsWith("!")) findings.inner([{ ...word, text: "git" }, ...given, ...rest.slice(at + 1)])
  } else running.configured(name, word, findings)
}

/** Settings in which credentials are kept, or that lead to them. */
const credential = /extraheader|token|passw|secret|cookie|^credential\.|^url\.|^sendemail\.|^imap\./i

/** What shows every setting shows tokens, too, that addresses and headers hold. */
const revealing = (words: ReadonlyArray<Word>, findings: Findings): void => {
  if (words.some(({ text }) => text === "--name-only")) return
  const first = words.findIndex(({ text }) => text?.startsWith("-") !== true)
  for (const [index, word] of words.entries()) {
    const { text } = word
    const isAll =
      text === null ||
      /^(?:-l|-z?l|--l[a-z-]*|--get-r[a-z-]*|--get-u[a-z-]*)$/.test(text) ||
      (index === first && text === "list")
    if (isAll || credential.test(text ?? ""))
      findings.hazard(word.at, "it may show credentials among the settings", "changes")
  }
}

export const config: Spec = {
  always: revealing,
  // What follows a name is its value, also where it looks like a flag.
  posix: true,
  flags:
    "--get: --get-all: --list -l --global --local --system --show-origin --show-scope --name-only -z --null --includes --type:",
  readOnly: true,
  operands: ({ flags, operands }, findings) => {
    if (operands.length === 0 || ["--get", "--get-all", "--list", "-l"].some((flag) => flags.has(flag))) return
    // One name alone, and `get`, only show.
    const [first] = operands
    const shows = (operands.length === 1 && first?.text !== "edit") || first?.text === "get"
    const isOwn = !["--global", "--system"].some((flag) => flags.has(flag))
    if (shows || first === undefined) return
    for (const word of operands) findings.hazard(word.at, "it may change the settings of git")
    findings.changes()
    findings.target({ ...first, text: isOwn ? ".git/config" : null, glob: false }, "write")
  }
}
