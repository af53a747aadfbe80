/**
 * `pnpm proof:files [--lines N] [--seed N] [--boxes N] [--until N] [--except KIND] [--faults] [--line TEXT]`: generated command
 * lines against the policy and real programs, on a tree with links, protected names, secrets and repositories.
 *
 * Prints each kind of harm with the shortest line that does it, and one line at the end; exits with 1 when an allowed line
 * did harm, a fault was not noticed, or no box can be made.
 */
import { parseArgs } from "node:util"
import { missing } from "./Box.ts"
import { faults } from "./Faults.ts"
import * as Oracle from "./Oracle.ts"
import { shrink } from "./Shrink.ts"

const { values } = parseArgs({
  options: {
    lines: { type: "string", default: "100000" },
    seed: { type: "string", default: "1" },
    boxes: { type: "string", default: "2" },
    until: { type: "string", default: "20" },
    except: { type: "string", multiple: true, default: [] },
    faults: { type: "boolean", default: false },
    line: { type: "string" }
  }
})

const say = (text: string): void => void process.stdout.write(`${text}\n`)
const n = (value: number): string => value.toLocaleString("en-US")

const absent = missing()
if (absent !== undefined) say(absent)
const boxes = absent === undefined ? Number(values.boxes) : 0
const started = performance.now()

const describe = ({ harms, line, settings }: Oracle.Violation): string =>
  [
    `FAILED ${JSON.stringify(line.text)}${line.cwd === undefined ? "" : ` in ${line.cwd}`} (${settings.join("; ")})`,
    ...harms.slice(0, 4).map((harm) => `  ${harm}`)
  ].join("\n")

/** Two lines are the same hole when the same programs do the same harm. */
const holeOf = ({ kind, line }: Oracle.Violation): string => {
  const programs = line.text.split(/ (?:&&|\|\||\||;|&) |\n/).map((step) => /[a-z][\w-]*/.exec(step)?.[0] ?? "")
  return `${kind} | ${programs.join(" ")}`
}

const holes = new Map<string, Oracle.Violation>()

const tell = (outcome: Oracle.Outcome, bad: string): void => {
  const seconds = ((performance.now() - started) / 1000).toFixed(0)
  say(
    `files | ${n(outcome.generated)} lines, ${n(outcome.allowed)} allowed, ${n(outcome.run)} run, ` +
      `${seconds} s, seed ${values.seed} | ${bad}`
  )
}

if (values.line !== undefined) {
  const site = await Oracle.open(boxes > 0)
  const seen = await Oracle.probe(site, { text: values.line })
  site.box.close()
  say(seen === undefined ? "Nothing happened, or it is not allowed." : `${describe(seen)}\n${seen.output}`)
} else {
  const options = {
    lines: Number(values.lines),
    seed: Number(values.seed),
    boxes,
    until: Number(values.until),
    except: values.except
  }
  const progress = (done: number) => void process.stderr.write(`${n(done)} lines\n`)
  const found = async (violation: Oracle.Violation, site: Oracle.Site): Promise<void> => {
    const least = await shrink(violation, site, values.except)
    const hole = holeOf(least)
    const known = holes.get(hole)
    if (known === undefined) process.stderr.write(`${hole}: ${least.line.text}\n`)
    if (known === undefined || least.line.text.length < known.line.text.length) holes.set(hole, least)
  }
  if (values.faults) {
    const outcome = await Oracle.notice(faults, options)
    for (const { harms, kind, line } of outcome.violations)
      say(`${kind}: ${JSON.stringify(line.text)} ${harms[0] ?? ""}`)
    for (const name of outcome.unnoticed) say(`FAILED not noticed: ${name}`)
    tell(outcome, `${n(outcome.violations.length)} of ${n(faults.length)} faults noticed`)
    process.exitCode = outcome.unnoticed.length > 0 || absent !== undefined ? 1 : 0
  } else {
    const outcome = await Oracle.run({ ...options, progress, found })
    for (const violation of holes.values()) say(describe(violation))
    tell(outcome, `${n(outcome.violations.length)} violations, ${n(holes.size)} kinds`)
    process.exitCode = outcome.violations.length > 0 || absent !== undefined ? 1 : 0
  }
}
