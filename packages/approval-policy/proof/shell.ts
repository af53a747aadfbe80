/**
 * `pnpm proof:shell [--commands N] [--seed N] [--boxes N]`: generated commands against the policy and a real shell.
 *
 * Prints one line and exits with 1 when an allowed command did what the policy did not say, or no box can be made.
 */
import { parseArgs } from "node:util"
import { missing } from "./Box.ts"
import { run } from "./Oracle.ts"

const { values } = parseArgs({
  options: {
    commands: { type: "string", default: "100000" },
    seed: { type: "string", default: "1" },
    boxes: { type: "string", default: "2" }
  }
})

const absent = missing()
if (absent !== undefined) process.stdout.write(`${absent}\n`)
const started = performance.now()
const outcome = await run({
  commands: Number(values.commands),
  seed: Number(values.seed),
  boxes: absent === undefined ? Number(values.boxes) : 0,
  progress: (done) => process.stderr.write(`${done} commands\n`)
})
const n = (value: number): string => value.toLocaleString("en-US")
const seconds = ((performance.now() - started) / 1000).toFixed(0)
for (const failure of outcome.failures) process.stdout.write(`FAILED ${failure}\n`)
process.stdout.write(
  `shell | ${n(outcome.generated)} commands, ${n(outcome.allowed)} allowed and run, ${n(outcome.programs)} programs, ` +
    `${n(outcome.changed)} files changed, ${seconds} s, seed ${values.seed} | ${n(outcome.failures.length)} unforeseen\n`
)
process.exitCode = outcome.failures.length > 0 || absent !== undefined ? 1 : 0
