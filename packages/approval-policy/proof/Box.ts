/**
 * A bubblewrap box with tripwires: every program of the system is a shim that logs what starts it, files outside of the
 * workspace hold a canary, and there is no network.
 */
import { spawn, spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { createInterface } from "node:readline"

export interface Observed {
  readonly execs: ReadonlyArray<ReadonlyArray<string>>
  readonly changed: ReadonlyArray<string>
  readonly leaked: boolean
}

export interface Box {
  readonly run: (text: string) => Promise<Observed>
  readonly close: () => void
}

const works = (): boolean =>
  spawnSync("bwrap", ["--unshare-all", "--ro-bind", "/", "/", "--proc", "/proc", "true"], { stdio: "ignore" })
    .status === 0

/** A line for people when there is no box, else undefined. As root on a machine of CI with apt it is installed first. */
export const missing = (): string | undefined => {
  if (process.platform !== "linux") return "The box needs Linux: allowed commands were judged, not run."
  if (works()) return undefined
  const mayInstall = process.env["CI"] !== undefined && process.getuid?.() === 0 && fs.existsSync("/usr/bin/apt-get")
  if (mayInstall) {
    for (const args of [
      ["update", "-q"],
      ["install", "-y", "-q", "bubblewrap"]
    ]) {
      spawnSync("/usr/bin/apt-get", args, { stdio: "ignore", timeout: 120_000 })
    }
    if (works()) return undefined
  }
  return "bubblewrap is missing or may not make namespaces: allowed commands were judged, not run. Install the package bubblewrap."
}

const within = (file: string): string => `/box${fs.realpathSync(file)}`

/** One script a program: it logs its arguments and becomes the real program, which lies elsewhere in the box. */
const shims = (folder: string): void => {
  const interpreter = within(fs.existsSync("/usr/bin/dash") ? "/usr/bin/dash" : "/usr/bin/bash")
  for (const name of fs.readdirSync("/usr/bin")) {
    let real: string
    try {
      real = fs.realpathSync(`/usr/bin/${name}`)
    } catch {
      continue
    }
    if (!real.startsWith("/usr/")) continue
    const script = `#!${interpreter}\nprintf '%s\\037' "$0" "$@" '\u001e' >>/box/log/exec\nexec '/box${real}' "$@"\n`
    fs.writeFileSync(path.join(folder, name), script, { mode: 0o755 })
  }
}

const libraries = ["lib", "lib64", "lib32", "libx32", "libexec"]

const bind = (from: string, to: string): ReadonlyArray<string> => ["--ro-bind", from, to]
const link = (from: string, to: string): ReadonlyArray<string> => ["--symlink", from, to]

const argumentsOf = (folder: string): ReadonlyArray<string> => {
  const node = fs.realpathSync(process.execPath)
  const mounts = [
    bind("/usr", "/box/usr"),
    bind(path.join(folder, "bin"), "/usr/bin"),
    link("usr/bin", "/bin"),
    ...libraries.map((name) => (fs.existsSync(`/usr/${name}`) ? bind(`/usr/${name}`, `/usr/${name}`) : [])),
    ...libraries.map((name) => (fs.existsSync(`/${name}`) ? link(`usr/${name}`, `/${name}`) : [])),
    bind(path.dirname(node), "/box/node"),
    bind(import.meta.dirname, "/box/proof"),
    bind(path.join(folder, "passwd"), "/etc/passwd"),
    ["--proc", "/proc", "--dev", "/dev"],
    ...["/tmp", "/ws", "/users", "/box/log"].map((place) => ["--tmpfs", place]),
    ["--clearenv", "--setenv", "NODE_NO_WARNINGS", "1", "--chdir", "/"]
  ]
  const confined = ["--unshare-all", "--die-with-parent", "--new-session"]
  return [...confined, ...mounts.flat(), `/box/node/${path.basename(node)}`, "/box/proof/inside.ts"]
}

/** A box that runs one command after the other. */
export const open = (canary: string): Box => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "belay-box-"))
  fs.mkdirSync(path.join(folder, "bin"))
  shims(path.join(folder, "bin"))
  fs.writeFileSync(path.join(folder, "passwd"), `root:x:0:0:${canary}:/root:/bin/bash\n`)
  const child = spawn("bwrap", argumentsOf(folder), { stdio: ["pipe", "pipe", "inherit"] })
  const lines = createInterface({ input: child.stdout })
  const waiting: Array<PromiseWithResolvers<Observed>> = []
  lines.on("line", (line) => waiting.shift()?.resolve(JSON.parse(line) as Observed))
  child.on("close", () => {
    for (const { reject } of waiting) reject(new Error("the box has ended"))
    fs.rmSync(folder, { recursive: true, force: true })
  })
  return {
    run: (text) => {
      const next = Promise.withResolvers<Observed>()
      waiting.push(next)
      child.stdin.write(`${JSON.stringify(text)}\n`)
      return next.promise
    },
    close: () => child.stdin.end()
  }
}
