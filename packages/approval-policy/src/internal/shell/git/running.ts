/**
 * Texts that git runs as commands: of flags, of settings for one run, and of addresses.
 * https://git-scm.com/docs/git-config, https://git-scm.com/docs/git-remote-ext
 *
 * Each is read as a text of the shell, so that what it changes is judged like anything else of the line. What is known to
 * run something that is not a text, such as the hooks of a folder, may change files that nobody names.
 */
import { isCommand, leadsToPrograms, runs } from "../table/programSettings.ts"
import type { Findings, Word } from "../table/spec.ts"
import { begins, subcommandIn } from "./subcommand.ts"

/** Long flags whose value is a command, with how much of each is left where git knows it still. */
const long: ReadonlyArray<readonly [flag: string, least: number]> = [
  ["--open-files-in-pager", 4],
  ["--upload-pack", 3],
  ["--receive-pack", 6],
  ["--exec", 4],
  ["--extcmd", 4],
  ["--sendmail-cmd", 5],
  ["--smtp-server", 10],
  ["--to-cmd", 5],
  ["--cc-cmd", 5],
  ["--header-cmd", 8],
  ["--access-hook", 5]
]
const filter = /^--[a-z]+-filter(?:=|$)/

/** The value of such a flag; undefined for another word, and empty where it is the next word. */
const valueOf = (text: string): string | undefined =>
  text.startsWith("--") && (filter.test(text) || long.some(([flag, least]) => begins(text, flag, least)))
    ? /^[^=]*=?(.*)$/s.exec(text)?.[1]
    : undefined

const short: Readonly<Record<string, RegExp>> = {
  rebase: /^-[a-z]*x(.*)$/s,
  difftool: /^-[a-z]*x(.*)$/s,
  grep: /^-[a-zA-Z]*O(.+)$/s,
  clone: /^-[a-z]*u(.*)$/s
}

/** One setting for one run; its value may not be known. */
export const configured = (name: string, word: Word, findings: Findings): void => {
  const text = word.text ?? ""
  if (isCommand(name)) runs(word, word.text, findings)
  else if (leadsToPrograms(name) && text !== "/dev/null") findings.target({ ...word, text: null, glob: false }, "write")
  if (text.includes("::")) findings.script({ ...word, text: text.replace(/^.*?::/s, "") })
}

/** An address that is a command: blanks part its words, but behind a percent sign. */
const transport = (word: Word, address: string): ReadonlyArray<Word> =>
  address.split(/(?<!%) +/).map((text): Word => ({ ...word, text: text.replaceAll(/%([ %])/g, "$1"), written: text }))

/** Subcommands that write the user's own settings, or start something that goes on. */
const settles = (name: string, first: string): boolean =>
  (name === "maintenance" && /^(?:start|stop|register|unregister)$/.test(first)) ||
  (name === "lfs" && /^(?:install|uninstall)$/.test(first)) ||
  (name === "credential" && /^(?:approve|reject)$/.test(first))

/** Looks at all words behind `git`. */
export const running = (words: ReadonlyArray<Word>, findings: Findings): void => {
  const at = subcommandIn(words)
  const name = words[at]?.text ?? ""
  const rest = at < 0 ? [] : words.slice(at + 1)
  const [first, ...others] = rest
  if (name === "bisect" && first?.text === "run") findings.inner(others)
  if (name === "submodule" && rest.some(({ text }) => text === "foreach")) {
    const from = rest.findIndex(({ text }) => text === "foreach") + 1
    const said = rest.slice(from).filter(({ text }) => text !== "--recursive" && text !== "--quiet" && text !== "-q")
    if (said[0] !== undefined)
      findings.script({
        ...said[0],
        text: said.some(({ text }) => text === null) ? null : said.map(({ text }) => text).join(" ")
      })
  }
  if (first !== undefined && settles(name, first.text ?? ""))
    findings.target({ ...first, text: null, glob: false }, "write")
  for (const [index, word] of rest.entries()) {
    const text = word.text ?? ""
    if (text.startsWith("ext::")) findings.inner(transport(word, text.slice("ext::".length)))
    const own = valueOf(text) ?? (Object.hasOwn(short, name) ? short[name]?.exec(text)?.[1] : undefined)
    if (own === undefined) continue
    const value = own === "" ? rest[index + 1] : { ...word, text: own }
    if (value !== undefined) findings.script(value)
  }
}
