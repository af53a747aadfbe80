/** The folder that a task works in. */
import * as Result from "effect/Result"
import { Folder } from "@belay/machine"
import { accessSync, constants, statSync } from "node:fs"
import { type Failure, usage } from "../cli/Failure.ts"

const reasons: Record<string, readonly [string, string]> = {
  ENOENT: ["the workspace does not exist", "Create it, or name another folder."],
  ENOTDIR: ["the workspace is not a folder", "Name the folder."],
  EACCES: ["the workspace cannot be read", "Check its rights."],
  ELOOP: ["the workspace is a loop of links", "Name the folder itself."]
}

/** The workspace in the operating system's own spelling. Errors: one line when it is not a folder that can be read. */
export const workspace = (given: string | undefined): Result.Result<string, Failure> => {
  const shown = given ?? "."
  try {
    const resolved = Folder.canonical(shown)
    if (!statSync(resolved).isDirectory()) throw Object.assign(new Error("not a folder"), { code: "ENOTDIR" })
    accessSync(resolved, constants.R_OK | constants.X_OK)
    return Result.succeed(resolved)
  } catch (cause) {
    const code = String((cause as NodeJS.ErrnoException).code)
    const [what, hint] = reasons[code] ?? [`the workspace cannot be used, ${code}`, "Name another folder."]
    return Result.fail(usage(`${what} (${shown})`, hint))
  }
}
