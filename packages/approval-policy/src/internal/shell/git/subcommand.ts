/** How git reads its words: which names what it does, and flags that are cut short. https://git-scm.com/docs/git#_options */
import type { Word } from "../table/spec.ts"

/** Whether a word is the long flag, which may be cut short to `least` characters, as git reads it. */
export const begins = (text: string, flag: string, least: number): boolean => {
  const name = text.split("=", 1)[0] ?? ""
  return name.length >= least && flag.startsWith(name)
}

/** Options of git itself that take the next word. */
const valued = /^(?:-[cC]|--(?:git-dir|work-tree|namespace|exec-path|config-env|attr-source|super-prefix|list-cmds))$/

/** Its index; -1 where git is given nothing to do. */
export const subcommandIn = (words: ReadonlyArray<Word>): number => {
  for (let at = 0; at < words.length; at++) {
    const text = words[at]?.text
    if (typeof text !== "string" || !text.startsWith("-")) return at
    if (valued.test(text)) at++
  }
  return -1
}
