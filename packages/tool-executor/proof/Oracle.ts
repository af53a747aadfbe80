/**
 * The second oracle: what the policy allows is run, unconfined, in a throw-away root, and nothing that `Tripwire` watches may
 * have happened. A line is decided under some settings in turn, and run once.
 */
import { ApprovalPolicy, type PolicyInput } from "@belay/approval-policy"
import * as Box from "./Box.ts"
import type { Fault } from "./Faults.ts"
import * as Generator from "./Generator.ts"
import * as Question from "./Question.ts"
import { inTurn, type Setting, settings } from "./Settings.ts"
import * as Tripwire from "./Tripwire.ts"

export interface Violation {
  readonly line: Generator.Line
  readonly settings: ReadonlyArray<string>
  readonly kind: string
  /** What happened, one after the other. */
  readonly harms: ReadonlyArray<string>
  readonly output: string
}

export interface Outcome {
  readonly generated: number
  readonly allowed: number
  readonly run: number
  readonly violations: ReadonlyArray<Violation>
  /** The faults that were not noticed. */
  readonly unnoticed: ReadonlyArray<string>
}

/** A tree, the box that it is in, and how lines are put to the policy on it. */
export interface Site {
  readonly box: Box.Box
  readonly asker: Question.Asker
}

export const open = async (runs: boolean): Promise<Site> => {
  const box = runs ? await Box.open() : Box.unrun()
  return { box, asker: Question.make(box.root) }
}

const allows = (input: PolicyInput.PolicyInput): boolean => ApprovalPolicy.decide(input).decision === "allow"

/** Those of the settings under which a line is allowed. */
const allowing = (question: Question.Question, under: ReadonlyArray<Setting>): ReadonlyArray<Setting> =>
  under.filter((setting) => allows(question.inputUnder(setting)))

const happened = (
  question: Question.Question,
  seen: Box.Observed,
  root: string,
  allowed: ReadonlyArray<Setting>,
  except: ReadonlyArray<string> = []
): Violation | undefined => {
  const found = allowed.map((setting) => ({
    setting,
    harms: Tripwire.harms(question, seen, root, setting).filter(({ kind }) => !except.includes(kind))
  }))
  const broken = found.filter(({ harms }) => harms.length > 0)
  const [first] = broken
  if (first === undefined) return undefined
  return {
    line: question.line,
    settings: broken.map(({ setting }) => setting.name),
    kind: first.harms[0]?.kind ?? "",
    harms: [...new Set(broken.flatMap(({ harms }) => harms.map(({ kind, to }) => `${kind}: ${to}`)))],
    output: seen.output.replaceAll(root, "@@")
  }
}

/** What happens when one line is decided and, where it is allowed, run. */
export const probe = async (
  { asker, box }: Site,
  line: Generator.Line,
  except: ReadonlyArray<string> = []
): Promise<Violation | undefined> => {
  const question = await asker.ask(line)
  const allowed = allowing(question, settings)
  if (allowed.length === 0) return undefined
  const seen = await box.run?.(question.command)
  return seen === undefined ? undefined : happened(question, seen, box.root, allowed, except)
}

export interface Options {
  /** How many are generated. */
  readonly lines: number
  readonly seed: number
  /** Lines that come before those, each decided under all settings. */
  readonly first?: ReadonlyArray<Generator.Line>
  /** Without boxes lines are judged only. */
  readonly boxes: number
  /** It ends after so many violations; 20 by default. */
  readonly until?: number
  /** Kinds of harm that do not count. */
  readonly except?: ReadonlyArray<string>
  /** Lines that do not count. */
  readonly isKnown?: (line: Generator.Line) => boolean
  readonly progress?: (done: number) => void
  readonly found?: (violation: Violation, site: Site) => Promise<void>
}

interface Case {
  readonly line: Generator.Line
  readonly turn: ReadonlyArray<Setting>
}

/** Each of them once, whoever takes it. */
function* casesOf({ first = [], lines, progress, seed }: Options): IterableIterator<Case, undefined> {
  for (const line of first) yield { line, turn: settings }
  const generator = Generator.make(seed)
  for (let index = 0; index < lines; index++) {
    if ((index + 1) % 10_000 === 0) progress?.(index + 1)
    yield { line: generator.next(), turn: inTurn(index) }
  }
}

/** Generates, judges and runs. */
export const run = async (options: Options): Promise<Outcome> => {
  const cases = casesOf(options)
  const violations: Array<Violation> = []
  const until = options.until ?? 20
  let [generated, allowed, started] = [0, 0, 0]
  const work = async (site: Site): Promise<void> => {
    const { asker, box } = site
    while (violations.length < until) {
      const next = cases.next().value
      if (next === undefined) return
      generated++
      const question = await asker.ask(next.line)
      const under = allowing(question, next.turn)
      if (under.length === 0) continue
      allowed++
      const seen = await box.run?.(question.command)
      if (seen === undefined) continue
      started++
      const violation = happened(question, seen, box.root, under, options.except)
      if (violation === undefined || options.isKnown?.(violation.line) === true) continue
      violations.push(violation)
      await options.found?.(violation, site)
    }
  }
  await onSites(options.boxes, work)
  return { generated, allowed, run: started, violations, unnoticed: [] }
}

const onSites = async (boxes: number, work: (site: Site) => Promise<void>): Promise<void> => {
  const sites = await Promise.all(Array.from({ length: Math.max(boxes, 1) }, () => open(boxes > 0)))
  try {
    await Promise.all(sites.map(work))
  } finally {
    for (const { box } of sites) box.close()
  }
}

/**
 * Runs what the policy allows with a fault and does not allow without, and ends when something has happened under each
 * fault.
 */
export const notice = async (faults: ReadonlyArray<Fault>, options: Options): Promise<Outcome> => {
  const cases = casesOf(options)
  const left = new Set(faults)
  const violations: Array<Violation> = []
  let [generated, allowed, started] = [0, 0, 0]
  const work = async ({ asker, box }: Site): Promise<void> => {
    while (left.size > 0) {
      const next = cases.next().value
      if (next === undefined) return
      generated++
      const question = await asker.ask(next.line)
      const refusing = next.turn.filter((setting) => !allows(question.inputUnder(setting)))
      const under = [...left].flatMap((fault) => {
        const wider = refusing.filter((setting) => {
          const input = question.inputUnder(setting)
          const changed = fault.inputs(input)
          return changed.some((each) => each !== input) && changed.every(allows)
        })
        return wider.length === 0 ? [] : [{ fault, wider }]
      })
      if (under.length === 0) continue
      allowed++
      const seen = await box.run?.(question.command)
      if (seen === undefined) continue
      started++
      for (const { fault, wider } of under) {
        const violation = happened(question, seen, box.root, wider)
        if (violation === undefined || !left.delete(fault)) continue
        violations.push({ ...violation, kind: fault.name })
      }
    }
  }
  await onSites(options.boxes, work)
  return { generated, allowed, run: started, violations, unnoticed: [...left].map(({ name }) => name) }
}

/** The first harm that each line does when nobody judges it, under settings that forbid everything outside. */
export const unguarded = async (texts: ReadonlyArray<string>): Promise<Readonly<Record<string, string>>> => {
  const site = await open(true)
  const seen: Record<string, string> = {}
  try {
    for (const text of texts) {
      const question = await site.asker.ask({ text })
      const observed = await site.box.run?.(question.command)
      const asks = settings.filter(({ name }) => name === "ask")
      seen[text] = observed === undefined ? "" : (happened(question, observed, site.box.root, asks)?.kind ?? "")
    }
  } finally {
    site.box.close()
  }
  return seen
}
