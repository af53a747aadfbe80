/**
 * The proof of the lifecycle in full: `pnpm proof [--kills N] [--all]`.
 *
 * Runs the model check with its deliberate faults and random histories, the crashes at failpoints, the kills at random
 * moments and the contests of many processes, prints one table and exits with 1 when any of them fails. `--kills` is how
 * many processes are killed at random moments (100); `--all` tries every pair of failpoints, which takes long. What a
 * part says beside its rows goes to stderr.
 */
import { spawn } from "node:child_process"
import * as path from "node:path"
import { parseArgs } from "node:util"

const { values } = parseArgs({ options: { kills: { type: "string", default: "100" }, all: { type: "boolean" } } })
const root = path.resolve(import.meta.dirname, "..")
const env = { ...process.env, BELAY_PROOF: values.all === true ? "all" : "full", BELAY_PROOF_KILLS: values.kills }
const vitest = [path.join(root, "node_modules", "vitest", "vitest.mjs"), "run", "--reporter=default"]

type Row = readonly [proof: string, figure: string, result: string]

interface Part {
  readonly name: string
  readonly cwd: string
  readonly args: ReadonlyArray<string>
  /** The row in a line of its output, if there is one. */
  readonly row: (line: string) => Row | undefined
}

const cells = (text: string): Row | undefined => {
  const [proof, figure, result] = text.split(" | ")
  return proof === undefined || figure === undefined || result === undefined ? undefined : [proof, figure, result]
}

/** Tests mark their rows; each test file is a run of its own, so that nothing disturbs it. */
const tests = (name: string, folder: string, file: string): Part => ({
  name,
  cwd: path.join(root, folder),
  args: [...vitest, file],
  row: (line) => (line.startsWith("proof: ") ? cells(line.slice("proof: ".length)) : undefined)
})

const model: Part = {
  name: "model check",
  cwd: root,
  args: ["--conditions=@belay/source", path.join(root, "packages", "task-state", "proof", "main.ts")],
  // Of the deliberate faults only those that were not found have a row.
  row: (line) => (line.startsWith("without:") && !line.includes("SURVIVED") ? undefined : cells(line))
}

const processes: ReadonlyArray<Part> = [
  tests("failpoints", "apps/host-cli", "test/crash/crash.test.ts"),
  tests("pairs of failpoints", "apps/host-cli", "test/crash/twice.test.ts"),
  tests("kills", "apps/host-cli", "test/crash/kills.test.ts"),
  tests("many processes", "packages/history-store", "test/contest.test.ts")
]

const run = ({ args, cwd, name, row }: Part): Promise<ReadonlyArray<Row>> => {
  const { promise, resolve } = Promise.withResolvers<ReadonlyArray<Row>>()
  const started = performance.now()
  const child = spawn(process.execPath, args, { cwd, env, stdio: ["ignore", "pipe", "inherit"] })
  let output = ""
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text))
  child.once("close", (code) => {
    const rows = output
      .split("\n")
      .map(row)
      .filter((found) => found !== undefined)
    const seconds = ((performance.now() - started) / 1000).toFixed(0)
    process.stderr.write(`${name}: ${seconds} s\n`)
    if (code === 0 && rows.length > 0) return resolve(rows)
    process.stderr.write(output)
    process.exitCode = 1
    resolve([...rows, [name, `exit ${code}`, "FAILED"]])
  })
  return promise
}

const inTurn = async (parts: ReadonlyArray<Part>): Promise<ReadonlyArray<Row>> => {
  const rows: Array<Row> = []
  for (const part of parts) rows.push(...(await run(part)))
  return rows
}

const [checked, crashed] = await Promise.all([run(model), inTurn(processes)])
const table: ReadonlyArray<Row> = [["proof", "figure", "result"], ["---", "---", "---"], ...checked, ...crashed]
for (const row of table) process.stdout.write(`| ${row.join(" | ")} |\n`)
