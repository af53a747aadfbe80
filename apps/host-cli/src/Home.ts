/** Where data is, and which folder a task works in. */
import * as Result from "effect/Result"
import { accessSync, constants, realpathSync, statSync } from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { type Failure, usage } from "./Failure.ts"

const platformData = (env: NodeJS.ProcessEnv): string => {
  const home = os.homedir()
  switch (process.platform) {
    case "win32":
      return env["LOCALAPPDATA"] ?? path.join(home, "AppData", "Local")
    case "darwin":
      return path.join(home, "Library", "Application Support")
    default:
      return path.isAbsolute(env["XDG_DATA_HOME"] ?? "")
        ? (env["XDG_DATA_HOME"] ?? "")
        : path.join(home, ".local", "share")
  }
}

/** `BELAY_HOME`, else the platform's data folder + `/belay`; absolute. */
export const directory = (env: NodeJS.ProcessEnv = process.env): string => {
  const own = env["BELAY_HOME"]
  return own !== undefined && own !== "" ? path.resolve(own) : path.join(platformData(env), "belay")
}

const reasons: Record<string, readonly [string, string]> = {
  ENOENT: ["the workspace does not exist", "Create it, or name another folder."],
  ENOTDIR: ["the workspace is no folder", "Name the folder."],
  EACCES: ["the workspace cannot be read", "Check its rights."],
  ELOOP: ["the workspace is a loop of links", "Name the folder itself."]
}

/** The workspace as a resolved path. Errors: one line when it is no folder that can be read. */
export const workspace = (given: string | undefined): Result.Result<string, Failure> => {
  const shown = given ?? "."
  try {
    const resolved = realpathSync(path.resolve(shown))
    if (!statSync(resolved).isDirectory()) throw Object.assign(new Error("no folder"), { code: "ENOTDIR" })
    accessSync(resolved, constants.R_OK | constants.X_OK)
    return Result.succeed(resolved)
  } catch (cause) {
    const code = String((cause as NodeJS.ErrnoException).code)
    const [what, hint] = reasons[code] ?? [`the workspace cannot be used, ${code}`, "Name another folder."]
    return Result.fail(usage(`${what} (${shown})`, hint))
  }
}
