/** find and xargs: programs that run other programs on names they read. */
import { endOf, type Found, read as readFound } from "../table/found.ts"
import { isOneWord, mayBeFlag, written } from "../table/flags.ts"
import { type Findings, type Spec, unnamed, type Word } from "../table/spec.ts"

const tests =
  /^-(?:type|xtype|size|mtime|mmin|atime|amin|ctime|cmin|maxdepth|mindepth|i?name|i?path|i?wholename|i?regex|regextype|perm|user|group|uid|gid|links|inum|printf|newermt|newerct|fstype|used)$/
const switches =
  /^(?:-depth|-d|-print|-print0|-prune|-empty|-o|-or|-a|-and|-not|!|\(|\)|,|-xdev|-mount|-executable|-readable|-writable|-true|-false|-daystart|-quit|-ls|-noleaf|-nowarn|-warn|-nouser|-nogroup)$/
const runs = /^-(?:exec|execdir|ok|okdir)$/

const starts = (words: ReadonlyArray<Word>): number => {
  const at = words.findIndex(({ text }) => text !== null && /^(?:-.|[!(),]$)/.test(text) && !/^-[HP]$/.test(text))
  return at < 0 ? words.length : at
}

/** What is found lies in the folders where the search begins, under names that are not known. */
const named = (
  words: ReadonlyArray<Word>,
  begun: ReadonlyArray<Word>,
  found: Found | undefined
): ReadonlyArray<Word> => {
  const below = { ...(found ?? { names: [], skips: [], follows: "files" as const }), splits: false }
  return words.flatMap((word) => {
    if (word.text?.includes("{}") !== true) return [word]
    if (word.text !== "{}") return [{ ...word, text: null }]
    return begun.length === 0
      ? [{ ...word, text: ".", below }]
      : begun.map(({ glob, text }) => ({ ...word, glob, text, below }))
  })
}

const expression = (words: ReadonlyArray<Word>, begun: ReadonlyArray<Word>, findings: Findings): void => {
  const texts = words.map(({ glob, text }) => (glob ? null : text))
  const isHere = begun.length === 0 || (begun.length === 1 && begun[0]?.text === ".")
  const { actions } = readFound(texts, isHere)
  const isFollowing = texts.some((text) => text === "-L" || text === "-follow")
  for (let index = 0; index < words.length; index++) {
    const word = words[index]
    if (word === undefined) continue
    const { text } = word
    if (text !== null && !word.glob && switches.test(text)) continue
    if (text !== null && tests.test(text)) {
      index++
      const value = words[index]
      if (value === undefined || value.text === null || value.glob) {
        findings.hazard((value ?? word).at, `what follows ${text} is not known`)
        if (value?.glob === true) findings.target(value, "mention")
        if (value?.text === null && !isOneWord(value)) findings.floor("removal")
      }
      continue
    }
    if (text === "-newer" || text === "-anewer" || text === "-cnewer" || text === "-samefile") {
      findings.target(words[++index], "read")
      continue
    }
    if (text !== null && runs.test(text)) {
      const end = endOf(texts, index + 1)
      // A name in the folder of what is found is relative to that folder.
      const action = actions.get(index)
      const found = action === undefined || !isFollowing ? action : { ...action, follows: "all" as const }
      findings.inner(named(words.slice(index + 1, end), begun, found), text.endsWith("dir"))
      index = end
      continue
    }
    if (text === null || word.glob) findings.floor("removal")
    findings.changes()
    findings.hazard(word.at, `its expression ${text ?? word.written} may run a program or change files`)
    if (text === "-delete") {
      const found = { ...(actions.get(index) ?? { names: [], skips: [], follows: "nothing" as const }), splits: false }
      for (const start of begun) {
        findings.target(start, "tree", found.names.length === 0 ? { ...found, names: [".git"] } : undefined)
        findings.target(start, "mention", found)
      }
    }
    if (text === "-delete" && begun.length === 0) findings.floor("removal")
    if (text !== null && /^-f(?:print|ls)/.test(text)) {
      findings.floor("removal")
      findings.target(words[++index], "write")
    }
  }
}

export const find: Spec = {
  read: (words, findings) => {
    const at = starts(words)
    const begun = words.slice(0, at).filter(({ text }) => text === null || !/^-[HP]$/.test(text))
    for (const word of begun) {
      findings.target(word, "read")
      if (word.text === null || (word.glob && /^[*?]/.test(word.text))) {
        findings.hazard(word.at, `what ${word.written} stands for may be an expression`)
        if (word.text === null && mayBeFlag(word)) findings.floor("removal")
      }
    }
    expression(words.slice(at), begun, findings)
  }
}

/** The last letter of a group, or a whole name: the value is the next word. */
const valued = /^(?:-[nLPsd]|--(?:max-args|max-procs|max-chars|delimiter))$/
/** As those, of flags that no rule may pass over, and cut short as getopt allows. */
const taking = /^(?:-[0rtxpo]*[nLPsdE]|--max-[apc][a-z]*|--d[a-z]*|--p[a-z-]*)$/
const listed = /^(?:-[0rtxpo]*a|--a[a-z-]*)$/
/** These undo `-I`, which stands before them. */
const grouping = /^(?:-[0rtxpo]*[nLl]|--max-[al])/
/** `-i` and `--replace` may go without a value, which then is `{}`. */
const replacing = /^(?:-[0rtxpo]*I(.*)|-[0rtxpo]*i(.*)|--r[a-z]*(?:=(.*))?)$/s
/** Names end at a NUL, or at the end of a line, and quotes mean nothing. */
const whole = /^(?:-[rtx]*0[rtx]*|--null)$/
/** The character at which names end. */
const delimiter = /^-[0rtx]*d(.*)$|^--d[a-z]*(?:=(.*))?$/s
/** At any other a name is cut into several, which may lie elsewhere. */
const lineEnd = /^(?:\n|\\n|\\0{1,3}|\\x0{1,2})$/

interface Options {
  /** Where the program begins. */
  readonly from: number
  readonly replaced: string | undefined
  readonly splits: boolean
  /** The names may stand behind all words, too. */
  readonly appends: boolean
  /** The names may come from a file, whatever the pipe holds. */
  readonly elsewhere: boolean
}

const optionsOf = (words: ReadonlyArray<Word>, findings: Findings): Options => {
  let replaced: string | undefined
  let splits = true
  let appends = false
  let elsewhere = false
  let from = 0
  for (; from < words.length; from++) {
    const word = words[from]
    const text = word?.text
    if (word === undefined || text === undefined) break
    if (text === null || word.glob) {
      findings.hazard(word.at, "which program it runs is not known")
      break
    }
    if (!text.startsWith("-")) break
    if (whole.test(text)) splits = false
    const ends = delimiter.exec(text)
    if (ends !== null) {
      const isLine = lineEnd.test((ends[1] ?? ends[2]) || (words[from + 1]?.text ?? ""))
      if (isLine) splits = false
      else elsewhere = true
    }
    if (grouping.test(text)) appends = true
    const replacement = replacing.exec(text)
    if (replacement !== null) {
      const [, own, optional, long] = replacement
      appends = false
      if (!/^-[Ii]|^--replace(?:=|$)/.test(text)) findings.hazard(word.at, `its flag ${text} may change what runs`)
      if (own === "") replaced = words[++from]?.text ?? ""
      else replaced = own ?? ((optional ?? long) || "{}")
    } else if (valued.test(text)) from++
    else if (listed.test(text)) {
      elsewhere = true
      findings.hazard(word.at, `its flag ${text} reads another file`)
      findings.target(words[++from], "read")
    } else if (
      !/^(?:-[0rtx]+|--null|--no-run-if-empty|--verbose|--(?:max-args|max-lines|max-procs|max-chars|delimiter)=.*|-[nLPsd].+)$/.test(
        text
      )
    ) {
      elsewhere = true
      findings.hazard(word.at, `its flag ${text} may run a program or read another file`)
      written(word, words[from + 1], findings)
      if (taking.test(text)) from++
    }
  }
  return { from, replaced, splits, appends, elsewhere }
}

export const xargs: Spec = {
  read: (words, findings) => {
    const { appends, elsewhere, from, replaced, splits } = optionsOf(words, findings)
    const glob = words.slice(0, from).find((word) => word.glob)
    if (glob !== undefined) findings.hazard(unnamed, `what ${glob.written} stands for may be a program`)
    const echo: Word = { text: "echo", glob: false, written: "echo", at: unnamed }
    const rest = words.length > from ? words.slice(from) : [echo]
    const fed = findings.fed(rest, splits, elsewhere)
    const filled = (word: Word): ReadonlyArray<Word> =>
      replaced === undefined || word.text?.includes(replaced) !== true
        ? [word]
        : word.text === replaced
          ? fed.map((name) => ({ ...name, at: word.at }))
          : [{ ...word, text: null }]
    const own = replaced === undefined ? rest : rest.flatMap(filled)
    findings.inner(replaced === undefined || appends ? [...own, ...fed] : own)
  }
}
