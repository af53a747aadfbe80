/** The link of a task: `vscode://belay.belay/task/<id>`, in the scheme of this editor. */
import { commands, type Disposable, env, type Uri, window } from "vscode"

const authority = "belay.belay"
const folder = "/task/"

export const of = (id: string): string => `${env.uriScheme}://${authority}${folder}${id}`

/** The id in a link; undefined for any other. */
const idOf = ({ path }: Uri): string | undefined => {
  const id = path.startsWith(folder) ? path.slice(folder.length) : ""
  return /^[0-9A-Za-z_-]+$/.test(id) ? id : undefined
}

/** Links open their task; what else they say is not looked at. */
export const open = (): Disposable =>
  window.registerUriHandler({
    handleUri: async (uri) => {
      const id = idOf(uri)
      if (id !== undefined) await commands.executeCommand("belay.openTask", id)
    }
  })
