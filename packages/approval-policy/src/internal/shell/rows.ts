/** Kinds of rows of the table of programs. */
import { type Findings, type Operand, type Parsed, parseFlags, publishes, type Spec, type Word } from "./spec.ts"

/** Only reads, with these flags. */
export const reader = (flags: string, more: Partial<Spec> = {}): Spec => ({ flags, readOnly: true, ...more })

/** Harmless with any file name as an argument. */
export const safe = { anyName: true } as const

/** Each argument counts, so that only a rule with all of them allows it. */
export const exactly = (why: string, names: string): Readonly<Record<string, Spec>> =>
  Object.fromEntries(names.split(/\s+/).map((name) => [name, { exact: why }]))

/** As `exactly`, of a program that changes other machines. */
export const remote = (why: string): Spec => ({
  read: (words, findings) => {
    findings.changes()
    findings.floor("remote")
    for (const word of words) {
      findings.hazard(word.at, why)
      findings.target(word, "mention")
    }
  }
})

export const remotely = (why: string, names: string): Readonly<Record<string, Spec>> =>
  Object.fromEntries(names.split(/\s+/).map((name) => [name, remote(why)]))

/** The first word says what it does: a rule has to name it. */
export const named = (why: string, names: string): Readonly<Record<string, Spec>> =>
  Object.fromEntries(
    names.split(/\s+/).map((name): [string, Spec] => [
      name,
      {
        read: (words, findings) => {
          findings.changes()
          const [first] = words
          if (first !== undefined) findings.hazard(first.at, why)
          if (publishes.test(first?.text ?? "")) findings.floor("remote")
          for (const word of parseFlags(words.slice(1), { flags: "" }, findings).operands)
            findings.target(word, "mention")
        }
      }
    ])
  )

interface Tool {
  /** Subcommands that run code of the project or of packages: a rule has to name them. */
  readonly runs: string
  /** Subcommands that only show something. */
  readonly reads?: string
  /** Subcommands that run the program in their arguments. */
  readonly launches?: string
  /** Before the subcommand, and behind it. */
  readonly flags: string
  readonly harmless: string
  readonly long?: true
}

const split = (text = ""): ReadonlyArray<string> => text.split(" ").filter((name) => name !== "")

export const tool = ({ flags, harmless, launches, long, reads, runs }: Tool): Spec => ({
  flags,
  readOnly: true,
  ...(long === undefined ? {} : { long }),
  sub: {
    ...Object.fromEntries(split(launches).map((name) => [name, launcher])),
    ...Object.fromEntries(
      split(reads).map((name) => [name, { flags: harmless, operands: "mention" as const, readOnly: true as const }])
    ),
    ...Object.fromEntries(split(runs).map((name) => [name, ran(harmless, publishes.test(name), long)]))
  }
})

export const ran = (flags: string, isRemote = false, long?: true): Spec => ({
  named: "it runs code of the project",
  read: (words, findings) => {
    findings.changes()
    if (isRemote) findings.floor("remote")
    const dashes = words.findIndex(({ text }) => text === "--")
    const own = dashes < 0 ? words : words.slice(0, dashes)
    for (const word of dashes < 0 ? [] : words.slice(dashes + 1)) findings.target(word, "mention")
    const spec = long === undefined ? { flags } : { flags, long }
    for (const word of parseFlags(own, spec, findings).operands) {
      if (/^@[^/]*$/.test(word.text ?? "")) findings.hazard(word.at, fromFile)
      findings.target(word, "mention")
    }
  }
})

/** Runs the program in its arguments. */
const launcher: Spec = {
  named: "it runs the program that follows",
  read: (words, findings) => {
    findings.changes()
    const own = words[0]?.text === "--" ? words.slice(1) : words
    const [first] = own
    if (first === undefined) return
    findings.hazard(first.at, "it runs the program that follows")
    findings.inner(own, false)
  }
}

const fromFile = "its arguments may come from a file"

/** Many programs take further arguments from the file behind an `@`. */
const mentioned = (operands: ReadonlyArray<Operand>, findings: Findings): void => {
  for (const word of operands) {
    if (word.text?.startsWith("@") === true) findings.hazard(word.at, fromFile)
    if (publishes.test(word.text ?? "")) findings.floor("remote")
    findings.target(word, "mention")
  }
}

/** Runs code of the project; a rule for it says yes to that. */
export const runner = (flags: string): Spec => ({
  flags,
  operands: ({ operands }, findings) => mentioned(operands, findings)
})

/** A program that nobody has described: flags beyond its rule are hazards. */
export const unknown: Spec = { operands: ({ operands }, findings) => mentioned(operands, findings) }

/** Of make and the like: a variable may name a program. */
export const assigned = ({ operands }: Parsed, findings: Findings): void => {
  for (const word of operands) {
    if (word.text?.includes("=") === true) findings.hazard(word.at, "a variable may change what runs")
  }
  mentioned(operands, findings)
}

const isText = ({ text }: Word): boolean => text !== null && /\s/.test(text)

/** Runs the program that follows, behind flags and words that differ from one to the other, or text of a shell. */
export const launching = (names: string, isProgram: (name: string) => boolean): Readonly<Record<string, Spec>> => {
  const spec: Spec = {
    read: (words, findings) => {
      findings.changes()
      for (const word of words) {
        findings.hazard(word.at, "it runs the program that follows")
        findings.target(word, "mention")
        if (isText(word)) findings.script(word)
      }
      const at = words.findIndex(({ text }) => text !== null && !text.startsWith("-") && isProgram(text))
      if (at >= 0) findings.inner(words.slice(at), false)
    }
  }
  return Object.fromEntries(names.split(/\s+/).map((name) => [name, spec]))
}
