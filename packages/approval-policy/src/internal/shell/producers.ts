/** What a pipe gives xargs to read: names of files below known folders, or anything. */
import type { Below } from "../../CommandReading.ts"
import { read as readFound } from "./table/found.ts"
import { baseName } from "./programs.ts"

export interface Producer {
  readonly argv: ReadonlyArray<string | null>
  /** Each of its words is known, it only reads, and none of its errors is part of what it prints. */
  readonly isKnown: boolean
  /** It names a file to read. */
  readonly reads: boolean
}

export interface Names {
  /** Which of the producers makes the names; those behind it pass some of them on. */
  readonly at: number
  /** They are relative to the folder of the command, whatever folders it names. */
  readonly here: boolean
  readonly below: Omit<Below, "splits">
  /** Strange names are quoted, in a way of its own. */
  readonly quoted: boolean
}

type Words = ReadonlyArray<string>

const every: Omit<Below, "splits"> = { names: [], skips: [], follows: "files" }

const flags = (words: Words): Words => words.filter((word) => /^-./.test(word))

/** Whole lines, some of them, in some order. */
const passes = (name: string, words: Words): boolean => {
  const allowed =
    name === "head" || name === "tail"
      ? /^-(?:\d+|n\d*|z|q)$|^--lines(?:=\d+)?$/
      : name === "sort"
        ? /^-[bdfgiMhnRrVuz]+$|^--(?:unique|reverse|version-sort|numeric-sort|zero-terminated)$/
        : name === "uniq"
          ? /^-[duiz]+$/
          : name === "grep" || name === "egrep" || name === "fgrep"
            ? /^-[EFPGivwxze]+$|^--(?:invert-match|ignore-case|extended-regexp|fixed-strings|perl-regexp)$/
            : undefined
  return allowed !== undefined && flags(words).every((flag) => allowed.test(flag))
}

const lister = /^-[1aAdrtSfU]+$|^--(?:all|almost-all|directory|reverse)$/

const matcher =
  /^-[rRinlLwEFGPsIvxSuHZzegtT.0]$|^--(?:files|files-with-matches|files-without-match|recursive|ignore-case|word-regexp|fixed-strings|extended-regexp|perl-regexp|null|hidden|no-ignore|smart-case|include|exclude(?:-dir)?|glob|type|no-messages)$/
const listsNames = /^-[lL]$|^--files(?:-with-matches|-without-match)?$/

/** Flags that are followed by a value. */
const valued = {
  grep: /^-[efmABCDd]$|^--(?:include|exclude|exclude-dir)$/,
  rg: /^-[efgtTmABCdMrjE]$|^--(?:glob|type)$/
} as const

/** Each flag of a line by itself, without its value: what a group has behind a letter with a value is that value. */
const told = (words: Words, takes: RegExp): Words => {
  const found: Array<string> = []
  for (let index = 0; index < words.length; index++) {
    const word = words[index] ?? ""
    if (!/^-./.test(word)) continue
    const [name = "", value] = word.startsWith("--") ? word.split(/=(.*)/s) : [word]
    const letters = word.startsWith("--")
      ? [name]
      : word
          .slice(1)
          .split("")
          .map((letter) => `-${letter}`)
    const at = letters.findIndex((letter) => takes.test(letter))
    found.push(...(at < 0 ? letters : letters.slice(0, at + 1)))
    if (at === letters.length - 1 && value === undefined) index++
  }
  return found
}

/** Endings of names: git looks for them at any depth. */
const ending = /^\*[\w.-]+$/

const tracking = /^-[zcm]+$|^--(?:cached|modified|deduplicate)?$/
const listing = /^-[zcmod]+$|^--(?:cached|modified|others|exclude-standard|deduplicate)?$/
const differing = /^(?:-z|--name-only|--diff-filter=\w+|--no-renames|--no-ext-diff)$/
const searching =
  /^-[lnizwEFGPIe]$|^--(?:files-with-matches|name-only|ignore-case|word-regexp|extended-regexp|fixed-strings|perl-regexp|null)$/

type Kept = Pick<Names["below"], "names" | "tracked" | "modified">

/**
 * Which names git prints; undefined: any. Only names of the index are those of files below the top: a tree that somebody
 * has made may hold `..`.
 */
const keptBy = (name: string | undefined, words: Words): Kept | undefined => {
  const places = words.filter((word) => !/^-./.test(word))
  // What lies above the folder is printed as such, and a colon may begin a word on where to look.
  if (places.some((word) => /^[:/~]|(?:^|\/)\.\.(?:\/|$)/.test(word))) return undefined
  const dashes = words.indexOf("--")
  const before = dashes < 0 ? words : words.slice(0, dashes)
  if (name === "ls-files") {
    const names = places.length > 0 && places.every((word) => ending.test(word)) ? places : []
    if (flags(words).every((flag) => tracking.test(flag))) return { names, tracked: true }
    return flags(words).every((flag) => listing.test(flag)) ? { names: [], tracked: "also" } : undefined
  }
  if (name === "diff") {
    const isOfIndex = before.includes("--name-only") && before.every((word) => differing.test(word))
    return isOfIndex ? { names: [], tracked: "top", modified: true } : undefined
  }
  if (name !== "grep") return undefined
  const said = told(before, valued.grep)
  const isListing = said.some((flag) => /^(?:-l|--files-with-matches|--name-only)$/.test(flag))
  if (!isListing || !said.every((flag) => searching.test(flag))) return undefined
  // A word behind the pattern may be a commit, of which the names begin with it.
  const isOfIndex = !said.includes("-e") && before.filter((word) => !/^-./.test(word)).length === 1
  return { names: [], tracked: isOfIndex ? "top" : "also" }
}

/** Paths below the folder it runs in, or below the top of its work tree; without `-z` strange ones are quoted. */
const listed = (words: Words): Omit<Names, "at"> | undefined => {
  const [name, ...rest] = words.filter((word) => word !== "--no-pager")
  const kept = keptBy(name, rest)
  if (kept === undefined) return undefined
  const isNul = told(rest, valued.grep).some((flag) => flag === "-z" || (name === "grep" && flag === "--null"))
  return { here: true, quoted: !isNul, below: { ...every, ...kept, ...(isNul ? {} : { quoted: true }) } }
}

const source = (name: string, words: Words): Omit<Names, "at"> | undefined => {
  switch (name) {
    case "find": {
      const from = words.findIndex((word) => /^(?:-.|[!(),]$)/.test(word) && !/^-[HP]$/.test(word))
      const expression = from < 0 ? [] : words.slice(from)
      // What these print is a text of their own, or of what they run.
      if (expression.some((word) => /^-(?:printf|fprint.*|f?ls|exec|execdir|ok|okdir)$/.test(word))) return undefined
      const begun = words.slice(0, from < 0 ? words.length : from).filter((word) => !/^-[HP]$/.test(word))
      const isHere = begun.length === 0 || (begun.length === 1 && begun[0] === ".")
      return { here: false, quoted: false, below: readFound(expression, isHere).printed }
    }
    case "fd":
    case "fdfind":
      return { here: false, quoted: false, below: every }
    case "ls":
      return flags(words).every((flag) => lister.test(flag)) ? { here: true, quoted: false, below: every } : undefined
    case "grep":
    case "egrep":
    case "fgrep":
    case "rg": {
      const said = told(words, name === "rg" ? valued.rg : valued.grep)
      return said.some((flag) => listsNames.test(flag)) && said.every((flag) => matcher.test(flag))
        ? { here: false, quoted: false, below: every }
        : undefined
    }
    case "git":
      return listed(words)
    default:
      return undefined
  }
}

/** Undefined: anything. */
export const names = (producers: ReadonlyArray<Producer>): Names | undefined => {
  for (let at = producers.length - 1; at >= 0; at--) {
    const producer = producers[at]
    if (producer?.isKnown !== true) return undefined
    const words = producer.argv.filter((word) => word !== null)
    if (words.length < producer.argv.length) return undefined
    const name = baseName(words[0] ?? "")
    const found = source(name, words.slice(1))
    if (found !== undefined) return { ...found, at }
    if (producer.reads || !passes(name, words.slice(1))) return undefined
  }
  return undefined
}
