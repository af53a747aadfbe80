/**
 * The proof of the lifecycle: a model check over the production functions, and faults that it has to find.
 *
 * `node --conditions=@belay/source proof/main.ts [--sample] [model | runners | faults | histories]`. Prints proof, figure and
 * result, and exits with 1 when an invariant is violated, a mutant survives or a fixpoint is not reached. `--sample`
 * bounds every search.
 */
import * as Lifecycle from "@belay/task-state"
import * as Mutant from "./Mutant.ts"
import * as Scopes from "./Scopes.ts"
import { damaging } from "./Damage.ts"
import { walk } from "./Walk.ts"
import { type Outcome, search, type Wrong } from "./Search.ts"
import { searchWide } from "./Wider.ts"

const sample = process.argv.includes("--sample")
const [only] = process.argv.slice(2).filter((argument) => !argument.startsWith("--"))
const asked = (part: "model" | "runners" | "faults" | "histories") => only === undefined || only === part
/** Rejections are values here: their stacks are not read. */
Error.stackTraceLimit = 0

const rows: Array<readonly [proof: string, figure: string, result: string]> = []
let failed = 0
const report = (proof: string, figure: string, result: string, ok: boolean): void => {
  rows.push([proof, figure, result])
  if (!ok) failed++
  process.stdout.write(`${proof} | ${figure} | ${result}\n`)
}

const n = (value: number): string => Math.round(value).toLocaleString("en-US")
const explain = ({ detail, invariant, trace }: Wrong): string =>
  `VIOLATED ${invariant}: ${detail}\n${trace.map((step) => `    ${step}`).join("\n")}`
const figureOf = (out: Outcome): string =>
  `${n(out.states)} states, ${n(out.transitions)} transitions, depth ${out.depth}, ${n(out.atRest)} at rest, ` +
  `${out.seconds.toFixed(1)} s, ${n(out.states / out.seconds)} states/s`

const reportSearch = (out: Outcome): void => {
  const fine = out.violation === undefined && (sample || out.complete)
  const result =
    out.violation === undefined ? (out.complete ? "fixpoint, holds" : "holds so far") : explain(out.violation)
  report(`${out.scope} x 2 processes`, figureOf(out), result, fine)
}

const checkModel = (): void => {
  let states = 0
  for (const scope of Scopes.full) {
    const out = search(Lifecycle, scope, sample ? 3000 : Infinity)
    states += out.states
    reportSearch(out)
  }
  const enough = sample || states >= 100_000
  report("states in all", n(states), sample ? "sample" : enough ? "at least 100,000" : "TOO FEW", enough)
}

const repairRules = [
  "ownerGone",
  "neverDelegated",
  "creatorGone",
  "childNotStarted",
  "nothingAwaited",
  "childCompleted",
  "childLost",
  "recordMissing",
  "waitCircle",
  "childOfAnother",
  "notAChild",
  "deletionUnfinished",
  "callUnanswered"
]

/** Every rule of the table has something to repair; runnerGone is of runners that live, and recordDamaged is the store's own. */
const checkDamage = (): void => {
  const fired = new Map<string, number>()
  const out = searchWide(Lifecycle, Scopes.damaged, sample ? 3000 : 60_000, damaging(Lifecycle, fired))
  const repairs = [...fired.values()].reduce((sum, count) => sum + count, 0)
  const missing = repairRules.filter((rule) => !fired.has(rule))
  const result = out.violation === undefined ? "at rest, in any order" : explain(out.violation)
  const figure = `of ${n(out.states)} states, ${n(repairs)} repairs by ${fired.size} rules, ${out.seconds.toFixed(1)} s`
  const never = missing.length === 0 ? "" : `, but never ${missing.join()}`
  report("damaged histories", figure, `${result}${never}`, out.violation === undefined && missing.length === 0)
}

const checkRunners = (): void => {
  for (const scope of Scopes.wider) reportSearch(searchWide(Lifecycle, scope, sample ? 2000 : Infinity))
  checkDamage()
}

/** A fault is looked for where it can show. */
const caughtBy = async (mutant: Mutant.Mutant, index: number): Promise<Outcome> => {
  const subject = await Mutant.load(mutant, index)
  const most = sample ? 20_000 : 400_000
  if (!("writes" in mutant.scope)) return search(subject, mutant.scope, most)
  return mutant.scope === Scopes.damaged
    ? searchWide(subject, Scopes.damaged, most, damaging(subject, new Map()))
    : searchWide(subject, mutant.scope, most)
}

const checkHistories = (): void => {
  const runs = sample ? 300 : 10_000
  const started = performance.now()
  const { commands, steps, violation } = walk(Lifecycle, runs, 200)
  const seconds = (performance.now() - started) / 1000
  const figure = `${n(runs)} histories of 8 tasks, ${n(steps)} steps, ${commands.size} commands and repairs, ${seconds.toFixed(1)} s`
  const result =
    violation === undefined ? "as the reference" : explain({ invariant: `seed ${violation.seed}`, ...violation })
  report("random commands against the reference", figure, result, violation === undefined && commands.size >= 20)
}

const checkFaults = async (): Promise<void> => {
  let caught = 0
  for (const [index, mutant] of Mutant.mutants.entries()) {
    const out = await caughtBy(mutant, index)
    if (out.violation !== undefined) caught++
    const name = `without: ${mutant.name}${mutant.found2p === true ? " (2p)" : ""}`
    const result = out.violation === undefined ? "SURVIVED" : `caught by "${out.violation.invariant}"`
    report(name, `${n(out.states)} states, ${out.seconds.toFixed(1)} s`, result, out.violation !== undefined)
  }
  const all = Mutant.mutants.length
  report(
    "deliberate faults",
    `${caught} of ${all} caught`,
    caught === all ? "all caught" : "SOME SURVIVED",
    caught === all
  )
}

if (asked("model")) checkModel()
if (asked("runners")) checkRunners()
if (asked("histories")) checkHistories()
if (asked("faults")) await checkFaults()
process.exitCode = failed === 0 ? 0 : 1
