/** The data folder: the setting of this machine, else that of the command line, so that both show the same tasks. */
import * as DataFolder from "@belay/history-store/data-folder"
import { resolve } from "node:path"
import { workspace } from "vscode"

export const directory = (): string => {
  const own = String(workspace.getConfiguration("belay").get<unknown>("history.home", "")).trim()
  return own === "" ? DataFolder.directory() : resolve(own)
}

/** The history, as this host opens it. */
export const history = () => ({ directory: directory(), kind: "vscode" })
