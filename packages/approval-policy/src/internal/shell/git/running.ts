/**
 * Texts that git runs as commands: of flags, of settings for one run, and of variables.
 * https://git-scm.com/docs/git#_environment_variables, https://git-scm.com/docs/git-config
 *
 * Each is read as a text of the shell, so that what it changes is judged like anything else of the line. What is known to
 * run something that is not a text, such as the hooks of a folder, may change files that nobody names.
 */
import type { Findings, Word } from "../table/spec.ts"
import { subcommandIn } from "./subcommand.ts"

/** Flags whose value is a command; long ones may be cut short. */
const flag =
  /^--(?:open-f[a-z-]*|upload-p[a-z]*|upload|receive-p[a-z]*|receive|exec|extc[a-z]*|[a-z]+-filter)(?:=(.*))?$/s

const short: Readonly<Record<string, RegExp>> = {
  rebase: /^-[a-z]*x(.*)$/s,
  difftool: /^-[a-z]*x(.*)$/s,
  grep: /^-[a-zA-Z]*O(.+)$/s,
  clone: /^-[a-z]*u(.*)$/s
}

/** Settings that are commands. */
const command =
  /editor$|pager|command$|fsmonitor$|textconv$|helper$|program$|^diff\.external$|\.(?:driver|clean|smudge|process|cmd|path|vcs|proxy|uploadpack|receivepack|command)$|askpass$|gitproxy$|packobjectshook$|difffilter$|tunnel$|(?:to|cc|header|sendmail)cmd$|smtpserver$|browser$|httpd$/i

/** Settings of which the text is not the command. */
const elsewhere = /^(?:core\.hookspath$|init\.templatedir$|include\.|includeif\.|.*::)/i

/** One setting for one run. */
export const configured = (name: string, word: Word, findings: Findings): void => {
  const text = word.text ?? ""
  if (command.test(name)) findings.script(word)
  else if (elsewhere.test(name) && text !== "/dev/null") findings.target({ ...word, text: null, glob: false }, "write")
  if (text.includes("::")) findings.script({ ...word, text: text.replace(/^.*?::/s, "") })
}

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
    const own = flag.exec(text) ?? (Object.hasOwn(short, name) ? short[name]?.exec(text) : undefined)
    if (own === undefined || own === null) continue
    const value = own[1] === undefined || own[1] === "" ? rest[index + 1] : { ...word, text: own[1] }
    if (value !== undefined) findings.script(value)
  }
}
