/**
 * A throw-away root: commands run unconfined by the product, in a bubblewrap box where nothing can be written but the tree,
 * the home folder is the tree's own and there is no network.
 */
import { spawn, spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { createInterface } from "node:readline"
import type { Change } from "./Image.ts"
import * as Tree from "./Tree.ts"

export interface Observed {
  /** Names of the canaries that the output held. */
  readonly shown: ReadonlyArray<string>
  /** Its beginning. */
  readonly output: string
  /** A program of the tree started that no command names. */
  readonly fired: boolean
  readonly changes: ReadonlyArray<Omit<Change, "content"> & { readonly holds: ReadonlyArray<string> }>
}

export interface Command {
  readonly text: string
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
}

export interface Box {
  readonly root: string
  /** Nothing where commands are judged only. */
  readonly run: ((command: Command) => Promise<Observed>) | undefined
  readonly close: () => void
}

const works = (): boolean =>
  spawnSync("bwrap", ["--unshare-all", "--ro-bind", "/", "/", "--proc", "/proc", "true"], { stdio: "ignore" })
    .status === 0

const mayInstall = (): boolean =>
  process.env["CI"] !== undefined && process.getuid?.() === 0 && fs.existsSync("/usr/bin/apt-get")

const install = (name: string): void => {
  for (const args of [
    ["update", "-q"],
    ["install", "-y", "-q", name]
  ]) {
    spawnSync("/usr/bin/apt-get", args, { stdio: "ignore", timeout: 120_000 })
  }
}

/** A line for people when there is no box, else undefined. As root on a machine of CI with apt it is installed first. */
export const missing = (): string | undefined => {
  if (process.platform !== "linux") return "The box needs Linux: allowed commands were judged, not run."
  if (mayInstall() && !fs.existsSync("/usr/bin/rsync")) install("rsync")
  if (works()) return undefined
  if (mayInstall()) install("bubblewrap")
  if (works()) return undefined
  return "bubblewrap is missing or may not make namespaces: allowed commands were judged, not run. Install the package bubblewrap."
}

const libraries = ["bin", "sbin", "lib", "lib64", "lib32", "libx32"]

const argumentsOf = (root: string): ReadonlyArray<string> => {
  const node = fs.realpathSync(process.execPath)
  const mounts = [
    ["--ro-bind", "/usr", "/usr"],
    ...libraries.flatMap((name) => (fs.existsSync(`/${name}`) ? [["--symlink", `usr/${name}`, `/${name}`]] : [])),
    ["--ro-bind", path.dirname(node), "/box/node"],
    ["--ro-bind", import.meta.dirname, "/box/proof"],
    ["--dir", "/etc", "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"],
    ["--bind", root, root],
    ["--clearenv", "--setenv", "NODE_NO_WARNINGS", "1", "--chdir", "/"]
  ]
  const confined = ["--unshare-all", "--die-with-parent", "--new-session"]
  return [...confined, ...mounts.flat(), `/box/node/${path.basename(node)}`, "/box/proof/inside.ts", root]
}

const makeRoot = (): string => fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "belay-files-")))

const remove = (root: string): void => fs.rmSync(root, { recursive: true, force: true })

/** The tree alone, for commands that are judged only. */
export const unrun = (): Box => {
  const root = makeRoot()
  Tree.build(root)
  return { root, run: undefined, close: () => remove(root) }
}

/** A box that runs one command after the other, each on the tree as it was. */
export const open = async (): Promise<Box> => {
  const root = makeRoot()
  const child = spawn("bwrap", argumentsOf(root), { stdio: ["pipe", "pipe", "inherit"] })
  const lines = createInterface({ input: child.stdout })
  const waiting: Array<PromiseWithResolvers<unknown>> = []
  const next = async (): Promise<unknown> => {
    const resolvers = Promise.withResolvers<unknown>()
    waiting.push(resolvers)
    return resolvers.promise
  }
  const ready = next()
  lines.on("line", (line) => waiting.shift()?.resolve(JSON.parse(line)))
  child.on("close", () => {
    for (const { reject } of waiting) reject(new Error("the box has ended"))
    remove(root)
  })
  await ready
  return {
    root,
    run: async (command) => {
      const observed = next()
      child.stdin.write(`${JSON.stringify(command)}\n`)
      return (await observed) as Observed
    },
    close: () => child.stdin.end()
  }
}
