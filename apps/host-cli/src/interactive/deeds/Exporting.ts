/** The task that is shown as a file: its conversation to read, or with `.json` every event of it. */
import { Words } from "@belay/interaction"
import { TaskExport } from "@belay/interaction/unstable/feed"
import * as Effect from "effect/Effect"
import { existsSync, writeFileSync } from "node:fs"
import { homedir } from "node:os"
import * as path from "node:path"
import { fromError, usage } from "../../cli/Failure.ts"
import { redaction } from "../../output/Redaction.ts"
import type { Around } from "./Around.ts"

/** `rest`: the file, from the folder of the task on; without one it has the name of the task. */
export const task = ({ entry, perform, ui }: Around, rest: string): void => {
  const shown = entry()
  if (shown === undefined) return ui.hint("No task is shown.")
  const { meta } = shown.node.row
  const named = rest === "" ? `${TaskExport.fileName(shown)}.md` : rest.replace(/^~(?=[\\/])/u, homedir())
  const file = path.resolve(meta.workspace, named)
  const wish = Effect.gen(function* () {
    if (existsSync(file)) {
      return yield* usage(`${Words.printable(file)} is there already`, "Name another file: /export FILE")
    }
    const text = redaction.text(yield* TaskExport.text(shown, file.endsWith(".json") ? "json" : "markdown"))
    yield* Effect.try({ try: () => writeFileSync(file, text, { flag: "wx", mode: 0o600 }), catch: fromError })
    ui.tell([`Exported to ${Words.printable(file)}.`])
  })
  perform(wish)
}
