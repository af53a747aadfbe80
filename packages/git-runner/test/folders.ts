import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { afterAll } from "vitest"

const made: Array<string> = []

afterAll(() => {
  committed = undefined
  for (const folder of made) fs.rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
})

/** A new folder that is gone after the file's tests. */
export const temporary = (): string => {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(tmpdir(), "belay-git-")))
  made.push(folder)
  return folder
}

export const write = (folder: string, files: Readonly<Record<string, string>>): void => {
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(folder, name)
    fs.mkdirSync(path.dirname(file), { recursive: true })
    fs.writeFileSync(file, content)
  }
}

export const script = (file: string, text: string): void => {
  fs.mkdirSync(path.dirname(file), { recursive: true })
  fs.writeFileSync(file, `#!/bin/sh\n${text}\n`)
  fs.chmodSync(file, 0o755)
}

const named = ["-c", "user.name=U", "-c", "user.email=u@localhost", "-c", "protocol.file.allow=always"]

export interface Project {
  /** Of the user; holds the project. */
  readonly home: string
  readonly folder: string
  /** Relative to the project, there and executable: leaves a trace and passes its input on. */
  readonly spy: string
  readonly ran: () => boolean
  readonly forget: () => void
  readonly environment: NodeJS.ProcessEnv
  /** The user's git, with the user's configuration. */
  readonly git: (...args: ReadonlyArray<string>) => string
  readonly gitIn: (folder: string, ...args: ReadonlyArray<string>) => string
}

/** A home with a folder in it. */
export const folder = (): Project => {
  const home = temporary()
  const at = path.join(home, "project")
  const trace = path.join(home, "ran")
  fs.mkdirSync(at)
  script(path.join(at, "spy.sh"), `touch ${trace}\ncat "\${1:-/dev/stdin}"`)
  const environment = { PATH: process.env["PATH"], HOME: home, USERPROFILE: home }
  const gitIn: Project["gitIn"] = (cwd, ...args) =>
    execFileSync("git", [...named, ...args], {
      cwd,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...environment, GIT_CONFIG_NOSYSTEM: "1" }
    })
  return {
    home,
    folder: at,
    spy: "./spy.sh",
    ran: () => fs.existsSync(trace),
    forget: () => fs.rmSync(trace, { force: true }),
    environment,
    git: (...args) => gitIn(at, ...args),
    gitIn
  }
}

let committed: string | undefined

/** The `.git` of a repository with one commit, made once. */
const first = (): string => {
  if (committed !== undefined) return committed
  const project = folder()
  project.git("init", "--quiet")
  write(project.folder, { "a.txt": "one\n" })
  project.git("add", "--all")
  project.git("commit", "--quiet", "--message=The first")
  return (committed = path.join(project.folder, ".git"))
}

/** A repository with a file that is not as it was committed, and one that is new. */
export const repository = (): Project => {
  const project = folder()
  fs.cpSync(first(), path.join(project.folder, ".git"), { recursive: true })
  write(project.folder, { "a.txt": "two\n", "new.txt": "new\n" })
  return project
}
