/**
 * `belay demo`: the whole system on a sample workspace, with a scripted model on loopback.
 *
 * No key and no network are needed, and nothing outside one new temporary folder is touched. Exit 0: everything it says
 * was checked and holds; 1: something does not, and it says what.
 */
import { ScriptedServer } from "@belay/testkit"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as path from "node:path"
import type { Parsed } from "../cli/Arguments.ts"
import * as LookAround from "../demo/LookAround.ts"
import * as DemoOutput from "../demo/DemoOutput.ts"
import * as Sample from "../demo/Sample.ts"
import * as Scenario from "../demo/Scenario.ts"
import * as Story from "../demo/Story.ts"
import * as TryIt from "../demo/TryIt.ts"
import * as Verdict from "../demo/Verdict.ts"
import { type ExitCode, Failure } from "../cli/Failure.ts"
import * as Appearance from "../output/Appearance.ts"
import type { Sink } from "../output/Sink.ts"
import * as Signals from "../terminal/Signals.ts"

const opening = (paper: DemoOutput.DemoOutput, sample: Sample.Sample, paced: boolean): void => {
  paper.stress("Belay: a killed process loses nothing, and subtasks always report back.")
  paper.say(`This demo shows it${paced ? " in about 20 seconds" : ""}, without a key and without a network.`)
  paper.say("A script plays the model. Files, commands, processes and the kill are real.")
  paper.say(`Everything happens in ${sample.root}`)
}

/** Every promise with its sign; true when all hold. */
const closing = (paper: DemoOutput.DemoOutput, claims: ReadonlyArray<Verdict.Claim>): boolean => {
  paper.heading("5. Check, by what is on disk")
  for (const { holds, text: claim } of claims) {
    paper.say(`   ${paper.sign(holds ? "done" : "failed")} ${holds ? claim : `Failed: ${claim}`}`)
  }
  return claims.every(({ holds }) => holds)
}

const lookAround = (paper: DemoOutput.DemoOutput, sample: Sample.Sample): void => {
  const invocation: LookAround.Invocation = {
    execPath: process.execPath,
    execArgv: process.execArgv,
    entry: process.argv[1] ?? "belay",
    env: process.env,
    platform: process.platform
  }
  paper.say()
  paper.say(`The history is in ${path.join(sample.home, "belay.db")}`)
  paper.say("It is kept, as is the workspace. Look around:")
  for (const command of LookAround.commands(sample, invocation)) paper.say(`  ${command}`)
}

const brokenPromise = (claims: ReadonlyArray<Verdict.Claim>): Failure =>
  new Failure({
    code: 1,
    tag: "DemoFailed",
    what: `the demo's promise does not hold (${claims.find(({ holds }) => !holds)?.text.replace(/\.$/, "") ?? ""})`,
    hint: "Please report it."
  })

const show = (paper: DemoOutput.DemoOutput, paced: boolean, sink: Sink): Effect.Effect<ExitCode, Failure> =>
  Effect.scoped(
    Effect.gen(function* () {
      const begun = yield* Clock.currentTimeMillis
      const sample = yield* Sample.make
      opening(paper, sample, paced)
      yield* Effect.addFinalizer((exit) =>
        Effect.sync(() => {
          if (!Exit.isSuccess(exit)) paper.say(`\nStopped. What was written so far is kept in ${sample.root}`)
        })
      )
      const server = yield* Effect.acquireRelease(
        Effect.promise(() => ScriptedServer.startServer(Scenario.scenario(paced))),
        (started) => Effect.promise(() => started.close())
      )
      const facts = yield* Story.play({ sample, server, paper, paced })
      const claims = Verdict.judge(facts, Scenario.subtasks)
      if (!closing(paper, claims)) return yield* brokenPromise(claims)
      const took = Math.round(((yield* Clock.currentTimeMillis) - begun) / 1000)
      paper.say()
      paper.stress(`Done in ${took}s. The process was killed, and nothing was lost.`)
      lookAround(paper, sample)
      yield* TryIt.offer(sample, sink)
      return 0 as const
    })
  )

export const run = (parsed: Parsed, sink: Sink): Effect.Effect<ExitCode, Failure> =>
  Effect.scoped(
    Effect.gen(function* () {
      const paper = DemoOutput.make(sink.out, Appearance.of(parsed))
      const paced = process.stdout.isTTY && (process.env["CI"] ?? "") === ""
      const stopped = yield* Deferred.make<ExitCode>()
      yield* Signals.onFirst(() => Deferred.succeed(stopped, 130))
      return yield* Effect.raceFirst(show(paper, paced, sink), Deferred.await(stopped))
    })
  )
