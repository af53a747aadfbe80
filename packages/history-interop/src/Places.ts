/** Where the programs keep their histories on this computer: every editor that can run them, and their own folders. */
import { Machine } from "@belay/machine"
import * as path from "node:path"
import * as Agent from "./Agent.ts"
import * as Files from "./internal/files.ts"

const products = ["Code", "Code - Insiders", "VSCodium", "VSCodium - Insiders", "Cursor", "Windsurf"]
const servers = [".vscode-server", ".vscode-server-insiders", ".vscode-remote", ".vscodium-server", ".cursor-server"]

/** Folders with a folder for each extension. */
const storages = (env: NodeJS.ProcessEnv, home: string): ReadonlyArray<string> => {
  const config = {
    win32: env["APPDATA"] ?? path.join(home, "AppData", "Roaming"),
    darwin: path.join(home, "Library", "Application Support"),
    other: env["XDG_CONFIG_HOME"] ?? path.join(home, ".config")
  }
  const desktop =
    process.platform === "win32" || process.platform === "darwin" ? config[process.platform] : config.other
  const data = env["XDG_DATA_HOME"] ?? path.join(home, ".local", "share")
  return [
    ...products.map((product) => path.join(desktop, product)),
    ...servers.map((server) => path.join(home, server, "data")),
    path.join(data, "code-server")
  ].map((folder) => path.join(folder, "User", "globalStorage"))
}

/** Names a folder in which a program keeps its history. */
export interface Place {
  readonly agent: Agent.Agent
  readonly path: string
}

/**
 * The folders of this computer's user that hold tasks; none is opened. `beside` are further folders of extensions, such as
 * the one that holds the caller's own.
 */
export const find = (
  beside: ReadonlyArray<string> = [],
  env: NodeJS.ProcessEnv = process.env,
  home: string = Machine.home()
): ReadonlyArray<Place> => {
  const all = [...new Set([...beside, ...storages(env, home)])].flatMap((storage) =>
    Agent.agents.map((agent): Place => ({ agent, path: path.join(storage, Agent.folders[agent]) }))
  )
  const own: Place = { agent: "cline", path: path.join(home, ".cline", "data") }
  return [...all, own].filter((place) => Files.isFolder(path.join(place.path, "tasks")))
}
