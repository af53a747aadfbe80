/**
 * Job objects of Windows by a helper process, which makes them and answers on a pipe.
 *
 * One helper serves this process. It is started with the first command, is waited for once, and keeps nobody from ending.
 * Each request is a line `ID WHAT ARGUMENT`, each answer a line `ID NUMBER`; before the first the helper says `ready`:
 *
 * - `ID hold PID`: the process and all that it has started and will start is in job ID. 0 is yes.
 * - `ID count JOB`: how many processes run in it, after a moment in which those that end may end.
 * - `ID end JOB`: all of them are ended and waited for. How many are left.
 *
 * A negative number is a no. Guarantee: when the helper's input ends, as when this process is killed, all in its jobs
 * ends, too. A helper that is not there, says something else or nothing has no jobs.
 */
import * as childProcess from "node:child_process"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as JobsHelper from "./jobsHelper.ts"

/** Holds one child with all that it starts. Without a number: the helper has gone. */
interface Job {
  readonly count: Effect.Effect<number | undefined>
  readonly end: Effect.Effect<number | undefined>
}

export interface Jobs {
  /** Nothing where no job can be had. */
  readonly hold: (pid: number) => Effect.Effect<Job | undefined>
}

/** A program that serves jobs. */
export interface Helper {
  readonly program: string
  readonly args: ReadonlyArray<string>
}

/** It compiles itself first, which a scanner may look at. In ms of real time. */
const readyMillis = 8000
/** It waits for the end of processes itself. In ms of real time. */
const answerMillis = 15_000

const realClock = Clock.Clock.defaultValue()

const within = <A>(effect: Effect.Effect<A>, millis: number): Effect.Effect<A | undefined> =>
  effect.pipe(
    Effect.timeoutOrElse({ duration: millis, orElse: () => Effect.succeed(undefined) }),
    Effect.provideService(Clock.Clock, realClock)
  )

type Answer = (number: number | undefined) => void

const begin = ({ args, program }: Helper, patience: number) => {
  const waiting = new Map<number, Answer>()
  const ready = Promise.withResolvers<boolean>()
  let isGone = false
  const gone = () => {
    isGone = true
    ready.resolve(false)
    for (const answer of waiting.values()) answer(undefined)
    waiting.clear()
  }
  const child = childProcess.spawn(program, args, { stdio: ["pipe", "pipe", "ignore"], windowsHide: true })
  const heard = (line: string): void => {
    if (line === "ready") return ready.resolve(true)
    const [, id, number] = /^(\d+) (-?\d+)$/.exec(line) ?? []
    const answer = waiting.get(Number(id))
    waiting.delete(Number(id))
    answer?.(Number(number))
  }
  let said = ""
  child.stdout.on("data", (bytes: Buffer) => {
    const lines = (said + bytes.toString("latin1")).split(/\r?\n/)
    said = lines.pop() ?? ""
    for (const line of lines) heard(line)
  })
  child.once("error", gone)
  child.once("exit", gone)
  child.stdin.on("error", () => {})
  child.unref()
  for (const pipe of [child.stdin, child.stdout]) (pipe as typeof pipe & { unref?: () => void }).unref?.()
  let last = 0
  const ask = (id: number, what: string): Effect.Effect<number | undefined> =>
    within(
      Effect.callback<number | undefined>((resume) => {
        if (isGone) return resume(Effect.succeed(undefined))
        waiting.set(id, (number) => resume(Effect.succeed(number)))
        child.stdin.write(`${id} ${what}\n`)
        return Effect.sync(() => void waiting.delete(id))
      }),
      answerMillis
    )
  return {
    ready: Effect.map(
      within(
        Effect.promise(() => ready.promise),
        patience
      ),
      (is) => is === true
    ),
    next: () => ++last,
    ask
  }
}

/** Jobs of a helper, which is started when there is the first child; `patience`: ms of real time until it is ready. */
export const make = (helper: Helper, patience = readyMillis): Jobs => {
  let begun: ReturnType<typeof begin> | undefined
  return {
    hold: Effect.fnUntraced(function* (pid: number) {
      begun ??= begin(helper, patience)
      const { ask, next, ready } = begun
      if (!(yield* ready)) return undefined
      const job = next()
      if ((yield* ask(job, `hold ${pid}`)) !== 0) return undefined
      const asked = (what: string) => Effect.suspend(() => ask(next(), `${what} ${job}`))
      return { count: asked("count"), end: asked("end") }
    })
  }
}

let system: Jobs | undefined

/** Those of the system: one helper for this process. */
export const ofSystem = (): Jobs => (system ??= make(JobsHelper.helper()))
