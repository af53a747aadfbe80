/** How a program reads flags: which are described, and what those that are not may do. */
import type { Findings, Operand, Parsed, Spec, Word } from "./spec.ts"

interface Flag {
  readonly kind: "switch" | "value" | "read" | "write" | "tree" | "optional" | "name"
}

const kinds: Readonly<Record<string, Flag["kind"]>> = {
  ":": "value",
  "<": "read",
  ">": "write",
  "/": "tree",
  "?": "optional",
  "=": "name"
}

const parsedFlags = new Map<string, ReadonlyMap<string, Flag>>()

const flagsOf = (text: string): ReadonlyMap<string, Flag> => {
  const known = parsedFlags.get(text)
  if (known !== undefined) return known
  const flags = new Map<string, Flag>()
  for (const token of text.split(" ")) {
    const kind = kinds[token.at(-1) ?? ""]
    if (token !== "") flags.set(kind === undefined ? token : token.slice(0, -1), { kind: kind ?? "switch" })
  }
  parsedFlags.set(text, flags)
  return flags
}

/**
 * What a flag that is not listed may write: its value, behind `=` or behind its letter, and the word after it. It counts
 * for the hard floor.
 */
export const written = (word: Word, next: Word | undefined, findings: Findings): void => {
  const { text } = word
  if (text !== null) {
    const equals = text.indexOf("=")
    const attached = /^-[^-]/.test(text) ? text.slice(2) : text.startsWith("-") ? "" : text
    for (const value of [equals < 0 ? "" : text.slice(equals + 1), attached])
      if (value !== "") findings.target({ ...word, text: value }, "output")
  }
  if (next !== undefined && next.text !== null && !/^-./.test(next.text)) findings.target(next, "output")
}

/**
 * A word that is not known, and may be a flag or several words: between double quotes it is one, and what it begins with. A
 * process substitution is the name of a pipe.
 */
export const mayBeFlag = ({ written }: Word): boolean =>
  !/^(?:<\([^()]*\)$|"[^"$`\\-][^"]*"|[\w./:@,+][\w./:@,+-]*"[^"]*")$/.test(written)

export const isOneWord = ({ written }: Word): boolean => /^[\w./:@,+=-]*"[^"]*"$/.test(written)

/** Reads flags as getopt does, without its abbreviations; what is not listed becomes a hazard. */
export const parseFlags = (words: ReadonlyArray<Word>, spec: Spec, findings: Findings): Parsed => {
  const known = flagsOf(spec.flags ?? "")
  const operands: Array<Operand> = []
  const seen = new Map<string, Array<Word | undefined>>()
  const note = (name: string, value?: Word) => {
    if (value !== undefined && value.text !== null && !value.glob) findings.neutral(value.at)
    seen.set(name, [...(seen.get(name) ?? []), value])
    const kind = known.get(name)?.kind
    if (kind === "read") findings.target(value, "read")
    if (kind === "write" || kind === "tree") findings.target(value, kind)
    if (kind === "name" && value !== undefined && !/^[A-Za-z][\w-]*(?:;verbosity=\w+)?$/.test(value.text ?? ""))
      refuse(value)
  }
  const refuse = (word: Word, next?: Word, from = 0) => {
    findings.hazard(word.at, `its flag ${word.text ?? word.written} may run a program or write a file`)
    written(from === 0 || word.text === null ? word : { ...word, text: `-${word.text.slice(from)}` }, next, findings)
    // Who reads some flags before the others finds the value of this one behind them, as `git log --output -L1,2:a b` does.
    if (next !== undefined && /^-./.test(next.text ?? ""))
      for (const later of words.slice(words.indexOf(next) + 1)) {
        if (later.text !== null && !later.text.startsWith("-")) findings.target(later, "output")
      }
  }
  /** A long flag may be cut short: it then counts as each of those that it may be. */
  const meant = (start: string, value: Word | undefined) => {
    for (const [name, { kind }] of known) if (name.startsWith(start)) note(name, kind === "switch" ? undefined : value)
  }
  /** A flag that is not known may write a file that is not known; of a program that runs other code this is nothing new. */
  const unclear = (word: Word) => {
    if (spec.hides === true || spec.anyName === true) return
    const [, name = "", value] = /^(--?[\w-]+)=("[^"]*")$/.exec(word.written) ?? []
    const kind = known.get(name)?.kind
    if (value === undefined || kind === undefined || kind === "switch")
      findings.target({ ...word, text: null }, "output")
    else note(name, word)
  }
  let dashes = false
  for (let index = 0; index < words.length; index++) {
    const word = words[index]
    if (word === undefined) continue
    const { text } = word
    if (dashes || text === "-" || (text !== null && !text.startsWith("-") && !opensWithGlob(word))) {
      operands.push({ ...word, behindDashes: dashes })
      if (spec.posix === true) dashes = true
      continue
    }
    if (text === null || opensWithGlob(word)) {
      // It may become a flag; what it stands for is judged as an operand, too.
      if (text === null || spec.anyName !== true) {
        findings.hazard(word.at, `what ${word.written} stands for may be a flag`)
      }
      if (text === null && mayBeFlag(word)) unclear(word)
      if (text !== null && spec.operands === "text") findings.target(word, "mention")
      operands.push({ ...word, behindDashes: dashes })
      continue
    }
    if (text === "--") {
      dashes = true
      continue
    }
    const next = words[index + 1]
    const isNamed = known.has(/^-[^-][^=]+(?==)/.exec(text)?.[0] ?? text)
    if (text.startsWith("--") || spec.long === true || isNamed) {
      const equals = text.indexOf("=")
      const name = equals < 0 ? text : text.slice(0, equals)
      const flag = known.get(name)
      if (flag === undefined && /^--./.test(name))
        meant(name, equals < 0 ? next : { ...word, text: text.slice(equals + 1) })
      if (flag !== undefined && !word.glob) findings.neutral(word.at)
      // Each name that it matches begins with the flag, and has a value of it.
      const isPattern = word.glob && !(spec.anyName === true && equals >= 0 && flag?.kind === "value")
      if (word.glob && (flag === undefined || equals < 0)) findings.target({ ...word, text: null }, "output")
      if (flag === undefined || isPattern || (equals >= 0 && flag.kind === "switch")) refuse(word, next)
      else if (equals >= 0) note(name, { ...word, text: text.slice(equals + 1) })
      else if (flag.kind === "switch" || flag.kind === "optional") note(name)
      else {
        note(name, next)
        if (next === undefined || next.text === null || next.glob) refuse(next ?? word)
        if (next?.text === null && !isOneWord(next)) unclear(next)
        index++
      }
      continue
    }
    if (/^-\d+$/.test(text) && known.has("-#")) {
      findings.neutral(word.at)
      continue
    }
    if (!word.glob && text.split("").some((letter) => known.has(`-${letter}`))) findings.neutral(word.at)
    for (let at = 1; at < text.length; at++) {
      const name = `-${text[at]}`
      const flag = known.get(name)
      const rest = text.slice(at + 1)
      if (flag === undefined || word.glob) {
        refuse(word, next, at)
        if (word.glob && (flag === undefined || flag.kind === "switch"))
          findings.target({ ...word, text: null }, "output")
        break
      }
      if (flag.kind === "switch") {
        note(name)
        continue
      }
      if (flag.kind === "optional" || rest !== "") {
        note(name, { ...word, text: rest })
      } else {
        note(name, next)
        if (next === undefined || next.text === null || next.glob) refuse(next ?? word)
        if (next?.text === null && !isOneWord(next)) unclear(next)
        index++
      }
      break
    }
  }
  return { operands, flags: seen }
}

const opensWithGlob = (word: Word): boolean => word.glob && /^[*?]/.test(word.text ?? "")
