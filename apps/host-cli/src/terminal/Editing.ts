/** A file or a text in the editor of the person, which is `$VISUAL` or `$EDITOR`. */
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { type Failure, usage } from "../cli/Failure.ts"
import * as Signals from "./Signals.ts"

/** Another program has the terminal while this runs. */
type Lend = <A>(run: () => Promise<A>) => Promise<A>

const named = (): string => process.env["VISUAL"] || process.env["EDITOR"] || "vi"

const ended = (command: string, file: string): Promise<number> =>
  new Promise((resolve) => {
    // It is a command line, and the file is an argument of it.
    const [program, args] =
      process.platform === "win32" ? [`${command} "${file}"`, []] : ["sh", ["-c", `${command} "$1"`, "sh", file]]
    const child = spawn(program, args, { stdio: "inherit", shell: process.platform === "win32" })
    child.on("error", () => resolve(127))
    child.on("close", (code) => resolve(code ?? 1))
  })

/** Comes back when the person has left the editor. Errors: one line where it could not be used. */
export const file = (name: string, lend: Lend): Effect.Effect<void, Failure> =>
  Effect.gen(function* () {
    const editor = named()
    const code = yield* Signals.ignored(Effect.promise(() => lend(() => ended(editor, name))))
    if (code !== 0) {
      return yield* usage(`the editor (${editor}) ended with ${code}, and nothing was taken`, "Set EDITOR to another.")
    }
  })

/** What the person made of a text; `name` is the name of its file, by whose ending an editor knows it. */
export const text = (before: string, name: string, lend: Lend): Effect.Effect<string, Failure> =>
  Effect.acquireUseRelease(
    Effect.sync(() => mkdtempSync(path.join(tmpdir(), "belay-edit-"))),
    (folder) =>
      Effect.gen(function* () {
        const at = path.join(folder, name)
        writeFileSync(at, before, { mode: 0o600 })
        yield* file(at, lend)
        return readFileSync(at, "utf8")
      }),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
  )
