// The tasks behind `npm run build`, `npm start` and `npm test`; provision.cjs starts it with Node and pnpm on PATH.
//
// Guarantee: the last line of `test` is "N passed, N failed" (", N skipped" when there are any), summed over the
// repository's checks, turbo's build, typecheck and lint (one each) and the tests of all packages, whether they ran or
// were replayed from turbo's cache; the exit code is 0 only if nothing failed.
import { spawnSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs"
import * as path from "node:path"
import { checks, type Check } from "./checks/index.ts"
import { workspacePackages } from "./checks/workspace.ts"
import { supported as diagnosticsSupported } from "./effect-diagnostics.ts"
import { addTally, emptyTally, failuresOf, reportAfterAgain, tallyLine, tallyOfReport, type Tally } from "./tally.ts"

const root = path.resolve(import.meta.dirname, "..")
const summaries = path.join(root, ".turbo", "runs")
const reportOf = (folder: string): string => path.join(folder, ".cache", "test-report.json")
const say = (line: string): void => void process.stdout.write(`${line}\n`)

/** Runs a dependency's command with this Node, without a shell, and returns its exit code. */
function tool(file: string, args: ReadonlyArray<string>): number {
  const result = spawnSync(process.execPath, [path.join(root, "node_modules", file), ...args], {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, TURBO_TELEMETRY_DISABLED: "1", DO_NOT_TRACK: "1" }
  })
  return result.status ?? 1
}

/** Turbo with the cache of this checkout only. */
function turbo(args: ReadonlyArray<string>): number {
  return tool("turbo/bin/turbo", ["run", ...args, "--cache=local:rw", "--no-update-notifier"])
}

function start(args: ReadonlyArray<string>): number {
  const status = turbo(["build", "--filter=@belay/host-cli...", "--output-logs=errors-only"])
  if (status !== 0) return status
  const app = path.join(root, "apps", "host-cli")
  const manifest = JSON.parse(readFileSync(path.join(app, "package.json"), "utf8"))
  const bin = path.join(app, manifest.bin.belay)
  return spawnSync(process.execPath, [bin, "demo", ...args], { cwd: root, stdio: "inherit" }).status ?? 1
}

/** Tells the outcome of one check and counts it as one test. */
function outcome(name: string, violations: ReadonlyArray<string>): Tally {
  say(violations.length === 0 ? `ok      ${name}` : `FAILED  ${name}`)
  for (const violation of violations) say(`        ${violation}`)
  return violations.length === 0 ? { ...emptyTally, passed: 1 } : { ...emptyTally, failed: 1 }
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

/** What is built is what the scripts are checked against. */
function buildPackages(): Tally {
  const status = turbo(["build"])
  return status === 0 ? emptyTally : outcome("build", [`turbo exited with ${status}.`])
}

/** The repository's own scripts are held to the same rules as the packages, whose types they read as built. */
function checkScripts(): Tally {
  const files = ["scripts", "vitest.config.ts", "vitest.shared.ts", "readme.shared.ts", "bundle.shared.ts"]
  const failed = [
    { name: "tsc", status: tool("typescript/bin/tsc", ["--noEmit", "-p", "scripts/tsconfig.json"]) },
    { name: "oxlint", status: tool("oxlint/bin/oxlint", ["--type-aware", "--deny-warnings", "--quiet", ...files]) },
    { name: "oxfmt", status: tool("oxfmt/bin/oxfmt", ["--check", ...files]) }
  ].filter(({ status }) => status !== 0)
  return outcome(
    "scripts",
    failed.map(({ name, status }) => `${name} exited with ${status} (see above).`)
  )
}

interface TurboTask {
  readonly taskId: string
  readonly task: string
  readonly execution?: { readonly exitCode?: number | null } | null
}

/** Turbo's tasks: build, typecheck and lint of all packages and Effect's diagnostics count as one each, every test as one. */
function runPackages(): Tally {
  const packages = workspacePackages(root)
  for (const { folder } of packages) rmSync(reportOf(folder), { force: true })
  rmSync(summaries, { recursive: true, force: true })
  const ofAll = (kind: string): ReadonlyArray<string> => packages.map(({ name }) => `${name}#${kind}`)
  const kinds = {
    build: ofAll("build"),
    typecheck: ofAll("typecheck"),
    lint: ofAll("lint"),
    diagnostics: ["//#diagnostics"]
  }
  const status = turbo([...Object.keys(kinds), "test", "--summarize", "--continue=dependencies-successful"])
  const tasks = turboTasks()
  let tally = emptyTally
  for (const [kind, wanted] of Object.entries(kinds)) {
    const failed = tasks.filter((task) => task.task === kind && task.execution?.exitCode !== 0)
    const violations = failed.map(({ taskId, execution }) => `${taskId} exited with ${execution?.exitCode}.`)
    for (const id of wanted) {
      if (!tasks.some(({ taskId }) => taskId === id)) violations.push(`${id} did not run: something before it failed.`)
    }
    tally = addTally(tally, outcome(kind, violations))
  }
  for (const { folder, name } of packages) {
    const file = reportOf(folder)
    const report = existsSync(file) ? readFileSync(file, "utf8") : undefined
    const again = runAgain(folder, name, report)
    let result = tallyOfReport(reportAfterAgain(report, again))
    const task = tasks.find(({ taskId }) => taskId === `${name}#test`)
    if (task?.execution?.exitCode !== 0 && again === undefined && result.failed === 0) result = { ...result, failed: 1 }
    say(
      `${result.failed === 0 ? "ok    " : "FAILED"}  test ${name}: ${tallyLine(result)}${existsSync(file) ? "" : " (no report)"}`
    )
    tally = addTally(tally, result)
  }
  const unexplained = tasks.filter(({ task, execution }) => task !== "test" && execution?.exitCode !== 0)
  if (status !== 0 && tally.failed === 0 && (unexplained.length > 0 || tasks.length === 0)) {
    tally = addTally(tally, outcome("turbo", [`turbo exited with ${status}.`]))
  }
  return diagnosticsSupported ? tally : addTally(tally, { ...emptyTally, skipped: 1 })
}

/**
 * Runs the test files of a package that failed once more, alone, and names their tests: two suites of real processes
 * share a machine in the first run, and one that passes alone is unsteady, not broken. Four files and more are broken,
 * and so is a property with a counterexample.
 */
function runAgain(folder: string, name: string, report: string | undefined): string | undefined {
  const { files, proven, tests } = failuresOf(report)
  if (files.length === 0 || files.length > 3 || proven) return undefined
  for (const test of tests) say(`again   ${name}: ${test}`)
  spawnSync(process.execPath, [path.join(root, "node_modules", "vitest", "vitest.mjs"), "run", ...files], {
    cwd: folder,
    stdio: "inherit"
  })
  return readFileSync(reportOf(folder), "utf8")
}

function turboTasks(): ReadonlyArray<TurboTask> {
  const files = existsSync(summaries) ? readdirSync(summaries).filter((name) => name.endsWith(".json")) : []
  return files.flatMap((name) => JSON.parse(readFileSync(path.join(summaries, name), "utf8")).tasks as Array<TurboTask>)
}

function runScriptTests(): Tally {
  rmSync(reportOf(root), { force: true })
  const status = tool("vitest/vitest.mjs", ["run"])
  const file = reportOf(root)
  const tally = tallyOfReport(existsSync(file) ? readFileSync(file, "utf8") : undefined)
  return status !== 0 && tally.failed === 0 ? { ...tally, failed: 1 } : tally
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
  say(tallyLine(tally))
  return tally.failed === 0 && tally.passed > 0 ? 0 : 1
}

const checkSources = (): Promise<Tally> => runChecks("sources")
const checkBuilt = (): Promise<Tally> => runChecks("built")

const [task, ...args] = process.argv.slice(2)
switch (task) {
  case "build":
    process.exitCode = turbo(["build"])
    break
  case "start":
    process.exitCode = start(args)
    break
  case "sources":
    process.exitCode = await test([checkSources, checkScripts])
    break
  case "checks":
    process.exitCode = await test([checkSources, runScriptTests, buildPackages, checkScripts])
    break
  case "test":
    process.exitCode = await test([checkSources, runScriptTests, runPackages, checkScripts, checkBuilt])
    break
  default:
    process.stderr.write("belay: usage: node scripts/task.ts <start|test|build|checks> [args...]\n")
    process.exitCode = 1
}
