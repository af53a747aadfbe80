/** A long text in the pager of the person, such as `less`; where there is none it is printed. */
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { readable, type Sink } from "../output/Sink.ts"
import * as Signals from "./Signals.ts"

/** Colours are shown, and nothing can be started from within it. */
const less = { LESS: "R", LESSSECURE: "1" }

const piped = (command: string, text: string): Effect.Effect<boolean> =>
  Effect.callback((resume) => {
    const env = { ...process.env, ...(command === "less" ? less : {}) }
    const child = spawn(command, { shell: true, stdio: ["pipe", "inherit", "inherit"], env })
    const end = (isShown: boolean) => resume(Effect.succeed(isShown))
    // It may be left before it has read all.
    child.stdin.on("error", () => undefined)
    child.on("error", () => end(false))
    // 127: the shell has found no such program.
    child.on("close", (code) => end(code !== 127))
    child.stdin.end(text)
  })

/** Comes back when the person has left it; Ctrl+C is the pager's meanwhile. */
export const show = (sink: Sink, text: string): Effect.Effect<void> =>
  Effect.gen(function* () {
    yield* Effect.promise(sink.flush)
    const command = process.env["PAGER"] || "less"
    const isShown = command === "cat" ? false : yield* Signals.ignored(piped(command, readable(text)))
    if (!isShown) sink.err(text)
  })
