/** Where Belay's data is. Read by the entry before anything else is loaded, so it imports nothing but Node. */
import { chmodSync, statSync } from "node:fs"
import { homedir } from "node:os"
import { isAbsolute, join, resolve } from "node:path"

const home = (): string | undefined => {
  try {
    return homedir()
  } catch {
    return undefined
  }
}

const below = (folder: string | undefined, ...names: ReadonlyArray<string>): string | undefined =>
  folder === undefined ? undefined : join(folder, ...names)

const platformData = (env: NodeJS.ProcessEnv): string | undefined => {
  switch (process.platform) {
    case "win32":
      return env["LOCALAPPDATA"] ?? below(home(), "AppData", "Local")
    case "darwin":
      return below(home(), "Library", "Application Support")
    default: {
      const own = env["XDG_DATA_HOME"] ?? ""
      return isAbsolute(own) ? own : below(home(), ".local", "share")
    }
  }
}

/** `directory`; nothing for a user without a home folder, as a container may have, who names no folder either. */
export const find = (env: NodeJS.ProcessEnv = process.env): string | undefined => {
  const own = env["BELAY_HOME"]
  return own !== undefined && own !== "" ? resolve(own) : below(platformData(env), "belay")
}

/** `BELAY_HOME`, else the platform's data folder + `/belay`; absolute. Throws one line when there is neither. */
export const directory = (env: NodeJS.ProcessEnv = process.env): string => {
  const found = find(env)
  if (found === undefined) throw new Error("this user has no home folder: set HOME or BELAY_HOME")
  return found
}

const othersRights = 0o077

/** What cannot be looked at cannot be opened either, and whoever opens it says why. */
const lookAt = (file: string) => {
  try {
    return statSync(file, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

/**
 * Takes the rights of others on a file or folder of the data away. `opened`: they had some until now; `open`: they have
 * them still, because it is not ours. Windows keeps what a user has from others by itself.
 */
export const keepPrivate = (file: string): "private" | "opened" | "open" => {
  if (process.platform === "win32") return "private"
  const found = lookAt(file)
  if (found === undefined || (found.mode & othersRights) === 0) return "private"
  try {
    if (found.uid !== process.getuid?.()) return "open"
    chmodSync(file, found.mode & ~othersRights & 0o7777)
    return "opened"
  } catch {
    return "open"
  }
}
