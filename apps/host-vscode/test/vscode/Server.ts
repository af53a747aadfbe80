/** VS Code's server as a process with data of its own; each window says what it opens, and in which environment. */
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { cpSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import { createInterface } from "node:readline"
import { pathToFileURL } from "node:url"
import { builtIn, serverMain } from "./Installation.ts"

const extension = path.resolve(import.meta.dirname, "../../dist")
const agent = path.resolve(import.meta.dirname, "agent")
const ownOrigins = pathToFileURL(path.resolve(import.meta.dirname, "ownOrigins.mjs")).href

/** Nothing moves by itself, and nothing asks the network. */
const quiet = {
  // In a browser files would be saved a second after they were typed in.
  "files.autoSave": "off",
  "workbench.startupEditor": "none",
  "workbench.secondarySideBar.defaultVisibility": "hidden",
  "workbench.reduceMotion": "on",
  "chat.disableAIFeatures": true,
  "telemetry.telemetryLevel": "off",
  "extensions.autoCheckUpdates": false,
  "extensions.ignoreRecommendations": true,
  "git.enabled": false,
  // Nobody looks at the files of most stories.
  "belay.edits.problems": "off",
  // A story says so when a result is to wait for a person.
  "belay.completion": "auto",
  "window.autoDetectColorScheme": false
}

const flags =
  "--host 127.0.0.1 --port 0 --without-connection-token --accept-server-license-terms " +
  "--telemetry-level off --disable-telemetry --enable-smoke-test-driver --enable-remote-auto-shutdown"

/** A server that is not like the others; the folders of any other are trusted, and the extension is served as it was built. */
export interface Kind {
  readonly trust?: "ask"
  /** Webviews have origins of their own, and so processes, as in the desktop editor; else they share the window's. */
  readonly ownOrigins?: true
  /** Installs this package, as a person does. */
  readonly vsix?: string
  /** More extensions, by the name of their folder: their files. */
  readonly beside?: { readonly [folder: string]: { readonly [file: string]: string } }
}

export interface Server extends Kind {
  /** A folder that is the server's alone. */
  readonly data: string
  readonly port: number
}

export interface Opened {
  /** A folder, or a file that names several. */
  readonly workspace: string
  /** More of the environment of its extension host. */
  readonly env: { readonly [name: string]: string }
}

/** The address of a window. */
export const urlOf = ({ ownOrigins, port, vsix }: Server, { env, workspace }: Opened): string => {
  // Browsers know without asking that it is this machine.
  const address = `${ownOrigins ? "main.localhost" : "127.0.0.1"}:${port}`
  const served = (folder: string): string => `vscode-remote://${address}${folder}`
  const payload = [["extensionEnvironment", JSON.stringify(env)]]
  if (vsix === undefined) payload.push(["extensionDevelopmentPath", served(extension)])
  const kind = workspace.endsWith(".code-workspace") ? "workspace" : "folder"
  const query = new URLSearchParams({ [kind]: workspace, payload: JSON.stringify(payload) })
  return `http://${address}/?${query}`
}

/** Writes files below a folder. */
export const write = (folder: string, files: { readonly [file: string]: string }): void => {
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(folder, name)
    mkdirSync(path.dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
}

const portOf = async (output: NodeJS.ReadableStream, ended: Promise<unknown>): Promise<number> => {
  const found = Promise.withResolvers<number>()
  createInterface({ input: output }).on("line", (line) => {
    const port = /Extension host agent listening on (\d+)/.exec(line)?.[1]
    if (port !== undefined) found.resolve(Number(port))
  })
  void ended.then(() => found.reject(new Error("VS Code's server ended before it listened")))
  return found.promise
}

const foldersOf = (data: string): ReadonlyArray<string> => [
  "--server-data-dir",
  data,
  "--extensions-dir",
  path.join(data, "extensions")
]

const manage = (data: string, ...args: ReadonlyArray<string>): void => {
  const all = [...args, "--accept-server-license-terms", ...foldersOf(data)]
  const done = spawnSync(process.execPath, [serverMain, ...all], { encoding: "utf8" })
  if (done.status !== 0) throw new Error(`${args.join(" ")} failed: ${done.stdout}${done.stderr}`)
}

/** Installs a package, or updates to it; a window has it after its extension host was restarted. */
export const install = (data: string, vsix: string): void => manage(data, "--install-extension", vsix, "--force")

export const uninstall = (data: string): void => manage(data, "--uninstall-extension", "belay.belay")

/** What a machine's windows are set to; those that open from now on have it. */
export const configure = (data: string, settings: { readonly [name: string]: unknown }): void => {
  const machine = path.join(data, "data", "Machine")
  mkdirSync(machine, { recursive: true })
  writeFileSync(path.join(machine, "settings.json"), JSON.stringify({ ...quiet, ...settings }))
}

/** Whether the editor has kept the file with the folders of a window, one of which is given. */
export const hasKept = (data: string, folder: string): boolean => {
  const kept = globSync("data/User/caches/CachedConfigurations/workspaces/*/workspace.json", { cwd: data })
  return kept.some((file) => readFileSync(path.join(data, file), "utf8").includes(folder))
}

/** What a window takes from its own environment, and never from that of the tests. */
const own = (name: string): boolean => /^(ANTHROPIC|BELAY)_/.test(name)

export interface Running extends Server {
  /** Ends it, and all that it started. */
  readonly stop: () => Promise<void>
}

export const start = async (data: string, kind: Kind = {}): Promise<Running> => {
  configure(data, {})
  // One development extension is all that a window takes; the agent is installed.
  cpSync(agent, path.join(data, "extensions", "belay-tests.agent-0.0.0"), { recursive: true })
  for (const [name, files] of Object.entries(kind.beside ?? {})) write(path.join(data, "extensions", name), files)
  if (kind.vsix !== undefined) install(data, kind.vsix)
  const args = [
    ...(kind.ownOrigins ? ["--import", ownOrigins] : []),
    serverMain,
    ...flags.split(" "),
    "--builtin-extensions-dir",
    builtIn,
    ...(kind.trust === "ask" ? [] : ["--disable-workspace-trust"]),
    ...foldersOf(data)
  ]
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !own(name)))
  // A group of its own: what the server starts ends with it.
  const child = spawn(process.execPath, args, {
    env: { ...env, EXTENSIONS_GALLERY: "{}" },
    detached: true,
    stdio: ["ignore", "pipe", "pipe"]
  })
  child.stderr.resume()
  const end = (): void => {
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null)
      process.kill(-child.pid, "SIGKILL")
  }
  // Nobody stops it when the run is given up.
  process.once("exit", end)
  const ended = once(child, "exit").finally(() => process.off("exit", end))
  const port = await portOf(child.stdout, ended)
  return {
    ...kind,
    data,
    port,
    stop: async () => {
      end()
      await ended
    }
  }
}
