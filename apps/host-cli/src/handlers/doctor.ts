/**
 * `belay doctor`: whether a task could run here, one line for each thing that it needs, and for each that is not good what
 * to do. It changes nothing; exit 1 when something is missing.
 */
import { Words } from "@belay/interaction"
import * as Effect from "effect/Effect"
import { type Parsed, text } from "../cli/Arguments.ts"
import * as Finding from "../doctor/Finding.ts"
import * as Machine from "../doctor/Machine.ts"
import * as Processes from "../doctor/Processes.ts"
import * as Service from "../doctor/Service.ts"
import type { ExitCode, Failure } from "../cli/Failure.ts"
import type { Document } from "@belay/settings/file"
import * as Home from "../settings/Home.ts"
import * as User from "../settings/User.ts"
import * as Appearance from "../output/Appearance.ts"
import type { Sink } from "../output/Sink.ts"
import { redaction } from "../output/Redaction.ts"
import { rows } from "../output/Wrapped.ts"

const tones = { ok: "green", warning: "yellow", failed: "red" } as const

const lines = (found: ReadonlyArray<Finding.Finding>, look: Appearance.Appearance): ReadonlyArray<string> => {
  const width = Math.max(...found.map(({ name }) => name.length))
  const before = width + 11
  const wrapped = (text: string) =>
    rows(
      look,
      [{ text: Words.printable(text) }],
      look.width === undefined ? undefined : Math.max(20, look.width - before)
    )
  return found.flatMap(({ cure, found: what, name, state }) => {
    const [first = "", ...others] = [...wrapped(what), ...(cure === undefined ? [] : wrapped(cure))]
    return [
      `${Appearance.tinted(look, tones[state], state.padEnd(7))}  ${name.padEnd(width)}  ${first}`,
      ...others.map((row) => `${" ".repeat(before)}${row}`)
    ]
  })
}

export const run = (parsed: Parsed, sink: Sink): Effect.Effect<ExitCode, Failure> =>
  Effect.gen(function* () {
    const workspace = yield* Effect.fromResult(Home.workspace(text(parsed, "cwd")))
    // Settings that cannot be used are told of by what needs them.
    const { bash } = (yield* Effect.orElseSucceed(User.load, (): Document => ({}))).shell ?? {}
    const parts = yield* Effect.all(
      [
        Effect.sync(Machine.versions),
        Service.findings,
        Machine.programs(workspace, bash),
        Effect.map(Machine.sandbox(workspace, bash), (one) => [one]),
        Effect.sync(Machine.data),
        Effect.map(Machine.keys, (one) => [one]),
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
