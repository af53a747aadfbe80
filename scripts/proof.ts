/**
 * The proof of the lifecycle in full: `pnpm proof [--kills N] [--only PART,PART] [--jobs N]`.
 *
 * Runs the model check, that of two runners a process, the deliberate faults, the crashes at failpoints, every pair of such
 * crashes, the kills at random moments, the contests of many processes, their calls against one limit, the walks through
 * every kind of history and the random histories, `--jobs` at a time (2 where there are processors for it) and those of one
 * package one after the other; prints one table with the commit that it is of, and exits with 1 when any of them fails.
 * `--kills` is how many processes are killed at random moments (1,000); `--only` names the parts to run. What a part says
 * beside its rows goes to stderr.
 *
 * Nothing has a deadline that a loaded machine could miss: what starts processes fails when none of them moves.
 */
import { execFileSync, spawn } from "node:child_process"
import { availableParallelism } from "node:os"
import * as path from "node:path"
import { parseArgs } from "node:util"

const { values } = parseArgs({
  options: {
    kills: { type: "string", default: "1000" },
    only: { type: "string" },
    jobs: { type: "string", default: String(Math.min(2, availableParallelism())) }
  }
})
const root = path.resolve(import.meta.dirname, "..")
const env = { ...process.env, BELAY_PROOF: "full", BELAY_PROOF_KILLS: values.kills }
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

const main = path.join(root, "packages", "task-state", "proof", "main.ts")

/** The model check, its faults and its histories are rows as they are. */
const model = (name: string): Part => ({
  name,
  cwd: root,
  args: ["--max-old-space-size=12000", "--conditions=@belay/source", main, name],
  // Of the deliberate faults only those that were not found have a row.
  row: (line) => (line.startsWith("without:") && !line.includes("SURVIVED") ? undefined : cells(line))
})

const parts: ReadonlyArray<Part> = [
  model("model"),
  model("runners"),
  model("faults"),
  tests("crash", "apps/host-cli", "test/crash/crash.test.ts"),
  tests("twice", "apps/host-cli", "test/crash/twice.test.ts"),
  tests("kills", "apps/host-cli", "test/crash/kills.test.ts"),
  tests("streams", "packages/model-client", "test/robustness.test.ts"),
  tests("checkpoints", "packages/checkpoints", "test/processes.test.ts"),
  tests("contest", "packages/history-store", "test/contest.test.ts"),
  tests("budgets", "packages/history-store", "test/spending.test.ts"),
  tests("walks", "packages/history-store", "test/walks.test.ts"),
  model("histories"),
  {
    name: "noticed",
    cwd: root,
    args: [path.join(root, "scripts", "faults.ts")],
    row: cells
  }
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

/** The longest last. */
const longest = ["runners", "twice", "model", "kills", "noticed", "walks"]

const asked = values.only?.split(",") ?? parts.map(({ name }) => name)
const unknown = asked.filter((name) => !parts.some((part) => part.name === name))
if (unknown.length > 0) {
  process.stderr.write(`no part ${unknown.join()}; there are ${parts.map(({ name }) => name).join()}\n`)
  process.exit(2)
}

const git = (...args: ReadonlyArray<string>): string =>
  execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim()

/** Taken before the run: what is committed meanwhile is not what was proved. */
const ofCommit = `Of ${git("rev-parse", "--short", "HEAD")}${git("status", "--porcelain") === "" ? "" : " with changes that are not committed"}:`
const began = performance.now()

const table: Array<Row> = [
  ["proof", "figure", "result"],
  ["---", "---", "---"]
]
const wanted = parts.filter(({ name }) => asked.includes(name))
/** The rows of each part, in the order of the table whichever ends first. */
const found = new Map<Part, ReadonlyArray<Row>>()
/** Those that take longest first: no part is what all wait for in the end. */
const queue = wanted.toSorted((a, b) => longest.indexOf(b.name) - longest.indexOf(a.name))
/** What runs, by its folder: test runs of one package build the programs that they start in the same place. */
const underWay = new Map<Part, Promise<void>>()
const isFree = ({ cwd }: Part): boolean => cwd === root || ![...underWay.keys()].some((other) => other.cwd === cwd)
const begin = (part: Part): void => {
  queue.splice(queue.indexOf(part), 1)
  const ended = run(part).then((rows) => {
    found.set(part, rows)
    underWay.delete(part)
  })
  underWay.set(part, ended)
}
const jobs = Math.max(1, Number(values.jobs))
while (queue.length > 0 || underWay.size > 0) {
  const next = underWay.size < jobs ? queue.find(isFree) : undefined
  if (next === undefined) await Promise.race(underWay.values())
  else begin(next)
}
for (const part of wanted) table.push(...(found.get(part) ?? []))
for (const row of table) process.stdout.write(`| ${row.join(" | ")} |\n`)
process.stdout.write(`\n${ofCommit} ${Math.round((performance.now() - began) / 60_000)} minutes.\n`)
