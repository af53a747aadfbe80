/**
 * The person at the terminal of a run: asked on stderr, answered by a line on stdin.
 *
 * Nothing is preselected, and what was typed before the question does not count. An approval shows what would really
 * happen: resolved targets, the rule, and why it asks; everything a model wrote is escaped.
 */
import { type Ask, type Answer, type Approval, Person } from "@belay/task-engine"
import { Words } from "@belay/task-engine/protocol"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { createInterface, type Interface } from "node:readline"
import { isatty } from "node:tty"
import type { Sink } from "./output/Sink.ts"

/** Somebody can be asked: stdin and stderr are terminals, and this is no CI. */
export const isAttended = (): boolean => isatty(0) && isatty(2) && (process.env["CI"] ?? "") === ""

/** One line of the person, typed after the prompt. */
export const readLine = (sink: Sink, prompt: string): Effect.Effect<string> =>
  Effect.callback((resume) => {
    sink.err(prompt)
    // Keystrokes from before the question are read and dropped.
    process.stdin.resume()
    let lines: Interface | undefined
    const shownAt = setTimeout(() => {
      lines = createInterface({ input: process.stdin, terminal: false })
      lines.once("line", (line) => {
        lines?.close()
        process.stdin.pause()
        resume(Effect.succeed(line.trim()))
      })
      lines.once("close", () => process.stdin.pause())
    }, 400)
    return Effect.sync(() => {
      // Answered from elsewhere: what is typed from now on is no answer.
      clearTimeout(shownAt)
      lines?.removeAllListeners("line")
      lines?.close()
      process.stdin.pause()
    })
  })

const indent = (text: string): string =>
  text
    .split("\n")
    .map((line) => `  ${Words.printable(line)}`)
    .join("\n")

const resolved = (ask: Ask): string => {
  const facts = ask.resolved as { readonly paths?: ReadonlyArray<string>; readonly writes?: ReadonlyArray<string> }
  const lines = [...(facts?.writes ?? []).map((path) => `writes ${path}`), ...(facts?.paths ?? [])]
  return lines.length === 0 ? "" : `${indent(lines.join("\n"))}\n`
}

const approve = (sink: Sink, ask: Ask): Effect.Effect<Approval> =>
  Effect.gen(function* () {
    const rule = ask.rule === undefined ? "" : ` (${ask.rule})`
    const why = ask.reason === undefined ? "" : `  Why asked: ${Words.printable(ask.reason)}${rule}\n`
    sink.err(
      `\n◆ Needs you: "${Words.printable(ask.title)}" would go on with:\n${indent(ask.question ?? "")}\n${resolved(ask)}` +
        `${why}  1 Allow once   2 Deny   or say what to do instead\n`
    )
    const line = yield* readLine(sink, "> ")
    if (line === "1") return { decision: "allow" }
    return line === "2" || line === "" ? { decision: "deny" } : { decision: "deny", text: line }
  })

const answer = (sink: Sink, ask: Ask): Effect.Effect<Answer> =>
  Effect.gen(function* () {
    const options = ask.options ?? []
    const listed = options.map((option, index) => `  ${index + 1} ${Words.printable(option)}\n`).join("")
    const plan = ask.kind === "plan" ? '  Type "act" to switch to act mode, or answer to go on planning.\n' : ""
    sink.err(`\n◆ "${Words.printable(ask.title)}" asks:\n${indent(ask.question ?? "")}\n${listed}${plan}`)
    const line = yield* readLine(sink, "> ")
    if (ask.kind === "plan" && line === "act") return { text: "", switchToAct: true }
    return { text: options[Number(line) - 1] ?? line }
  })

export const layer = (sink: Sink): Layer.Layer<Person> =>
  Layer.succeed(Person, {
    attended: true,
    approve: (ask) => approve(sink, ask),
    answer: (ask) => answer(sink, ask)
  })
