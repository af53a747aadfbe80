/** A command of Belay itself in the terminal of the person, as they would run it in a shell: it may ask them, too. */
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import * as Signals from "../../terminal/Signals.ts"
import type { Around } from "./Around.ts"

const ran = (args: ReadonlyArray<string>, cwd: string): Promise<void> =>
  new Promise((resolve) => {
    const [entry = ""] = process.argv.slice(1)
    const child = spawn(process.execPath, [...process.execArgv, entry, ...args], { cwd, stdio: "inherit" })
    child.on("error", () => resolve())
    child.on("close", () => resolve())
  })

/** In the folder of the task that is shown. */
export const command = ({ entry, ground, perform, ui }: Around, ...args: ReadonlyArray<string>): void => {
  const cwd = entry()?.node.row.meta.workspace ?? ground.workspace
  ui.commit([""])
  perform(Signals.ignored(Effect.promise(() => ui.lend(() => ran(args, cwd)))))
}
