/** Where Belay's data is. Read by the entry before anything else is loaded, so it imports nothing but Node. */
import { homedir } from "node:os"
import { isAbsolute, join, resolve } from "node:path"

const platformData = (env: NodeJS.ProcessEnv): string => {
  const home = homedir()
  switch (process.platform) {
    case "win32":
      return env["LOCALAPPDATA"] ?? join(home, "AppData", "Local")
    case "darwin":
      return join(home, "Library", "Application Support")
    default: {
      const own = env["XDG_DATA_HOME"] ?? ""
      return isAbsolute(own) ? own : join(home, ".local", "share")
    }
  }
}

/** `BELAY_HOME`, else the platform's data folder + `/belay`; absolute. */
export const directory = (env: NodeJS.ProcessEnv = process.env): string => {
  const own = env["BELAY_HOME"]
  return own !== undefined && own !== "" ? resolve(own) : join(platformData(env), "belay")
}
