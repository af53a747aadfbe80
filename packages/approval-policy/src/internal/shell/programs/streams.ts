/** sed, awk, jq and yq: a script that is read, then files. */
import { reader } from "../table/rows.ts"
import { isAwkFilter, isStreamOnly } from "./sed.ts"
import type { Findings, Parsed, Spec, Word } from "../table/spec.ts"

const scripts = (
  parsed: Parsed,
  flags: ReadonlyArray<string>
): readonly [ReadonlyArray<Word | undefined>, ReadonlyArray<Word>] => {
  const given = flags.flatMap((flag) => parsed.flags.get(flag) ?? [])
  return given.length > 0 ? [given, parsed.operands] : [parsed.operands.slice(0, 1), parsed.operands.slice(1)]
}

/** What follows an `r` may be the name of a file that is shown. */
const shown = (word: Word, findings: Findings): void => {
  for (const [, name = ""] of word.text?.matchAll(/(?<=[rR][ \t]*)([^ \t\n;}][^\n;}]*)/g) ?? [])
    findings.target({ ...word, text: name.trim() }, "mention")
  // What an `e` runs may name any file.
  if (/e/.test(word.text ?? ""))
    for (const piece of word.text?.split(/[\s;|/"'{}]+/).slice(1) ?? [])
      if (piece !== "") findings.target({ ...word, text: piece }, "mention")
}

/** What follows a `w` may be the name of a file, to the end of the line, and so may each piece of it. */
const pieces = (word: Word, findings: Findings): void => {
  const { text } = word
  if (text === null) return
  for (const piece of text.split(/[\s;"']+/).slice(1)) findings.target({ ...word, text: piece }, "tree")
  for (const [, name = ""] of text.matchAll(/(?<=[wW][ \t]*)([^ \t\n;}][^\n;}]*)/g))
    if (/[/.]/.test(name)) findings.target({ ...word, text: name.trim() }, "tree")
}

/** What the strings of an awk program are to it: files that it writes or reads, and commands. */
const strings = (word: Word, text: string, findings: Findings): void => {
  for (const [, before = "", string = "", after = ""] of text.matchAll(/([^"]*)"((?:[^"\\]|\\.)*)"(\s*\|)?/g)) {
    const value = { ...word, text: string }
    if (/>\s*$/.test(before)) findings.target(value, "write")
    else if (/<\s*$/.test(before)) findings.target(value, "read")
    else if (/(?:\||\|&|system\s*\()\s*$/.test(before) || after !== "") findings.script(value)
  }
}

const judged =
  (isHarmless: (script: string) => boolean, what: string, flags: ReadonlyArray<string>) =>
  (parsed: Parsed, findings: Findings): void => {
    const [texts, files] = scripts(parsed, flags)
    for (const word of texts) {
      if (word === undefined || (word.text !== null && !word.glob && isHarmless(word.text))) continue
      findings.changes()
      findings.hazard(word.at, `its script may ${what}`)
      if (word.text === null) continue
      if (flags.length === 0) {
        strings(word, word.text, findings)
        // Where a print goes that names no file by a string.
        if (/print[^;}\n]*>\s*[^"\s>=]/.test(word.text.replace(/"(?:[^"\\]|\\.)*"(?!\s*>)/g, "x")))
          findings.floor("removal")
      }
      if (flags.length > 0 && /[wW]/.test(word.text)) pieces(word, findings)
      if (flags.length > 0) shown(word, findings)
    }
    for (const word of files) findings.target(word, "read")
  }

const sedReads = judged(isStreamOnly, "run a program or write a file", ["-e", "--expression"])

const sed: Spec = {
  flags:
    "-n -E -r -s -u -z -e: --expression: --quiet --silent --regexp-extended --separate --unbuffered --null-data --version --help",
  readOnly: true,
  operands: sedReads
}

/** Options may be cut short as long as they are the only ones that begin so. */
const inPlace = /^(?:-[a-zA-Z]*i.*|--i.*)$/
const scripted = /^(?:-[a-zA-Z]*[ef]|--(?:e|fi).*)$/

/** Flags of which it is known that no other word belongs to them, but for the script behind `-e`. */
const plainFlag = /^-(?=.)(?:[nErsuz]*i?|e|-(?:expression|in-place|quiet|silent|regexp-extended))$/

/** Its scripts, where they do no more than edit: none of them names a file. */
const edits = (words: ReadonlyArray<Word>): ReadonlyArray<Word> => {
  if (!words.every(({ text }) => text !== null && (!text.startsWith("-") || plainFlag.test(text)))) return []
  const given = words.filter((_, index) => /^(?:-e|--expression)$/.test(words[index - 1]?.text ?? ""))
  const first = words.filter(({ text }) => text?.startsWith("-") !== true).slice(0, 1)
  const scripts = given.length > 0 ? given : first
  return scripts.every(({ glob, text }) => !glob && text !== null && isStreamOnly(text)) ? scripts : []
}

/** With `-i` the files are written. */
const editing: Spec = {
  read: (words, findings) => {
    findings.changes()
    const scripts = edits(words)
    // An entry with the flag covers scripts that only edit, and files as far as edits are allowed.
    for (const word of words)
      if (scripts.length > 0 && !inPlace.test(word.text ?? "")) findings.neutral(word.at)
      else findings.hazard(word.at, "it changes the files in place")
    const given = words.filter((_, index) => scripted.test(words[index - 1]?.text ?? ""))
    const first = words.find(({ text }) => text?.startsWith("-") !== true)
    for (const word of given.length > 0 || first === undefined ? given : [first])
      if (word.text !== null && /[wW]/.test(word.text) && !isStreamOnly(word.text)) pieces(word, findings)
    for (const word of words)
      if (word.text?.startsWith("-") !== true && !scripts.includes(word)) findings.target(word, "tree")
    // What was there before is kept under a name that is made of this.
    for (const word of words) {
      const suffix = /^(?:-[a-zA-Z]*?i|--i[a-z-]*=)(.+)$/s.exec(word.text ?? "")?.[1] ?? ""
      if (/[*/]/.test(suffix)) findings.target({ ...word, text: null }, "tree")
    }
  }
}

const awk = reader("-F: -v: --version", {
  operands: judged(isAwkFilter, "run a program, or open other files", []),
  // A library that gawk has writes its files in place.
  always: (words, findings) => {
    if (!words.some(({ text }) => /^(?:-i|--i)/.test(text ?? ""))) return
    for (const word of words) if (word.text?.startsWith("-") !== true) findings.target(word, "tree")
  }
})

/** A filter in which files of other names may be written. */
const unclear = (filter: Word | undefined, findings: Findings): void => {
  findings.hazard(filter?.at ?? 0, "its filter may load other files or show the environment")
  findings.target(filter, "mention")
}

const jq = reader(
  "-r -c -n -e -s -S -M -C -a -j -R -rc -cr --raw-output --compact-output --null-input --slurp --sort-keys --tab --indent: --exit-status --join-output --ascii-output --raw-input --color-output --monochrome-output",
  {
    operands: ({ operands }, findings) => {
      const [filter, ...rest] = operands
      if (
        filter?.text === null ||
        /\b(?:import|include|input_filename|modulemeta|env|\$ENV)\b|\$ENV|\$__prog/.test(filter?.text ?? "")
      )
        unclear(filter, findings)
      for (const word of rest) findings.target(word, "read")
    }
  }
)

const yqWrites = /^(?:-[a-zA-Z]*[is].*|--inp.*|--sp.*)$/

/** The one in Go, and the one in Python, which wraps jq. */
const yq: Spec = {
  flags:
    "-r -c -n -e -M -C -P -j -N -y -Y -o: -p: -I: --raw-output --null-input --exit-status --colors --no-colors --prettyPrint --tojson --indent: --output-format: --input-format: --no-doc --unwrapScalar?",
  readOnly: true,
  operands: ({ operands }, findings) => {
    const [first, ...rest] = operands
    // Behind a word for what to do stands the filter.
    const isNamed = /^(?:e|ea|eval|eval-all)$/.test(first?.text ?? "")
    const filter = isNamed ? rest[0] : first
    if (filter?.text === null || /\b(?:load\w*|env|strenv|envsubst|eval|ENV|system)\b/.test(filter?.text ?? ""))
      unclear(filter, findings)
    for (const word of operands.length === 1 ? operands : isNamed ? rest.slice(1) : rest) findings.target(word, "read")
  },
  always: (words, findings) => {
    if (!words.some(({ text }) => text !== null && yqWrites.test(text))) return
    findings.changes()
    for (const word of words) if (word.text?.startsWith("-") !== true) findings.target(word, "tree")
  }
}

export const streams: Readonly<Record<string, Spec>> = { sed, gsed: sed, awk, gawk: awk, mawk: awk, nawk: awk, jq, yq }

/** Some programs change what they are by a flag. */
export const variant = (name: string, words: ReadonlyArray<Word>): Spec | undefined =>
  /^g?sed$/.test(name) && words.some(({ text }) => text !== null && inPlace.test(text)) ? editing : undefined
