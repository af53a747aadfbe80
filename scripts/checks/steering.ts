// What steers a terminal.
//
// Guarantee: in the command line's sources an escape character is written only where a terminal is painted or owned, and
// where texts are coloured or made harmless. Everything else gives lines, which pass there.
import { readFileSync } from "node:fs"
import path from "node:path"
import { shown, sourceFiles } from "./workspace.ts"

const app = path.join("apps", "host-cli")

/** With what each of them does with it. */
const allowed: Readonly<Record<string, string>> = {
  "interactive/screen/Frame.ts": "paints the interface",
  "interactive/screen/FullScreen.ts": "paints the viewer",
  "interactive/screen/Modes.ts": "switches the modes of the terminal",
  "interactive/screen/Composer.ts": "takes the library's marks out, and tells it of a paste",
  "interactive/screen/Keys.ts": "reads keys",
  "interactive/screen/Vim.ts": "tells the composer of keys",
  "output/Appearance.ts": "colours",
  "output/Region.ts": "replaces the last lines of a run",
  "output/Sink.ts": "lets colours through, and nothing else",
  "progress/OutputTail.ts": "takes colours out"
}

// oxlint-disable-next-line no-control-regex
const escape = /\\u001[bB]|\\x1[bB]|\\u\{1[bB]\}|\u001B/u

export function checkSteering(root: string): ReadonlyArray<string> {
  const folder = path.join(root, app)
  return sourceFiles(folder, "src").flatMap((file) => {
    const name = path.relative(path.join(folder, "src"), file).split(path.sep).join("/")
    return steeringIn(name, readFileSync(file, "utf8")).map((violation) => `${shown(root, file)}:${violation}`)
  })
}

/** "line: what" for every escape character of a file that has no business with one; `name` within `src`. */
export function steeringIn(name: string, text: string): ReadonlyArray<string> {
  if (Object.hasOwn(allowed, name)) return []
  return text
    .split("\n")
    .flatMap((line, index) =>
      escape.test(line)
        ? [`${index + 1}: it writes an escape character; give lines to what paints them (interactive/screen/Frame.ts).`]
        : []
    )
}
