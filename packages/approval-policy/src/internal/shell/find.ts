/** find and xargs: programs that run other programs on names they read. */
import { type Findings, type Spec, unnamed, type Word } from "./spec.ts"

const tests =
  /^-(?:type|xtype|size|mtime|mmin|atime|amin|ctime|cmin|maxdepth|mindepth|i?name|i?path|i?wholename|i?regex|regextype|perm|user|group|uid|gid|links|inum|printf|newermt|newerct|fstype|used)$/
const switches =
  /^(?:-depth|-d|-print|-print0|-prune|-empty|-o|-or|-a|-and|-not|!|\(|\)|,|-xdev|-mount|-executable|-readable|-writable|-true|-false|-daystart|-quit|-ls|-noleaf|-nowarn|-warn|-nouser|-nogroup)$/
const runs = /^-(?:exec|execdir|ok|okdir)$/

const starts = (words: ReadonlyArray<Word>): number => {
  const at = words.findIndex(({ text }) => text !== null && /^(?:-.|[!(),]$)/.test(text) && !/^-[HP]$/.test(text))
  return at < 0 ? words.length : at
}

/** What is found lies in the folders where the search begins. */
const named = (words: ReadonlyArray<Word>, begun: ReadonlyArray<Word>): ReadonlyArray<Word> =>
  words.flatMap((word) => {
    if (word.text?.includes("{}") !== true) return [word]
    if (word.text !== "{}") return [{ ...word, text: null }]
    return begun.length === 0 ? [{ ...word, text: "." }] : begun.map(({ glob, text }) => ({ ...word, glob, text }))
  })

const expression = (words: ReadonlyArray<Word>, begun: ReadonlyArray<Word>, findings: Findings): void => {
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
      }
      continue
    }
    if (text === "-newer" || text === "-anewer" || text === "-cnewer" || text === "-samefile") {
      findings.target(words[++index], "read")
      continue
    }
    if (text !== null && runs.test(text)) {
      const end = words.findIndex((found, at) => at > index && (found.text === ";" || found.text === "+"))
      const until = end < 0 ? words.length : end
      findings.inner(named(words.slice(index + 1, until), begun), false)
      index = until
      continue
    }
    findings.changes()
    findings.hazard(word.at, `its expression ${text ?? word.written} may run a program or change files`)
    if (text === "-delete") for (const start of begun) findings.target(start, "tree")
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
      }
    }
    expression(words.slice(at), begun, findings)
  }
}

const valued = /^(?:-[nLPsId]|--(?:max-args|max-lines|max-procs|max-chars|delimiter|replace))$/
const listed = /^(?:-a|--arg-file)$/

export const xargs: Spec = {
  read: (words, findings) => {
    let index = 0
    for (; index < words.length; index++) {
      const word = words[index]
      const text = word?.text
      if (word === undefined || text === undefined) break
      if (text === null || word.glob) {
        findings.hazard(word.at, "which program it runs is not known")
        break
      }
      if (!text.startsWith("-")) break
      if (valued.test(text)) index++
      else if (listed.test(text)) {
        findings.hazard(word.at, `its flag ${text} reads another file`)
        findings.target(words[++index], "read")
      } else if (!/^(?:-0|--null|-r|--no-run-if-empty|-t|-x|-[nLPsId].+)$/.test(text)) {
        findings.hazard(word.at, `its flag ${text} may run a program or read another file`)
      }
    }
    const glob = words.slice(0, index).find((word) => word.glob)
    if (glob !== undefined) findings.hazard(unnamed, `what ${glob.written} stands for may be a program`)
    const rest = words.slice(index)
    const echo: Word = { text: "echo", glob: false, written: "echo", at: unnamed }
    findings.inner(rest.length > 0 ? rest : [echo], true)
  }
}
