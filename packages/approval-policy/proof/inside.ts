/**
 * Runs in the box: takes a command a line on stdin, runs it with the executor's shell in a fresh workspace and says, one
 * JSON a line, which programs started, which files changed and whether a canary was shown. Stands alone: node only.
 */
import { spawn } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { createInterface } from "node:readline"
import { canary, entries, home, workspace } from "./Entries.ts"

const roots = ["/ws", "/users", "/tmp"]
const log = "/box/log/exec"
const longest = 2000

const build = (): void => {
  for (const root of roots)
    for (const name of fs.readdirSync(root)) fs.rmSync(path.join(root, name), { recursive: true, force: true })
  fs.mkdirSync(workspace, { recursive: true })
  for (const { content, link, path: file } of entries) {
    if (link !== undefined) fs.symlinkSync(link, file)
    else if (content === undefined) fs.mkdirSync(file, { recursive: true })
    else fs.writeFileSync(file, content)
  }
}

const look = (folder: string, seen: Map<string, string>): void => {
  for (const name of fs.readdirSync(folder)) {
    const file = path.join(folder, name)
    const { ctimeNs, ino, mode, size } = fs.lstatSync(file, { bigint: true })
    const isFolder = (mode & 0o170000n) === 0o040000n
    seen.set(file, isFolder ? `${ino} ${mode}` : `${ino} ${mode} ${size} ${ctimeNs}`)
    if (isFolder) look(file, seen)
  }
}

const snapshot = (): ReadonlyMap<string, string> => {
  const seen = new Map<string, string>()
  for (const root of roots) look(root, seen)
  return seen
}

const changes = (before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): ReadonlyArray<string> => [
  ...[...after].filter(([file, state]) => before.get(file) !== state).map(([file]) => file),
  ...[...before.keys()].filter((file) => !after.has(file))
]

const env = { PATH: "/usr/bin", HOME: home, LANG: "C.UTF-8", LC_ALL: "C.UTF-8", TERM: "dumb" }

const run = async (text: string): Promise<string> => {
  const { promise, resolve } = Promise.withResolvers<string>()
  const child = spawn("/box/usr/bin/bash", ["--noprofile", "--norc", "-p", "-c", "--", text], {
    cwd: workspace,
    env,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"]
  })
  let output = ""
  const add = (chunk: Buffer) => {
    if (output.length < 1_000_000) output += chunk.toString()
  }
  child.stdout.on("data", add)
  child.stderr.on("data", add)
  const end = () => {
    try {
      process.kill(-(child.pid ?? 0), "SIGKILL")
    } catch {
      // It has ended.
    }
  }
  const timer = setTimeout(end, longest)
  child.on("error", () => resolve(output))
  child.on("close", () => {
    clearTimeout(timer)
    end()
    resolve(output)
  })
  return promise
}

const execs = (): ReadonlyArray<ReadonlyArray<string>> => {
  const text = fs.readFileSync(log, "utf8")
  if (text === "") return []
  fs.writeFileSync(log, "")
  return text
    .split("\u001e\u001f")
    .filter((record) => record !== "")
    .map((record) => record.split("\u001f").slice(0, -1))
}

fs.mkdirSync(path.dirname(log), { recursive: true })
fs.writeFileSync(log, "")
build()
let before = snapshot()
for await (const line of createInterface({ input: process.stdin })) {
  const output = await run(JSON.parse(line) as string)
  const after = snapshot()
  const changed = changes(before, after)
  process.stdout.write(`${JSON.stringify({ execs: execs(), changed, leaked: output.includes(canary) })}\n`)
  if (changed.length > 0) {
    build()
    before = snapshot()
  }
}
