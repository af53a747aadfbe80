/** Files that are pasted or dropped: images go to the host, everything else is told in one sentence. */
import { Picture } from "@belay/interaction"
import { now, say } from "../state/store.ts"

const base64 = (bytes: Uint8Array): string => {
  let text = ""
  for (let at = 0; at < bytes.length; at += 0x80_00) text += String.fromCharCode(...bytes.subarray(at, at + 0x80_00))
  return btoa(text)
}

/** Those that the host was sent and has not named yet. */
const underWay = new Set<string>()

/** What goes with a message that is sent now. */
export const named = (): ReadonlyArray<string> => {
  const ids = [...new Set([...now().pictures.map(({ id }) => id), ...underWay])]
  underWay.clear()
  return ids
}

/** `task`: the one that is written to. Gives the last sentence about what was not attached. */
export const attach = async (task: string | null, files: ReadonlyArray<File>): Promise<string | undefined> => {
  let told: string | undefined
  let count = now().pictures.length
  for (const file of files) {
    const name = file.name === "" ? "image" : file.name
    const head = new Uint8Array(await file.slice(0, 12).arrayBuffer())
    const refused = Picture.refusal({ name, size: file.size, head, count })
    told = refused ?? told
    if (refused !== undefined) continue
    count += 1
    const data = base64(new Uint8Array(await file.arrayBuffer()))
    const id = crypto.randomUUID()
    underWay.add(id)
    say({ type: "attach", id, name, data }, task)
  }
  return told
}

/** The files that are dragged from the editor's own lists and tabs, by their addresses. */
const lists = ["application/vnd.code.uri-list", "text/uri-list"]

export const arePointedAt = ({ types }: DataTransfer): boolean => lists.some((list) => types.includes(list))

/** At most a hundred. */
export const addresses = (data: DataTransfer): ReadonlyArray<string> => {
  const list = lists.map((name) => data.getData(name)).find((text) => text !== "") ?? ""
  return list
    .split(/\r?\n/u)
    .filter((line) => /^(?:file|vscode-remote|vscode-vfs):/u.test(line) && line.length <= 4000)
    .slice(0, 100)
}

/** Files that come without words; with words, the words are meant. */
export const only = (data: DataTransfer): ReadonlyArray<File> =>
  data.getData("text/plain") === "" ? [...data.files] : []
