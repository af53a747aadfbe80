/** Belay itself: what is asked of the person must not be answered by a command. */
import type { Spec, Word } from "../table/spec.ts"

/** Commands that show something and change nothing. */
const shows =
  /^(?:task (?:list|search|show|tree|watch|compare)|config (?:get|list)|mcp list|policy explain|debug failpoints|completions|help|--help|-h|--version)$/

const shown = ([first, second]: ReadonlyArray<Word>): boolean => {
  const one = first?.text ?? ""
  return shows.test(one) || shows.test(`${one} ${second?.text ?? ""}`)
}

export const belay: Spec = {
  read: (words, findings) => {
    for (const word of words) findings.target(word, "mention")
    if (shown(words) && !words.some(({ glob, text }) => text === null || glob)) return
    findings.floor("belay")
    findings.changes()
    for (const word of words) findings.hazard(word.at, "it may answer for you or change what may run")
  }
}

/** The command, its bundle, or the package that holds it, also of a certain version. */
const name = /^(?:.*[\\/])?(?:@belay[\\/](?:host-)?cli|belay)(?:@[^\\/]+)?(?:\.(?:[cm]?[jt]s|exe|cmd|ps1|bat))?$/i

/** The name in a text that another language runs. */
const spelled = /(?<![\w-])belay(?:\.[cm]?[jt]s)?(?![\w-])/i

const interpreters = /^(?:node|nodejs|bun|deno|tsx|ts-node|electron|code|python[\d.]*|perl|ruby|php|lua|osascript)$/i
const runners = /^(?:npx|bunx|npm|pnpm|yarn|corepack|volta|mise|asdf|fnm|nvm|uvx|pipx|hermit|direnv)$/i

/** Flags of package managers that name a package to work in. */
const scopes = /^(?:-F|-w|-C|--filter|--workspace|--dir|--prefix|--cwd)$/

/** Whether a program that runs others is given Belay to run, as far as its words say. */
export const startsBelay = (program: string, words: ReadonlyArray<Word>): boolean => {
  const own = (program.split(/[\\/]/).at(-1) ?? "").replace(/\.(?:exe|cmd)$/i, "")
  if (own === "belay") return false
  if (name.test(program)) return !shown(words)
  const at = words.findIndex(
    ({ text }, index) => text !== null && name.test(text) && !scopes.test(words[index - 1]?.text ?? "")
  )
  if (runners.test(own)) return at >= 0 && !shown(words.slice(at + 1))
  if (!interpreters.test(own)) return false
  return (
    (at >= 0 && !shown(words.slice(at + 1))) ||
    words.some(({ text }) => /\s|\(/.test(text ?? "") && spelled.test(text ?? ""))
  )
}
