/** The link of a task: `vscode://belay.belay/task/<id>`, in the scheme of this editor. */
import * as vscode from "vscode"

const authority = "belay.belay"
const folder = "/task/"

export const of = (id: string): string => `${vscode.env.uriScheme}://${authority}${folder}${id}`

/** The id in a link; undefined for any other. */
export const idOf = ({ path }: vscode.Uri): string | undefined => {
  const id = path.startsWith(folder) ? path.slice(folder.length) : ""
  return /^[0-9A-Za-z_-]+$/.test(id) ? id : undefined
}

/** Links open their task; what else they say is not looked at. */
export const open = (): vscode.Disposable =>
  vscode.window.registerUriHandler({
    handleUri: async (uri) => {
      const id = idOf(uri)
      if (id !== undefined) await vscode.commands.executeCommand("belay.openTask", id)
    }
  })
