/**
 * A child process with everything it starts.
 *
 * Guarantees: when the scope of `spawn` closes, no process of the group is left: SIGTERM, SIGKILL after 2 seconds of real
 * time, whatever the state of the child; when this process is killed, so is the group. stdin is empty, or what it is
 * `told`, or with `input` a pipe. On Linux the same goes for what has left the group (setsid), as far as `Strays` finds it; all of it is reached in
 * the sandbox: with `reports` the first process of the box is waited for, whose end is the end of all in it. On Windows
 * it goes for all that a job object holds; without one, `isWhole` says that processes may live on.
 */
import { Machine } from "@belay/machine"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as childProcess from "node:child_process"
import * as stream from "node:stream"
import * as TaskMark from "../../tool/TaskMark.ts"
import * as Strays from "./Strays.ts"
import { isThere } from "../../internal/signals.ts"
import type { Hold } from "./Hold.ts"
import * as OutputDecoder from "./OutputDecoder.ts"
import * as PosixGroup from "./PosixGroup.ts"
import * as ProcessReaper from "./ProcessReaper.ts"
import * as WindowsJobs from "./WindowsJobs.ts"
import type { Jobs } from "./WindowsJobs.ts"
import * as WindowsTree from "./WindowsTree.ts"

export class SpawnError extends Schema.TaggedError<SpawnError>()("SpawnError", {
  program: Schema.String,
  cause: Schema.Defect()
}) {
  override get message() {
    const { cause } = this
    return `${this.program} could not be started: ${cause instanceof Error ? cause.message : String(cause)}`
  }
}

export interface SpawnOptions {
  readonly program: string
  readonly args: ReadonlyArray<string>
  readonly cwd: string
  readonly env: Record<string, string>
  /** On Windows the arguments are one line already. */
  readonly verbatim?: boolean
  /** Whose process it is: the id of a task, or the name of what serves tasks. It and all that it starts carry it. */
  readonly mark?: string
  /** Called for every piece of standard output and error, as they come, before `exit` is known. */
  readonly onOutput: (chunk: string, stream: "stdout" | "stderr") => void
  /** Its standard input is a pipe, for `write`. */
  readonly input?: boolean
  /** All of its standard input. */
  readonly told?: string
  /** The program writes `{ "child-pid": N }` to this descriptor: the process whose end ends everything it started. */
  readonly reports?: 3
  /** It starts no other: on Windows nothing has to hold it together with others. */
  readonly alone?: boolean
  /** What it reads from descriptor 4; only with `reports`. */
  readonly given?: Uint8Array
}

export type Exit =
  | { readonly _tag: "Exited"; readonly code: number }
  | { readonly _tag: "Signalled"; readonly signal: string }

export interface ProcessGroup {
  readonly pid: number
  /** The end of the child itself; others of its group may live on. */
  readonly exit: Effect.Effect<Exit>
  /** Both pipes are at their end: nobody can write any more. */
  readonly closed: Effect.Effect<void>
  /** What was written before is read, however long this process was held up. */
  readonly caughtUp: Effect.Effect<void>
  /** Some process of the group is alive, or one that has left it. */
  readonly isAlive: Effect.Effect<boolean>
  /** All that it has started is ended with it, as far as this system can tell; false where it may live on. */
  readonly isWhole: boolean
  /** Writes to its standard input; rejects when that is not open any more. */
  readonly write: (text: string) => Promise<void>
  /** Stops and resumes reading, so that a slow reader holds the writers back. */
  readonly setFlowing: (flowing: boolean) => void
}

const pollMillis = 1
const boxMillis = 10_000
/** In each turn of the event loop all that the pipes hold is read, and then their ends are told. */
const turnsToRead = 10

/** Real time, also under a test clock: a finalizer has to end by itself. */
const realClock = Clock.Clock.defaultValue()

const terminate = (
  child: childProcess.ChildProcess,
  hold: Hold,
  boxed: () => number | undefined
): Effect.Effect<void> =>
  Effect.gen(function* () {
    yield* hold.end
    const inner = boxed()
    if (inner !== undefined) yield* untilBoxIsGone(inner)
    child.stdin?.destroy()
    child.stdout?.destroy()
    child.stderr?.destroy()
  }).pipe(Effect.provideService(Clock.Clock, realClock), Effect.uninterruptible)

/** The process that a box reports, once it has. */
const innerOf = (child: childProcess.ChildProcess): (() => number | undefined) => {
  let said = ""
  const pipe = child.stdio[3]
  if (pipe instanceof stream.Readable) pipe.on("data", (bytes: Buffer) => (said += bytes.toString("latin1")))
  return () => {
    const pid = /"child-pid":\s*(\d+)/.exec(said)?.[1]
    return pid === undefined ? undefined : Number(pid)
  }
}

/** The box ends with the program that made it; a killed process is gone when it is no more, or dead. */
const untilBoxIsGone = Effect.fnUntraced(function* (pid: number) {
  const latest = (yield* Clock.currentTimeMillis) + boxMillis
  while (isThere(pid) && (yield* Clock.currentTimeMillis) < latest) yield* Effect.sleep(pollMillis)
})

/** Lets the child read these bytes from descriptor 4, which is a pipe. */
export const give = (child: childProcess.ChildProcess, bytes: Uint8Array | undefined): void => {
  const pipe: unknown = child.stdio[4]
  if (bytes === undefined || !(pipe instanceof stream.Duplex)) return
  // A program that ends before it has read says so itself.
  pipe.on("error", () => {})
  pipe.end(bytes)
  // Until its other side is at its end, too, the child does not count as closed.
  pipe.resume()
}

const start = (
  options: SpawnOptions,
  mark: string,
  isWindows: boolean
): Effect.Effect<childProcess.ChildProcess & { pid: number }, SpawnError> =>
  Effect.callback((resume) => {
    const fail = (cause: unknown) => resume(Effect.fail(new SpawnError({ program: options.program, cause })))
    try {
      if (!isWindows) ProcessReaper.prepare()
      const child = childProcess.spawn(options.program, options.args, {
        cwd: options.cwd,
        env: { ...options.env, [TaskMark.variable]: options.mark ?? "belay", [Strays.variable]: mark },
        stdio: [
          options.input === true || options.told !== undefined ? "pipe" : "ignore",
          "pipe",
          "pipe",
          ...(options.reports === undefined ? [] : (["pipe"] as const)),
          ...(options.given === undefined ? [] : (["pipe"] as const))
        ],
        // The child leads a group of its own, which a signal reaches as a whole; on Windows it would open a console.
        detached: !isWindows,
        windowsHide: true,
        windowsVerbatimArguments: options.verbatim === true
      })
      give(child, options.given)
      // A program that ends before it has read is no fault: \`listen\` takes the error.
      if (options.told !== undefined) child.stdin?.end(options.told)
      child.once("error", fail)
      child.once("spawn", () => resume(Effect.succeed(child as childProcess.ChildProcess & { pid: number })))
    } catch (cause) {
      fail(cause)
    }
  })

/** The state of an event that happens once; later waiters get it at once. */
const event = <A>() => {
  const waiting = new Set<(value: A) => void>()
  let happened: { readonly value: A } | undefined
  return {
    fire: (value: A) => {
      happened ??= { value }
      for (const resume of waiting) resume(value)
      waiting.clear()
    },
    wait: Effect.callback<A>((resume) => {
      if (happened !== undefined) return resume(Effect.succeed(happened.value))
      const waiter = (value: A) => resume(Effect.succeed(value))
      waiting.add(waiter)
      return Effect.sync(() => {
        waiting.delete(waiter)
      })
    })
  }
}

const caughtUp = Effect.callback<void>((resume) => {
  let left = turnsToRead
  const turn = () => (left-- === 0 ? resume(Effect.void) : setImmediate(turn))
  turn()
})

const listen = (
  child: childProcess.ChildProcess & { pid: number },
  options: SpawnOptions
): Omit<ProcessGroup, "isAlive" | "isWhole"> => {
  const exit = event<Exit>()
  const closed = event<void>()
  for (const name of ["stdout", "stderr"] as const) {
    const decoder = OutputDecoder.make()
    const emit = (text: string) => {
      if (text !== "") options.onOutput(text, name)
    }
    child[name]?.on("data", (bytes: Buffer) => emit(decoder.write(bytes)))
    child[name]?.on("end", () => emit(decoder.end()))
    // A pipe that breaks ends; what came until then counts.
    child[name]?.on("error", () => {})
  }
  // A write that fails says so itself.
  child.stdin?.on("error", () => {})
  child.once("exit", (code, name) => {
    exit.fire(name === null ? { _tag: "Exited", code: code ?? 0 } : { _tag: "Signalled", signal: name })
  })
  child.once("close", () => closed.fire())
  return {
    pid: child.pid,
    exit: exit.wait,
    closed: closed.wait,
    caughtUp,
    write: (text) =>
      new Promise((resolve, reject) => {
        const { stdin } = child
        if (stdin === null || !stdin.writable) return reject(new Error("its standard input is closed"))
        stdin.write(text, (error) => (error == null ? resolve() : reject(error)))
      }),
    setFlowing: (flowing) => {
      for (const stream of [child.stdout, child.stderr]) {
        if (flowing) stream?.resume()
        else stream?.pause()
      }
    }
  }
}

/** `jobs`: what holds processes together on Windows; those of the system by default. */
export const spawn = (
  options: SpawnOptions & { readonly jobs?: Jobs }
): Effect.Effect<ProcessGroup, SpawnError, Scope.Scope> =>
  Effect.gen(function* () {
    const mark = Strays.mark()
    const isWindows = Machine.isWindows(yield* Machine.Current)
    const { group } = yield* Effect.acquireRelease(
      Effect.gen(function* () {
        const child = yield* start(options, mark, isWindows)
        // Before anything else can happen: what it says is read from the first byte on.
        const heard = listen(child, options)
        const hold = isWindows
          ? yield* WindowsTree.hold(
              child,
              options.alone === true ? undefined : (options.jobs ?? WindowsJobs.ofSystem())
            )
          : PosixGroup.hold(child, { mark, isBoxed: options.reports !== undefined })
        return {
          child,
          hold,
          boxed: innerOf(child),
          group: { ...heard, isAlive: hold.isAlive, isWhole: hold.isWhole }
        }
      }),
      ({ boxed, child, hold }) => terminate(child, hold, boxed)
    )
    return group
  })
