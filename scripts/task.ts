// The tasks behind `npm run build`, `npm start` and `npm test`; provision.cjs starts it with Node and pnpm on PATH.
//
// Guarantee: the last line of `test` is "N passed, N failed" (", N skipped" when there are any), summed over the
// repository's checks, turbo's compile, build, lint and diagnostics (one each) and the tests of the packages, whether
// they ran or were replayed from turbo's cache; the exit code is 0 only if nothing failed. What failed once has failed.
import { spawnSync } from "node:child_process"
import { readFileSync, rmSync } from "node:fs"
import * as path from "node:path"
import { runAgain } from "./again.ts"
import { baseOf, changedFiles, reached, type Reached } from "./changed.ts"
import { checks, type Check } from "./checks/index.ts"
import { workspacePackages, type WorkspacePackage } from "./checks/workspace.ts"
import { longest, processorTimes, type PackageRun } from "./costs.ts"
import { supported as diagnosticsSupported } from "./effect-diagnostics.ts"
import { runLanes, tallyOfKinds } from "./lanes.ts"
import { outcome, say } from "./outcome.ts"
import { processorTime } from "./processorTime.ts"
import { dry } from "./release.ts"
import { runRuntimes } from "./runtimes.ts"
import { buildSite } from "./site.ts"
import { runStrangers } from "./strangers.ts"
import { addTally, emptyTally, readReport, tallyLine, tallyOfReport, type Tally } from "./tally.ts"
import { planOf, turbo } from "./turbo.ts"

const root = path.resolve(import.meta.dirname, "..")
const packages = workspacePackages(root)
const vitest = path.join(root, "node_modules", "vitest", "vitest.mjs")

const reportOf = (folder: string): string => path.join(folder, ".cache", "test-report.json")
const timeOf = (folder: string): string => path.join(folder, ".cache", "test-time.json")

function forget(folder: string): void {
  for (const file of [reportOf(folder), timeOf(folder)]) rmSync(file, { force: true })
}

async function start(args: ReadonlyArray<string>): Promise<number> {
  const status = await turbo(root, ["build", "--filter=@belay/host-cli", "--output-logs=errors-only"])
  if (status !== 0) return status
  const app = path.join(root, "apps", "host-cli")
  const manifest = JSON.parse(readFileSync(path.join(app, "package.json"), "utf8"))
  const bin = path.join(app, manifest.bin.belay)
  return spawnSync(process.execPath, [bin, "demo", ...args], { cwd: root, stdio: "inherit" }).status ?? 1
}

async function runChecks(stage: Check["stage"]): Promise<Tally> {
  let tally = emptyTally
  for (const check of checks.filter((check) => check.stage === stage)) {
    let violations: ReadonlyArray<string>
    try {
      violations = await check.run(root)
    } catch (error) {
      violations = [`the check itself failed: ${error instanceof Error ? error.stack : String(error)}`]
    }
    tally = addTally(tally, outcome(check.name, violations))
  }
  return tally
}

/** The packages whose tests all run; of others, some files. */
const everything: Reached = { whole: packages.map(({ name }) => name), some: new Map() }

function reachedByChange(): Reached {
  const base = baseOf(root)
  const found = reached(root, planOf(root, ["test"]), changedFiles(root, base))
  say(`tests that the change since ${base} reaches:`)
  for (const { name } of packages) {
    const files = found.some.get(name)
    if (found.whole.includes(name)) say(`        ${name}: all`)
    else if (files !== undefined) say(`        ${name}: ${files.join(" ")}`)
  }
  return found
}

const runs: Array<PackageRun> = []

/** Every test counts as one. */
function testsOf(
  { folder, name }: Pick<WorkspacePackage, "folder" | "name">,
  failed: boolean,
  replayed: boolean
): Tally {
  const report = readReport(reportOf(folder))
  const time = readReport(timeOf(folder))
  runs.push({
    name,
    folder,
    report,
    replayed,
    processorSeconds: time === undefined ? undefined : JSON.parse(time).seconds
  })
  let result = tallyOfReport(report)
  if (failed && result.failed === 0) result = { ...result, failed: 1 }
  const lost = report === undefined ? " (no report)" : ""
  say(`${result.failed === 0 ? "ok    " : "FAILED"}  test ${name}: ${tallyLine(result)}${lost}`)
  for (const line of runAgain(root, folder, reportOf(folder))) say(`        ${line}`)
  return result
}

async function runAll(): Promise<Tally> {
  const { some, whole } = isChanged ? reachedByChange() : everything
  for (const { folder } of packages) forget(folder)
  const lanes = runLanes(root, packages, whole)
  let tally = addTally(await checkSources(), runScriptTests())
  const tasks = await lanes
  tally = addTally(tally, tallyOfKinds(packages, tasks))
  for (const owner of packages) {
    const files = some.get(owner.name)
    if (files !== undefined) {
      const { status } = spawnSync(process.execPath, [vitest, "run", ...files], { cwd: owner.folder, stdio: "inherit" })
      tally = addTally(tally, testsOf(owner, status !== 0, false))
    } else if (whole.includes(owner.name)) {
      const task = tasks.find(({ taskId }) => taskId === `${owner.name}#test`)
      tally = addTally(tally, testsOf(owner, task?.execution?.exitCode !== 0, task?.cache?.status === "HIT"))
    }
  }
  return diagnosticsSupported ? tally : addTally(tally, { ...emptyTally, skipped: 1 })
}

function runScriptTests(): Tally {
  forget(root)
  const { status } = spawnSync(process.execPath, [vitest, "run"], { cwd: root, stdio: "inherit" })
  return testsOf({ folder: root, name: "scripts" }, status !== 0, false)
}

/** Runs the parts in order; a part that throws counts as one failure, so that the last line always comes. */
async function test(parts: ReadonlyArray<() => Tally | Promise<Tally>>): Promise<number> {
  let tally = emptyTally
  for (const part of parts) {
    try {
      tally = addTally(tally, await part())
    } catch (error) {
      tally = addTally(tally, outcome(part.name, [error instanceof Error ? String(error.stack) : String(error)]))
    }
  }
  const times = {
    wallSeconds: (Date.now() - Number(started ?? performance.timeOrigin)) / 1000,
    run: processorTime(),
    installation: started === undefined ? undefined : processorTime(process.ppid)
  }
  say("")
  for (const line of [...longest(runs), ...processorTimes(runs, times)]) say(line)
  say(tallyLine(tally))
  return tally.failed === 0 && tally.passed > 0 ? 0 : 1
}

/** Other runtimes are for what is whole; a change is tested on one. */
const otherRuntimes = (): Tally => (task === "test:full" && !isChanged ? runRuntimes(root, packages) : emptyTally)
/** A release is made as far as it can be made here; the last commit is what it is made of. */
const releases = (): Tally => {
  if (task !== "test:full" || isChanged) return emptyTally
  dry(root, path.join(root, ".cache", "release"))
  return outcome("a release is made, and not sent", [])
}
/** What is published is tried as it is installed elsewhere. */
const strangers = (): Tally | Promise<Tally> =>
  task === "test:full" && !isChanged ? runStrangers(root, packages) : emptyTally
/** The documentation site is built, read and searched. */
const site = (): Tally | Promise<Tally> => (task === "test:full" && !isChanged ? buildSite(root) : emptyTally)
const checkSources = (): Promise<Tally> => runChecks("sources")
const checkBuilt = (): Promise<Tally> => runChecks("built")

// Where provision.cjs, the parent of this process, began; nothing that is started here needs it.
const started = process.env["BELAY_STARTED"]
delete process.env["BELAY_STARTED"]

const [task, ...args] = process.argv.slice(2)
const isChanged = args.includes("--changed")
const usage = "node scripts/task.ts <start [args...]|test [--changed]|test:full [--changed]|build|checks>"
const known = task === "test" || task === "test:full" ? ["--changed"] : []
const isUnknown = task !== "start" && args.some((arg) => !known.includes(arg))
switch (isUnknown ? undefined : task) {
  case "build":
    process.exitCode = await turbo(root, ["compile", "build"])
    break
  case "start":
    process.exitCode = await start(args)
    break
  case "checks":
    process.exitCode = await test([checkSources, runScriptTests, checkBuilt])
    break
  case "test":
  case "test:full":
    if (task === "test:full") process.env["BELAY_PROOF"] = "full"
    process.exitCode = await test([runAll, otherRuntimes, strangers, releases, site, checkBuilt])
    break
  default:
    process.stderr.write(`belay: usage: ${usage}\n`)
    process.exitCode = 1
}
