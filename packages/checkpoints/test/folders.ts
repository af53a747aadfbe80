import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import * as fs from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { Effect } from "effect"
import { afterAll, assert } from "vitest"

const made: Array<string> = []

/** A new folder outside of any repository that is gone after the file's tests. */
export const temporary = (): string => {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(tmpdir(), "belay-checkpoints-")))
  made.push(folder)
  return folder
}

afterAll(() => {
  for (const folder of made) fs.rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
})

/** What a user's shell has, with a home of its own. */
export const environmentOf = (home: string): NodeJS.ProcessEnv => ({
  PATH: process.env["PATH"],
  HOME: home,
  USERPROFILE: home,
  SystemRoot: process.env["SystemRoot"]
})

/** The user's git. */
export const git = (cwd: string, ...args: ReadonlyArray<string>): string =>
  execFileSync("git", ["-c", "user.name=U", "-c", "user.email=u@localhost", ...args], {
    cwd,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...environmentOf(path.dirname(cwd)), GIT_CONFIG_NOSYSTEM: "1" }
  })

/** Files by path; a string that begins with "-> " makes a symbolic link. */
export const write = (folder: string, files: Readonly<Record<string, string | Uint8Array>>): void => {
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(folder, name)
    fs.mkdirSync(path.dirname(file), { recursive: true })
    if (typeof content === "string" && content.startsWith("-> ")) fs.symlinkSync(content.slice(3), file)
    else fs.writeFileSync(file, content)
  }
}

const bytes = (folder: Buffer, name: Buffer): Buffer => Buffer.concat([folder, Buffer.from("/"), name])

const describeFile = (file: Buffer, exactly: boolean): string => {
  const stats = fs.lstatSync(file, { bigint: true })
  const kind = stats.isSymbolicLink()
    ? `-> ${fs.readlinkSync(file, "latin1")}`
    : stats.isFile()
      ? createHash("sha256").update(fs.readFileSync(file)).digest("hex")
      : "other"
  return `${(stats.mode & 0o777n).toString(8)} ${kind}${exactly ? ` ${stats.mtimeNs} ${stats.ino}` : ""}`
}

const walk = (folder: Buffer, visit: (file: Buffer, isFolder: boolean) => boolean): void => {
  for (const entry of fs.readdirSync(folder, { withFileTypes: true, encoding: "buffer" })) {
    const file = bytes(folder, entry.name)
    if (visit(file, entry.isDirectory()) && entry.isDirectory()) walk(file, visit)
  }
}

/** Every file of a workspace and what it is, but nothing below `.git`; names one byte a character. */
export const contentsOf = (workspace: string): Readonly<Record<string, string>> => {
  const found: Record<string, string> = {}
  walk(Buffer.from(workspace), (file, isFolder) => {
    const name = file.toString("latin1").slice(Buffer.byteLength(workspace) + 1)
    if (name.split("/").includes(".git")) return false
    if (!isFolder) found[name] = describeFile(file, false)
    return true
  })
  return found
}

/** Every file and folder in or below a `.git`, with the time of its last change. */
export const repositoriesOf = (workspace: string): Readonly<Record<string, string>> => {
  const found: Record<string, string> = {}
  walk(Buffer.from(workspace), (file, isFolder) => {
    const name = file.toString("latin1").slice(Buffer.byteLength(workspace) + 1)
    if (!name.split("/").some((part) => part.endsWith(".git"))) return true
    found[name] = isFolder ? String(fs.statSync(file, { bigint: true }).mtimeNs) : describeFile(file, true)
    return true
  })
  return found
}

export const realGit = (): string =>
  (process.env["PATH"] ?? "")
    .split(path.delimiter)
    .map((folder) => path.join(folder, "git"))
    .find((file) => fs.existsSync(file)) ?? assert.fail("no git")

/** A git that does something beside; a shell script. */
export const wrapped = (home: string, script: string): string => {
  const file = path.join(home, "wrapped-git")
  fs.writeFileSync(file, `#!/bin/sh\n${script}\n`)
  fs.chmodSync(file, 0o755)
  return file
}

/** Ends when the file is there. */
export const appears = (file: string): Effect.Effect<void> =>
  Effect.callback((resume) => {
    const look = () => {
      if (!fs.existsSync(file)) return
      watcher.close()
      resume(Effect.void)
    }
    const watcher = fs.watch(path.dirname(file), look)
    look()
  })
