/**
 * The differential oracle: what the policy allows is run, and what really happened must be what it allowed.
 *
 * Every program that starts must be an action of the reading, with the same arguments; every file that changes must be
 * one that the decision names as written; nothing from outside of the workspace may be shown.
 */
import { ApprovalPolicy, type Approvals, type CommandFact } from "@belay/approval-policy"
import type { Observed } from "./Box.ts"
import * as Box from "./Box.ts"
import * as Generator from "./Generator.ts"
import { canary, inputOf } from "./World.ts"

export interface Outcome {
  readonly generated: number
  readonly allowed: number
  readonly programs: number
  readonly changed: number
  readonly failures: ReadonlyArray<string>
}

const baseName = (program: string): string => program.split("/").at(-1) ?? ""

/** Open ends of an action: patterns become names, and xargs adds what it reads. */
const isOpen = (fact: CommandFact.CommandFact, index: number): boolean => {
  const action = fact.reading.actions[index]
  const parent = fact.reading.actions[action?.parent ?? -1]
  const name = baseName(parent?.argv[0] ?? "")
  return (
    (action?.argv.includes(null) ?? true) ||
    name === "xargs" ||
    name === "find" ||
    (action?.argv.some((word) => word !== null && /[*?]/.test(word)) ?? false)
  )
}

/** `$?` and `$(nproc)` are some number. */
const isWord = (seen: string | undefined, word: string | null, fact: CommandFact.CommandFact): boolean =>
  seen === word ||
  (/\$\?|\$\(nproc\)/.test(fact.text) && seen?.replaceAll(/\d+/g, "0") === word?.replaceAll(/\d+/g, "0"))

const isExpected = (argv: ReadonlyArray<string>, fact: CommandFact.CommandFact): boolean =>
  fact.reading.actions.some((action, index) => {
    const [program, ...words] = action.argv
    if (typeof program !== "string" || baseName(program) !== baseName(argv[0] ?? "")) return false
    return (
      isOpen(fact, index) ||
      (words.length === argv.length - 1 && words.every((word, at) => isWord(argv[at + 1], word, fact)))
    )
  })

const writes = (fact: CommandFact.CommandFact): ReadonlyArray<string> =>
  fact.reading.targets.flatMap(({ role }, index) =>
    role === "read" || role === "mention" ? [] : (fact.files[index] ?? []).map((file) => file.resolved)
  )

/** A folder of a file that was written changes, too; below a target that is a tree all may change. */
const isNamed = (file: string, allowed: ReadonlyArray<string>): boolean =>
  allowed.some((target) => file === target || file.startsWith(`${target}/`) || target.startsWith(`${file}/`))

const problem = (text: string, fact: CommandFact.CommandFact, seen: Observed): string | undefined => {
  const strange = seen.execs.find((argv) => !isExpected(argv, fact))
  if (strange !== undefined) return `${JSON.stringify(text)} ran ${JSON.stringify(strange)}`
  const allowed = writes(fact)
  const other = seen.changed.find((file) => !isNamed(file, allowed))
  if (other !== undefined) return `${JSON.stringify(text)} changed ${other}`
  return seen.leaked ? `${JSON.stringify(text)} showed a file outside of the workspace` : undefined
}

export interface Options {
  readonly commands: number
  readonly seed: number
  /** Without a box commands are judged only. */
  readonly boxes: number
  readonly approvals?: Approvals.Approvals
  /** Run whatever the decision says: shows that the tripwires work. */
  readonly everything?: boolean
  readonly progress?: (done: number) => void
}

/** Generates, judges and runs. */
export const run = async (options: Options): Promise<Outcome> => {
  const generator = Generator.make(options.seed)
  const failures: Array<string> = []
  let generated = 0
  let allowed = 0
  let programs = 0
  let changed = 0
  const work = async (box: Box.Box | undefined): Promise<void> => {
    while (generated < options.commands && failures.length < 20) {
      generated++
      if (generated % 10_000 === 0) options.progress?.(generated)
      const text = generator.next()
      const input = inputOf(text, options.approvals)
      const { command } = input.facts
      if (command === undefined || (options.everything !== true && ApprovalPolicy.decide(input).decision !== "allow"))
        continue
      allowed++
      const seen = await box?.run(text)
      if (seen === undefined) continue
      programs += seen.execs.length
      changed += seen.changed.length
      const found = problem(text, command, seen)
      if (found !== undefined) failures.push(found)
    }
  }
  const boxes = Array.from({ length: options.boxes }, () => Box.open(canary))
  try {
    await Promise.all(boxes.length === 0 ? [work(undefined)] : boxes.map(work))
  } finally {
    for (const box of boxes) box.close()
  }
  return { generated, allowed, programs, changed, failures }
}
