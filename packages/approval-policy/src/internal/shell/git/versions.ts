/** Programs beside git that bring files of another place or time into the folder, links among them. */
import type { Parsed, Findings, Spec, Word } from "../table/spec.ts"

/** A rule names what it is to do. */
const named = ({ operands }: Parsed, findings: Findings): void => {
  findings.takes()
  for (const word of operands) findings.target(word, "mention")
  const [first] = operands
  if (first !== undefined) findings.hazard(first.at, "it may lose work that is not committed", "changes")
}

const brings = (words: ReadonlyArray<Word>, keeps: RegExp, findings: Findings): void => {
  if (!keeps.test(words[0]?.text ?? "")) findings.moves("anywhere")
}

/** Mercurial, whose forced push makes new heads for everybody. */
const hg: Spec = {
  operands: named,
  always: (words, findings) => {
    brings(words, /^(?:status|diff|log|push|commit|branch|heads|tip|id|cat|annotate)$/, findings)
    const texts = words.map(({ text }) => text)
    if (texts.includes("push") && texts.some((text) => text === "-f" || text === "--force")) findings.floor("history")
  }
}

const other: Spec = {
  operands: named,
  always: (words, findings) => {
    brings(words, /^(?:status|diff|log|info|list|show)$/, findings)
  }
}

const others = "svn jj sl bzr darcs pijul cvs p4 repo rename prename mmv degit ar dpkg-deb rpm2cpio"

export const versions: Readonly<Record<string, Spec>> = {
  hg,
  ...Object.fromEntries(others.split(" ").map((name) => [name, other]))
}
