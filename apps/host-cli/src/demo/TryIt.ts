/**
 * The interactive terminal on the demo's workspace, with a script for the model: a person tries it without a key.
 *
 * It is the real command, started again; it gets the demo's history and nothing of the user's.
 */
import { type Scenario, ScriptedServer } from "@belay/testkit"
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import * as Terminal from "../terminal/Terminal.ts"
import * as Signals from "../terminal/Signals.ts"
import type { Sink } from "../output/Sink.ts"
import * as Cli from "./Cli.ts"
import * as Sample from "./Sample.ts"

const documents = "Read the README and say what it promises"
const counting = "Read the cart and say how it counts"

const steps = ["Read the cart", "Run the tests, when you allow it", "Write NOTES.md, when you allow it", "Two subtasks"]

const progress = (done: number): string =>
  steps.map((step, index) => `- [${index < done ? "x" : index === done ? "-" : " "}] ${step}`).join("\n")

/** In ms, before each event of an answer. */
const delayMs = 8

const answer = (text: string, ...calls: ReadonlyArray<readonly [name: string, input: object]>): Scenario.Answer => ({
  content: [{ type: "text", text }, ...calls.map(([name, input]) => ({ type: "tool_use" as const, name, input }))],
  delayMs
})

/** Whatever is said, in every task. */
const scenario: Scenario.Scenario = {
  tasks: [
    ...[
      { prompt: documents, file: Sample.readme, result: "It promises that a cart adds price times quantity." },
      { prompt: counting, file: Sample.cart, result: "It multiplies price and quantity, and adds that up." }
    ].map(({ file, prompt, result }) => ({
      match: { prompt },
      shared: true,
      answers: [answer("I read it.", ["read_file", { path: file }]), answer("", ["attempt_completion", { result }])]
    })),
    {
      match: {},
      shared: true,
      answers: [
        answer("A script plays the model, whatever you say; what its calls do is real. **First** I read the cart.", [
          "read_file",
          { path: Sample.cart, task_progress: progress(0) }
        ]),
        answer("Now the tests. A command asks you first: **Tab**, a number, **Enter**.", [
          "execute_command",
          { command: Sample.testCommand, task_progress: progress(1) }
        ]),
        answer("A change asks, too: `d` shows all of it, `e` edits it.", [
          "write_to_file",
          { path: "NOTES.md", content: "# Notes\n\nThe cart counts quantities now.\n", task_progress: progress(2) }
        ]),
        answer(
          "Two parts go to subtasks, which stand as a tree.",
          ["new_task", { message: documents, task_progress: progress(3) }],
          ["new_task", { message: counting }]
        ),
        answer("Both have reported.", ["read_file", { path: "NOTES.md", task_progress: progress(steps.length) }]),
        answer(
          [
            "All is done. What you may try now:",
            "- `/diff` and Ctrl+O show what was done, Ctrl+T the other tasks.",
            "- `/rewind` goes back to before something that you said, `/undo` takes that back.",
            "- `/checklist` shows what was done, `?` shows the keys, `/quit` leaves."
          ].join("\n")
        )
      ]
    }
  ],
  fallback: answer("The script is at its end. `/new` begins it again, `/quit` leaves.")
}

/** Runs it to its end. */
const open = (sample: Sample.Sample, url: string): Effect.Effect<void> =>
  Effect.callback((resume) => {
    const entry = process.argv[1] ?? "belay"
    const env = { ...Cli.environment(), BELAY_HOME: sample.home, ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: "demo" }
    const child = spawn(process.execPath, [...process.execArgv, entry, "--cwd", sample.workspace], {
      env,
      stdio: "inherit"
    })
    child.on("error", () => resume(Effect.void))
    child.on("close", () => resume(Effect.void))
    return Effect.sync(() => child.kill())
  })

/** Asks whether the person wants it, where somebody is there, and opens it then. */
export const offer = (sample: Sample.Sample, sink: Sink): Effect.Effect<void> =>
  Effect.scoped(
    Effect.gen(function* () {
      if (!Terminal.isAttended() || !process.stdout.isTTY) return
      const question = "\nTry it yourself in this terminal, with a script for the model and without a key? [Y/n] "
      const said = yield* Terminal.readLine(sink, question)
      if (said === undefined || !/^(?:y|yes)?$/iu.test(said.trim())) return
      const server = yield* Effect.acquireRelease(
        Effect.promise(() => ScriptedServer.startServer(scenario)),
        (started) => Effect.promise(() => started.close())
      )
      yield* Effect.promise(sink.flush)
      yield* Signals.ignored(open(sample, server.url))
    })
  )
