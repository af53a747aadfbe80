/**
 * `belay doctor`: whether a task could run here, one line for each thing that it needs, and for each that is not good what
 * to do. It changes nothing; exit 1 when something is missing.
 */
import { Words } from "@belay/task-engine/protocol"
import * as Effect from "effect/Effect"
import { type Parsed, text } from "../cli/Arguments.ts"
import * as Finding from "../doctor/Finding.ts"
import * as Machine from "../doctor/Machine.ts"
import * as Processes from "../doctor/Processes.ts"
import * as Service from "../doctor/Service.ts"
import type { ExitCode, Failure } from "../cli/Failure.ts"
import * as Home from "../settings/Home.ts"
import * as Appearance from "../output/Appearance.ts"
import type { Sink } from "../output/Sink.ts"
import { redaction } from "../output/Redaction.ts"

const tones = { ok: "green", warning: "yellow", failed: "red" } as const

const lines = (found: ReadonlyArray<Finding.Finding>, look: Appearance.Appearance): ReadonlyArray<string> => {
  const width = Math.max(...found.map(({ name }) => name.length))
  return found.flatMap(({ cure, found: what, name, state }) => [
    `${Appearance.tinted(look, tones[state], state.padEnd(7))}  ${name.padEnd(width)}  ${Words.printable(what)}`,
    ...(cure === undefined ? [] : [`${" ".repeat(width + 11)}${Words.printable(cure)}`])
  ])
}

export const run = (parsed: Parsed, sink: Sink): Effect.Effect<ExitCode, Failure> =>
  Effect.gen(function* () {
    const workspace = yield* Effect.fromResult(Home.workspace(text(parsed, "cwd")))
    const parts = yield* Effect.all(
      [
        Effect.sync(Machine.versions),
        Service.findings,
        Machine.programs(workspace),
        Effect.map(Machine.sandbox(workspace), (one) => [one]),
        Effect.sync(Machine.data),
        Processes.findings
      ],
      { concurrency: "unbounded" }
    )
    const findings = redaction.deep(parts.flat())
    const isGood = findings.every(({ state }) => state !== "failed")
    if (text(parsed, "output") === "json") sink.data(`${JSON.stringify({ ok: isGood, findings })}\n`)
    else sink.out(`${lines(findings, Appearance.of(parsed)).join("\n")}\n`)
    return isGood ? 0 : 1
  })
