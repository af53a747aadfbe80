/** What git takes from and gives to other repositories. */
import { written } from "../table/flags.ts"
import type { Spec } from "../table/spec.ts"

/** A repository that is named by its place instead of by the name of a remote. */
const place = /::|:\/\/|^[/.~]|^[^/]*@[^/]*:/

/** From where it fetches: the first word. */
export const fetches = (flags: string): Spec => ({
  flags,
  operands: ({ operands }, findings) => {
    const [first] = operands
    if (first !== undefined && (first.text === null || place.test(first.text)))
      findings.hazard(first.at, "it names a place to fetch from")
    for (const word of operands) {
      if (word.text?.startsWith("+") === true) findings.hazard(word.at, "it may lose a branch", "loses")
      findings.target(word, "mention")
    }
  }
})

/** Git accepts long options by their unique beginning. */
export const destroys = /^(?:--fo(?!l)|--mi|--de|--pru|-[A-Za-z]*[fd]|\+|:)/

const harmlessPush =
  /^(?:-u|--set-upstream|--tags|--follow-tags|-q|--quiet|-v|--verbose|-n|--dry-run|--porcelain|--all|--progress|--no-verify)$/

export const push: Spec = {
  read: (words, findings) => {
    findings.changes()
    for (const word of words) {
      const { text } = word
      if (text === null || (text.startsWith("-") && !harmlessPush.test(text))) {
        findings.hazard(word.at, `its flag ${text ?? word.written} may run a program or destroy history`)
      }
      if (text !== null && place.test(text)) findings.hazard(word.at, "it names a place to push to")
    }
  }
}

export const remote: Spec = {
  flags: "-v --verbose",
  readOnly: true,
  operands: ({ operands }, findings) => {
    const [first] = operands
    if (first === undefined || first.text === "get-url" || (first.text === "show" && operands.length === 1)) return
    findings.changes()
    findings.hazard(first.at, "it changes the settings of the repository")
    // A transport of this form is a program.
    if (operands.some(({ text }) => text === null || text.includes("::")))
      findings.target({ ...first, text: ".git/config", glob: false }, "write")
  }
}

export const clone: Spec = {
  read: (words, findings) => {
    findings.changes()
    const operands = words.filter(({ text }) => text?.startsWith("-") !== true)
    for (const [index, word] of words.entries()) {
      findings.hazard(word.at, "it fetches a repository")
      findings.target(word, "mention")
      if (word.text?.startsWith("-") === true) written(word, words[index + 1], findings)
    }
    for (const word of operands.slice(1)) findings.target(word, "tree")
    findings.floor("unpacking")
  }
}
