/**
 * A command of the person's own, in their shell and in their terminal: `!` shows it, `!!` gives what it prints to the task,
 * too. No rule of the task's approvals counts: it is the person who runs it.
 */
import { Words } from "@belay/interaction"
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import * as Signals from "../../terminal/Signals.ts"
import type { Around } from "./Around.ts"
import type { Stage } from "./Stage.ts"

/** Characters of the output that a task is given: the end of it. */
const most = 20_000

export interface Own {
  readonly command: string
  /** The task is told. */
  readonly isSaid: boolean
}

/** The command that a text is; nothing for any other text. */
export const parse = (text: string): Own | undefined => {
  const [, signs, command = ""] = /^(!!?)\s*(\S[^]*)$/u.exec(text.trim()) ?? []
  return signs === undefined ? undefined : { command, isSaid: signs === "!!" }
}

const ran = (
  command: string,
  cwd: string,
  isSaid: boolean
): Promise<{ readonly code: number; readonly output: string }> =>
  new Promise((resolve) => {
    let output = ""
    const child = spawn(command, {
      cwd,
      shell: process.env["SHELL"] || true,
      stdio: ["inherit", isSaid ? "pipe" : "inherit", isSaid ? "pipe" : "inherit"]
    })
    for (const [from, to] of [
      [child.stdout, process.stdout],
      [child.stderr, process.stdout]
    ] as const) {
      from?.on("data", (chunk: Buffer) => {
        output = `${output}${chunk.toString()}`.slice(-most)
        to.write(chunk)
      })
    }
    const end = (code: number) => process.stdout.write("\n", () => resolve({ code, output }))
    child.on("error", () => end(127))
    child.on("close", (code) => end(code ?? 1))
  })

/** Runs it in the folder of the task that is shown; `say` gets what the task is told of it. */
export const perform = ({ entry, ground, perform, ui }: Around, own: Own, say: (text: string) => void): void =>
  perform(
    Effect.map(run(own, entry()?.node.row.meta.workspace ?? ground.workspace, ui), (said) =>
      said === undefined ? undefined : say(said)
    )
  )

/** Gives what is said to the task of it; nothing where it is told nothing. */
const run = ({ command, isSaid }: Own, cwd: string, ui: Stage): Effect.Effect<string | undefined> =>
  Effect.gen(function* () {
    ui.commit([`! ${Words.printable(command)}`])
    const { code, output } = yield* Signals.ignored(Effect.promise(() => ui.lend(() => ran(command, cwd, isSaid))))
    ui.tell([`exit ${code}`])
    const fence = "```"
    return isSaid
      ? `I ran \`${command}\`, which ended with ${code}:\n\n${fence}\n${output.trimEnd()}\n${fence}`
      : undefined
  })
