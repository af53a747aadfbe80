/**
 * `pnpm proof:histories [--tasks N] [--bytes N] [--long N]`: what `belay rescue` and `belay history import` cost on a large
 * history that is made anew, and whether they keep their limits. Runs the command that is built.
 *
 * Prints a line for each figure and exits with 1 when a limit is passed. Seconds of the clock hold on a machine that does
 * nothing else.
 */
import { spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { parseArgs } from "node:util"
import * as Tree from "./Tree.ts"

const { values } = parseArgs({
  options: {
    tasks: { type: "string", default: "10000" },
    bytes: { type: "string", default: "2000000000" },
    long: { type: "string", default: "200000000" }
  }
})

const entry = path.resolve(import.meta.dirname, "../../../apps/host-cli/dist/belay.js")

interface Cost {
  /** s until the first line, and until the end. */
  readonly first: number
  readonly seconds: number
  /** s of processor time. */
  readonly processor: number
  /** MiB */
  readonly memory: number
}

/** Runs the command in a home, and says what it cost. */
const run = (home: string, args: ReadonlyArray<string>): Promise<Cost> =>
  new Promise((resolve, reject) => {
    const file = path.join(home, "usage.json")
    const told = `import{writeFileSync}from"node:fs";process.on("exit",()=>writeFileSync(${JSON.stringify(file)},JSON.stringify(process.resourceUsage())))`
    const env = { ...process.env, HOME: home, XDG_CONFIG_HOME: path.join(home, ".config"), BELAY_HOME: `${home}/own` }
    const began = performance.now()
    const child = spawn(process.execPath, ["--import", `data:text/javascript,${told}`, entry, ...args], {
      env,
      stdio: ["ignore", "pipe", "pipe"]
    })
    const seconds = (): number => (performance.now() - began) / 1000
    let first: number | undefined
    let said = ""
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (piece) => {
        first ??= seconds()
        said += String(piece)
      })
    }
    child.on("close", (code) => {
      if (code !== 0 && code !== 1) return reject(new Error(`belay ${args.join(" ")} ended with ${code}: ${said}`))
      const used: NodeJS.ResourceUsage = JSON.parse(readFileSync(file, "utf8"))
      const processor = (used.userCPUTime + used.systemCPUTime) / 1e6
      resolve({ first: first ?? seconds(), seconds: seconds(), processor, memory: used.maxRSS / 1024 })
    })
  })

/** What is measured, and its limit. */
type Figure = readonly [name: string, value: number, limit: number, unit: string]

const measured = async (home: string): Promise<ReadonlyArray<Figure>> => {
  const look = await run(home, ["rescue"])
  const taken = await run(home, ["history", "import"])
  const again = await run(home, ["history", "import"])
  return [
    ["look: first line", look.first, 1, "s"],
    ["look: report", look.seconds, 10, "s"],
    ["look: processor time", look.processor, 10, "s"],
    ["look: memory", look.memory, 300, "MiB"],
    ["import: processor time", taken.processor, 90, "s"],
    ["import: memory", taken.memory, 300 + (3 * Number(values.long)) / 1024 / 1024, "MiB"],
    ["import again: report", again.seconds, 3, "s"]
  ]
}

const home = mkdtempSync(path.join(tmpdir(), "belay-scale-"))
try {
  Tree.make(home, { tasks: Number(values.tasks), bytes: Number(values.bytes), long: Number(values.long) })
  const figures = await measured(home)
  for (const [name, value, limit, unit] of figures) {
    const kept = value <= limit ? "" : "  PASSED"
    process.stdout.write(
      `proof: ${name} | ${value.toFixed(value < 10 ? 1 : 0)} ${unit} (limit ${limit.toFixed()})${kept}\n`
    )
  }
  process.exitCode = figures.some(([, value, limit]) => value > limit) ? 1 : 0
} finally {
  rmSync(home, { recursive: true, force: true })
}
