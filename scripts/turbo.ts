// Runs turbo with the cache of this checkout only, and reads what it says about tasks.
import { spawn, spawnSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs"
import * as os from "node:os"
import * as path from "node:path"

export interface TurboTask {
  readonly taskId: string
  readonly task: string
  readonly package: string
  readonly hash: string
  readonly directory: string
  /** Paths relative to `directory`. */
  readonly inputs: Readonly<Record<string, string>>
  /** The ids of the tasks that it waits for, whose hashes are part of its own. */
  readonly dependencies: ReadonlyArray<string>
  readonly cache?: { readonly status?: string }
  readonly execution?: { readonly exitCode?: number | null } | null
}

export interface Plan {
  readonly tasks: ReadonlyArray<TurboTask>
  readonly globalCacheInputs: { readonly files: Readonly<Record<string, string>> }
}

const command = (root: string, args: ReadonlyArray<string>): Array<string> => [
  path.join(root, "node_modules", "turbo", "bin", "turbo"),
  "run",
  ...args,
  "--cache=local:rw",
  "--no-update-notifier"
]

/** The compilers collect garbage more seldom: they need an eighth less processor time, and a gigabyte at most. */
const environment = (): NodeJS.ProcessEnv => ({
  GOGC: "400",
  ...process.env,
  TURBO_TELEMETRY_DISABLED: "1",
  DO_NOT_TRACK: "1"
})

/**
 * Half as much of a processor as what does not yield, where both want it. No less: on a machine that is busy with something
 * else, what yields to that as well would take too long.
 */
const yielding = 3

/** Where a system does not let it, all have the same. */
function yieldProcessor(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    os.setPriority(pid, Math.max(os.getPriority(), yielding))
  } catch {
    // It goes on as it is.
  }
}

/**
 * Runs tasks and resolves to the exit code; calls at the same time run beside each other, and one that `yields` leaves the
 * processors to the others while they want them.
 */
export function turbo(
  root: string,
  args: ReadonlyArray<string>,
  { yields = false }: { readonly yields?: boolean } = {}
): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>()
  const child = spawn(process.execPath, command(root, args), { cwd: root, stdio: "inherit", env: environment() })
  if (yields) yieldProcessor(child.pid)
  child.once("error", () => resolve(1))
  child.once("close", (code, signal) => {
    if (signal !== null) process.stderr.write(`belay: turbo was ended by ${signal}.\n`)
    resolve(code ?? 1)
  })
  return promise
}

/** What turbo would run, and what it reads, without running it. */
export function planOf(root: string, args: ReadonlyArray<string>): Plan {
  const result = spawnSync(process.execPath, command(root, [...args, "--dry=json"]), {
    cwd: root,
    encoding: "utf8",
    env: environment(),
    maxBuffer: 1 << 28
  })
  if (result.status !== 0) throw new Error(`turbo exited with ${result.status}: ${result.stderr}`)
  return JSON.parse(result.stdout)
}

const summaries = (root: string): string => path.join(root, ".turbo", "runs")

export function forgetRuns(root: string): void {
  rmSync(summaries(root), { recursive: true, force: true })
}

/** The tasks of all calls with `--summarize` since `forgetRuns`; one that two calls ran is there twice. */
export function tasksOfRuns(root: string): ReadonlyArray<TurboTask> {
  const folder = summaries(root)
  const files = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".json")) : []
  return files.flatMap((name) => JSON.parse(readFileSync(path.join(folder, name), "utf8")).tasks as Array<TurboTask>)
}
