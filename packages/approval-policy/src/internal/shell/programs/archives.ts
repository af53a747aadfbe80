/** Programs that pack and unpack, and others that write files which their arguments do not name. */
import { written } from "../table/flags.ts"
import { everything, type Findings, here, type Spec, type Word } from "../table/spec.ts"

/** What it makes has the names that the archive says. */
const unpacks = (text: string, index: number): boolean =>
  /^--(?:ext|get)/.test(text) || /^-[A-Za-z]*x/.test(text) || (index === 0 && /^[A-Za-z]*x/.test(text))

/** `-czf archive files`: one plain file is written, and nothing runs but a compressor. */
const isPlainPack = ([first, archive, ...rest]: ReadonlyArray<Word>): boolean =>
  /^-?[cvzjJ]*c[cvzjJ]*f$/.test(first?.text ?? "") &&
  archive !== undefined &&
  rest.length > 0 &&
  [archive, ...rest].every(({ glob, text }) => text !== null && !(glob ? /^[-@*?]/ : /^[-@]/).test(text)) &&
  !archive.glob &&
  archive.text?.includes(":") === false

const packed = ([first, archive, ...rest]: ReadonlyArray<Word>, findings: Findings): void => {
  if (first !== undefined) findings.hazard(first.at, "it packs files", "changes")
  findings.target(archive, "write")
  for (const word of rest) findings.target(word, "read", everything)
}

const tar: Spec = {
  read: (words, findings) => {
    const [first] = words
    const lists = words.some(({ text }) => text !== null && /^(?:-[tvfzjJ]*t[tvfzjJ]*|--list|t[vfzjJ]*)$/.test(text))
    const plainFlags = words.every(
      ({ text }, index) =>
        text !== null && (!text.startsWith("-") || /^(?:-[tvfzjJ]+|--list|--verbose)$/.test(text) || index < 0)
    )
    const dashed = first?.text?.startsWith("-") === true || first?.text === null
    const names = words.filter(({ text }, index) => text === null || (!text.startsWith("-") && (dashed || index > 0)))
    // An archive with a colon lies on another machine.
    const isLocal = names[0]?.text?.includes(":") === false
    if (lists && plainFlags && isLocal && /^-?[tvfzjJ]+$/.test(first?.text ?? "")) {
      findings.target(names[0], "read")
      return
    }
    findings.changes()
    if (isPlainPack(words)) return packed(words, findings)
    findings.moves("anywhere")
    if (words.some(({ text }, index) => text !== null && unpacks(text, index))) findings.floor("unpacking")
    for (const [index, word] of words.entries()) run(word, words[index + 1], findings)
    // The names of what is packed come from a file.
    if (words.some(({ text }) => text !== null && /^(?:-[A-Za-z]*T|--files-f)/.test(text)))
      findings.target(here, "mention", everything)
    for (const word of words.slice(1))
      findings.hazard(word.at, "it packs, unpacks or runs what its archive or flags name")
    if (first !== undefined) findings.hazard(first.at, "it packs, unpacks or runs what its archive or flags name")
    for (const word of names) {
      findings.target(word, "tree")
      // What is packed is read, and may be shown.
      findings.target(word, "read", everything)
    }
    // Names in the archive are taken as they are.
    if (words.some(({ text }) => text !== null && /^(?:-[a-zA-Z]*P|--absolute-names)/.test(text)))
      findings.floor("removal")
    for (const { text, ...word } of words) {
      const value = text?.startsWith("-") === true && text.includes("/") ? text.slice(text.indexOf("/")) : undefined
      if (value !== undefined) findings.target({ ...word, text: value }, "tree")
      const file = /^--(?:ind|listed|vol|ba)[a-z-]*=(.*)$/s.exec(text ?? "")?.[1]
      if (file !== undefined) findings.target({ ...word, text: file }, "tree")
    }
  }
}

/** Flags whose value is a command. */
const runs =
  /^--(?:filter|to-command|use-compress-program|checkpoint-action|rsh|rsync-path|unzip-command|compress-program)(?:=(?:exec=)?(.*))?$/s
const runsNext = /^-(?:e|TT|I)$/

const run = (word: Word, next: Word | undefined, findings: Findings): void => {
  const { text } = word
  if (text === null) return
  const found = runs.exec(text)
  const value =
    found === null
      ? runsNext.test(text)
        ? next
        : undefined
      : found[1] === undefined
        ? next
        : { ...word, text: found[1] }
  if (value !== undefined) findings.script(value)
}

/** Whatever is named may be written. */
const writes = (why: string, more: (texts: ReadonlyArray<string>, findings: Findings) => void): Spec => ({
  read: (words, findings) => {
    findings.changes()
    more(
      words.map(({ text }) => text ?? ""),
      findings
    )
    for (const [index, word] of words.entries()) {
      findings.hazard(word.at, why)
      run(word, words[index + 1], findings)
      const attached = /^-[a-zA-Z]((?:[/~]|\.\.).*)$/s.exec(word.text ?? "")?.[1]
      if (attached !== undefined) findings.target({ ...word, text: attached }, "tree")
      if (word.text?.startsWith("-") !== true) {
        findings.target(word, "tree")
        if (word.text !== null) findings.target(word, "mention", everything)
      } else if (word.text.includes("="))
        findings.target({ ...word, text: word.text.slice(word.text.indexOf("=") + 1) }, "tree")
    }
  }
})

const writing = writes("it writes files that its arguments do not name", (texts, findings) => {
  // zip takes names from its input.
  if (texts.includes("-@")) findings.target(here, "mention", everything)
})

/** Its pieces have names of their own behind a prefix or before an ending that is given. */
const splitting = writes("it writes files that its arguments do not name", (texts, findings) => {
  const operands = texts.filter((text) => !text.startsWith("-"))
  if (operands.length > 1 || texts.some((text) => /^(?:-f|--(?:add|pre|suf))/.test(text))) findings.floor("unpacking")
})

/** It makes what a file says, links included; `lists` only shows it. */
const unpacking = (lists: RegExp): Spec =>
  writes("it writes files that its arguments do not name", (texts, findings) => {
    if (texts.some((text) => lists.test(text))) return
    findings.moves("anywhere")
    findings.floor("unpacking")
  })

const never = /^(?!)/

/** With this flag first, and no other, it shows what is in the archives behind it. */
const listing = (shows: RegExp, spec: Spec): Spec => ({
  read: (words, findings) => {
    const [first, ...archives] = words
    const isShown =
      first?.glob === false &&
      shows.test(first.text ?? "") &&
      archives.length > 0 &&
      archives.every(({ glob, text }) => text !== null && !glob && !/^-|:/.test(text))
    if (!isShown) return spec.read?.(words, findings)
    // Behind the first stand names in the archive.
    findings.target(archives[0], "read")
    for (const word of archives.slice(1)) findings.target(word, "mention")
  }
})

/** What lies in the source appears at the goal, links included. */
const rsync: Spec = {
  read: (words, findings) => {
    writing.read?.(words, findings)
    findings.moves("anywhere")
    const operands = words.filter(({ text }) => text?.startsWith("-") !== true)
    if (words.some(({ text }) => text !== null && /^--(?:del|remove-s|files-from|include-from|backup-d)/.test(text)))
      findings.floor("removal")
    for (const [index, word] of words.entries())
      if (word.text?.startsWith("-") === true) written(word, words[index + 1], findings)
    for (const word of operands.slice(0, -1)) {
      if (word.text?.includes(":") !== false) findings.floor("unpacking")
      findings.target(word, "tree", everything)
    }
  }
}

export const archives: Readonly<Record<string, Spec>> = {
  patch: unpacking(/^--dry-run$/),
  rsync,
  unzip: listing(/^-[lvqht1]*[lvt][lvqht1]*$/, unpacking(/^-(?:[lpZtvz]+|Z.*)$/)),
  jar: listing(/^-?(?:tv?f|tfv|ft)$/, unpacking(never)),
  zip: writing,
  "7z": unpacking(/^[lt]$/),
  ...Object.fromEntries("7za 7zr bsdtar unrar unar pax ditto".split(" ").map((name) => [name, unpacking(never)])),
  cpio: unpacking(/^-[ot].*$|^--(?:create|list)$/),
  gzip: listing(/^-(?:l|lv|t|tv)$|^--(?:list|test)$/, writing),
  gunzip: writing,
  xz: writing,
  bzip2: writing,
  zstd: writing,
  split: splitting,
  csplit: splitting,
  tar
}
