/**
 * How many tasks need a person: the badge and the key that shows the view, with the small file that start-up reads.
 *
 * Engines write the file; it says how things stood, and the views count for themselves once they are loaded.
 */
import * as File from "@belay/history-store/attention"
import { readFileSync, unwatchFile, watchFile } from "node:fs"
import { join } from "node:path"
import { commands, type Disposable, type TreeView } from "vscode"
import * as Home from "../activation/Home.ts"

/** ms between two looks at the file. */
const interval = 1000

/** What the file says; 0 when there is none. */
const read = (file: string): number => {
  try {
    return File.parse(readFileSync(file, "utf8"))?.tasks ?? 0
  } catch {
    return 0
  }
}

const words = (count: number): string => (count === 1 ? "1 task needs you" : `${count} tasks need you`)

export const show = (view: TreeView<string>, count: number): void => {
  view.badge = count === 0 ? undefined : { value: count, tooltip: words(count) }
  void commands.executeCommand("setContext", "belay.attention", count)
}

/** Shows what the file says, now and whenever it changes, until it is disposed; the file need not be there. */
export const follow = (view: TreeView<string>): Disposable => {
  const file = join(Home.directory(), File.fileName)
  const look = (): void => show(view, read(file))
  look()
  watchFile(file, { interval, persistent: false }, look)
  return { dispose: () => unwatchFile(file, look) }
}
