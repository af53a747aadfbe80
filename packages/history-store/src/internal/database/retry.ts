/**
 * How the history meets trouble: it waits for other processes, and names what it cannot wait out.
 */
import { Command, LegalDecision } from "@belay/task-state"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type { SqlError } from "effect/sql/SqlError"
import * as HistoryError from "../../history/HistoryError.ts"
import { Unreadable } from "../records/rows.ts"

/** SQLite waits 50 ms; between the tries the event loop is free. */
const policy = (duration: Duration.Input) =>
  Schedule.spaced("20 millis").pipe(Schedule.jittered, Schedule.upTo({ duration }))

const passing: ReadonlySet<HistoryError.Reason> = new Set(["busy", "unreachable"])

/** The connection to a server was lost, or there is none yet. */
export const isLost = (error: unknown): boolean => HistoryError.fromCause("", error).reason === "unreachable"

const isPassing = (error: unknown): boolean => passing.has(HistoryError.fromCause("", error).reason)

/**
 * Tries again while another process has the lock or a server cannot be reached; whatever was tried must have left nothing
 * behind.
 */
export const waiting = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  duration: Duration.Input = "30 seconds"
): Effect.Effect<A, E, R> => Effect.retry(effect, { schedule: policy(duration), while: isPassing })

const unreadable = (path: string, defect: unknown) =>
  defect instanceof Unreadable
    ? Effect.fail(
        new HistoryError.HistoryError({
          reason: "corrupt",
          path,
          detail: defect.message,
          ...(defect.taskId === undefined ? {} : { taskId: defect.taskId }),
          cause: defect.cause ?? defect
        })
      )
    : Effect.die(defect)

const named = (path: string, error: unknown, taskId?: string): HistoryError.HistoryError =>
  error instanceof LegalDecision.IllegalDecision
    ? new HistoryError.HistoryError({ reason: "illegal", path, detail: error.message, cause: error })
    : HistoryError.fromCause(path, error, taskId)

/** What only the history itself can make fail; `taskId` is whose rows it looks at. */
export const reading = <A>(
  path: string,
  effect: Effect.Effect<A, SqlError | HistoryError.HistoryError | LegalDecision.IllegalDecision>,
  taskId?: string
) =>
  waiting(effect).pipe(
    Effect.mapError((error) => named(path, error, taskId)),
    Effect.catchDefect((defect) => unreadable(path, defect))
  )

/** What the rules of the lifecycle can refuse as well. */
export const writing = <A>(
  path: string,
  effect: Effect.Effect<
    A,
    SqlError | HistoryError.HistoryError | Command.TransitionRejected | LegalDecision.IllegalDecision
  >
) =>
  waiting(effect).pipe(
    Effect.mapError((error) =>
      error instanceof Command.TransitionRejected ? error : HistoryError.ofWrite(named(path, error))
    ),
    Effect.catchDefect((defect) => unreadable(path, defect))
  )
