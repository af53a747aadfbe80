/** Kinds of rows of the table of programs. */
import { judgePassed } from "./passed.ts"
import { publishes } from "./apply.ts"
import { parseFlags, written } from "./flags.ts"
import type { Findings, Operand, Parsed, Spec, Word } from "./spec.ts"

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

/** They mean the same to all of these programs. */
const quiet = "--quiet --verbose --no-progress --no-interaction --no-ansi --test_output="

/** The first word says what it does: a rule has to name it. */
export const named = (why: string, names: string): Readonly<Record<string, Spec>> =>
  Object.fromEntries(
    names.split(/\s+/).map((name): [string, Spec] => [
      name,
      {
        read: (words, findings) => {
          findings.changes()
          findings.hides()
          const [first] = words
          if (first !== undefined) findings.hazard(first.at, why)
          if (publishes.test(first?.text ?? "")) findings.floor("remote")
          for (const word of parseFlags(words.slice(1), { flags: quiet, hides: true }, findings).operands)
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

/** These make or rewrite files where they are told. */
const makes = /^(?:new|init|create|fmt|format|generate|fix)$/

const ranAs = (name: string, long: true | undefined): Ran => ({
  isRemote: publishes.test(name),
  writes: makes.test(name),
  ...(long === undefined ? {} : { long })
})

export const tool = ({ flags, harmless, launches, long, reads, runs }: Tool): Spec => ({
  flags,
  readOnly: true,
  ...(long === undefined ? {} : { long }),
  sub: {
    ...Object.fromEntries(split(launches).map((name) => [name, launcher])),
    ...Object.fromEntries(
      split(reads).map((name) => [
        name,
        {
          flags: harmless,
          operands: "mention" as const,
          readOnly: true as const,
          ...(long === undefined ? {} : { long })
        }
      ])
    ),
    ...Object.fromEntries(split(runs).map((name) => [name, ran(harmless, ranAs(name, long))]))
  }
})

interface Ran {
  readonly isRemote?: boolean
  readonly writes?: boolean
  readonly long?: true
  /** Flags are passed on to what it runs: all of them, or those behind its first operand, or those behind `--`. */
  readonly passes?: "all" | "first"
}

export const ran = (flags: string, { isRemote = false, long, passes, writes = false }: Ran = {}): Spec => ({
  named: "it runs code of the project",
  hides: true,
  read: (words, findings) => {
    findings.changes()
    findings.hides()
    if (isRemote) findings.floor("remote")
    if (writes) findings.takes()
    const dashes = words.findIndex(({ text }) => text === "--")
    const first = passes === "first" ? words.findIndex(({ text }) => text?.startsWith("-") !== true) : -1
    const ends = [dashes, first < 0 ? -1 : first + 1, passes === "all" ? 0 : -1].filter((at) => at >= 0)
    const end = ends.length === 0 ? words.length : Math.min(...ends)
    const rest = words.slice(end).filter((word, at) => word.text !== "--" || at + end !== dashes)
    judgePassed(rest, findings)
    const spec = long === undefined ? { flags, hides: true as const } : { flags, hides: true as const, long }
    for (const word of parseFlags(words.slice(0, end), spec, findings).operands) {
      if (/^@[^/]*$/.test(word.text ?? "")) findings.hazard(word.at, fromFile)
      findings.target(word, "mention")
    }
  }
})

/** Runs the program in its arguments. */
export const launcher: Spec = {
  named: "it runs the program that follows",
  read: (words, findings) => {
    findings.changes()
    findings.hides()
    const own = words[0]?.text === "--" ? words.slice(1) : words
    const [first] = own
    if (first === undefined) return
    findings.hazard(first.at, "it runs the program that follows")
    findings.inner(own, false)
  }
}

const fromFile = "its arguments may come from a file"

/** A path behind a name, as in `of=/dev/sda` and `in.scss:../out.css`, and no address. */
const placed = /^[\w./-]+[=:](\/(?!\/).*|\.\.?\/.*)$/

/** Many programs take further arguments from the file behind an `@`. */
export const mentioned = (operands: ReadonlyArray<Operand>, findings: Findings): void => {
  findings.takes()
  for (const word of operands) {
    if (word.text?.startsWith("@") === true) findings.hazard(word.at, fromFile)
    if (word.behindDashes && /^-./.test(word.text ?? ""))
      findings.hazard(word.at, `its argument ${word.written} may be a flag of what it runs`)
    if (publishes.test(word.text ?? "")) findings.floor("remote")
    findings.target(word, "mention")
    const place = placed.exec(word.text ?? "")?.[1]
    if (place !== undefined && !word.glob) findings.target({ ...word, text: place }, "mention")
  }
}

/** Runs code of the project; a rule for it says yes to that. */
export const runner = (flags: string, more: Partial<Spec> = {}): Spec => ({
  flags,
  hides: true,
  operands: ({ operands }, findings) => mentioned(operands, findings),
  ...more
})

/** Words that throw away what is kept nowhere else, in programs that nobody has described. */
const loses =
  /^(?:[\w-]*:)?(?:reset|destroy|drop|purge|prune|wipe|nuke|delete|del|uninstall|truncate|flush|flushall|revert|restore|abandon|discard|rollback|downgrade|rm|remove|clear|down)$/i

/** A program that nobody has described: flags beyond its rule are hazards. */
export const unknown: Spec = {
  // What every program has, and programs of tests that googletest made.
  flags:
    "--help --version --gtest_filter: --gtest_list_tests --gtest_color= --gtest_brief: --gtest_repeat: --gtest_shuffle --gtest_also_run_disabled_tests --gtest_break_on_failure --gtest_fail_fast",
  hides: true,
  operands: ({ operands }, findings) => {
    for (const word of operands)
      if (loses.test(word.text ?? "")) findings.hazard(word.at, `${word.written} may lose what is kept nowhere else`)
    mentioned(operands, findings)
  }
}

/** Variables that say which kind of build it is, as a plain word. */
const kind =
  /^(?:V|VERBOSE|Q|DEBUG|RELEASE|BUILD|BUILD_TYPE|BUILDTYPE|CONFIG|CONFIGURATION|MODE|VARIANT|PROFILE|JOBS|NPROC|COVERAGE|SANITIZE|TESTS?|FILTER|PKG|CI)=(?!-)[\w.-]*$|^(?:ARGS|TESTARGS|TEST_ARGS)=(?:(?!-)[\w./-]*|-[vqsx]+|--(?:verbose|quiet))$/

/** Compilers by their usual names, and flags of theirs that name nothing. */
const compiled =
  /^(?:(?:CC|CXX)=(?:gcc|g\+\+|clang|clang\+\+|cc|c\+\+)(?:-\d+)?|(?:CFLAGS|CXXFLAGS|CPPFLAGS)=(?:-(?:O[0-3sg]?|g\d?|W[a-z][a-z0-9-]*(?:=\d+)?|std=[a-z0-9+]+|pedantic|fsanitize=[a-z,]+|pg|DNDEBUG|UNDEBUG)(?: |$))*)$/

/** Of make and the like: a variable may name a program. */
export const assigned = ({ operands }: Parsed, findings: Findings): void => {
  for (const word of operands) {
    if (word.text?.includes("=") === true && !kind.test(word.text) && !compiled.test(word.text))
      findings.hazard(word.at, "a variable may change what runs")
  }
  mentioned(operands, findings)
}

const isText = ({ text }: Word): boolean => text !== null && /\s/.test(text)

/** Runs the program that follows, behind flags and words that differ from one to the other, or text of a shell. */
export const launching = (names: string, isProgram: (name: string) => boolean): Readonly<Record<string, Spec>> => {
  const spec: Spec = {
    read: (words, findings) => {
      findings.changes()
      findings.hides()
      for (const word of words) {
        findings.hazard(word.at, "it runs the program that follows")
        findings.target(word, "mention")
        if (isText(word)) findings.script(word)
      }
      const at = words.findIndex(({ text }) => text !== null && !text.startsWith("-") && isProgram(text))
      // Before the program stand files of its own: for what it has seen, or a lock.
      for (const [index, word] of words.slice(0, at < 0 ? words.length : at).entries())
        if (word.text?.startsWith("-") === true) written(word, words[index + 1], findings)
        else findings.target(word, "output")
      if (at >= 0) findings.inner(words.slice(at), false)
    }
  }
  return Object.fromEntries(names.split(/\s+/).map((name) => [name, spec]))
}
