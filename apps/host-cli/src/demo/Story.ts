/**
 * The demo's steps in order, each carried out by real processes on real files.
 *
 * A step that does not end as it must is a `Failure` that names it; nothing after it is told. All processes end with the
 * scope.
 */
import type { HistoryError } from "@belay/history-store"
import type { LiveEvent } from "@belay/task-engine"
import { Words } from "@belay/interaction"
import type { ScriptedServer } from "@belay/testkit"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { spawn } from "node:child_process"
import { Failure } from "../cli/Failure.ts"
import * as Cli from "./Cli.ts"
import * as Evidence from "./Evidence.ts"
import * as Narrator from "./Narrator.ts"
import type { DemoOutput } from "./DemoOutput.ts"
import * as Sample from "./Sample.ts"
import * as Scenario from "./Scenario.ts"
import type { Facts } from "./Verdict.ts"

export interface Stage {
  readonly sample: Sample.Sample
  readonly server: ScriptedServer.ScriptedServer
  readonly paper: DemoOutput
  /** Somebody watches: leave time to read. */
  readonly paced: boolean
}

/** What runs without asking in the demo: edits in the workspace, and one command. */
const approvals = JSON.stringify({ edit: "allow", commands: { allow: [Sample.testCommand] } })

/** A process of the demo that takes longer is broken. */
const longest = "1 minute"

const broken = (step: string, why: string): Failure =>
  new Failure({
    code: 1,
    tag: "DemoFailed",
    what: `the demo failed in step ${step}: ${Words.printable(why).replace(/\.$/, "")}`,
    hint: "Please report it."
  })

const inTime = <A, E, R>(step: string, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | Failure, R> =>
  Effect.timeoutOrElse(effect, {
    duration: longest,
    orElse: () => Effect.fail(broken(step, `it took longer than ${longest}`))
  })

const endsWith = (step: string, cli: Cli.Cli, code: number) =>
  Effect.gen(function* () {
    const ended = yield* inTime(step, cli.ended)
    if (ended.code === code) return
    return yield* broken(step, `exit ${ended.signal ?? ended.code} instead of ${code}. ${ended.said}`)
  })

const readable = <A>(step: string, found: Effect.Effect<A, HistoryError.HistoryError>): Effect.Effect<A, Failure> =>
  Effect.mapError(found, (error) => broken(step, error.message))

/** Time to read; none when nobody watches. */
const beat = ({ paced }: Stage, ms: number): Effect.Effect<void> => (paced ? Effect.sleep(ms) : Effect.void)

const planning = (stage: Stage, narrator: Narrator.Narrator) =>
  Effect.gen(function* () {
    const { paper, sample, server } = stage
    paper.heading("1. Plan")
    paper.say(`   You ask: "${Scenario.prompt}."`)
    paper.say("   In plan mode nothing can be changed.")
    const cli = yield* Cli.start(sample, server.url, ["run", "--mode", "plan", Scenario.prompt], narrator.hear)
    yield* endsWith("1", cli, 0)
    paper.say("   Nobody answers, so the process ends with the plan. The task stays on disk.")
    yield* beat(stage, 1500)
    return Sample.isUntouched(sample)
  })

/** Tells, once, when so many subtasks have begun the answer that is held. */
const whenHalfway = (reached: Deferred.Deferred<void>) => {
  const subtasks = new Set<string>()
  const arriving = new Set<string>()
  return (event: LiveEvent.TaskEvent): void => {
    if (event.type === "task.created" && event.parentId !== undefined) subtasks.add(event.taskId)
    if (event.type === "text.delta" && subtasks.has(event.taskId)) arriving.add(event.taskId)
    if (arriving.size === Scenario.subtasks) Deferred.doneUnsafe(reached, Effect.void)
  }
}

/** Acts until both subtasks are halfway; the process still runs. */
const acting = (stage: Stage, narrator: Narrator.Narrator) =>
  Effect.gen(function* () {
    const { paper, sample, server } = stage
    paper.heading("2. Act")
    paper.say("   You switch to act mode and allow two things: edits in this workspace,")
    paper.say(`   and the command ${Sample.testCommand}. A new process goes on with the same task.`)
    const halfway = yield* Deferred.make<void>()
    const notice = whenHalfway(halfway)
    const args = ["task", "resume", "last", "--mode", "act", "--approvals", approvals]
    const cli = yield* Cli.start(sample, server.url, args, (event) => {
      narrator.hear(event)
      notice(event)
    })
    const early = Effect.flatMap(cli.ended, ({ code, said, signal }) =>
      Effect.fail(broken("2", `exit ${signal ?? code} before the subtasks were halfway. ${said}`))
    )
    yield* inTime("2", Effect.raceFirst(Deferred.await(halfway), early))
    return cli
  })

const showTree = ({ paper }: Stage, { children, root }: Evidence.Tree): void => {
  const row = (before: string, { callsDone, state, title }: Evidence.Seen): void => {
    const label = state === "waiting" ? `Waiting for ${children.length}` : Words.signs[state].label
    const calls = `${callsDone} ${callsDone === 1 ? "call" : "calls"} done`
    const name = title.padEnd(43 - before.length)
    paper.say(`     ${before}${paper.sign(state)} ${name} ${label.padEnd(14)} ${calls}`)
  }
  row("", root)
  for (const [index, child] of children.entries()) row(paper.branch(index === children.length - 1), child)
}

const killing = (stage: Stage, cli: Cli.Cli) =>
  Effect.gen(function* () {
    const { paper, sample } = stage
    paper.heading("3. Kill it")
    paper.say(`   Both subtasks are halfway. The demo sends SIGKILL to their process (${cli.pid}),`)
    paper.say("   as a power cut would: no warning, no time to save anything.")
    yield* beat(stage, 1500)
    yield* cli.kill
    const { signal } = yield* inTime("3", cli.ended)
    const tree = yield* readable("3", Evidence.tree(sample.home))
    if (tree === undefined) return yield* broken("3", "the history has no task")
    paper.say("   The process is gone. Its history on disk says:")
    showTree(stage, tree)
    paper.say("   The task knows which subtasks it waits for, and each knows what it has done.")
    yield* beat(stage, 2500)
    return {
      killedBy: signal,
      atKill: {
        state: tree.root.state,
        unfinished: tree.children.filter(({ state }) => state === "interrupted").length,
        begun: tree.children.filter(({ callsDone }) => callsDone > 0).length
      }
    }
  })

const goingOn = (stage: Stage, narrator: Narrator.Narrator) =>
  Effect.gen(function* () {
    const { paper, sample, server } = stage
    server.release(Scenario.halfway)
    paper.heading("4. Go on")
    paper.say("   You run: belay task resume last")
    paper.say("   A new process takes each subtask up where it stopped.")
    const cli = yield* Cli.start(sample, server.url, ["task", "resume", "last"], narrator.hear)
    yield* endsWith("4", cli, 0)
    yield* beat(stage, 800)
  })

/** The tests of the workspace, run by the demo itself. */
const testsPass = ({ sample }: Stage): Effect.Effect<boolean> =>
  Effect.callback((resume) => {
    const child = spawn(process.execPath, ["--test"], {
      cwd: sample.workspace,
      env: Cli.environment(),
      stdio: "ignore"
    })
    child.once("error", () => resume(Effect.succeed(false)))
    child.once("close", (code) => resume(Effect.succeed(code === 0)))
    return Effect.sync(() => child.kill("SIGKILL"))
  })

/** Plays the whole story and gives what was found out. Errors: the step that did not end as it must. */
export const play = (stage: Stage): Effect.Effect<Facts, Failure, Scope.Scope> =>
  Effect.gen(function* () {
    const narrator = Narrator.make(stage.paper)
    const untouchedByPlan = yield* planning(stage, narrator)
    const cli = yield* acting(stage, narrator)
    const { atKill, killedBy } = yield* killing(stage, cli)
    yield* goingOn(stage, narrator)
    const found = yield* readable("5", Evidence.outcome(stage.sample.home))
    return {
      untouchedByPlan,
      killedBy,
      atKill,
      ...found,
      written: Sample.isFinished(stage.sample),
      testsPass: yield* inTime("5", testsPass(stage))
    }
  })
