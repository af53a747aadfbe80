/** Where Belay's data is. Read by the entry before anything else is loaded, so it imports nothing but Node. */
import * as os from "node:os"
import * as path from "node:path"

const platformData = (env: NodeJS.ProcessEnv): string => {
  const home = os.homedir()
  switch (process.platform) {
    case "win32":
      return env["LOCALAPPDATA"] ?? path.join(home, "AppData", "Local")
    case "darwin":
      return path.join(home, "Library", "Application Support")
    default: {
      const own = env["XDG_DATA_HOME"] ?? ""
      return path.isAbsolute(own) ? own : path.join(home, ".local", "share")
    }
  }
}

/** `BELAY_HOME`, else the platform's data folder + `/belay`; absolute. */
export const directory = (env: NodeJS.ProcessEnv = process.env): string => {
  const own = env["BELAY_HOME"]
  return own !== undefined && own !== "" ? path.resolve(own) : path.join(platformData(env), "belay")
}
