// What a change can break: the tests that `npm test -- --changed` runs.
//
// Guarantee: a test is left out only if turbo would replay it, had it run at the base of the change; or if nothing but
// tests changed in its package, and it neither imports nor names any of these files. In doubt it runs.
import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import * as path from "node:path"
import { testsThatReach } from "./reaching.ts"
import type { Plan, TurboTask } from "./turbo.ts"

export interface Reached {
  /** The packages whose tests all run. */
  readonly whole: ReadonlyArray<string>
  /** The packages of which some test files run, by their paths in the package. */
  readonly some: ReadonlyMap<string, ReadonlyArray<string>>
}

function git(root: string, ...args: ReadonlyArray<string>): string | undefined {
  const result = spawnSync("git", args, { cwd: root, encoding: "utf8", maxBuffer: 1 << 28 })
  return result.status === 0 ? result.stdout : undefined
}

/**
 * Where the change begins: where this branch left `main`; on `main`, where it left its upstream. Without these it is the
 * last commit, so that the change is what is not committed.
 */
export function baseOf(root: string): string {
  const branch = git(root, "symbolic-ref", "--short", "HEAD")?.trim()
  for (const other of branch === "main" ? ["@{upstream}"] : ["main", "origin/main"]) {
    const base = git(root, "merge-base", "HEAD", other)?.trim()
    if (base !== undefined) return base
  }
  return "HEAD"
}

/** The files that were made, changed or removed since `base`, committed or not, relative to the root. */
export function changedFiles(root: string, base: string): ReadonlyArray<string> {
  const changed = git(root, "diff", "--name-only", "--no-renames", "-z", base)
  const made = git(root, "ls-files", "--others", "--exclude-standard", "-z")
  if (changed === undefined || made === undefined) throw new Error(`git cannot tell what changed since ${base}.`)
  return `${changed}${made}`.split("\0").filter((name) => name !== "")
}

/** What is part of turbo's hashes, but in no list of inputs. */
const isOfAll = (file: string): boolean =>
  ["package.json", "pnpm-lock.yaml", "pnpm-workspace.yaml", ".npmrc"].includes(file) ||
  path.posix.basename(file) === "turbo.json"

/** The folder of a package in which a file lies, such as its `src`. */
const roomOf = (file: string): string =>
  file
    .split("/")
    .slice(0, /^(?:apps|packages)\//.test(file) ? 3 : 2)
    .join("/")

/** The tests that a change of these files reaches, by the plan of all tests. */
export function reached(root: string, plan: Plan, changed: ReadonlyArray<string>): Reached {
  const tests = plan.tasks.filter(({ task }) => task === "test")
  if (changed.some((file) => isOfAll(file) || file in plan.globalCacheInputs.files)) {
    return { whole: tests.map((task) => task.package), some: new Map() }
  }
  const whole: Array<string> = []
  const some = new Map<string, ReadonlyArray<string>>()
  for (const task of tests) {
    const isInput = inputsOf(plan, task)
    const isThere = (file: string): boolean => existsSync(path.join(root, file))
    // What was removed is no input any more: it may have been one of those that lay beside it.
    const read = changed.filter((file) => isInput(isThere(file) ? file : roomOf(file)))
    if (read.length === 0) continue
    const folder = `${task.directory.split(path.sep).join("/")}/`
    const local = read.flatMap((file) => (file.startsWith(folder) ? [file.slice(folder.length)] : []))
    const isOfTests = local.length === read.length && local.every((file) => /^test\/|^README\.md$/.test(file))
    const files = isOfTests && read.every(isThere) ? testsThatReach(path.join(root, task.directory), local) : undefined
    if (files === undefined) whole.push(task.package)
    else some.set(task.package, files)
  }
  return { whole, some }
}

/** Whether a task, or one whose hash is part of its own, reads a file or something in a folder. */
function inputsOf(plan: Plan, task: TurboTask): (place: string) => boolean {
  const byId = new Map(plan.tasks.map((other) => [other.taskId, other]))
  const tasks = new Set([task])
  for (const { dependencies } of tasks) {
    for (const id of dependencies) {
      const other = byId.get(id)
      if (other !== undefined) tasks.add(other)
    }
  }
  const places = new Set<string>()
  for (const { directory, inputs } of tasks) {
    for (const input of Object.keys(inputs)) {
      const file = path.posix.join(directory.split(path.sep).join("/"), input)
      places.add(file)
      places.add(roomOf(file))
    }
  }
  return (place) => places.has(place)
}
