/** The search program that VS Code brings for its own search, so the extension is the same package on every platform. */
import { accessSync, constants } from "node:fs"
import * as path from "node:path"
import { env } from "vscode"

/** Where its versions have it, the newest first; in the desktop's archive programs lie beside it. */
const places = (): ReadonlyArray<string> => {
  const program = process.platform === "win32" ? "rg.exe" : "rg"
  const platform = `${process.platform}-${process.arch}`
  return ["node_modules", "node_modules.asar.unpacked"].flatMap((modules) => [
    path.join(modules, "@vscode", "ripgrep-universal", "bin", platform, program),
    path.join(modules, "@vscode", "ripgrep", "bin", program)
  ])
}

const runs = (file: string): boolean => {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** An absolute path; undefined when this editor has none. */
export const find = (root: string = env.appRoot): string | undefined =>
  places()
    .map((place) => path.join(root, place))
    .find(runs)
