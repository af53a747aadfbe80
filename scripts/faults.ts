/**
 * Deliberate faults of the history and the engine: `pnpm proof:faults [--only TEXT] [--jobs N]`.
 *
 * Puts one fault at a time into a copy of the sources and runs the test that is named with it; the test has to fail. The
 * tests run without any fault first, and have to hold. Prints a line for each fault that nothing noticed and one row at
 * the end; exits with 1 when a fault was not noticed, its text is not found once, or a test does not exist or does not
 * hold by itself. `--only` takes the faults whose name or file has the text; `--jobs` is how many run at a time (1).
 */
import { execFileSync, spawn } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { parseArgs } from "node:util"
import type { Fault } from "./faults/Fault.ts"
import { faults } from "./faults/index.ts"

const { values } = parseArgs({
  options: { only: { type: "string", default: "" }, jobs: { type: "string", default: "1" } }
})
const root = path.resolve(import.meta.dirname, "..")
const vitest = path.join(root, "node_modules", "vitest", "vitest.mjs")

/** ms: with a fault, what waits for ever is noticed by then; without one, every test has ended long before. */
const patience = 60_000

/** Tests that a fault has stopped for good are ended, as their own limits of time cannot end what never yields. */
const longest = 10 * 60_000

const files = (...args: ReadonlyArray<string>): ReadonlyArray<string> =>
  execFileSync("git", ["ls-files", "-z", "--cached", ...args], { cwd: root, encoding: "utf8" })
    .split("\0")
    .filter((file) => file !== "" && fs.existsSync(path.join(root, file)))

/** The sources as they are here, with the installed modules. */
const copied = (to: string): string => {
  const tracked = files("--others", "--exclude-standard")
  for (const file of tracked) {
    fs.mkdirSync(path.join(to, path.dirname(file)), { recursive: true })
    fs.copyFileSync(path.join(root, file), path.join(to, file))
  }
  const folders = [".", ...tracked.filter((file) => file.endsWith("/package.json")).map((file) => path.dirname(file))]
  for (const folder of folders) {
    const modules = path.join(root, folder, "node_modules")
    if (fs.existsSync(modules)) fs.symlinkSync(modules, path.join(to, folder, "node_modules"), "junction")
  }
  return to
}

interface Report {
  readonly testResults: ReadonlyArray<{
    readonly name: string
    readonly assertionResults: ReadonlyArray<{ readonly fullName: string; readonly status: string }>
  }>
}

const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/gu, String.raw`\$&`)

/** How the named tests of one file ended; empty when they could not be run. */
const run = (at: string, fault: Pick<Fault, "package" | "test">, names: ReadonlyArray<string>) => {
  const { promise, resolve } = Promise.withResolvers<ReadonlyMap<string, string>>()
  const report = path.join(at, "packages", fault.package, ".cache", "test-report.json")
  fs.rmSync(report, { force: true })
  // Between a group and its test vitest looks for other signs than it reports.
  const pattern = names.map((name) => escaped(name).replaceAll(" ", "(?: > | )")).join("|")
  const file = `test/${fault.test}.test.ts`
  const args = [vitest, "run", file, "-t", pattern, `--testTimeout=${patience}`]
  const child = spawn(process.execPath, args, {
    cwd: path.join(at, "packages", fault.package),
    stdio: "ignore",
    timeout: longest,
    killSignal: "SIGKILL"
  })
  child.once("close", () => {
    const { testResults } = fs.existsSync(report)
      ? (JSON.parse(fs.readFileSync(report, "utf8")) as Report)
      : { testResults: [] }
    const ended = testResults.flatMap(({ assertionResults }) => assertionResults)
    resolve(new Map(ended.map(({ fullName, status }) => [fullName.trim(), status])))
  })
  return promise
}

/** What is wrong with a fault, or nothing when its test noticed it. */
const judged = async (at: string, fault: Fault): Promise<string | undefined> => {
  const file = path.join(at, "packages", fault.package, "src", fault.file)
  const source = fs.readFileSync(file, "utf8")
  if (source.split(fault.find).length !== 2) return `its text does not occur once in ${fault.file}`
  fs.writeFileSync(
    file,
    source.replace(fault.find, () => fault.put)
  )
  const ended = await run(at, fault, [fault.says])
  fs.writeFileSync(file, source)
  // A file that cannot even be loaded, or a test that never ended, is noticed, too.
  const status = ended.get(fault.says) ?? "failed"
  return status === "passed" ? `not noticed by "${fault.says}"` : undefined
}

/** The tests that do not hold without any fault. */
const broken = async (at: string, wanted: ReadonlyArray<Fault>): Promise<ReadonlyArray<string>> => {
  const found: Array<string> = []
  const groups = Map.groupBy(wanted, (fault) => `${fault.package} ${fault.test}`)
  for (const group of groups.values()) {
    const [first] = group
    if (first === undefined) continue
    const names = [...new Set(group.map(({ says }) => says))]
    const ended = await run(at, first, names)
    for (const name of names) {
      if (ended.get(name) !== "passed")
        found.push(`${first.package} ${first.test}: "${name}" is ${ended.get(name) ?? "not there"}`)
    }
  }
  return found
}

const wanted = faults.filter((fault) => `${fault.name} ${fault.package}/${fault.file}`.includes(values.only))
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "belay-faults-"))
const say = (text: string): void => void process.stderr.write(`${text}\n`)
try {
  const jobs = Math.max(1, Number(values.jobs))
  const copies = Array.from({ length: jobs }, (_, index) => copied(path.join(folder, String(index))))
  const [first] = copies
  const failures: Array<string> = []
  const failed = (line: string): void => {
    failures.push(line)
    say(line)
  }
  if (first !== undefined) (await broken(first, wanted)).forEach(failed)
  const rest = [...wanted]
  let noticed = 0
  const work = async (at: string): Promise<void> => {
    for (let fault = rest.shift(); fault !== undefined; fault = rest.shift()) {
      const wrong = await judged(at, fault)
      if (wrong === undefined) noticed += 1
      else failed(`${fault.package}: ${fault.name}: ${wrong}`)
    }
  }
  if (failures.length === 0) await Promise.all(copies.map(work))
  const result = failures.length === 0 ? "each noticed by its test" : "FAILED"
  process.stdout.write(`faults of history and engine | ${noticed} of ${wanted.length} | ${result}\n`)
  if (failures.length > 0 || wanted.length === 0) process.exitCode = 1
} finally {
  fs.rmSync(folder, { recursive: true, force: true })
}
