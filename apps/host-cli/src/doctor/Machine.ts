/** What the machine gives: versions, programs, the sandbox, the data folder and its disk. */
import * as DataFolder from "@belay/history-store/data-folder"
import { Programs, Sandbox } from "@belay/tool-executor/workspace"
import * as Effect from "effect/Effect"
import { accessSync, constants, existsSync, statfsSync, statSync } from "node:fs"
import { release } from "node:os"
import * as path from "node:path"
import * as Key from "../settings/Key.ts"
import * as Installation from "./Installation.ts"
import { failed, type Finding, ok, warning } from "./Finding.ts"

const isMac = (): boolean => process.platform === "darwin"

const install = (linux: string, mac: string, windows: string): string =>
  process.platform === "win32" ? windows : isMac() ? mac : linux

export const versions = (): ReadonlyArray<Finding> => [
  ok("belay", `${Installation.version}, installed ${Installation.here().how}`),
  ok("node", `${process.versions.node} (${process.execPath})`),
  ok("system", `${process.platform} ${release()} ${process.arch}`)
]

const program = (name: string, found: Programs.Program | undefined, without: Finding): Finding =>
  found === undefined
    ? without
    : ok(name, `${found.version === "" ? "no version told" : found.version} (${found.file})`)

const noBash = (workspace: string, named: string | undefined): Finding => {
  const why = named === undefined ? undefined : Programs.bashProblem(named, workspace)
  return why === undefined
    ? failed(
        "bash",
        "not found outside the workspace: no command can run",
        install(
          "Install bash, or name one: belay config set shell.bash FILE",
          "Install bash, or name one: belay config set shell.bash FILE",
          "Install Git for Windows, which brings it, or name one: belay config set shell.bash FILE"
        )
      )
    : failed(
        "bash",
        `${named}, which shell.bash names, ${why}: no command can run`,
        "Correct it: belay config set shell.bash FILE"
      )
}

/** `bash`: the one that the user's settings name. */
export const programs = (workspace: string, bash: string | undefined): Effect.Effect<ReadonlyArray<Finding>> =>
  Effect.all(
    [
      Effect.map(Programs.bash(workspace, bash), (found) => program("bash", found, noBash(workspace, bash))),
      Effect.map(Programs.git(workspace), (found) =>
        program(
          "git",
          found,
          warning(
            "git",
            "not found: no checkpoints, no @git-changes",
            install("Install git.", "Run: xcode-select --install", "Install Git for Windows.")
          )
        )
      ),
      Effect.map(Programs.ripgrep, (found) =>
        program(
          "rg",
          found,
          failed(
            "rg",
            "none for this platform: files cannot be searched",
            `Install it again, with optional packages: ${Installation.here().command}`
          )
        )
      )
    ],
    { concurrency: "unbounded" }
  )

export const sandbox = (workspace: string, bash: string | undefined): Effect.Effect<Finding> =>
  Effect.map(Sandbox.make({ bash, hidden: [DataFolder.directory()] }).state(workspace), (state) =>
    state._tag === "Confined"
      ? ok("sandbox", `commands that run without asking are confined by ${state.by}`)
      : warning(
          "sandbox",
          `none: ${state.reason}`,
          install(
            "Install bubblewrap, and let it make user namespaces; until then commands run as you, by your approvals.",
            "Commands run as you, by your approvals.",
            "Use Belay in WSL 2; here commands run as you, by your approvals."
          )
        )
  )

/** On Windows a file has the rights of its folder, which may be those of others. */
export const keys: Effect.Effect<Finding> = Effect.map(Key.kept, ({ isProtected, place }) => {
  if (isProtected) return ok("keys", `kept in ${place}`)
  return process.platform !== "win32"
    ? ok("keys", `kept in ${place}, which only you can read`)
    : warning(
        "keys",
        `kept in ${place}, readable as your other files are`,
        "Windows protects them where PowerShell may run and BELAY_HOME is not set; then give them again: belay auth"
      )
})

/** The nearest folder that is there. */
const above = (folder: string): string => (existsSync(folder) ? folder : above(path.dirname(folder)))

const rights = (folder: string, mode: number): boolean => {
  try {
    accessSync(folder, mode)
    return true
  } catch {
    return false
  }
}

const dataFolder = (folder: string): Finding => {
  const move = "Give it to yourself, or name another one in BELAY_HOME."
  const found = statSync(folder, { throwIfNoEntry: false })
  if (found === undefined) {
    const parent = above(folder)
    return rights(parent, constants.W_OK)
      ? ok("data folder", `${folder} (made with the first task)`)
      : failed("data folder", `${folder} cannot be made: ${parent} cannot be written`, move)
  }
  if (!found.isDirectory()) return failed("data folder", `${folder} is not a folder`, "Name a folder in BELAY_HOME.")
  if (!rights(folder, constants.R_OK | constants.W_OK | constants.X_OK)) {
    return failed("data folder", `${folder} cannot be read and written`, move)
  }
  return ok("data folder", folder)
}

const megabyte = 1_048_576
const least = 100 * megabyte
const enough = 1024 * megabyte

const disk = (folder: string): Finding => {
  const at = above(folder)
  const { bavail, bsize } = statfsSync(at)
  const free = bavail * bsize
  const found = `${free < enough ? `${Math.floor(free / megabyte)} MB` : `${Math.floor(free / enough)} GB`} free (${at})`
  const cure = "Make room, or move the data folder with BELAY_HOME."
  if (free < least) return failed("disk", found, cure)
  return free < enough ? warning("disk", found, cure) : ok("disk", found)
}

/** What cannot be looked at is a finding, too. */
const looked = (name: string, look: () => Finding): Finding => {
  try {
    return look()
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    return failed(name, `cannot be looked at: ${why}`, "See to its rights.")
  }
}

export const data = (): ReadonlyArray<Finding> => {
  const folder = DataFolder.directory()
  return [looked("data folder", () => dataFolder(folder)), looked("disk", () => disk(folder))]
}
